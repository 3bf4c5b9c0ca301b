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
  /// The variant that the others are held against.
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
  /// Users of a pair of messages together at which a decision is expected.
  public var plannedUsers = 5000
  /// Decide at this many looks, evenly spaced up to the planned users; nil to decide at any time.
  public var looks: Int?
  /// Metrics that must not become worse by more than a margin.
  public var guardrails: [GuardrailQuestion] = []
  /// A property within whose values the messages are compared too.
  public var property: StringField?

  /// Most messages of one comparison.
  public static let mostVariants = ComparisonQuestion.mostVariants
  /// Most declared looks; each costs some milliseconds, and nobody plans more.
  public static let mostLooks = 50

  public init(control: String, treatments: [String]) {
    self.control = control
    self.treatments = treatments
  }

  var variants: [String] { [control] + treatments }

  func check() throws(PermlogError) {
    func refuse(_ finding: String) -> PermlogError { PermlogError(.usage, finding) }
    guard (2...Self.mostVariants).contains(variants.count) else {
      throw refuse("a comparison takes 2 to \(Self.mostVariants) variants")
    }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw refuse("name two different variants, or more, each once")
    }
    guard minimumEffect > 0, minimumEffect < 1 else { throw refuse("the smallest effect must be between 0 and 1") }
    guard (2...1_000_000_000).contains(plannedUsers) else {
      throw refuse("the planned users are a number from 2 to 1000000000")
    }
    if let looks, !(1...min(Self.mostLooks, plannedUsers)).contains(looks) {
      throw refuse("the looks are a number from 1 to \(Self.mostLooks), and no more than the planned users")
    }
    guard guardrails.allSatisfy({ $0.margin > 0 && $0.margin < 1 }) else {
      throw refuse("the margin of a guardrail must be between 0 and 1")
    }
    if property == .variant { throw refuse("the variants are compared, and are no property to compare within") }
    if let split, split.count != variants.count || !split.allSatisfy({ $0 > 0 && $0.isFinite }) {
      throw refuse("the split has a positive number for each variant")
    }
  }

  /// Everything but names, which the log has to resolve.
  func apply(to question: inout ComparisonQuestion) {
    question.metric = metric
    let split = split ?? [Double](repeating: 1, count: variants.count)
    // As shares of the largest: their sum is finite then.
    let largest = split.max() ?? 1
    question.split = split.map { $0 / largest }
    question.policy = contaminated
    question.minimumEffect = minimumEffect
    question.plannedUsers = plannedUsers
    question.rule = looks.map { .looks($0) } ?? .daily
    question.guardrails = guardrails
  }
}
