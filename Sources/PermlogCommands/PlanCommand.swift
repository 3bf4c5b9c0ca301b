// `permlog plan`: the users and days that an experiment needs, or the difference that it can find.

import ArgumentParser
import Permlog
import ReportRendering

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Plan an experiment: users and days for a difference, or the difference for users or days.",
    discussion: """
      The plan starts from the grant rate and the exposures per day of the log's last 28 days. If messages are named, \
      it starts from the rate of the first. With --baseline and --traffic, or with --baseline and no --permission, no log is \
      read. A plan that is saved before the first exposure fixes how the test is decided; the test then needs fewer users.

      Example:
        permlog plan --permission notifications --effect 2
        permlog plan A B --permission camera --effect 5 --save plan.json
        permlog plan --permission notifications --days 28
        permlog plan --baseline 48 --effect 2 --traffic 300 --variants 3
      """)

  @Argument(
    help: ArgumentHelp("The messages, the control first: for --save, and instead of --variants.", valueName: "A B"),
    completion: .variants)
  var messages: [String] = []

  @OptionGroup var log: LogOptions
  @OptionGroup var fields: FieldOptions<PlanRequest>

  @Option(
    "Save the plan to this new file, for compare --plan. Needs the names of the messages.",
    value: "file")
  var save: String?

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: SummaryFormat?

  @OptionGroup var result: ResultOptions

  func validate() throws {
    guard save != nil, messages.isEmpty else { return }
    throw ValidationError("--save needs the names of the messages: permlog plan A B --save FILE")
  }

  func run() throws {
    let format = try FileFormat.choose(format, result.output, else: .text)
    var protected = log.protectedFiles
    protected.add(output: save, "also the plan's file")
    fields.protect(in: &protected)
    // Before the plan is saved.
    try Output.checkFile(result.output, besides: protected)
    let rendered = try CommandFailure.wrap {
      var request = try fields.request(operands: messages.isEmpty ? [:] : [.messages: messages])
      request.isToSave = save != nil
      try request.checkFields()
      let plan = try request.needsLog ? log.open().plan(request, onUnknown: Output.tell) : PlanResult(request)
      let file = try save.map { try PlanFile(saving: plan.saved(), to: $0, besides: log.protectedFiles) }
      return plan.render(as: format, style: result.style, file: file)
    }
    try Output.result(rendered, to: result.output, besides: protected)
  }
}

// MARK: `permlog experiments`: every experiment in the log with its decision

extension ExperimentsFormat: ExpressibleByArgument {}

struct ExperimentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiments", abstract: "List every experiment in the log: messages, users, days, decision.",
    discussion: """
      An experiment is a name and a permission. Its messages are compared as by permlog compare with default options, \
      and with --split; if only Settings prompts carry it, with --screen settings. \
      The control is the message called control, baseline, original, default, a, 0 or off, otherwise the first by \
      name. Experiments that are still running come first.

      Example:
        permlog experiments
        permlog experiments --permission notifications
        permlog experiments --split push_copy=90:10 --split camera_copy=1:1:2
        permlog experiments --output experiments.html --format html
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var fields: FieldOptions<ExperimentsRequest>

  @Flag(help: "Compare all experiments; by default the 200 with the most users, and 20 by assignment.")
  var all = false

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: ExperimentsFormat?

  @OptionGroup var kept: KeptResultOptions
  @OptionGroup var result: ResultOptions

  func run() throws {
    let format = try FileFormat.choose(format, result.output, else: .text)
    var protected = log.protectedFiles
    fields.protect(in: &protected)
    // Before any work is done.
    try Output.checkFile(result.output, besides: protected)
    let progress = ProgressLine(isShown: true)
    var kept: KeptResult?
    let rendered = try CommandFailure.wrap {
      defer { progress.clear() }
      var request = try fields.request()
      request.comparesAll = all
      let log = try log.open()
      kept = KeptResult(self.kept, log, request.scope, besides: protected, result.style)
      if let bytes = kept?.bytes { return bytes }
      return try (kept?.log ?? log).experiments(request, onUnknown: Output.tell) {
        progress.show("comparing: \($0) of \($1)")
      }.render(as: format, style: result.style)
    }
    try Output.result(rendered, to: result.output, besides: protected)
    if kept?.bytes == nil { kept?.keep(rendered) }
  }
}
