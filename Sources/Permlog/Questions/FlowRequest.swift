// What is asked about flows, and the question that a log is asked.

import PermissionAnalysis
import PermissionEvents

/// What a question about flows asks for: what happens when an app asks for several permissions one after the other. The default is
/// all flows of the log.
///
/// For example:
///
/// ```swift
/// var request = FlowRequest()
/// request.steps = ["notifications", "photo_library", "tracking"]
/// let completed = try log.flow(request).all.declared?.completed
/// ```
public struct FlowRequest: Sendable, Hashable {
  /// How long a journey is followed has no meaning for flows.
  public var scope = QuestionScope()
  /// First day of the first exposure of flows, in the zone; nil for the first of the log.
  public var from: CivilDate?
  /// The day after the last, in the zone; nil for the last of the log.
  public var to: CivilDate?
  /// Conditions on the first exposure of flows; all of them hold.
  public var conditions: [ExposureCondition] = []
  /// Permissions in the order in which the app asks for them, up to eight; empty for none.
  public var steps: [String] = []
  /// The only permission of the tables by position and by the outcome before.
  public var permission: String?

  public init() {}

  /// Flows that begin in one ISO week, in the zone.
  public mutating func limit(to week: ISOWeek) {
    from = CivilDate(week.firstDay)
    to = CivilDate(week.firstDay + 7)
  }
}

extension FlowRequest {
  /// The question that a log with events in a span of time is asked.
  func question(
    _ times: ClosedRange<Milliseconds>, clock: Milliseconds?, in zone: ZoneTable? = nil
  ) throws(PermlogError) -> FlowQuestion {
    try checkSteps()
    let (first, last) = (try from?.checkedDay(), try to?.checkedDay())
    let base = try scope.question(times, clock: clock, dates: [first, last].compactMap { $0 }, in: zone)
    var question = FlowQuestion(windows: base.windows, zone: base.zone)
    (question.from, question.to) = try ExposureInterval.moments(from: first, to: last, in: base.zone)
    question.conditions = conditions
    question.steps = steps
    question.permission = permission
    return question
  }

  /// The question that logs are asked whose sums add up.
  func sharedQuestion(in zone: ZoneTable? = nil) throws(PermlogError) -> FlowQuestion {
    try question(scope.sharedTimes(), clock: nil, in: zone)
  }

  private func checkSteps() throws(PermlogError) {
    guard steps.count <= FlowQuestion.mostSteps else {
      throw PermlogError(
        .usage, "a declared flow has at most \(FlowQuestion.mostSteps) permissions, and not \(steps.count)",
        argument: .steps)
    }
    // Byte for byte: names that only look alike are different permissions.
    for (place, step) in steps.enumerated() where steps[..<place].contains(where: { $0.utf8.elementsEqual(step.utf8) })
    {
      throw PermlogError(.usage, "\(step) comes twice, and a user is asked for it first only once", argument: .steps)
    }
  }
}
