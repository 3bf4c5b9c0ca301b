// What a comparison of messages is asked for.

import PermissionAnalysis
import PermissionEvents

/// What a comparison is asked for: messages against the first of them.
///
/// For example:
///
/// ```swift
/// var request = ComparisonRequest(control: "A", treatments: ["B"])
/// request.permission = "notifications"
/// ```
public struct ComparisonRequest: Sendable {
  public var scope = QuestionScope()
  /// The property whose values are compared: the message shown, or another of the exposure. Nobody was assigned to a value
  /// of another at random: then the decision is `differs`, `noDifference` or `notClear`, and there is no sample ratio, no
  /// contamination and no guardrail.
  public var comparedProperty = StringField.variant
  /// The variant, or value of `comparedProperty`, that the others are held against.
  public var control: String
  /// The others, one or more.
  public var treatments: [String]
  /// Needed if the log has several permissions with these variants.
  public var permission: String?
  /// Only screens of this experiment.
  public var experiment: String?
  public var metric: ComparisonMetric = .grantRate
  /// Planned shares of the users, control first, in any unit; nil for an even split.
  public var split: [Double]?
  /// What is done with users who saw several messages.
  public var contaminated: ContaminationPolicy = .first
  /// Smallest difference that matters, as a share of 1.
  public var minimumEffect = 0.01
  /// How it is decided.
  public var rule = Comparison.Rule.daily
  /// Users of a pair of messages together, at an even split, at which a decision is expected.
  public var plannedUsers = 5000
  /// Properties of the exposure that the decision is adjusted for; to be chosen before outcomes are seen.
  public var adjust: [StringField] = []
  /// Metrics that must not become worse by more than a margin.
  public var guardrails: [GuardrailQuestion] = []
  /// Conditions on the exposure, which must all hold: whoever saw a message first with an exposure that does not meet them is no part
  /// of the comparison.
  public var conditions: [ExposureCondition] = []
  /// A property within whose values the messages are compared too.
  public var property: StringField?
  /// The plan that was made beforehand. What it fixes is as the plan has it in this request too.
  public internal(set) var plan: SavedPlan?

  /// Most messages of one comparison.
  public static let mostVariants = ComparisonQuestion.mostVariants
  /// Most declared looks; each costs some milliseconds, and nobody plans more.
  public static let mostLooks = 50

  /// Properties that a decision can be adjusted for: those of the device and the app.
  public static let adjustable = ComparisonQuestion.adjustable

  /// Properties whose values can be compared.
  public static let comparable = StringField.allCases.filter { $0 != .permission }

  public init(control: String, treatments: [String]) {
    self.control = control
    self.treatments = treatments
  }

  /// A comparison as it was planned. What the plan leaves open, like the moment to look from, can be set afterwards.
  public init(_ plan: SavedPlan) {
    self.init(control: plan.variants.first ?? "", treatments: Array(plan.variants.dropFirst()))
    scope.timeZone = plan.timeZone
    scope.atOnce = plan.atOnce ?? scope.atOnce
    scope.responseWindow = plan.responseWindow
    scope.followUp = plan.followUp
    permission = plan.permission
    experiment = plan.experiment
    metric = plan.metric
    split = plan.split
    contaminated = plan.contaminated
    minimumEffect = plan.minimumEffect
    plannedUsers = plan.plannedUsers
    adjust = plan.adjust
    guardrails = plan.guardrails
    self.plan = plan
  }

  var variants: [String] { [control] + treatments }

