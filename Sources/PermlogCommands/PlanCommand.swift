// `permlog plan`: how many users and days an experiment takes, or what it can find.

import ArgumentParser
import Permlog
import ReportRendering

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Plan an experiment: users and days for a difference, or the difference for users or days.",
    discussion: """
      The baseline and the exposures a day are those of the log's last 28 days, unless --baseline and --traffic say \
      otherwise; with --baseline and no --permission no log is read.

      Example:
        permlog plan --permission notifications --effect 2
        permlog plan --permission notifications --days 28
        permlog plan --baseline 48 --effect 2 --traffic 300 --variants 3
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var windows: WindowOptions

  @Option(help: ArgumentHelp("The permission whose rate and traffic to start from.", valueName: "name"))
  var permission: String?

  @Option(help: ArgumentHelp("Only screens of this experiment.", valueName: "name"))
  var experiment: String?

  @Option(help: "The metric: \(ComparisonMetric.allCases.map(\.rawValue).joined(separator: ", ")).")
  var metric: ComparisonMetric = .grantRate

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

  @Option(help: ArgumentHelp("Messages, the control included, shown to equal numbers.", valueName: "n"))
  var variants = 2

  @Option(help: ArgumentHelp("The chance of finding it, in percent.", valueName: "percent"))
  var power = 80.0

  @Option(help: ArgumentHelp("Declared looks of the group-sequential design.", valueName: "k"))
  var looks = 5

  @Option(help: "Output format: text, json.")
  var format: SummaryFormat = .text

  @Flag(help: "Use ASCII characters only.")
  var ascii = false

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
    let most = ComparisonRequest.mostVariants
    guard (2...most).contains(variants) else { throw ValidationError("--variants takes a number from 2 to \(most)") }
    guard (6...99.9).contains(power) else { throw ValidationError("--power takes a percentage from 6 to 99.9") }
    guard (1...ComparisonOptions.mostLooks).contains(looks) else {
      throw ValidationError("--looks takes a number from 1 to \(ComparisonOptions.mostLooks)")
    }
    if days != nil, baseline != nil, permission == nil, traffic == nil {
      throw ValidationError("--days needs the exposures a day: --traffic, or --permission with a log")
    }
  }

  func run() throws {
    var style = TextStyle.current(toFile: false)
    style.isASCII = ascii
    let rendered = try CommandFailure.wrap {
      let request = try request()
      // A rate alone needs no log.
      let plan =
        try baseline != nil && permission == nil
        ? PlanResult(request) : log.open().plan(request, onUnknown: Output.tell)
      return plan.render(as: format, style: style)
    }
    try Output.result(rendered)
  }

  private func request() throws -> PlanRequest {
    var request = PlanRequest()
    request.scope = try windows.scope()
    request.given = users.map { .users($0) } ?? days.map { .days($0) } ?? .effect((effect ?? 1) / 100)
    request.metric = metric
    request.permission = permission
    request.experiment = experiment
    request.baseline = baseline.map { $0 / 100 }
    request.traffic = traffic
    request.variants = variants
    request.power = power / 100
    request.looks = looks
    return request
  }
}
