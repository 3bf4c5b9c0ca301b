// `permlog flow`: what happens when an app asks for several permissions one after the other.

import ArgumentParser
import Permlog

struct FlowCommand: QuestionCommand {
  static let configuration = CommandConfiguration(
    commandName: "flow", abstract: "Print what happens when several permissions are asked for in a row.",
    discussion: """
      A flow is the sequence of permissions that a user was asked for the first time, each within the response window \
      of the one before. permlog prints the flows as a tree: how many went on, and where they ended. It also prints \
      how each permission fares by its position and right after a denial. With --steps, it adds how many users \
      complete a flow of your own.

      Example:
        permlog flow
        permlog flow --steps notifications,photo_library,tracking
        permlog flow --where country=DE --week 2026-W13
        permlog flow --format html --output flow.html
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var fields: FieldOptions<FlowRequest>

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: FlowFormat?

  @Flag(help: "Print everything instead of one screen of text.")
  var full = false

  @Option("Title of the page, in html and markdown.", value: "text")
  var title: String?

  @Flag(help: "Print long text straight to the terminal.")
  var noPager = false

  @OptionGroup var result: ResultOptions

  static let usualFormat = FlowFormat.text
  var isPaged: Bool { full && !noPager }

  func write(_ report: FlowReport, as format: FlowFormat, to sink: ([UInt8]) throws -> Void) throws {
    try report.write(as: format, style: result.style, isFull: full, title: title, to: sink)
  }
}
