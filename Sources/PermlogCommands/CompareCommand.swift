// `permlog compare`: messages against the first of them.

import ArgumentParser
import Permlog

extension ComparisonFormat: ExpressibleByArgument {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare messages: B, and any others, against A, the control.",
    discussion: """
      Decides by an always-valid confidence sequence, so that it can be read every day. The exit status is 0 \
      whatever the decision.

      Example:
        permlog compare A B --permission notifications --experiment notification_copy_v1
        permlog compare A B --guardrail drop_off_rate:1 --by platform --explain
        permlog compare A B C --split 2:1:1 --planned-n 20000 --looks 5
      """)

  @Argument(help: ArgumentHelp("Variant shown as the control.", valueName: "A"))
  var control: String

  @Argument(help: ArgumentHelp("Variants to compare with it, one or more.", valueName: "B"))
  var treatments: [String]

  @OptionGroup var log: LogOptions
  @OptionGroup var windows: WindowOptions
  @OptionGroup var options: ComparisonOptions

  @Option(help: "Output format: \(ComparisonFormat.names).")
  var format: ComparisonFormat = .text

  @OptionGroup var result: ResultOptions

  @Flag(help: "Give the method, formula and source of each number.")
  var explain = false

  private var variants: [String] { [control] + treatments }

  func validate() throws {
    let most = ComparisonRequest.mostVariants
    guard variants.count <= most else { throw ValidationError("compare takes at most \(most) variants") }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw ValidationError("name two different variants, or more, each once")
    }
    try options.validate(variants: variants.count)
  }

  func run() throws {
    let rendered = try CommandFailure.wrap {
      try log.open().compare(try request(), onUnknown: Output.tell).render(
        as: format, style: result.style, isExplained: explain)
    }
    try Output.result(rendered, to: result.output)
  }

  private func request() throws -> ComparisonRequest {
    var request = ComparisonRequest(control: control, treatments: treatments)
    request.scope = try windows.scope()
    try options.apply(to: &request)
    return request
  }
}

extension ComparisonMetric: ExpressibleByArgument {}
extension ContaminationPolicy: ExpressibleByArgument {}

/// A guardrail as it is written: `drop_off_rate:1`, the margin in percentage points.
struct GuardrailOption: ExpressibleByArgument {
  var question: GuardrailQuestion

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let metric = ComparisonMetric(rawValue: String(parts[0])), let points = Double(parts[1]),
      points > 0, points < 100
    else { return nil }
    question = GuardrailQuestion(metric: metric, margin: points / 100)
  }
}

struct ComparisonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The permission; needed if the log has several with these variants.", valueName: "name"))
  var permission: String?

  @Option(help: ArgumentHelp("Only screens of this experiment.", valueName: "name"))
  var experiment: String?

  @Option(help: "The metric: \(ComparisonMetric.allCases.map(\.rawValue).joined(separator: ", ")).")
  var metric: ComparisonMetric = .grantRate

  @Option(help: ArgumentHelp("Planned split of the users, control first (default: even).", valueName: "a:b"))
  var split: String?

  @Option(help: "Users with multiple exposures: first (count for the first message), exclude.")
  var contaminated: ContaminationPolicy = .first

  @Option(help: ArgumentHelp("Smallest difference that matters, in percentage points.", valueName: "points"))
  var minimumEffect = 1.0

  @Option(help: ArgumentHelp("Users of both messages together at which a decision is expected.", valueName: "n"))
  var plannedN = 5000

  @Option(
    help: ArgumentHelp(
      "Decide at this many looks (group-sequential), evenly spaced up to --planned-n, instead of at any time.",
      valueName: "k"))
  var looks: Int?

  @Option(
    help: ArgumentHelp(
      "A metric that must not become worse by more than so many percentage points; may be repeated.",
      valueName: "metric:points"))
  var guardrail: [GuardrailOption] = []

  @Option(
    help: ArgumentHelp("Compare within each value of a property: \(PropertyName.allNames).", valueName: "property"))
  var by: PropertyName?

  static let mostLooks = ComparisonRequest.mostLooks

  func validate(variants: Int) throws {
    guard minimumEffect > 0, minimumEffect < 100 else {
      throw ValidationError("--minimum-effect takes percentage points between 0 and 100")
    }
    guard (2...1_000_000_000).contains(plannedN) else {
      throw ValidationError("--planned-n takes a number of users from 2 to 1000000000")
    }
    if let looks, !(1...Self.mostLooks).contains(looks) {
      throw ValidationError("--looks takes a number from 1 to \(Self.mostLooks)")
    }
    if let looks, looks > plannedN { throw ValidationError("--looks takes at most as many looks as --planned-n users") }
    if by?.field == .variant { throw ValidationError("--by variant says nothing here: the variants are compared") }
    _ = try weights(variants)
  }

  func apply(to request: inout ComparisonRequest) throws {
    request.permission = permission
    request.experiment = experiment
    request.metric = metric
    request.split = try weights(1 + request.treatments.count)
    request.contaminated = contaminated
    request.minimumEffect = minimumEffect / 100
    request.plannedUsers = plannedN
    request.looks = looks
    request.guardrails = guardrail.map(\.question)
    request.property = by?.field
  }

  /// The planned shares, one for each variant.
  func weights(_ variants: Int) throws -> [Double] {
    guard let split else { return [Double](repeating: 1, count: variants) }
    let parts = split.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    let shares = parts.compactMap { $0 }.filter { $0 > 0 && $0.isFinite }
    guard parts.count == variants, shares.count == variants, let largest = shares.max() else {
      let example = [String](repeating: "50", count: variants).joined(separator: ":")
      throw ValidationError("--split takes a positive number for each variant, like \(example)")
    }
    // As shares of the largest: their sum is finite then.
    return shares.map { $0 / largest }
  }
}
