// From requests to questions and back.

public import PermissionEvents
import PermissionAnalysis

extension Question {
  /// What a report is asked for. How many values get rows of their own, and charts, are chosen when the sums are read.
  /// - Parameter now: the clock that limits of timestamps are held against; nil for that of this machine.
  /// - Throws: `usage` if the request has no moment to look from, or contradicts itself.
  public init(_ request: ReportRequest, now: Milliseconds? = nil) throws(PermlogError) {
    try self.init(request, in: nil, now: now ?? SystemClock.now)
  }

  /// What a comparison is asked for. Metric, split, what is done with users who saw several messages, and how it is decided are chosen
  /// when the sums are read.
  /// - Throws: as above; `usage` also without a permission.
  public init(_ request: ComparisonRequest, now: Milliseconds? = nil) throws(PermlogError) {
    try self.init(request, in: nil, now: now ?? SystemClock.now)
  }

  /// What flows are asked for. The permission of the tables is chosen when the sums are read.
  public init(_ request: FlowRequest, now: Milliseconds? = nil) throws(PermlogError) {
    try self.init(request, in: nil, now: now ?? SystemClock.now)
  }

  /// What an audit is asked for. Thresholds, the permission and Info.plists are chosen when the sums are read.
  public init(_ request: AuditRequest, now: Milliseconds? = nil) throws(PermlogError) {
    try self.init(request, in: nil, now: now ?? SystemClock.now)
  }

  // With a zone no file of the machine is read.

  init(_ request: ReportRequest, in zone: ZoneTable?, now: Milliseconds) throws(PermlogError) {
    let question = try request.sharedQuestion(in: zone)
    try Self.check(request.conditions)
    try Self.check([request.permission], .permission)
    var asked = request
    asked.scope.asOf = .time(question.windows.asOf)
    asked.logStart = question.logStart.map { .time($0) }
    (asked.valueLimit, asked.hasCharts) = (ReportRequest().valueLimit, ReportRequest().hasCharts)
    try self.init(.report(asked), in: question.zone, now: now)
  }

  init(_ request: ComparisonRequest, in zone: ZoneTable?, now: Milliseconds) throws(PermlogError) {
    let question = try request.sharedQuestion(in: zone)
    try Self.check(request.conditions)
    try Self.check([request.permission], .permission)
    try Self.check([request.experiment], .experiment)
    try Self.check(request.variants, .variants)
    var asked = ComparisonRequest(control: request.control, treatments: request.treatments)
    asked.scope = request.scope
    asked.scope.asOf = .time(question.windows.asOf)
    asked.comparedProperty = request.comparedProperty
    asked.permission = request.permission
    asked.experiment = request.experiment
    asked.adjust = request.adjust
    asked.conditions = request.conditions
    asked.property = request.property
    try self.init(.compare(asked), in: question.zone, now: now)
  }

  init(_ request: FlowRequest, in zone: ZoneTable?, now: Milliseconds) throws(PermlogError) {
    let question = try request.sharedQuestion(in: zone)
    try Self.check(request.conditions)
    try Self.check(request.steps, .steps)
    var asked = request
    asked.scope.asOf = .time(question.windows.asOf)
    asked.scope.followUp = QuestionScope().followUp
    asked.permission = nil
    try self.init(.flow(asked), in: question.zone, now: now)
  }

  init(_ request: AuditRequest, in zone: ZoneTable?, now: Milliseconds) throws(PermlogError) {
    let question = try request.sharedQuestion(in: zone)
    try Self.check(request.conditions)
    var asked = AuditRequest()
    (asked.scope.timeZone, asked.scope.atOnce) = (request.scope.timeZone, request.scope.atOnce)
    asked.scope.asOf = .time(question.windows.asOf)
    (asked.from, asked.to, asked.conditions) = (request.from, request.to, request.conditions)
    asked.logStart = question.logStart.map { .time($0) }
    asked.examples = request.examples
    try self.init(.audit(asked), in: question.zone, now: now)
  }

  /// Names have as many bytes as those of events: others would be found in no log.
  private static func check(_ names: [String?], _ argument: PermlogError.Argument) throws(PermlogError) {
    for case let name? in names where !(1...StringField.maximumLength).contains(name.utf8.count) {
      throw PermlogError(.usage, "a name has 1 to \(StringField.maximumLength) bytes", argument: argument)
    }
  }

  /// Values that are no text would be other ones in a file.
  private static func check(_ conditions: [ExposureCondition]) throws(PermlogError) {
    for condition in conditions where condition.values.contains(where: { String(validating: $0, as: UTF8.self) == nil })
    {
      throw PermlogError(.usage, "a value of \(condition.field.name) is not UTF-8", argument: .conditions)
    }
  }
}

extension ReportRequest {
  /// What a question asks for; nil if it is of another kind.
  public init?(_ question: Question) {
    guard case .report(let request) = question.asked else { return nil }
    self = request
  }

  /// The question that logs are asked whose sums add up.
  func sharedQuestion(in zone: ZoneTable? = nil) throws(PermlogError) -> ReportQuestion {
    var question = try question(scope.sharedTimes(), oldest: nil, clock: nil, in: zone)
    // Whoever renders the sums may want charts.
    question.countsVersions = true
    return question
  }
}

extension ComparisonRequest {
  /// What a question asks for; nil if it is of another kind.
  public init?(_ question: Question) {
    guard case .compare(let request) = question.asked else { return nil }
    self = request
  }

  /// The question that logs are asked whose sums add up.
  func sharedQuestion(in zone: ZoneTable? = nil) throws(PermlogError) -> ComparisonQuestion {
    try check()
    guard let permission else {
      throw PermlogError(
        .usage, "name one: no log is read that could say which permission these messages are of", argument: .permission)
    }
    let base = try scope.question(scope.sharedTimes(), clock: nil, in: zone)
    var question = ComparisonQuestion(
      windows: base.windows, zone: base.zone, permission: permission, variants: variants, experiment: experiment)
    question.by = property
    apply(to: &question)
    return question
  }
}

extension FlowRequest {
  /// What a question asks for; nil if it is of another kind.
  public init?(_ question: Question) {
    guard case .flow(let request) = question.asked else { return nil }
    self = request
  }
}

extension AuditRequest {
  /// What a question asks for; nil if it is of another kind.
  public init?(_ question: Question) {
    guard case .audit(let request) = question.asked else { return nil }
    self = request
  }
}
