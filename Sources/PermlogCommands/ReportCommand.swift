// `permlog report`: the weekly report.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

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
      Leads with the last complete week. The formats text, markdown and html are for people, json and csv for programs; html \
      is one file that needs no network.

      Example:
        permlog report --week 2026-W13 --permission notifications
        permlog report --format html --output report.html
        permlog report --by app_version --time-zone Europe/Berlin --format csv
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var windows: WindowOptions

  @Option(help: ArgumentHelp("One ISO week, like 2026-W14.", valueName: "week"), completion: .weeks)
  var week: String?

  @Option(help: ArgumentHelp("Start date of exposures, in the time zone.", valueName: "date"))
  var from: String?

  @Option(help: ArgumentHelp("End date, exclusive, in the time zone.", valueName: "date"))
  var to: String?

  @Option(
    help: ArgumentHelp("Only this permission.", valueName: "name"), completion: .permissions)
  var permission: String?

  @Option(
    help: ArgumentHelp("Break down by a property of the exposure: \(PropertyName.allNames).", valueName: "property"),
    completion: .list(PropertyName.names))
  var by: PropertyName?

  @Option(
    help: ArgumentHelp(
      "Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: ReportFormat?

  @OptionGroup var result: ResultOptions

  @Flag(
    help:
      "End with exit status 3 if a grant rate of the week that leads dropped significantly, after Holm's correction.")
  var failOnDrop = false

  func validate() throws {
    if week != nil, from != nil || to != nil { throw ValidationError("--week cannot be combined with --from and --to") }
  }

  func run() throws {
    let format = try result.format(format, else: .text)
    let (report, rendered) = try CommandFailure.wrap {
      let log = try log.open()
      let report = try log.report(try request(format), onUnknown: Output.tell)
      return (report, report.render(as: format, style: result.style, threads: log.threads))
    }
    try Output.result(rendered, to: result.output)
    if failOnDrop, let sentence = DropSentence.text(report) { throw CommandFailure.holds(sentence) }
  }

  private func request(_ format: ReportFormat) throws -> ReportRequest {
    var request = ReportRequest()
    request.scope = try windows.scope()
    if let week {
      guard let week = ISOWeek(parsing: week) else {
        throw CommandFailure.usage("--week: \(week) is not an ISO week like 2026-W14")
      }
      request.limit(to: week)
    }
    if let from { request.from = try Moments.date(from, option: "--from") }
    if let to { request.to = try Moments.date(to, option: "--to") }
    if let from = request.from, let to = request.to, from.dayNumber >= to.dayNumber {
      throw CommandFailure.usage("--from must be before --to")
    }
    request.permission = permission
    request.property = by?.field
    request.hasCharts = format == .html
    return request
  }
}
