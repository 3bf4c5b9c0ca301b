// `permlog flow`: what happens when an app asks for several permissions one after the other.

import ArgumentParser
import Permlog

extension FlowFormat: ExpressibleByArgument {}

struct FlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flow", abstract: "Print what happens when several permissions are asked for in a row.",
    discussion: """
      A flow is what a user was asked for the first time, one permission after the other, each within the response \
      window of the one before. Prints the flows as a tree: how many went on, where they ended, and how a permission \
      fares by its position and right after a denial. With --steps also how many come through a flow of your own.

      Example:
        permlog flow
        permlog flow --steps notifications,photo_library,tracking
        permlog flow --where country=DE --week 2026-W13
        permlog flow --format html --output flow.html
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var moment: MomentOptions
  @OptionGroup var filter: FilterOptions

  @Option(
    help: ArgumentHelp(
      "The flow that the app means: up to 8 permissions in their order, joined by commas.", valueName: "names"),
    completion: .permissions)
  var steps: String?

  @Option(
    help: ArgumentHelp("In the tables by position and by the answer before, only this permission.", valueName: "name"),
    completion: .permissions)
  var permission: String?

  @Option(help: ArgumentHelp("Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: FlowFormat?

  @Flag(help: "Print everything, and not one screen of text.")
  var full = false

  @Option(help: ArgumentHelp("Title of the page, in html and markdown.", valueName: "text"))
  var title: String?

  @Flag(help: "Print long text straight to the terminal.")
  var noPager = false

  @OptionGroup var result: ResultOptions

  func validate() throws {
    if let steps, names(steps).contains(where: \.isEmpty) {
      throw ValidationError("--steps takes names of permissions, joined by commas")
    }
  }

  func run() throws {
    if question.isSaved {
      return try question.save(
        with: ["--from", "--to", "--week", "--steps", "--response-window", "--at-once"], log,
        besides: log.protectedFiles
      ) {
        try Question(try request(FlowRequest()), now: $0)
      }
    }
    let format = try result.format(format, else: .text)
    try PageTitle.check(title, format.rawValue)
    var protected = log.protectedFiles
    question.protect(in: &protected)
    try Output.check(result.output, besides: protected)
    let report = try CommandFailure.wrap {
      try question.isAnswer ? answered() : log.open().flow(try request(FlowRequest()), onUnknown: Output.tell)
    }
    if format == .text, result.output == nil, full, !noPager {
      return try Pager.show(report.render(as: format, style: result.style, isFull: full))
    }
    let stream = try ResultStream(path: result.output, option: "--output", besides: protected)
    try report.write(as: format, style: result.style, isFull: full, title: title) { bytes in
      try bytes.withUnsafeBytes { try stream.write($0) }
    }
    try stream.close()
  }

  private func names(_ list: String) -> [String] {
    // Blanks after a comma belong to no name.
    list.split(separator: ",", omittingEmptySubsequences: false).map { name in
      String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// From sums, with the options that were given over their question.
  private func answered() throws -> FlowReport {
    let answer = try question.answer(.flow, log) {
      try request(try $0.request(FlowRequest.init))
    } check: {
      try $0.check($1)
    }
    return try FlowReport(
      answer.sums, of: answer.question, as: answer.request, isOfEmptyLog: answer.totals.events == 0)
  }

  /// What was given, over what a question says.
  private func request(_ asked: FlowRequest) throws -> FlowRequest {
    var request = asked
    try moment.apply(to: &request.scope)
    try filter.apply(from: &request.from, to: &request.to, &request.conditions)
    if let steps { request.steps = names(steps) }
    if let permission { request.permission = permission }
    return request
  }
}
