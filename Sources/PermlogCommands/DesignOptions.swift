// What is to be fixed before outcomes are seen: options of a comparison, and of a plan that is saved for one. None has a
// default here, so that it is known what was given.

import ArgumentParser
import Permlog

struct DesignOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only screens of this experiment.", valueName: "name"), completion: .experiments)
  var experiment: String?

  @Option(
    help:
      "The metric: \(ComparisonMetric.allCases.map(\.rawValue).joined(separator: ", ")) (default: grant_rate).")
  var metric: ComparisonMetric?

  @Option(help: ArgumentHelp("Planned split of the users, control first (default: even).", valueName: "a:b"))
  var split: String?

  @Option(help: "Users with multiple exposures: first (count for the first message), exclude (default: first).")
  var contaminated: ContaminationPolicy?

  @Option(
    help: ArgumentHelp(
      "Smallest difference that matters, in percentage points (default: 1; of a saved plan its effect).",
      valueName: "points"))
  var minimumEffect: Double?

  @Option(
    help: ArgumentHelp(
      "Adjust the decision for properties of the exposure, comma separated: \(AdjustOption.allNames). Choose them before outcomes are seen.",
      valueName: "properties"), completion: .list(ComparisonRequest.adjustable.map(\.name)))
  var adjust: AdjustOption?

  @Option(
    help: ArgumentHelp(
      "A metric that must not become worse by more than so many percentage points; may be repeated.",
      valueName: "metric:points"))
  var guardrail: [GuardrailOption] = []

  func validate() throws {
    if let minimumEffect, !(minimumEffect > 0 && minimumEffect < 100) {
      throw ValidationError("--minimum-effect takes percentage points between 0 and 100")
    }
    let metrics = guardrail.map(\.question.metric)
    if let twice = metrics.first(where: { metric in metrics.count { $0 == metric } > 1 }) {
      throw ValidationError("--guardrail names \(twice.rawValue) twice: give each metric one margin")
    }
  }

  /// Puts what was given into a request.
  func apply(to request: inout ComparisonRequest) throws {
    if let experiment { request.experiment = experiment }
    if let metric { request.metric = metric }
    // How many there are to be, sums may have to tell.
    if let split { request.split = Self.shares(split) }
    if let contaminated { request.contaminated = contaminated }
    if let minimumEffect { request.minimumEffect = minimumEffect / 100 }
    if let adjust { request.adjust = adjust.fields }
    if !guardrail.isEmpty { request.guardrails = guardrail.map(\.question) }
  }

  /// The planned shares, one for each variant; nil if none were given.
  func weights(_ variants: Int) throws -> [Double]? {
    guard let split else { return nil }
    let shares = Self.shares(split)
    guard shares.count == variants, shares.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      let example = [String](repeating: "50", count: variants).joined(separator: ":")
      throw ValidationError("--split takes a positive number for each message, like \(example)")
    }
    return shares
  }

  /// The numbers between colons; 0, which is no share, for what is none.
  private static func shares(_ text: String) -> [Double] {
    text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
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

/// Properties as they are written: `platform,app_version`, each once.
struct AdjustOption: ExpressibleByArgument {
  var fields: [StringField]

  static let allNames = ComparisonRequest.adjustable.map(\.name).joined(separator: ", ")

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    fields = names.compactMap { name in ComparisonRequest.adjustable.first { $0.name == name } }
    guard fields.count == names.count, Set(fields).count == fields.count else { return nil }
  }
}
