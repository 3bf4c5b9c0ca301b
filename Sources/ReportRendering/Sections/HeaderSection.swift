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

  /// What is said of a log without events: sentences, and a command that fills it if there is one.
  static func emptyLog(_ hints: HintWords) -> (words: [String], command: String?) {
    let command = hints(.fillLog)
    let fill = "Fill it with an export of your events" + (command.isEmpty ? "." : ", for example:")
    return (["The log is empty: there is nothing to report yet.", fill], command.isEmpty ? nil : command)
  }

  /// What is said if there are no rows.
  static func nothing(_ report: Report, _ hints: HintWords) -> String {
    if report.events == 0 { return "No event lies at or before as_of: nothing to report from that moment." }
    let next =
      report.from != nil || report.to != nil
      ? hints(.widenInterval) : "Rates need explanation_shown or prompt_shown events" + hints(.listKinds)
    return "No exposures here: nobody was shown an explanation or a prompt. " + next
  }
}