  func check() throws(PermlogError) {
    func refuse(_ finding: String) -> PermlogError { PermlogError(.usage, finding) }
    let arm = comparedProperty == .variant ? "message" : "value"
    guard (2...Self.mostVariants).contains(variants.count) else {
      throw refuse("a comparison takes 2 to \(Self.mostVariants) \(arm)s")
    }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw refuse("name two different \(arm)s, or more, each once")
    }
    if let plan { try check(plan) }
    if conditions.contains(where: { $0.field == comparedProperty }) {
      let what = comparedProperty == .variant ? "the messages are" : comparedProperty.name + " is"
      throw PermlogError(.usage, "\(what) what is compared: set conditions on other properties", argument: .conditions)
    }
    if comparedProperty != .variant { try checkProperty() }
    guard minimumEffect > 0, minimumEffect < 1 else { throw refuse("the smallest effect must be between 0 and 1") }
    guard (2...1_000_000_000).contains(plannedUsers) else {
      throw refuse("the planned users are a number from 2 to 1000000000")
    }
    if case .looks(let looks) = rule, !(1...min(Self.mostLooks, plannedUsers)).contains(looks) {
      throw refuse("the looks are a number from 1 to \(Self.mostLooks), and no more than the planned users")
    }
    guard guardrails.allSatisfy({ $0.margin > 0 && $0.margin < 1 }) else {
      throw refuse("the margin of a guardrail must be between 0 and 1")
    }
    guard Set(adjust).count == adjust.count, adjust.allSatisfy({ Self.adjustable.contains($0) }) else {
      let known = Self.adjustable.map(\.name).joined(separator: ", ")
      throw refuse("a comparison is adjusted for properties of the exposure, each once: \(known)")
    }
    if !adjust.isEmpty, rule != .daily {
      throw refuse("only the looks of every finished day can be adjusted, and not \(rule.name)")
    }
    if comparedProperty == .variant, property == .variant {
      throw refuse("the messages are compared, and are no property to compare within")
    }
    if let split, split.count != variants.count || !split.allSatisfy({ $0 > 0 && $0.isFinite }) {
      throw refuse("the split has a positive number for each \(arm)")
    }
  }

  /// What rests on users who were assigned to messages has no meaning for values that they brought with them.
  private func checkProperty() throws(PermlogError) {
    let name = comparedProperty.name
    func refuse(
      _ finding: String, _ argument: PermlogError.Argument? = nil
    ) -> PermlogError { PermlogError(.usage, finding, argument: argument) }
    guard Self.comparable.contains(comparedProperty) else {
      throw refuse(
        "values of \(name) are not compared; it is one of \(Self.comparable.map(\.name).joined(separator: ", "))")
    }
    if variants.contains("") {
      throw refuse("no value of \(name) is nothing to compare with: name two values that screens have")
    }
    if plan != nil { throw refuse("a plan is of messages that are assigned at random, and not of \(name)", .plan) }
    if split != nil { throw refuse("nobody divided the users by \(name): there is no planned split", .split) }
    if contaminated != .first {
      throw refuse("users may well have several values of \(name): they count for the first", .contaminated)
    }
    if !guardrails.isEmpty {
      throw refuse(
        "a guardrail is for a decision, and by \(name) none is made: compare by its metric instead", .guardrails)
    }
    if adjust.contains(comparedProperty) {
      throw refuse("\(name) is what is compared: adjust for other properties", .adjust)
    }
    if property == comparedProperty {
      throw refuse("\(name) is what is compared, and is no property to compare within")
    }
    if comparedProperty == .experiment, experiment != nil {
      throw refuse("experiments are compared: leave the only experiment out", .experiment)
    }
  }

  /// Everything but names, which the log has to resolve.
  func apply(to question: inout ComparisonQuestion) {
    question.comparedProperty = comparedProperty
    question.metric = metric
    question.split = Self.shares(split ?? [Double](repeating: 1, count: variants.count))
    question.policy = contaminated
    question.minimumEffect = minimumEffect
    question.plannedUsers = plannedUsers
    question.rule = rule
    question.adjust = adjust
    question.conditions = conditions
    question.plan = plan?.facts
    question.guardrails = guardrails
  }

  /// Parts as shares of the largest: their sum is finite then.
  static func shares(_ split: [Double]) -> [Double] {
    let largest = split.max() ?? 1
    return split.map { $0 / largest }
  }
}
