// `permlog experiments`: every experiment in the log with its decision.

import ArgumentParser
import Permlog

extension ExperimentsFormat: ExpressibleByArgument {}

struct ExperimentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiments", abstract: "List every experiment in the log: messages, users, days, decision.",
    discussion: """
      An experiment is a name and a permission. Its messages are compared as permlog compare does it with default \
      options. The control is the message called control, baseline, original, default, a, 0 or off; if there is none, \
      the first by name. Experiments that are still running come first.

      Example:
        permlog experiments
        permlog experiments --permission notifications
        permlog experiments --output experiments.html --format html
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var fields: FieldOptions<ExperimentsRequest>

  @Option(
    help: ArgumentHelp(
      "Output format (default: by the name of --output, else text).",
      valueName: "format"))
  var format: ExperimentsFormat?

  @OptionGroup var result: ResultOptions

  func run() throws {
    let format = try result.format(format, else: .text)
    let rendered = try CommandFailure.wrap {
      try log.open().experiments(fields.request(), onUnknown: Output.tell).render(as: format, style: result.style)
    }
    try Output.result(rendered, to: result.output, besides: log.protectedFiles)
  }
}
