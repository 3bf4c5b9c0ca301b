// `permlog report`: the weekly report.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

extension ReportSectionName: ExpressibleByArgument {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
  static let tables = withOwnTable.map(\.rawValue).joined(separator: ", ")
}

extension ReportFormat: ExpressibleByArgument {}
extension DocumentFormat: ExpressibleByArgument {}

struct ReportCommand: QuestionCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print the weekly report.",
    discussion: """
      Prints one screen: the last complete week, what changed, what to look at. --full has everything, --section a \
      part of it. On a terminal, long text goes through $PERMLOG_PAGER, $PAGER or less. The formats markdown and html \
      are for people and have everything; json and csv are for programs. html is one file that needs no network. eml is \
      a mail for sendmail -t, slack a message for a webhook; both have what the one screen has.

      Example:
        permlog report --full
        permlog report --follow
        permlog report --week 2026-W13 --permission notifications --section time
        permlog report --format html --output report.html
        permlog report --by app_version --time-zone Europe/Berlin --format csv
        permlog report --where country=DE,AT --where 'app_version>=3.2' --by surface
        permlog report --format eml --output monday.eml
        permlog report --small-groups 10 --by country --output groups.html
        permlog report --as-of 2026-04-01 --save-question question.json
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var fields: FieldOptions<ReportRequest>

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: ReportFormat?

  @Flag(help: "Print everything instead of one screen of text.")
  var full = false

  @Option(
    "Print this section, in text, markdown or html (in csv: \(ReportSectionName.tables)); repeat it for several: \(ReportSectionName.names).",
    value: "name")
  var section: [ReportSectionName] = []

  @Option(
    "Print only groups of at least this many users, so that no number tells about fewer people (docs/privacy.md).",
    value: "n")
  var smallGroups: Int?

  @Option("Title of the page, in html and markdown (default: the week).", value: "text")
  var title: String?

  @Flag(
    help:
      "Leave out the rates that others published. Text, markdown and html have them beside figures of the same denominator."
  )
  var noReferences = false

  @Flag(help: "Print long text straight to the terminal.")
  var noPager = false

  @Flag(
    help: "Stay on the terminal, and draw the first screen of the report anew whenever the log changes. Ctrl-C ends it."
  )
  var follow = false

  @OptionGroup var result: ResultOptions

  @Flag(
    help:
      "End with exit status 3 if a grant rate of the newest complete week is below its usual range. With fewer than 4 weeks before: if it dropped significantly."
  )
  var failOnDrop = false

  static let usualFormat = ReportFormat.text

  func validate() throws {
    try checkFollowing()
    if full, !section.isEmpty { throw ValidationError("--full and --section cannot be combined") }
    guard let smallGroups else { return }
    guard Report.sizesOfLargeGroups.contains(smallGroups) else {
      throw ValidationError("--small-groups needs a number of users from 2 to 1000000")
    }
    if full || !section.isEmpty || failOnDrop {
      throw ValidationError("--small-groups has one page: leave out --full, --section and --fail-on-drop")
    }
  }

  func prepare(_ request: inout ReportRequest, _ format: ReportFormat) throws {
    request.hasCharts = format == .html && smallGroups == nil
    // For people who read nothing else. The other formats are the same from a log and from its sums, which have no experiments.
    request.namesFindings = [.eml, .slack].contains(format)
    if smallGroups != nil {
      guard format.document != nil else {
        throw CommandFailure.usage("--small-groups does not go with the format \(format.rawValue)")
      }
      if RepeatedOptions.given.contains("--by-limit") {
        throw CommandFailure.usage("--small-groups has all values of --by that are large enough: leave out --by-limit")
      }
      request.valueLimit = .max
    }
    if full || !section.isEmpty, [.eml, .slack].contains(format) {
      throw CommandFailure.usage("--full and --section do not go with the format \(format.rawValue), which is short")
    }
    guard !section.isEmpty else { return }
    if format == .json {
      throw CommandFailure.usage("--section does not go with the format json, which always has everything")
    }
    if format == .csv { try checkTable(request.properties) }
  }

  /// CSV has one table.
  private func checkTable(_ properties: [StringField]) throws {
    let tables = ReportSectionName.withOwnTable
    let names = tables.map { "--section " + $0.rawValue }.joined(separator: ", ")
    guard Set(section).count == 1 else {
      throw CommandFailure.usage(
        "csv is one table: give one --section, or leave it out for everything. The sections are \(names).")
    }
    guard section.allSatisfy(tables.contains) else {
      throw CommandFailure.usage(
        "the section \(section[0].rawValue) has no table of its own in csv; leave --section out for everything. The sections are \(names)."
      )
    }
    if section.contains(.values), properties.isEmpty { throw CommandFailure.usage("--section values needs --by") }
    if section.contains(.timing), !properties.isEmpty {
      throw CommandFailure.usage("--section timing does not go with --by")
    }
  }

  private var part: ReportPart {
    if !section.isEmpty { return .sections(Set(section)) }
    return full ? .full : .summary
  }

  func run() throws {
    if follow { try followLog() } else { try ask() }
  }

  var isPaged: Bool { part != .summary && !noPager }

  func condition(_ report: Report) -> String? {
    guard failOnDrop else { return nil }
    if !report.canFindDrops {
      Output.message(
        "WARNING: --fail-on-drop cannot judge: the newest complete week has no grant rate that can be compared with a week before"
      )
    }
    return DropSentence.text(report)
  }

  func write(_ report: Report, as format: ReportFormat, to sink: ([UInt8]) throws -> Void) throws {
    if let smallGroups {
      let groups = try CommandFailure.wrap { try report.largeGroups(of: smallGroups) }
      return try sink(groups.render(as: format.document ?? .text, style: result.style, title: title))
    }
    let threads = PermissionLog.threads(log.workers.threads)
    try report.write(
      as: format, style: result.style, threads: threads, part: part, title: title,
      references: noReferences ? [] : PublishedRates.all, to: sink)
  }
}

// MARK: The sentence of `report --fail-on-drop`

enum DropSentence {
  /// Grant rates of the newest complete week below their usual range, or that dropped significantly where no range is known
  /// yet; nil if there are none.
  static func text(_ report: Report) -> String? {
    let drops = report.drops
    guard let week = drops.first?.week else { return nil }
    let unusual = drops.compactMap { row in row.usual.map { "\(name(row)) (\($0.words(row.grants.grantRate?.value)))" }
    }
    let significant = drops.filter { $0.usual == nil }.map { row in
      name(row) + (row.trend?.change.map { " by \(fixed(-$0.value * 100, 1)) points" } ?? "")
    }
    let parts = [
      unusual.isEmpty ? nil : "is lower than usual: \(listed(unusual, most: 4))",
      significant.isEmpty
        ? nil
        : "dropped significantly from the week before: \(listed(significant, most: 4)) (too few weeks for a usual range)",
    ].compactMap { $0 }
    return "in week \(week.text) the grant rate " + parts.joined(separator: "; it ")
  }

  private static func name(_ row: ReportRow) -> String {
    guard !row.by.isEmpty else { return row.permission }
    let values = row.by.map { "\($0.property.name) \($0.value ?? "unknown")" }
    return "\(row.permission) (\(values.joined(separator: ", ")))"
  }
}
