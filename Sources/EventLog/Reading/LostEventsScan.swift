// What apps' recorders say that they could not keep. These events are in no history of a question: they are read apart, and only in
// logs that have any.

import PermissionEvents
import Threads

extension LogSnapshot {
  /// Sums of the events of the kind `lost`, by kind and reason, in this order. Users that answers leave out are left out.
  /// - Parameter end: the latest time that counts; nil for all.
  package func lostEvents(upTo end: Milliseconds? = nil, threads: Int) throws -> [LostEvents] {
    let name = Array(EventKind.lost.name.utf8)
    guard parts.contains(where: { $0.footer.dictionary.kinds.contains { $0.name == name } }) else { return [] }
    var selection = HistorySelection(surfaces: true)
    selection.losses = true
    let scan = try HistoryScan(self, selection: selection)
    let said = scan.contexts.contexts.map { context in
      LostEvents(surface: scan.contexts.surfaces[Int(context.surface)])
        // It says nothing of itself, but at least one event is lost.
        ?? LostEvents(count: 1, kind: "unknown", reason: "unknown")
    }
    let found = Mutex<[LostEvents: Int]>([:])
    try scan.forEachThread(threads) { forEachBatch in
      var sums: [LostEvents: Int] = [:]
      try forEachBatch { batch in
        let count = (0..<batch.userCount).reduce(0) { $0 + Int(batch.permissionCounts[$1]) }
        for i in 0..<count where batch.codes[i] & 15 == UInt32(EventKind.lost.rawValue) {
          guard end.map({ batch.times[i] <= $0 }) ?? true else { continue }
          let one = said[Int(batch.codes[i] >> HistoryBatch.contextShift)]
          sums[LostEvents(count: 0, kind: one.kind, reason: one.reason), default: 0] += one.count
        }
      }
      let added = sums
      found.withLock { $0.merge(added, uniquingKeysWith: +) }
    }
    return found.withLock { $0 }.map { LostEvents(count: $1, kind: $0.kind, reason: $0.reason) }
      .sorted { ($0.kind, $0.reason) < ($1.kind, $1.reason) }
  }
}
