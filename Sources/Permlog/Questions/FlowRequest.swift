// Flows of permissions: their requests, and their answers from a log or sums.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// The request of a report of flows: permissions that an app asks for one after the other. The default is all flows of
/// the log.
///
/// For example:
///
/// ```swift
/// var request = FlowRequest()
/// request.steps = ["notifications", "photo_library", "tracking"]
/// let completed = try log.flow(request).all.declared?.completed
/// ```
public struct FlowRequest: QuestionRequest, FilteredRequest, Hashable {
  /// The follow-up has no meaning for flows.
  public var scope = QuestionScope()
  /// First day of the first exposure of flows, in the zone; nil for the first of the log.
  public var from: CivilDate?
  public var to: CivilDate?
  /// Conditions on the first exposure of flows; all of them hold.
  public var conditions: [ExposureCondition] = []
  /// Permissions in the order in which the app asks for them, up to eight; empty for no declared flow.
  public var steps: [String] = []
  /// The only permission of the tables by position and by the outcome before.
  public var permission: String?

  public init() {}

  public static let fields = Field.list(
    Field.answering, Field.filter,
    [
      Field(
        .steps, \.steps, .list(.permission), "names", counted: .steps, as: "steps",
        "The flow that the app intends: up to \(FlowQuestion.mostSteps) permissions in their order, joined by commas."),
      .permission(
        \.permission, isCounted: false,
        "Only this permission in the tables by position and by the previous answer."),
    ])
}

extension FlowRequest: CountedRequest {
  public typealias Answer = FlowReport

  public static let kind = Question.Kind.flow

  public func checkFields() throws(PermlogError) {
    try checkDays()
    guard steps.count <= FlowQuestion.mostSteps else {
      throw .usage("a declared flow can have at most \(FlowQuestion.mostSteps) permissions, not \(steps.count)", .steps)
    }
    // Byte for byte: names that only look alike are different permissions.
    for (index, step) in steps.enumerated() where steps[..<index].contains(where: { $0.utf8.elementsEqual(step.utf8) })
    {
      throw .usage("\(step) occurs twice, but a user is asked for it first only once", .steps)
    }
  }

  var names: [AskedName] {
    AskedName.values(conditions) + steps.map { AskedName(.permission, $0, .steps) }
      + (permission.map { [AskedName(.permission, $0)] } ?? [])
  }

  func asked(of log: AskedLog) throws(PermlogError) -> FlowQuestion {
    let (windows, zone) = try windows(log)
    var question = FlowQuestion(windows: windows, zone: zone)
    (question.from, question.to) = try interval(in: zone)
    question.conditions = conditions
    question.steps = steps
    question.permission = permission
    return question
  }

  static func count(_ question: FlowQuestion, _ walk: LogWalk) throws -> FlowSums {
    try walk.fold(question.selection) { FlowFold(question, contexts: $0) }
  }

  func answer(_ sums: FlowSums, _ question: FlowQuestion, _ source: AnswerSource) throws -> FlowReport {
    try FlowReport(sums, question, isOfEmptyLog: source.hasNoMoment(scope), reading: source.reading)
  }
}

extension PermissionLog {
  /// Flows of permissions that the app asks for one after the other. An empty log has no flows.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out of the
  ///   figures.
  /// - Throws: `usage` if the log does not have a permission or a condition's value of the request, a step occurs
  ///   twice, or the interval is empty.
  public func flow(
    _ request: FlowRequest = FlowRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> FlowReport { try request.answer(of: self, onUnknown: onUnknown) }
}
