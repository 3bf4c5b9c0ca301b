// Plans of experiments, from a log or from a given rate.

import PermissionAnalysis
import ReportRendering

/// How many users and days an experiment takes, or what it can find, for each way of deciding.
public struct PlanResult: Sendable {
  public var plan: ExperimentPlan
  /// The permission whose rate the plan starts from; nil if the rate was given alone.
  public var permission: String?
  /// What was asked for.
  public var request: PlanRequest
  /// The experiment is not in the log yet: the rate and the traffic are those of all screens of the permission.
  public var isOfAllScreens = false

  /// The plan in one of its formats.
  /// - Parameters:
  ///   - format: text or JSON.
  ///   - style: of the text.
  ///   - file: that the plan was saved to; the text ends with how to compare.
  public func render(as format: SummaryFormat, style: TextStyle = TextStyle(), file: PlanFile? = nil) -> [UInt8] {
    switch format {
    case .json: PlanJSON.render(plan, permission: permission)
    case .text:
      PlanDocument.render(
        plan, permission: permission, allScreensFor: isOfAllScreens ? request.experiment : nil,
        saved: file.map { ($0.path, $0.plan) }, style)
    }
  }
}

extension PlanResult {
  /// A plan that starts from a given rate and reads no log.
  /// - Throws: `usage` if the request has no rate, or asks for what cannot be.
  public init(_ request: PlanRequest) throws(PermlogError) {
    try request.check()
    guard let rate = request.baseline else {
      throw PermlogError(.usage, "a plan without a log starts from a rate", .nameBaselineRate)
    }
    let baseline = PlanBaseline(rate: rate, exposuresPerDay: request.traffic)
    try self.init(ExperimentPlan(request.question, baseline), request.permission, request)
  }

  init(_ plan: ExperimentPlan, _ permission: String?, _ request: PlanRequest) throws(PermlogError) {
    if let refused = plan.refused { throw PermlogError(.usage, refused.sentence) }
    self.init(plan: plan, permission: permission, request: request)
  }
}

extension PermissionLog {
  /// Plans an experiment. The rate and the exposures a day are those of the log's last 28 days, unless the request has
  /// others; no log is read if it has both, or a rate and no permission.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out of the rate.
  /// - Throws: `usage` if the request asks for what cannot be; `notFound` if the log has nothing to start from.
  public func plan(
    _ request: PlanRequest, onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> PlanResult {
    guard request.needsLog else { return try PlanResult(request) }
    try request.check()
    return try translating {
      var source = try ComparisonSource(
        self, request.scope, permission: request.permission, experiment: request.experiment,
        isExperimentToCome: request.toSave != nil, variants: nil, onUnknown: onUnknown)
      source.question.metric = request.metric
      guard
        var start = try PlanBaseline(source.fold(), source.question, needsRate: request.baseline == nil)
      else {
        throw PermlogError(
          .notFound, "no exposure of \(source.question.permission) has an outcome for \(request.metric.rawValue) yet",
          .nameBaselineRate)
      }
      if let rate = request.baseline {
        start.rate = rate
        start.tally = nil
      } else if let control = request.control, let rate = try source.baseline(of: control) {
        // Its traffic is still that of all messages: they are to be divided anew.
        (start.rate, start.tally, start.lastDay, start.message) = (rate.rate, rate.tally, rate.lastDay, control)
      }
      if let traffic = request.traffic { start.exposuresPerDay = traffic }
      var result = try PlanResult(ExperimentPlan(request.question, start), source.question.permission, request)
      result.isOfAllScreens = request.experiment != nil && source.question.experiment == nil
      return result
    }
  }
}
