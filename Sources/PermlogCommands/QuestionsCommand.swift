// `permlog questions`: what each command can be asked, for programs that write its arguments.

import ArgumentParser
import Permlog

struct QuestionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "questions", abstract: "Print every field that a question can have, as JSON.", shouldDisplay: false)

  enum Format: String, CaseIterable, ExpressibleByArgument { case json }

  @Option(help: "Output format.")
  var format = Format.json

  func run() throws { try Output.result(RequestKind.json) }
}
