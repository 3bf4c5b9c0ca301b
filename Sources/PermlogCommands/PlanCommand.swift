// `permlog plan`: how many users and days an experiment takes, or what it can find.

import ArgumentParser
import Permlog
import ReportRendering

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Plan an experiment: users and days for a difference, or the difference for users or days.",
    discussion: """
      The plan starts from the grant rate and the exposures a day of the log's last 28 days; if messages are named, \
      from the rate of the first. With --baseline and --traffic, or with --baseline and no --permission, no log is \
      read. A plan that is saved before the first exposure fixes what will decide, and then a test needs fewer users.

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
  @OptionGroup var windows: WindowOptions

  @Option(
    help: ArgumentHelp("The permission whose rate and traffic to start from.", valueName: "name"),
    completion: .permissions)
  var permission: String?

  @OptionGroup var design: DesignOptions

  @Option(help: ArgumentHelp("The control's rate in percent, instead of the log's.", valueName: "percent"))
  var baseline: Double?

  @Option(help: ArgumentHelp("Exposures a day, all messages together, instead of the log's.", valueName: "n"))
  var traffic: Double?

  @Option(help: ArgumentHelp("The difference to find, in percentage points (default: 1).", valueName: "points"))
  var effect: Double?

  @Option(
    help: ArgumentHelp("Instead of --effect: the difference that so many users a message can find.", valueName: "n"))
  var users: Int?

  @Option(help: ArgumentHelp("Instead of --effect: the difference that so many days can find.", valueName: "n"))
  var days: Int?

  @Option(help: ArgumentHelp("Messages, the control included (default: 2).", valueName: "n"))
  var variants: Int?

  @Option(help: ArgumentHelp("The chance of finding it, in percent.", valueName: "percent"))
  var power = 80.0

  @Option(help: ArgumentHelp("Declared looks of the group-sequential design.", valueName: "k"))
  var looks = 5

  @Option(
    help: ArgumentHelp(
      "Save the plan to this file, which must be new, for compare --plan. Takes the names of the messages.",
      valueName: "file"), completion: .file())
  var save: String?

  @Option(
    help: ArgumentHelp("Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: SummaryFormat?

  @OptionGroup var result: ResultOptions

  func validate() throws {
    if let baseline, !(0...100).contains(baseline) {
      throw ValidationError("--baseline takes a percentage from 0 to 100")
    }
    if let effect, !(effect > 0 && effect < 100) {
      throw ValidationError("--effect takes percentage points between 0 and 100")
    }
    if let traffic, !(traffic > 0 && traffic < 1e12) { throw ValidationError("--traffic takes a number above 0") }
    if let users, !(1...1_000_000_000_000).contains(users) { throw ValidationError("--users takes a number from 1") }
    if let days, !(1...100_000).contains(days) { throw ValidationError("--days takes a number from 1 to 100000") }
    guard [effect.map { _ in 1 }, users, days].compactMap({ $0 }).count <= 1 else {
      throw ValidationError("name one of --effect, --users and --days: the plan answers with the others")
    }
    try validateMessages()
    guard (6...99.9).contains(power) else { throw ValidationError("--power takes a percentage from 6 to 99.9") }
    guard (1...DecisionOptions.mostLooks).contains(looks) else {
      throw ValidationError("--looks takes a number from 1 to \(DecisionOptions.mostLooks)")
    }
    if days != nil, baseline != nil, permission == nil, traffic == nil {
      throw ValidationError("--days needs the exposures a day: --traffic, or --permission with a log")
    }
  }

  private var count: Int { messages.isEmpty ? variants ?? 2 : messages.count }

  private func validateMessages() throws {
    let most = ComparisonRequest.mostVariants
    if let variants, !(2...most).contains(variants) {
      throw ValidationError("--variants takes a number from 2 to \(most)")
    }
    guard (2...most).contains(count) else { throw ValidationError("name 2 to \(most) messages, the control first") }
    guard Set(messages.map { Array($0.utf8) }).count == messages.count else {
      throw ValidationError("name two different messages, or more, each once")
    }
    if let variants, variants != count {
      throw ValidationError("--variants \(variants): \(count) messages are named; leave it out")
    }
    _ = try design.weights(count)
    if users != nil, let split = try design.weights(count), Set(split).count > 1 {
      throw ValidationError("--users are those of every message: give --days with an uneven --split")
    }
    guard save == nil else {
      if messages.isEmpty {
        throw ValidationError("--save takes the names of the messages: permlog plan A B --save FILE")
      }
      if users != nil || days != nil { throw ValidationError("--save takes the plan for an --effect") }
      return
    }
    let kept = [
      ("--adjust", design.adjust != nil), ("--guardrail", !design.guardrail.isEmpty),
      ("--contaminated", design.contaminated != nil), ("--minimum-effect", design.minimumEffect != nil),
    ]
    if let (option, _) = kept.first(where: \.1) {
      throw ValidationError("\(option) is for a plan that is saved: name a file with --save")
    }
  }

  func run() throws {
    let format = try result.format(format, else: .text)
    var protected = log.protectedFiles
    protected.add(output: save, "also the plan's file")
    // Before the plan is saved.
    try Output.check(result.output, besides: protected)
    let rendered = try CommandFailure.wrap {
      let request = try request()
      // A rate alone needs no log.
      let plan =
        try baseline != nil && (permission == nil || traffic != nil)
        ? PlanResult(request) : log.open().plan(request, onUnknown: Output.tell)
      let file = try save.map { try PlanFile(saving: plan.saved(), to: $0, besides: log.protectedFiles) }
      return plan.render(as: format, style: result.style, file: file)
    }
    try Output.result(rendered, to: result.output, besides: protected)
  }

  private func request() throws -> PlanRequest {
    var request = PlanRequest()
    request.scope = try windows.scope()
    request.given = users.map { .users($0) } ?? days.map { .days($0) } ?? .effect((effect ?? 1) / 100)
    request.metric = design.metric ?? .grantRate
    request.permission = permission
    request.experiment = design.experiment
    request.baseline = baseline.map { $0 / 100 }
    request.traffic = traffic
    request.variants = count
    request.control = messages.first
    request.split = try design.weights(count)
    request.power = power / 100
    request.looks = looks
    if save != nil {
      var kept = PlanToSave(variants: messages)
      kept.adjust = design.adjust?.fields ?? []
      kept.contaminated = design.contaminated ?? .first
      kept.minimumEffect = design.minimumEffect.map { $0 / 100 }
      kept.guardrails = design.guardrail.map(\.question)
      request.toSave = kept
    }
    return request
  }
}
