// A user's history as the analysis sees it: read from a log, and made from events by the plainest means.

import Threads
import LogTestSupport
import PermissionEvents

@testable import EventLog

struct UserHistory: Hashable {
  struct Row: Hashable {
    var time: Milliseconds
    var kind: UInt8
    var status: UInt8
    var permission: [UInt8]
    var variant: [UInt8]
    var experiment: [UInt8]
    var property: [UInt8]
    var attributes: [[UInt8]]
  }
  struct Engagement: Hashable {
    var time: Milliseconds
    var kind: UInt8
    /// If those of all events were asked for.
    var attributes: [[UInt8]] = []
  }
  /// If it was asked for.
  var id: [UInt8] = []
  /// Events of permissions.
  var rows: [Row] = []
  var engagement: [Engagement] = []

  /// The histories of a batch.
  private static func read(_ batch: HistoryBatch, _ contexts: HistoryContexts) -> [UserHistory] {
    func attributes(_ code: UInt32) -> [[UInt8]] {
      zip(contexts.attributeValues, contexts.attributes[Int(code)]).map { $0[Int($1)] }
    }
    var event = 0
    var engagement = 0
    return (0..<batch.userCount).map { user in
      var history = UserHistory()
      history.id = batch.userIDs?.id(user) ?? []
      for _ in 0..<batch.permissionCounts[user] {
        let code = batch.codes[event]
        let context = contexts.contexts[Int(code >> HistoryBatch.contextShift)]
        history.rows.append(
          .init(
            time: batch.times[event], kind: UInt8(code & 15), status: UInt8(code >> HistoryBatch.statusShift & 15),
            permission: contexts.permissions[Int(context.permission)],
            variant: contexts.variants[Int(context.variant)],
            experiment: contexts.experiments[Int(context.experiment)],
            property: batch.properties.map { contexts.properties[Int($0[event])] } ?? [],
            attributes: batch.attributes.map { attributes($0.code(user: user, event: event)) } ?? []))
        event += 1
      }
      for _ in 0..<batch.engagementCounts[user] {
        let word = batch.engagement[engagement]
        let kind: EventKind = word & 1 == 1 ? .appActive : .featureUsed
        history.engagement.append(
          .init(
            time: Milliseconds(word >> 1), kind: kind.rawValue,
            attributes: batch.engagementAttributes.map { attributes($0[engagement]) } ?? []))
        engagement += 1
      }
      return history
    }
  }

  /// The histories of events that are in the log's order, each once.
  static func expected(_ events: [TestEvent], _ selection: HistorySelection) -> [UserHistory] {
    var histories: [UserHistory] = []
    var user: [UInt8]?
    for event in events {
      if event.user != user { histories.append(UserHistory(id: selection.userIDs ? event.user : [])) }
      user = event.user
      guard !event.kind.isEngagement else {
        histories[histories.count - 1].engagement.append(
          .init(
            time: event.time, kind: event.kind.rawValue,
            attributes: selection.allAttributes ? selection.attributes.map { event.values[$0] ?? [] } : []))
        continue
      }
      // An install belongs to no permission and no message.
      // An assignment that names a permission is not of this program.
      let hasContext = event.kind.needsPermission || event.kind == .assigned && event.values[.permission] ?? [] == []
      let property = selection.property.flatMap { event.values[$0] } ?? []
      histories[histories.count - 1].rows.append(
        .init(
          time: event.time, kind: event.kind.rawValue, status: event.status.rawValue,
          permission: hasContext ? event.values[.permission] ?? [] : [],
          variant: hasContext && selection.variants ? event.values[.variant] ?? [] : [],
          experiment: hasContext && selection.variants ? event.values[.experiment] ?? [] : [], property: property,
          attributes: selection.attributes.map { event.values[$0] ?? [] }))
    }
    return histories
  }

  static func scan(
    _ log: LogDirectory, _ selection: HistorySelection, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> [UserHistory] {
    try scan(LogSnapshot(log), selection, within: hashes, threads: threads)
  }

  static func scan(
    _ snapshot: LogSnapshot, _ selection: HistorySelection, within hashes: ClosedRange<UInt64> = 0...(.max),
    threads: Int
  ) throws -> [UserHistory] {
    let scan = try HistoryScan(snapshot, selection: selection)
    let histories = Mutex<[UserHistory]>([])
    try scan.forEachThread(threads, within: hashes) { forEachBatch in
      var found: [UserHistory] = []
      try forEachBatch { found += read($0, scan.contexts) }
      let all = found
      histories.withLock { $0 += all }
    }
    return histories.withLock { $0 }
  }
}
