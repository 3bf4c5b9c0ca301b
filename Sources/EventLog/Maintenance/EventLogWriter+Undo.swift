// Taking back the newest ingest: its events and links go, and what it replaced returns. The log before it is still there, in
// files that the manifest keeps until the log changes again.

import PermissionEvents

extension EventLogWriter {
  /// The log as it was before its newest ingest with events. Erased users stay out.
  /// - Returns: the ingest that was taken back, and those after it, which had no new events; nil if the log before it is not kept.
  package func undo() throws -> UndoneIngest? {
    guard let previous = manifest.previous else { return nil }
    let undone = history.ingests.filter { $0.number >= previous.ingest && $0.undone == nil }
    let before = (events: parts.reduce(0) { $0 + Int($1.visibleRows) }, newest: newestTime)
    var next = manifest
    let state = previous.state
    (next.parts, next.links, next.eventIDs, next.users) = (state.parts, state.links, state.eventIDs, state.users)
    next.numbers = state.numbers
    next.previous = nil
    let returned = LogSnapshot(directory, next, try state.parts.map { try PartReader($0, in: directory) })
    let head = try directory.readLinksHead(next)
    for part in returned.parts { part.hidden = head.hidden }
    let now = now ?? 0
    if let newest = before.newest {
      next.changes.note(
        PastChange(
          kind: .undoneIngest, first: now, last: now, reach: newest, oldest: 0,
          count: max(1, undone.reduce(0) { $0 + $1.new })))
    }
    history.undo(from: previous.ingest, at: now)
    try directory.removeForGood(commitState(next))
    return UndoneIngest(
      ingests: undone, events: before.events - returned.eventCount, newest: returned.timeRange?.upperBound)
  }

  /// Whether the newest ingest with events can be taken back.
  package var canUndo: Bool { manifest.previous != nil }
}

/// The result of taking an ingest back.
public struct UndoneIngest: Sendable, Hashable {
  /// The ingest, and those after it, which had no new events; oldest first.
  public var ingests: [IngestRecord]
  /// How many fewer events the log has. It may have more: those that were joined, or replaced, return.
  public var events: Int
  /// The newest event that the log has now; nil if it has none.
  public var newest: Milliseconds?
}
