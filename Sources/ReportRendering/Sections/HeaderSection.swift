// The head of the report: from when, over what and with which windows its numbers are.

import PermissionAnalysis
import PermissionEvents

enum HeaderSection {
  static func title(_ report: Report) -> String {
    "Permissions report" + (report.property.map { " by " + $0.name } ?? "")
  }

  /// Names and what they are.
  static func fields(_ scope: ReportScope) -> [(name: String, text: String)] {
    let report = scope.report
    let windows = [
      report.timeZone, "answers within " + NumberText.window(report.responseWindow),
      "follow-up " + NumberText.window(report.followUp),
      "Settings " + NumberText.window(report.settingsWindow),
    ].joined(separator: "\u{A0}· ")
    return [
      ("as_of", report.asOf.map { MomentText.text($0, report.zone) } ?? "–"), ("exposures", interval(scope)),
      ("time zone", windows), ("counts", counts(report)),
    ]
  }

  private static func counts(_ report: Report) -> String {
    var counts = NumberText.counted(report.events, "event") + "\u{A0}· " + NumberText.counted(report.users, "user")
    counts += " up to as_of"
    counts += "\u{A0}· \(NumberText.count(report.unexposed)) unexposed"
    if report.unexposed > 0 { counts += " (answers without a screen, in no rate)" }
    return counts
  }

  private static func interval(_ scope: ReportScope) -> String {
    let zone = scope.report.zone
    let (from, to) = scope.interval
    guard let to else { return "none" }
    let start = from.map { MomentText.text($0, zone) } ?? "the first event"
    let all = scope.isBounded ? "" : " all up to as_of"
    return "[" + start + ", " + MomentText.text(to, zone) + ")" + all
  }

  static let firstCommand = "permlog ingest export.ndjson"

  /// What is said of a log without events.
  static let emptyLog = [
    "The log is empty: there is nothing to report yet.", "Fill it with an export of your events, for example:",
    "  " + firstCommand,
  ]

  /// What is said where there are no rows.
  static func nothing(_ report: Report) -> String {
    if report.events == 0 { return "No event lies at or before as_of: nothing to report from that moment." }
    let next =
      report.from != nil || report.to != nil
      ? "Ask for a longer interval, or leave --from, --to and --week out."
      : "Rates need explanation_shown or prompt_shown events; permlog info says what the log holds."
    return "No exposures here: nobody was shown an explanation or a prompt. " + next
  }
}
