// From where and how far a question looks, and names that the log may not have.

import EventLog
import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// The moment that a question looks from, its zone, and how long journeys are followed.
public struct QuestionScope: Sendable, Hashable {
  /// IANA name of the zone of days and weeks.
  public var timeZone = "UTC"
  /// The moment to look from; nil for the newest time in the log or the clock, whichever is earlier: one phone that is a day
  /// ahead ends no week. Later events are not looked at.
  public var asOf: Moment?
  /// How long after the exposure an answer counts, in milliseconds: half an hour.
  public var responseWindow: Milliseconds = 30 * 60_000
  /// An answer that comes less than this after its prompt, in milliseconds, is no person's: no dialog was shown, and prompt and answer are read
  /// as a look at the status. A quarter of a second; 0 takes every answer for a person's.
  public var atOnce: Milliseconds = 250
  /// How long a journey is followed, in milliseconds: 28 days.
  public var followUp: Milliseconds = 28 * millisecondsPerDay

  public init() {}

  /// The question that a log with events in a span of time is asked.
  /// - Parameters:
  ///   - clock: what time it is; nil if the scope names the moment.
  ///   - dates: others that the zone must know.
  ///   - known: the zone, if it is known; else the machine's files are asked.
  func question(
    _ times: ClosedRange<Milliseconds>, clock: Milliseconds?, dates: [DayNumber] = [], in known: ZoneTable? = nil
  ) throws(PermlogError) -> ReportQuestion {
    for window in [responseWindow, followUp] {
      guard (0...AnalysisWindows.longest).contains(window) else {
        throw PermlogError(.usage, "a window of \(window) milliseconds is not between 0 and ten years")
      }
    }
    guard (0...AnalysisWindows.longestAtOnce).contains(atOnce) else {
      throw PermlogError(
        .usage, "answers that come at once come within a minute, and not within \(atOnce) milliseconds",
        argument: .atOnce)
    }
    let utc = try asOf?.time(in: .utc)
    let latest = min(times.upperBound, clock ?? .max)
    let others = dates.map { $0 * millisecondsPerDay } + [utc, latest].compactMap { $0 }
    let low = others.reduce(times.lowerBound) { min($0, $1) }
    let high = others.reduce(times.upperBound) { max($0, $1) }
    // Journeys are followed past the log's end, and trends look at the week before its beginning.
    let span = low - 60 * millisecondsPerDay...high + 60 * millisecondsPerDay
    let zone = if let known { known } else { try SystemZones.table(timeZone, over: span) }
    var windows = AnalysisWindows(asOf: try asOf?.time(in: zone) ?? latest)
    windows.response = responseWindow
    windows.atOnce = atOnce
    windows.followUp = followUp
    return ReportQuestion(windows: windows, zone: zone)
  }

  /// How old the log is; nil if the moment to look from was given, and says so itself.
  func age(of snapshot: LogSnapshot, clock: Milliseconds, threads: Int) throws -> DataAge? {
    asOf == nil ? try snapshot.age(at: clock, threads: threads) : nil
  }

  /// Times that a question is asked of if its sums are to add up with those of other logs: the same for all of them.
  func sharedTimes() throws(PermlogError) -> ClosedRange<Milliseconds> {
    guard let asOf else {
      throw PermlogError(
        .usage, "sums of several logs need one moment to look from: name it", argument: .asOf)
    }
    return Timestamp.earliest...max(Timestamp.earliest, try asOf.time(in: .utc))
  }
}

extension LogSnapshot {
  /// Calls `body` if a later version has put something into the log.
  func tellUnknown(_ body: ((UnknownVocabulary) -> Void)?) {
    guard let body else { return }
    let unknown = unknown
    if !unknown.isEmpty { body(unknown) }
  }
}

enum ExposureInterval {
  /// The moments that days of exposures begin at, the last one's being the end.
  static func moments(
    from: DayNumber?, to: DayNumber?, in zone: ZoneTable
  ) throws(PermlogError) -> (from: Milliseconds?, to: Milliseconds?) {
    let (start, end) = (from.map { zone.firstMoment(of: $0) }, to.map { zone.firstMoment(of: $0) })
    if let start, let end, start >= end {
      throw PermlogError(.usage, "the interval is empty: it ends before it begins")
    }
    return (start, end)
  }
}

enum KnownNames {
  /// Throws unless a name is in use; values are compared byte for byte.
  /// - Parameter argument: of the request that has the name; nil if the sentence says enough.
  static func check(
    _ name: String, _ field: StringField, in snapshot: LogSnapshot, argument: PermlogError.Argument? = nil
  ) throws(PermlogError) {
    guard isKnown(name, field, in: snapshot) else {
      var error = unknown(field == .variant ? "message" : field.name, name, snapshot.information.values[field] ?? [])
      error.argument = argument
      throw error
    }
  }

  /// Throws unless every value that a condition names is in use, whatever events have it.
  static func check(_ conditions: [ExposureCondition], in snapshot: LogSnapshot) throws(PermlogError) {
    for condition in conditions where !condition.comparison.ofVersions {
      let known = snapshot.information.values[condition.field] ?? []
      let names = Set(known.map { Array($0.utf8) })
      guard let missing = condition.values.first(where: { !$0.isEmpty && !names.contains($0) }) else { continue }
      var error = unknown(condition.field.name, String(decoding: missing, as: UTF8.self), known)
      error.argument = .conditions
      throw error
    }
  }

  static func isKnown(_ name: String, _ field: StringField, in snapshot: LogSnapshot) -> Bool {
    snapshot.information.values[field]?.contains { $0.utf8.elementsEqual(name.utf8) } ?? false
  }

  static func unknown(_ what: String, _ name: String, _ known: [String]) -> PermlogError {
    let shown = known.prefix(30).map { TextStyle().legible($0) }.joined(separator: ", ")
    let more = known.count > 30 ? " and \(known.count - 30) more" : ""
    return PermlogError(.usage, "the log has no \(what) \(name). It has: \(known.isEmpty ? "none" : shown + more).")
  }
}
