// The report as a document: from when and over what its numbers are, the answer first, then where it comes from.

import PermissionAnalysis
import PermissionEvents

package enum ReportDocument {
  /// Values of a permission that text shows of a report by a property.
  private static let mostValues = 12
  /// Values of a permission that a page or Markdown shows.
  private static let mostValuesOfPage = 100

  /// - Parameters:
  ///   - style: of the text; the other forms take only its words.
  ///   - part: how much of it.
  ///   - title: in place of the headline, which then follows it.
  package static func render(
    _ report: Report, _ form: Document.Form, _ style: TextStyle = TextStyle(), part: ReportPart = .full,
    title: String? = nil
  ) -> [UInt8] {
    let style = style.of(form)
    let scope = ReportScope(
      report.drawn(values: form == .text ? mostValues : mostValuesOfPage), of: ReportOverview(report))
    if form == .text, part == .summary, report.asOf != nil { return SummaryScreen.render(scope, style) }
    return make(scope, form, style, part, title).render(form, style)
  }

  private static func make(
    _ scope: ReportScope, _ form: Document.Form, _ style: TextStyle, _ part: ReportPart, _ title: String?
  ) -> Document {
    let report = scope.report
    guard report.asOf != nil else { return empty(title ?? "Permissions report", form, style) }
    let most = form == .text ? mostValues : mostValuesOfPage
    let shown = scope.limited(to: most)
    var document = Document(title: title ?? scope.headline)
    if title != nil { document.head.append(.headline(scope.headline)) }
    document.head += [.paragraph(scope.subtitle + "."), .facts(facts(shown, most), width: 11)]
    if report.rows.isEmpty { document.sections = [.untitled([.gap, .paragraph(nothing(report, style.words))])] }
    let all = ReportSection.all(shown, style)
    var rest = form == .html ? ReportPage.sections(all, shown, style) : all.map(\.section)
    if form == .markdown, part == .full { for i in rest.indices { rest[i].isFolded = true } }
    let attention = Attention(scope).lines
    if !attention.isEmpty {
      let blocks: [Block] = attention.map { .note($0, hanging: 2) }
      rest.insert(Section(.attention, "What to look at", blocks), at: 0)
    }
    if !report.rows.isEmpty {
      let lead = LeadSection.section(shown, style, form)
      document.sections.append(form == .html ? ReportPage.lead(lead, scope) : lead)
    }
    // Of events that are all to come only what to look at can be said.
    document.sections += report.rows.isEmpty && report.events == 0 ? rest.filter { $0.name == .attention } : rest
    if case .sections(let names) = part {
      document.sections = chosen(names, document.sections, form, report)
      rest = document.sections
    }
    document.contents = report.rows.isEmpty ? [] : rest
    return form == .html ? document : document.sayingOnce
  }

  /// The sections asked for; one that the report does not have says so.
  private static func chosen(
    _ names: Set<ReportSectionName>, _ sections: [Section], _ form: Document.Form, _ report: Report
  ) -> [Section] {
    // A page has both steps in one drawing.
    let names = form == .html && names.contains(.prompt) ? names.union([.explanation]).subtracting([.prompt]) : names
    return ReportSectionName.allCases.filter(names.contains).map { name in
      sections.first { $0.name == name }
        ?? Section(name, "Section " + name.rawValue, [.paragraph(missing(name, report))])
    }
  }

  /// Why a section is not there.
  private static func missing(_ name: ReportSectionName, _ report: Report) -> String {
    let isSplit = !report.properties.isEmpty
    return switch name {
    case .values where !isSplit: "Values are of a property that the report is split by: there is none."
    case .timing where isSplit: "When people were asked is not split by a property: ask without one."
    default: "This report has nothing to show here."
    }
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

  /// - Parameter most: values of a permission that are shown.
  private static func facts(_ scope: ReportScope, _ most: Int) -> [Fact] {
    let report = scope.report
    let windows = [
      report.timeZone, "answers within " + NumberText.window(report.responseWindow),
      "follow-up " + NumberText.window(report.followUp), "Settings " + NumberText.window(report.settingsWindow),
    ]
    let counts = [
      NumberText.counted(report.events, "event"), NumberText.counted(report.users, "user"),
      NumberText.count(report.unexposed) + " unexposed"
        + (report.unexposed > 0 ? " (answers without a screen, not in any rate)" : ""),
    ]
    var facts: [Fact] = [
      Fact("exposures", scope.exactInterval),
      Fact(
        "as of", (report.asOf.map { NumberText.moment($0, report.zone) } ?? "–") + ", later events are not looked at"),
      Fact("time zone", windows.joined(separator: "\u{A0}· ")), Fact("counts", counts.joined(separator: "\u{A0}· ")),
    ]
    if let conditions = scope.conditions {
      facts.insert(Fact("where", conditions + "\u{A0}· " + ReportScope.unfiltered), at: 1)
    }
    if let age = scope.age { facts.insert(Fact("age", age), at: 0) }
    if let missing = scope.notUnderstood { facts.insert(Fact("not read", missing), at: 0) }
    if let joined = scope.joinedValues {
      facts.append(Fact("values", joined + "; the others together are “\(RowNames.other)”"))
    }
    if let properties = scope.propertyWords, !scope.leftOut.isEmpty || report.hasFewerValues {
      let shown = "of \(properties), the \(most) with the most exposures of each permission"
      facts.append(Fact(scope.joinedValues == nil ? "values" : "shown", shown + "; JSON and CSV have all"))
    }
    if let all = scope.allPermissions {
      let shown = "the \(Report.mostDrawn) with the most exposures, of \(NumberText.count(all)); JSON and CSV have all"
      facts.append(Fact("permissions", shown))
    }
    return facts
  }

  /// What is said if there are no rows.
  static func nothing(_ report: Report, _ words: RemedyWords) -> String {
    if report.events == 0 {
      return "There are no events up to the moment that the report looks from: nothing to report."
    }
    let hasConditions = !report.conditions.isEmpty
    let next =
      NoExposures.ways(hasConditions: hasConditions, isBounded: report.from != nil || report.to != nil, words)
      ?? "Rates need explanation_shown or prompt_shown events" + words(.listKinds)
    let met = hasConditions ? " that meets the conditions" : ""
    return "No exposures here: nobody was shown an explanation or a prompt\(met). " + next
  }
}

/// What to do if what was asked for has no exposures.
enum NoExposures {
  /// nil if all exposures were asked for.
  static func ways(hasConditions: Bool, isBounded: Bool, _ words: RemedyWords) -> String? {
    let ways = (hasConditions ? [words(.widenConditions)] : []) + (isBounded ? [words(.widenInterval)] : [])
    return ways.isEmpty ? nil : ways.joined(separator: " ")
  }
}
