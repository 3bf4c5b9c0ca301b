// Users' histories to the rows of their journeys, one user at a time.

import Buffers
import Folding
import PermissionEvents

/// Takes the journeys of a walk.
package protocol JourneyRecords: AnyObject {
  /// - Parameter user: the id of the journey's user.
  func append(_ record: JourneyRecord, of user: [UInt8])
}

/// Reads the journeys of users that a question is about. Owned by one thread.
package struct JourneyReader: ~Copyable {
  private let question: JourneyQuestion
  private let values: ExposureValues
  private let contexts: HistoryContexts
  private let calls: CallReader
  /// Code of the only permission wanted: 0 for all, `UInt32.max` if the walk has none of its name.
  private let onlyPermission: UInt32
  private let permissionOfContext: Buffer<UInt32>
  /// By code of a permission its place in the order of the names' bytes.
  private let ranks: Buffer<UInt32>
  private let hasFeatures, hasAttributes: Bool
  private let asOfDay: DayNumber
  private var days = DayCursor()
  private var engagement = UserEngagement()
  private var rows: PermissionRows
  private var journeyRows = JourneyRows()
  /// The lists of `rows` in the order of the permissions' names.
  private var order: [Int] = []

  package init(_ question: JourneyQuestion, contexts: HistoryContexts) {
    self.question = question
    let selection = question.selection
    calls = CallReader(question.reading, question.windows, watch: nil, selection, contexts: contexts)
    let contexts = question.reading.contexts(contexts)
    self.contexts = contexts
    values = ExposureValues([], where: question.conditions, selection, contexts)
    onlyPermission = question.permission.map { contexts.permissionCode($0) } ?? 0
    permissionOfContext = contexts.permissionsOfContexts()
    ranks = contexts.permissionRanks()
    hasFeatures = selection.property != nil
    hasAttributes = !selection.attributes.isEmpty
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    rows = PermissionRows(permissionCount: contexts.permissions.count)
  }

  /// Hands over each journey with an exposure of a batch's users.
  package mutating func read(_ batch: HistoryBatch, _ records: some JourneyRecords) {
    calls.read(batch).forEachUser { read($0, records) }
  }

  /// Hands over each journey of a user with an exposure, in the order of the permissions' names.
  private mutating func read(_ user: borrowing UserHistory, _ records: some JourneyRecords) {
    let asOf = question.windows.asOf
    let (times, codes) = (user.unsafeTimes, user.unsafeCodes)
    var count = user.eventCount
    while count > 0, times[count - 1] > asOf { count -= 1 }
    guard count > 0 else { return }
    rows.fill(count, codes, permissionOfContext)
    order.removeAll(keepingCapacity: true)
    for list in 0..<rows.permissions.count {
      let permission = rows.permissions[list]
      // Events of no permission, as installs are, have code 0.
      if permission != 0, onlyPermission == 0 || onlyPermission == permission { order.append(list) }
    }
    if order.count > 1 { order.sort { ranks[Int(rows.permissions[$0])] < ranks[Int(rows.permissions[$1])] } }
    // Read for the first journey that is wanted.
    var id: [UInt8]?
    for list in order {
      let permission = PermissionCode(rawValue: rows.permissions[list])
      journeyRows.fill(list, of: rows, times, codes)
      let events = journeyRows.events
      let exposure = events.exposure(isAlone: contexts.isAnsweredAlone(permission.rawValue))
      guard exposure < events.end, isInside(events.time(exposure)) else { continue }
      let event = journeyRows.rowNumbers[exposure]
      guard values.meetsConditions(user, event) else { continue }
      if id == nil { addEngagement(of: user) }
      let name = id ?? user.id()
      id = name
      let facts = JourneyFacts(events, exposure: exposure, permission: permission, windows: question.windows)
      var record = JourneyRecord(facts, events, permission, question.windows)
      record.attributes = hasAttributes ? user.attributes(event) : 0
      record.feature = hasFeatures ? user.property(event) : 0
      record.add(
        engagement, day: days.day(of: facts.start, in: question.zone), asOfDay: asOfDay, missing: question.missing)
      records.append(record, of: name)
    }
  }

  @inline(__always)
  private func isInside(_ time: Milliseconds) -> Bool {
    time >= question.from ?? .min && time < question.to ?? .max
  }

  /// Days of engagement up to as_of, and how much of it there was.
  private mutating func addEngagement(of user: borrowing UserHistory) {
    let words = user.unsafeEngagement
    func time(_ i: Int) -> Milliseconds { Milliseconds(truncatingIfNeeded: words[i] >> 1) }
    var count = user.engagementCount
    while count > 0, time(count - 1) > question.windows.asOf { count -= 1 }
    guard count > 0 else { return engagement.removeAll() }
    let first = days.day(of: time(0), in: question.zone)
    let last = days.day(of: time(count - 1), in: question.zone)
    var writer = engagement.begin(first: first, last: last, events: count)
    days.forEachOffset(of: count, in: question.zone, time: time) { moments, offset in
      for i in moments {
        writer.add(day: DayCursor.day(ofLocal: time(i) &+ offset), isFeature: Int(truncatingIfNeeded: ~words[i] & 1))
      }
    }
    engagement.end(writer)
  }
}
