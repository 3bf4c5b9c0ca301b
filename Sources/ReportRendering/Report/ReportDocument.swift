// The report as a document: from when and over what its numbers are, the answer first, then where it comes from.

import PermissionAnalysis
import PermissionEvents

package enum ReportDocument {
  /// - Parameter style: of the text; the other forms take only its words.
  package static func render(_ report: Report, _ form: Document.Form, _ style: TextStyle = TextStyle()) -> [UInt8] {
    let style = style.of(form)
    return make(report, form, style).render(form, style)
  }

  private static func make(_ report: Report, _ form: Document.Form, _ style: TextStyle) -> Document {
    let title = "Permissions report" + (report.property.map { " by " + $0.name } ?? "")
    guard report.asOf != nil else { return empty(title, form, style) }
    let scope = ReportScope(report)
    var document = Document(title: title, head: [.facts(facts(scope), width: 11)])
    let sections = ReportSection.all(scope, style)
    let rest = form == .html ? ReportPage.sections(sections, scope, style) : sections.map(\.section)
    if !report.rows.isEmpty {
      let lead = LeadSection.section(scope, style, form)
      document.sections = [form == .html ? ReportPage.lead(lead, scope) : lead] + rest
      document.contents = rest
    } else {
      document.sections = [.untitled([.gap, .paragraph(nothing(report, style.words))])]
      if report.events > 0 { document.sections += rest }
    }
    return document
  }

  /// What is said of a log without events, with a command that fills it if there is one.
  private static func empty(_ title: String, _ form: Document.Form, _ style: TextStyle) -> Document {
    let command = style.words(.exampleIngest)
    let sentences = [
      "The log is empty: there is nothing to report yet.",
      "Fill it with an export of your events" + (command.isEmpty ? "." : ", for example:"),
    ]
    let blocks: [Block] =
      form == .text ? sentences.map { .paragraph($0) } : [.paragraph(sentences.joined(separator: " "))]
    return Document(
      title: form == .text ? "" : title, sections: [.untitled(blocks + (command.isEmpty ? [] : [.command(command)]))])
  }

  private static func facts(_ scope: ReportScope) -> Facts {
    let report = scope.report
    let windows = [
      report.timeZone, "answers within " + NumberText.window(report.responseWindow),
      "follow-up " + NumberText.window(report.followUp), "Settings " + NumberText.window(report.settingsWindow),
    ]
    let counts = [
      NumberText.counted(report.events, "event"), NumberText.counted(report.users, "user") + " up to as_of",
      NumberText.count(report.unexposed) + " unexposed"
        + (report.unexposed > 0 ? " (answers without a screen, not in any rate)" : ""),
    ]
    return [
      ("as_of", report.asOf.map { NumberText.moment($0, report.zone) } ?? "–"), ("exposures", interval(scope)),
      ("time zone", windows.joined(separator: "\u{A0}· ")), ("counts", counts.joined(separator: "\u{A0}· ")),
    ]
  }

  private static func interval(_ scope: ReportScope) -> String {
    let zone = scope.report.zone
    let (from, to) = scope.interval
    guard let to else { return "none" }
    let start = from.map { NumberText.moment($0, zone) } ?? "the first event"
    return "[" + start + ", " + NumberText.moment(to, zone) + ")" + (scope.isBounded ? "" : " all up to as_of")
  }

  /// What is said if there are no rows.
  private static func nothing(_ report: Report, _ words: RemedyWords) -> String {
    if report.events == 0 { return "There are no events at or before as_of: nothing to report." }
    let next =
      report.from != nil || report.to != nil
      ? words(.widenInterval) : "Rates need explanation_shown or prompt_shown events" + words(.listKinds)
    return "No exposures here: nobody was shown an explanation or a prompt. " + next
  }
}
