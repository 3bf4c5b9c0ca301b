// `permlog report`: the weekly report.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

extension ReportSectionName: ExpressibleByArgument {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
  static let tables = withOwnTable.map(\.rawValue).joined(separator: ", ")
}

extension ReportFormat: ExpressibleByArgument {
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
      Prints one screen: the last complete week, what changed, what to look at. --full has everything, --section a part of \
      it; on a terminal long text goes through $PERMLOG_PAGER, $PAGER or less. The formats markdown and html are for people and \
      have everything, json and csv are for programs; html is one file that needs no network.

      Example:
        permlog report --full
        permlog report --week 2026-W13 --permission notifications --section time
        permlog report --format html --output report.html
        permlog report --by app_version --time-zone Europe/Berlin --format csv
        permlog report --where country=DE,AT --where 'app_version>=3.2' --by surface
        permlog report --as-of 2026-04-01 --save-question question.json
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var windows: WindowOptions

  @OptionGroup var filter: FilterOptions

  @Option(
    help: ArgumentHelp("Only this permission.", valueName: "name"), completion: .permissions)
  var permission: String?

  @Option(
    help: ArgumentHelp(
      "Break down by a property of the exposure; give it twice to cross two: \(PropertyName.allNames).",
      valueName: "property"), completion: .list(PropertyName.names))
  var by: [PropertyName] = []

  @Option(
    help: ArgumentHelp(
      "Values of --by, or combinations of two, that get rows of their own, those with the most exposures; the others are one row (default: 1000).",
      valueName: "number"))
  var byLimit: Int?

  @Option(
    help: ArgumentHelp(
      "What users did before this date or time may be missing in the log (default: the time of its oldest event).",
      valueName: "moment"))
  var logStart: String?

  @Option(
    help: ArgumentHelp(
      "Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: ReportFormat?

  @Flag(help: "Print everything, and not one screen of text.")
  var full = false

  @Option(
    help: ArgumentHelp(
      "Print this section, in text, markdown or html (in csv: \(ReportSectionName.tables)); repeat it for several: \(ReportSectionName.names).",
      valueName: "name"))
  var section: [ReportSectionName] = []

  @Option(help: ArgumentHelp("Title of the page, in html and markdown (default: the week).", valueName: "text"))
  var title: String?

  @Flag(help: "Print long text straight to the terminal.")
  var noPager = false

  @OptionGroup var result: ResultOptions

  @Flag(
    help:
      "End with exit status 3 if a grant rate of the newest complete week dropped significantly, after Holm's correction."
  )
  var failOnDrop = false

  func validate() throws {
    let properties = by.map(\.field)
    if properties.count > ReportRequest.mostProperties {
      throw ValidationError("--by is given at most twice: two properties are crossed")
    }
    if let first = properties.first, properties.count > 1, properties.allSatisfy({ $0 == first }) {
      throw ValidationError("--by \(first.name) was given twice: name two properties, or one once")
    }
    if full, !section.isEmpty { throw ValidationError("--full and --section cannot be combined") }
    if let byLimit {
      if by.isEmpty, !question.isAnswer { throw ValidationError("--by-limit goes with --by") }
      if byLimit < 1 { throw ValidationError("--by-limit takes a whole number from 1 on") }
    }
  }

  func run() throws {
    if question.isSaved {
      return try question.save(
        with: [
          "--from", "--to", "--week", "--permission", "--by", "--log-start", "--response-window", "--at-once",
          "--follow-up",
        ],
        log, besides: log.protectedFiles, hasLogStart: logStart != nil
      ) { try Question(try request(ReportRequest(), .text), now: $0) }
    }
    let format = try result.format(format, else: .text)
    try PageTitle.check(title, format.rawValue)
    if !question.isAnswer { try check(format, by.map(\.field)) }
    var protected = log.protectedFiles
    question.protect(in: &protected)
    try Output.check(result.output, besides: protected)
    let (threads, report) = try CommandFailure.wrap { try question.isAnswer ? answered(format) : asked(format) }
    let drop = failOnDrop ? DropSentence.text(report) : nil
    if drop != nil { Output.setStatusIfUnread(CommandFailure.holds("").status) }
    if format == .text, result.output == nil, part != .summary, !noPager {
      try Pager.show(report.render(as: format, style: result.style, part: part))
    } else {
      // Rows as they are made: those of hundreds of thousands of values have gigabytes.
      let stream = try ResultStream(path: result.output, option: "--output", besides: protected)
      try report.write(as: format, style: result.style, threads: threads, part: part, title: title) { bytes in
        try bytes.withUnsafeBytes { try stream.write($0) }
      }
      try stream.close()
    }
    if let drop { throw CommandFailure.holds(drop) }
  }

  private func asked(_ format: ReportFormat) throws -> (threads: Int, Report) {
    let source = try log.open()
    return (source.threads, try source.report(try request(ReportRequest(), format), onUnknown: Output.tell))
  }

  /// From sums, with the options that were given over their question.
  private func answered(_ format: ReportFormat) throws -> (threads: Int, Report) {
    let threads = PermissionLog.threads(log.workers.threads)
    let answer = try question.answer(.report, log) { question in
      try request(try question.request(ReportRequest.init), format)
    } check: {
      try $0.check($1)
    }
    let properties = answer.request.properties
    try check(format, properties)
    if byLimit != nil, properties.isEmpty {
      throw CommandFailure.usage("--by-limit goes with --by, and the sums have none")
    }
    let report = try Report(
      answer.sums, of: answer.question, as: answer.request, isOfEmptyLog: answer.totals.events == 0, threads: threads)
    return (threads, report)
  }

  /// What goes with some formats alone.
  private func check(_ format: ReportFormat, _ properties: [StringField]) throws {
    if !section.isEmpty, format == .json {
      throw CommandFailure.usage("--section does not go with the format json, which always has everything")
    }
    if format == .csv, !section.isEmpty { try checkTable(properties) }
  }

  /// CSV has one table.
  private func checkTable(_ properties: [StringField]) throws {
    let tables = ReportSectionName.withOwnTable
    let names = tables.map { "--section " + $0.rawValue }.joined(separator: ", ")
    guard Set(section).count == 1 else {
      throw CommandFailure.usage("csv is one table: give one --section, or none for everything. There is \(names).")
    }
    guard section.allSatisfy(tables.contains) else {
      throw CommandFailure.usage(
        "the section \(section[0].rawValue) has no table of its own in csv; leave --section out for everything. There is \(names)."
      )
    }
    if section.contains(.values), properties.isEmpty { throw CommandFailure.usage("--section values goes with --by") }
    if section.contains(.timing), !properties.isEmpty { throw CommandFailure.usage("timing is not split by --by") }
  }

  private var part: ReportPart {
    if !section.isEmpty { return .sections(Set(section)) }
    return full ? .full : .summary
  }

  /// What was given, over what a question says.
  private func request(_ asked: ReportRequest, _ format: ReportFormat) throws -> ReportRequest {
    var request = asked
    try windows.apply(to: &request.scope)
    try filter.apply(from: &request.from, to: &request.to, &request.conditions)
    if let logStart { request.logStart = try Moments.moment(logStart, option: "--log-start") }
    if let permission { request.permission = permission }
    if !by.isEmpty { request.properties = by.map(\.field) }
    if let byLimit { request.valueLimit = byLimit }
    request.hasCharts = format == .html
    return request
  }
}
