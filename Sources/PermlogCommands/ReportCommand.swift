// `permlog report`: the weekly report.

import ArgumentParser
import EventLog
import PermissionAnalysis
import PermissionEvents
import ReportRendering

enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, csv, markdown, html

  static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// A property that a report can be broken down by.
struct PropertyName: ExpressibleByArgument {
  var field: StringField
  init?(argument: String) {
    guard let field = StringField.allCases.first(where: { $0.name == argument }), field != .permission else {
      return nil
    }
    self.field = field
  }
  static let names = Array(StringField.names.dropFirst())
  static let allNames = names.joined(separator: ", ")
}

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print the weekly report.",
    discussion: """
      Leads with the last complete week. The forms text, markdown and html are for people, json and csv for programs; html \
      is one file that needs no network.

      Example:
        permlog report --week 2026-W13 --permission notifications
        permlog report --format html --output report.html
        permlog report --by app_version --time-zone Europe/Berlin --format csv
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var windows: WindowOptions

  @Option(help: ArgumentHelp("One ISO week, like 2026-W14.", valueName: "week"))
  var week: String?

  @Option(help: ArgumentHelp("First day of exposures, a date in the time zone.", valueName: "date"))
  var from: String?

  @Option(help: ArgumentHelp("Day behind the last, a date in the time zone.", valueName: "date"))
  var to: String?

  @Option(
    help: ArgumentHelp("Only this permission.", valueName: "name"), completion: .list(PermissionCode.taxonomy))
  var permission: String?

  @Option(
    help: ArgumentHelp("Break down by a property of the exposure: \(PropertyName.allNames).", valueName: "property"),
    completion: .list(PropertyName.names))
  var by: PropertyName?

  @Option(help: "Form of the report: \(ReportFormat.names).")
  var format: ReportFormat = .text

  @Option(
    help: ArgumentHelp("Write the report to this file, whole or not at all.", valueName: "file"), completion: .file())
  var output: String?

  @Flag(help: "Draw the text report with signs of ASCII only.")
  var ascii = false

  func validate() throws {
    if week != nil, from != nil || to != nil { throw ValidationError("--week goes without --from and --to") }
  }

  func run() throws {
    let rendered = try CommandFailure.wrap { renderer.render(try makeReport()) }
    try Output.result(rendered, to: output)
  }

  private var renderer: any ReportRenderer {
    switch format {
    case .text: ReportText(style)
    case .json: ReportJSON(threads: log.threadCount)
    case .csv: ReportCSV()
    case .markdown: ReportMarkdown(hints: DocumentWords.text)
    case .html: ReportHTML(hints: DocumentWords.text)
    }
  }

  private var style: TextStyle {
    var style = TextStyle.current(toFile: output != nil)
    style.isASCII = ascii
    return style
  }

  private func makeReport() throws -> Report {
    let snapshot = try LogSnapshot(log.directory)
    guard let times = snapshot.timeRange else {
      let zone = try SystemZones.table(windows.timeZone, over: Timestamp.earliest...Timestamp.earliest)
      return .empty(
        timeZone: zone.name, responseWindow: windows.responseWindow.milliseconds,
        followUp: windows.followUp.milliseconds)
    }
    let week = try week.map { text in
      guard let week = ISOWeek(parsing: text) else {
        throw CommandFailure.usage("--week: \(text) is not an ISO week like 2026-W14")
      }
      return week
    }
    let dates =
      try [from.map { try Moments.day($0, option: "--from") }, to.map { try Moments.day($0, option: "--to") }]
      + [week?.firstDay]
    var question = try windows.question(times, dates: dates.compactMap { $0 })
    if let week {
      question.from = question.zone.firstMoment(of: week.firstDay)
      question.to = question.zone.firstMoment(of: week.firstDay + 7)
    }
    if let from { question.from = try Moments.date(from, option: "--from", zone: question.zone) }
    if let to { question.to = try Moments.date(to, option: "--to", zone: question.zone) }
    if let from = question.from, let to = question.to, from >= to {
      throw CommandFailure.usage("--from must be before --to")
    }
    question.property = by?.field
    let scan = try HistoryScan(snapshot, selection: HistorySelection(property: by?.field))
    if let permission { question.permission = try KnownNames.permission(permission, scan, snapshot) }
    let folds = (0..<log.threadCount).map { _ in ReportFold(question, contexts: scan.contexts) }
    try scan.run(folds)
    for other in folds.dropFirst() { folds[0].merge(other) }
    return Report(folds[0], threads: log.threadCount, isForCharts: format == .html)
  }
}
