// The windows and the clock that report and compare share.

import ArgumentParser
import PermissionAnalysis
import PermissionEvents

struct WindowOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Time zone of days and weeks, by its IANA name.", valueName: "zone"))
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp("Look from this date or time (default: the newest timestamp in the log).", valueName: "moment"))
  var asOf: String?

  @Option(
    help: ArgumentHelp(
      "How long after the exposure an answer counts: a number with ms, s, m, h or d.", valueName: "duration"))
  var responseWindow = Duration(30, days: false)

  @Option(help: ArgumentHelp("How long a journey is followed.", valueName: "duration"))
  var followUp = Duration(28, days: true)

  /// The question that these options ask of a log with events in a span of time.
  /// - Parameter dates: others that the zone must know.
  func question(_ times: ClosedRange<Milliseconds>, dates: [DayNumber] = []) throws -> ReportQuestion {
    let utc = try asOf.map { try Moments.moment($0, option: "--as-of", zone: .utc) }
    let others = dates.map { $0 * millisecondsPerDay } + [utc].compactMap { $0 }
    let low = others.reduce(times.lowerBound) { min($0, $1) }
    let high = others.reduce(times.upperBound) { max($0, $1) }
    // Journeys are followed past the log's end, and trends look at the week before its beginning.
    let span = low - 60 * millisecondsPerDay...high + 60 * millisecondsPerDay
    let zone = try SystemZones.table(timeZone, over: span)
    let asOf = try asOf.map { try Moments.moment($0, option: "--as-of", zone: zone) } ?? times.upperBound
    var windows = AnalysisWindows(asOf: asOf)
    windows.response = responseWindow.milliseconds
    windows.followUp = followUp.milliseconds
    return ReportQuestion(windows: windows, zone: zone)
  }
}
