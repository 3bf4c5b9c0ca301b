// One row a user and permission, in the log's order: what the figures of a report are counted of.

import EventLog
import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// Writes a row for each journey with an exposure, pending and restricted ones too: one for a user and permission. Sums over the
  /// rows are the counts of a report of the same request. docs/metrics.md has the columns.
  ///
  /// Rows are in the log's order of users, and of the permissions of a user by the bytes of their names. They are the same whatever
  /// the number of threads, and never all in memory.
  /// - Parameters:
  ///   - request: which journeys, and from when they are looked at.
  ///   - format: of the rows. In CSV an empty cell is null, what did not happen or is not known.
  ///   - isForSpreadsheets: as in ``export(as:isForSpreadsheets:to:)``.
  ///   - onUnknown: told of what a later version has put into the log, which is left out.
  ///   - write: as in ``export(as:isForSpreadsheets:to:)``. CSV of an empty log is its heading.
  /// - Throws: `usage` if the log does not have the permission or a value of a condition, or the interval is empty.
  public func exportJourneys(
    _ request: JourneyRequest = JourneyRequest(), as format: EventFormat = .ndjson, isForSpreadsheets: Bool = false,
    onUnknown: ((UnknownVocabulary) -> Void)? = nil, to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) {
    try translating {
      let snapshot = try LogSnapshot(directory)
      snapshot.tellUnknown(onUnknown)
      let form = JourneyForm(format: format, isForSpreadsheets: isForSpreadsheets)
      guard let times = snapshot.timeRange else { return try write(form.heading) }
      var question = try request.asked(of: AskedLog(times, clock: clock()))
      try KnownNames.check(request.names, in: snapshot)
      question.hasFeatures = !(snapshot.information.values[.feature] ?? []).isEmpty
      question.missing = try Self.engagement(of: snapshot, asOf: question.windows.asOf, threads: threads).missing
      question.reading = CallReading(try snapshot.calls(question.windows, threads: threads))
      let asked = question
      try write(form.heading)
      try HistoryScan(snapshot, selection: asked.selection).forEachPiece(threads: threads) {
        JourneyLines(asked, form, $0)
      } _: { rows in
        if !rows.isEmpty { try write(rows) }
        return true
      }
    }
  }

  /// Looked for in the log's order, up to the first users who have it.
  private static func engagement(
    of snapshot: LogSnapshot, asOf: Milliseconds, threads: Int
  ) throws -> EngagementSeen {
    var seen = EngagementSeen()
    try HistoryScan(snapshot, selection: HistorySelection()).forEachPiece(threads: threads) { _ in
      EngagementFinder(asOf: asOf)
    } _: { found in
      seen.add(found)
      return !seen.isAll
    }
    return seen
  }
}

/// Finds out what engagement users have.
private struct EngagementFinder: HistoryPieceMaker {
  let asOf: Milliseconds
  private var seen = EngagementSeen()

  init(asOf: Milliseconds) { self.asOf = asOf }

  mutating func add(_ batch: HistoryBatch) { seen.add(batch, asOf: asOf) }
  func take() -> EngagementSeen { seen }
}
