// The report as a document: from when and over what its numbers are, the answer first, then where it comes from.

import PermissionAnalysis
import PermissionEvents

package enum ReportDocument {
  /// Values of a permission that text shows of a report by a property.
  private static let mostValues = 12
  /// Values of a permission that a page or Markdown shows.
  private static let mostValuesOfPage = 100

  /// - Parameters:
  ///   - title: replaces the headline, which then follows it.
  ///   - references: what others published, beside the figures with the same denominator.
  package static func render(
    _ report: Report, _ form: Document.Form, _ style: TextStyle = TextStyle(), part: ReportPart = .full,
    title: String? = nil, references: [PublishedRates] = []
  ) -> [UInt8] {
    let style = style.of(form)
    let scope = scope(report, form, references)
    if form == .text, part == .summary, report.asOf != nil { return SummaryScreen(scope, style).bytes }
    return make(scope, form, style, part, title).render(form, style)
  }

  static func document(_ report: Report, _ form: Document.Form, _ style: TextStyle, part: ReportPart) -> Document {
    make(scope(report, form, []), form, style, part, nil)
  }

  private static func scope(_ report: Report, _ form: Document.Form, _ references: [PublishedRates]) -> ReportScope {
    var scope = ReportScope(
      report.drawn(values: form == .text ? mostValues : mostValuesOfPage), of: ReportOverview(report, RowNames(form)))
    scope.references = references
    return scope
  }

  private static func make(
    _ scope: ReportScope, _ form: Document.Form, _ style: TextStyle, _ part: ReportPart, _ title: String?
  ) -> Document {
    let report = scope.report
    guard report.asOf != nil else {
      let title = form == .text ? "" : title ?? "Permissions report"
      return .ofEmptyLog(title, "no events to report yet", style, leftOut: report.leftOutUsers, isBroken: form == .text)
    }
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
    // If all events are in the future, only the section on what to look at applies.
    document.sections += report.rows.isEmpty && report.events == 0 ? rest.filter { $0.name == .attention } : rest
    if case .sections(let names) = part {
      document.sections = chosen(names, document.sections, form, report)
      rest = document.sections
    }
    document.contents = report.rows.isEmpty ? [] : rest
    return form == .html ? document : document.sayingOnce
  }

  /// The requested sections. A section that the report lacks is replaced by a sentence.
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

  private static func missing(_ name: ReportSectionName, _ report: Report) -> String {
    let isSplit = !report.properties.isEmpty
    return switch name {
    case .arrived: "The app does not number its events, or the export does not have the numbers."
    case .values where !isSplit: "This section needs a report that is split by a property."
    case .timing where isSplit: "This section is not available in a report that is split by a property."
    default: "This report has no data for this section."
    }
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
    let leftOut = ComparisonWords.leftOut(report.leftOutUsers).map { [$0 + " as if they had no events"] } ?? []
    var facts: [Fact] = [
      Fact("exposures", scope.exactInterval()),
      Fact(
        "as of", (report.asOf.map { NumberText.moment($0, report.zone) } ?? "–") + ", later events are ignored"),
      Fact("time zone", windows.joined(separator: "\u{A0}· ")),
      Fact("counts", (counts + leftOut).joined(separator: "\u{A0}· ")),
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

  static func nothing(_ report: Report, _ words: RemedyWords) -> String {
    if report.events == 0 {
      return "There are no events that this report counts up to its moment."
    }
    let hasConditions = !report.conditions.isEmpty
    let next =
      Document.ways(hasConditions: hasConditions, isBounded: report.from != nil || report.to != nil, words)
      ?? "Rates need screens or answers: explanation_shown, prompt_shown, granted or denied events" + words(.listKinds)
    let met = hasConditions ? " that meets the conditions" : ""
    return "No exposures here: no users saw an explanation or a prompt\(met). " + next
  }
}

extension Document {
  /// What to do if the selection has no exposures. Nil if nothing was selected.
  static func ways(hasConditions: Bool, isBounded: Bool, _ words: RemedyWords) -> String? {
    let ways = (hasConditions ? [words(.widenConditions)] : []) + (isBounded ? [words(.widenInterval)] : [])
    return ways.isEmpty ? nil : ways.joined(separator: " ")
  }
}

// MARK: Sentences cover the whole report, even if tables and charts show only a part of it

/// The counts of all rows that are of the week that a report leads with, or of all weeks.
struct ReportOverview {
  let report: Report
  let names: RowNames
  /// The newest complete week with a row that is entirely in the requested interval. If there is none, then nil.
  let leadWeek: CalendarWeek?
  /// The week that has begun and is not over; nil if the report has no rows of it.
  let runningWeek: CalendarWeek?
  let firstWeek: CalendarWeek?
  /// By permission, the values with the most exposures first.
  let allRows: [RowCounts]
  /// The rows of the week that the report leads with, in the same order. Without such a week, `allRows`.
  let leadRows: [RowCounts]
  /// Rows of the lead week with a usual range.
  let usual: [(row: RowCounts, usual: UsualWeek)]
  /// Exposures of the running week.
  let exposedWhileRunning: Int
  /// Permissions that no users were asked for in the week that the report leads with.
  let notAsked: [String]

  init(_ report: Report, _ names: RowNames = .codes) {
    self.report = report
    self.names = names
    let weeks = report.rows.weeks
    let (lead, running) = (ReportScope.leadWeek(report), weeks.filter { report.isComplete($0) == false }.min())
    (leadWeek, runningWeek, firstWeek) = (lead, running, weeks.min())
    var permission = -1
    var all: [Entry] = []
    var leading: [Entry] = []
    var exposed = 0
    for number in report.rows.indices {
      guard let week = report.rows.week(number) else {
        if all.last.map({ !report.rows.isSamePermission($0.counts.number, number) }) ?? true { permission += 1 }
        let counts = report.rows.counts(number)
        all.append((permission, report.rows.isOther(number), counts.exposed, counts))
        continue
      }
      if week == running { exposed += report.rows.counts(number).exposed }
      if week == lead, var entry = all.last {
        entry.counts = report.rows.counts(number)
        leading.append(entry)
      }
    }
    exposedWhileRunning = exposed
    allRows = Self.inOrder(all)
    leadRows = lead == nil ? allRows : Self.inOrder(leading)
    // Once, and not for each sentence that is tried.
    usual = lead == nil ? [] : leadRows.compactMap { row in report.rows.usual(row.number).map { (row, $0) } }
    let asked = Set(leading.map(\.permission))
    var names: [String] = []
    var named = -1
    for entry in all where entry.permission > named {
      named = entry.permission
      if lead != nil, !asked.contains(named) { names.append(report.rows.permission(entry.counts.number)) }
    }
    notAsked = names
  }

  /// Where a row is in the order of the report; the exposures are over all weeks.
  private typealias Entry = (permission: Int, isOther: Bool, exposed: Int, counts: RowCounts)

  private static func inOrder(_ entries: [Entry]) -> [RowCounts] {
    entries.sorted { a, b in
      if a.permission != b.permission { return a.permission < b.permission }
      // The others together are no value, and come last.
      if a.isOther != b.isOther { return b.isOther }
      return (b.exposed, a.counts.number) < (a.exposed, b.counts.number)
    }.map(\.counts)
  }

  // MARK: Facts for sentences

  var exposed: Int { allRows.reduce(0) { $0 + $1.exposed } }

  /// Whether any journey has an outcome that counts.
  var hasBase: Bool { allRows.contains { $0.base > 0 } }

  func isUnknown(_ evidence: Evidence) -> Bool { allRows.contains { isUnknown(evidence, of: $0) } }

  func isUnknown(_ evidence: Evidence, of row: RowCounts) -> Bool {
    report.rows.missing(row.number).contains(evidence)
  }

  /// Rows outside their usual range, the most grants first.
  var changed: [(row: RowCounts, usual: UsualWeek)] {
    usual.filter { $0.usual.outside != nil }.sorted { abs($0.usual.moreGrants) > abs($1.usual.moreGrants) }
  }

  /// Rows of the lead week without a usual range that differ significantly from the week before, the surest first.
  var changedSinceLastWeek: [RowCounts] {
    guard leadWeek != nil else { return [] }
    return leadRows.compactMap { row -> (row: RowCounts, p: Double)? in
      guard report.rows.usual(row.number) == nil, let p = report.rows.trend(row.number)?.adjustedPValue,
        Trend.isSignificant(p)
      else { return nil }
      return (row, p)
    }.sorted { $0.p < $1.p }.map(\.row)
  }

  func permission(_ row: RowCounts) -> String { report.rows.permission(row.number) }

  func permissions(_ rows: [RowCounts]) -> [ArraySlice<RowCounts>] {
    rows.runs { report.rows.isSamePermission($0.number, $1.number) }
  }

  /// The names of the permissions of some rows, each once.
  func names(_ rows: [RowCounts]) -> [String] { permissions(rows).compactMap { $0.first.map(permission) } }

  /// Permission and value alone, `notifications A`; of two properties `notifications country DE, app_version 3.2`.
  func shortName(_ row: RowCounts) -> String {
    let by = report.rows.values(row.number)
    return names.permission(permission(row)) + (by.isEmpty ? "" : "\u{A0}" + RowNames.values(by))
  }
}

// MARK: How much of a report is shown to a person

/// A section of a report, by the name that requests it.
public enum ReportSectionName: String, Sendable, Hashable, CaseIterable {
  case lead, attention, values, granted, explanation, prompt, time, cold, timing, returning, settings
  case afterGrant = "after-grant"
  case engagement, retention, reach, activity, arrived, weeks

  /// Sections that have their own table in CSV.
  public static let withOwnTable: [ReportSectionName] = [.values, .timing]
}

/// The part of a report that is shown in the forms for people.
public enum ReportPart: Sendable, Hashable {
  /// One screen of text: the last complete week, what changed, what to look at. Other forms have everything.
  case summary
  case full
  /// These sections alone.
  case sections(Set<ReportSectionName>)
}
