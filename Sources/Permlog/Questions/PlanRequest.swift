// What a plan of an experiment is asked for.

import PermissionAnalysis
import PermissionEvents

/// What a plan is asked for: the users and days that a difference takes, or the difference that users or days can find.
public struct PlanRequest: Sendable {
  /// What is given; the plan answers with the others.
  public enum Given: Sendable, Hashable {
    /// A difference to find, as a share of 1.
    case effect(Double)
    /// Users of each message.
    case users(Int)
    case days(Int)
  }

  public var scope = QuestionScope()
  public var given: Given = .effect(0.01)
  public var metric: ComparisonMetric = .grantRate
  /// The permission whose rate and traffic to start from; needed if the log has several.
  public var permission: String?
  /// Only screens of this experiment.
  public var experiment: String?
  /// The control's rate as a share of 1, instead of the log's.
  public var baseline: Double?
  /// Exposures a day, all messages together, instead of the log's.
  public var traffic: Double?
  /// Messages, the control included.
  public var variants = 2
  /// The message that is to be the control: the plan starts from its rate if the log has it; nil, or if the log does not, from that
  /// of all messages together.
  public var control: String?
  /// Planned parts of the users, control first, in any unit; nil for an even division.
  public var split: [Double]?
  /// The chance of finding the difference, a share of 1.
  public var power = 0.8
  /// Declared looks of the design beside the others.
  public var looks = 5
  /// What a saved plan fixes beside; nil for a plan that is not to be saved.
  public var toSave: PlanToSave?

  public init() {}

  /// A plan needs no log if it has a rate and no permission, or a rate and the exposures a day.
  var needsLog: Bool { baseline == nil || permission != nil && traffic == nil }

  var question: PlanQuestion {
    var question = PlanQuestion()
    question.metric = metric
    question.variants = variants
    question.split = split
    question.power = power
    question.looks = looks
    question.followUp = scope.followUp
    switch given {
    case .effect(let effect): question.effect = effect
    case .users(let users): question.users = users
    case .days(let days): question.days = days
    }
    return question
  }

  func check() throws(PermlogError) {
    func refuse(_ finding: String) -> PermlogError { PermlogError(.usage, finding) }
    if let baseline, !(0...1).contains(baseline) { throw refuse("the baseline is a share from 0 to 1") }
    if let traffic, !(traffic > 0 && traffic < 1e12) { throw refuse("the exposures a day are a number above 0") }
    switch given {
    case .effect(let effect):
      guard effect > 0, effect < 1 else { throw refuse("the effect must be between 0 and 1") }
    case .users(let users):
      guard (1...1_000_000_000_000).contains(users) else { throw refuse("the users are a number from 1") }
    case .days(let days):
      guard (1...100_000).contains(days) else { throw refuse("the days are a number from 1 to 100000") }
    }
    let most = ComparisonRequest.mostVariants
    guard (2...most).contains(variants) else { throw refuse("the messages are a number from 2 to \(most)") }
    if let split {
      guard split.count == variants, split.allSatisfy({ $0 > 0 && $0.isFinite }) else {
        throw refuse("the split has a positive number for each message")
      }
      if case .users = given, Set(split).count > 1 {
        throw refuse("users of each message are given, and the split is uneven: give the days instead")
      }
    }
    try toSave?.check(self)
    guard (0.06...0.999).contains(power) else { throw refuse("the power is a share from 0.06 to 0.999") }
    guard (1...ComparisonRequest.mostLooks).contains(looks) else {
      throw refuse("the looks are a number from 1 to \(ComparisonRequest.mostLooks)")
    }
  }
}

/// What a plan that is to be saved fixes, beside what the plan itself is asked for.
public struct PlanToSave: Sendable, Hashable {
  /// The control, then the others.
  public var variants: [String]
  /// Properties of the exposure that the decision is to be adjusted for.
  public var adjust: [StringField] = []
  public var contaminated: ContaminationPolicy = .first
  /// Smallest difference that matters, a share of 1; nil for the effect of the plan.
  public var minimumEffect: Double?
  public var guardrails: [GuardrailQuestion] = []

  public init(variants: [String]) { self.variants = variants }

  /// Throws unless a comparison could be asked for it.
  func check(_ plan: PlanRequest) throws(PermlogError) {
    guard case .effect(let effect) = plan.given else {
      throw PermlogError(.usage, "a plan that is saved is for an effect, and not for users or days")
    }
    guard variants.count == plan.variants else {
      throw PermlogError(
        .usage, "\(variants.count) messages are named, and the plan is for \(plan.variants)")
    }
    var comparison = ComparisonRequest(control: variants.first ?? "", treatments: Array(variants.dropFirst()))
    comparison.split = plan.split
    comparison.adjust = adjust
    comparison.minimumEffect = minimumEffect ?? effect
    comparison.guardrails = guardrails
    try comparison.check()
  }
}
