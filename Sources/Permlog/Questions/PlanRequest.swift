// Plans of experiments: their requests, their answers from a log or a given rate, and how they are saved.

import EventLog
import PermissionAnalysis
import PermissionEvents
import ReportRendering
import Statistics

/// The choices of an experiment that are fixed before outcomes are seen.
public protocol DesignedRequest: DatedRequest {
  var experiment: String? { get set }
  /// The screens whose messages are compared.
  var screen: MessageScreen { get set }
  /// The metric if one is named; else it is the usual one of the screen.
  var namedMetric: ComparisonMetric? { get set }
  /// Planned parts of the users, control first, in any unit, and how they change on days; nil for an even division.
  var split: MessageSplit? { get set }
  /// How users who saw several messages count.
  var contaminated: ContaminationPolicy { get set }
  /// Properties of the exposure that the decision is adjusted for.
  var adjust: [StringField] { get set }
  /// Metrics that must not become worse by more than a margin.
  var guardrails: [GuardrailQuestion] { get set }
}

extension ComparisonRequest: DesignedRequest {}

extension DesignedRequest {
  public var metric: ComparisonMetric {
    get { namedMetric ?? screen.usualMetric }
    set { namedMetric = newValue }
  }

  /// Throws unless the metric and the guardrails are known of the screen's messages.
  func checkMetrics() throws(PermlogError) {
    let asked: [(PermlogError.Argument, ComparisonMetric)] =
      [(.metric, metric)] + guardrails.map { (.guardrails, $0.metric) }
    guard let (argument, wrong) = asked.first(where: { !$0.1.screens.contains(screen) }) else { return }
    let known = listed(screen.metrics.map(\.rawValue), most: .max)
    let name = wrong.rawValue
    switch screen {
    case .settings:
      throw .usage("users who see a Settings message were denied, so it has no \(name). It has \(known)", argument)
    case .permission:
      throw PermlogError(
        .usage, "\(name) is of Settings messages. Choose one of \(known)", .compareSettingsMessages, argument: argument)
    }
  }
}

extension RequestField where Request: DesignedRequest {
  static func design(_ effect: Self) -> [Self] {
    let metrics = ComparisonMetric.allCases.map(\.rawValue).joined(separator: ", ")
    let settings = MessageScreen.settings.metrics.map(\.rawValue).joined(separator: ", ")
    let adjustable = ComparisonRequest.adjustable
    return [
      .experiment(\Request.experiment),
      Self(
        .screen, \Request.screen, .choice(unless: .permission), "screen", counted: .screen, as: "screen",
        "The screens with the messages: permission (explanation and prompt), settings (Settings prompts after a denial; metrics \(settings)) (default: permission)."
      ),
      Self(
        .metric, \Request.namedMetric, FieldCodec.choice.optional(), "metric",
        "The metric: \(metrics) (default: grant_rate, for Settings prompts settings_enabled)."),
      .split(\Request.split),
    ]
      + dates(
        "First day of the test, in the time zone. Users who saw a message of it before are left out. Choose the dates beforehand: save them in a plan."
      ) + [
        Self(
          .contaminated, \Request.contaminated, .choice, "policy",
          "Users with multiple exposures: first (count for the first message), exclude (default: first)."),
        effect,
        Self(
          .adjust, \Request.adjust, .joined(adjustable), "properties", counted: .adjust, as: "adjustment",
          "Adjust the decision for properties of the exposure, comma separated: \(adjustable.map(\.name).joined(separator: ", ")). Choose them before outcomes are seen."
        ),
        Self(
          .guardrails, \Request.guardrails, .guardrails, "metric:points",
          "A metric that must not become worse by more than this many percentage points; may be repeated."),
      ]
  }

  static var smallestEffect: String {
    "Smallest difference that matters, in percentage points (default: 1; for a saved plan, its effect)."
  }
}

extension FieldCodec where Value == Double {
  /// A difference that is given in percentage points.
  static var effect: Self { .number("percentage points between 0 and 100", points: true) { $0 > 0 && $0 < 100 } }
}

/// The request of a plan: the users and days that a difference needs, or the difference that users or days can find.
public struct PlanRequest: DesignedRequest {
  /// The given quantity; the plan answers with the others.
  public enum Given: Sendable, Hashable {
    /// A difference to find, as a share of 1.
    case effect(Double)
    /// Users of each message.
    case users(Int)
    case days(Int)
  }

  public var scope = QuestionScope()
  public var given: Given = .effect(0.01)
  public var screen = MessageScreen.permission
  public var namedMetric: ComparisonMetric?
  /// The permission whose rate and traffic the plan starts from; needed if the log has several permissions.
  public var permission: String?
  public var experiment: String?
  /// The control's rate as a share of 1, instead of the log's.
  public var baseline: Double?
  /// Exposures a day, all messages together, instead of the log's.
  public var traffic: Double?
  /// The control, then the others; empty if they have no names yet. The plan starts from the control's rate if the log
  /// has it, otherwise from the rate of all messages together.
  public var messages: [String] = []
  /// The number of messages, the control included; nil for the number of named messages, or two if there are no names.
  public var variants: Int?
  public var split: MessageSplit?
  /// The first day of the test, and the day after the last.
  public var from, to: CivilDate?
  /// The chance of finding the difference, a share of 1.
  public var power = 0.8
  /// Declared looks of the group-sequential design.
  public var looks = 5
  /// The deviation of the effects of such tests, a share of 1; nil for that of the log's own decided tests.
  public var effectDeviation: Double?
  /// Whether the plan is to be saved, with the choices that its comparison must keep.
  public var isToSave = false
  public var contaminated: ContaminationPolicy = .first
  /// Smallest difference that matters to the comparison, a share of 1; nil for the effect of the plan.
  public var minimumEffect: Double?
  public var adjust: [StringField] = []
  public var guardrails: [GuardrailQuestion] = []

  public init() {}

  public static let fields = Field.list(
    [
      Field(
        .messages, \.messages, .operands(.variant), "A B",
        "The messages, the control first: to save the plan, and instead of `variants`.")
    ],
    Field.scope + [.permission(\.permission, "The permission whose rate and traffic the plan starts from.")],
    Field.design(Field(.minimumEffect, \.minimumEffect, FieldCodec.effect.optional(), "points", Field.smallestEffect)),
    [
      Field(
        .baseline, \.baseline,
        FieldCodec.number("a percentage from 0 to 100", points: true) { 0...100 ~= $0 }.optional(), "percent",
        "The control's rate in percent, instead of the log's."),
      Field(
        .traffic, \.traffic, FieldCodec.number("a number above 0") { $0 > 0 && $0 < 1e12 }.optional(), "n",
        "Exposures a day, all messages together, instead of the log's."),
      Field(
        .effect, .number, "points", "The difference to find, in percentage points (default: 1).",
        apply: { request, text throws(PermlogError) in request.given = .effect(try FieldCodec.effect.parse([text])) },
        text: { if case .effect(let effect) = $0.given { FieldCodec.effect.texts(effect).last } else { nil } }),
      Field(
        .users, .number, "n", "Instead of `effect`: the difference that this many users per message can find.",
        apply: { request, text throws(PermlogError) in
          request.given = .users(try FieldCodec.number(1...1_000_000_000_000).parse([text]))
        }, text: { if case .users(let users) = $0.given { String(users) } else { nil } }),
      Field(
        .days, .number, "n", "Instead of `effect`: the difference that this many days can find.",
        apply: { request, text throws(PermlogError) in
          request.given = .days(try FieldCodec.number(1...100_000).parse([text]))
        }, text: { if case .days(let days) = $0.given { String(days) } else { nil } }),
      Field(
        .variants, \.variants, FieldCodec.number(2...ComparisonRequest.mostVariants).optional(), "n",
        "Messages, the control included (default: 2)."),
      Field(
        .power, \.power, .number("a percentage from 6 to 99.9", points: true) { 6...99.9 ~= $0 }, "percent",
        "The chance of finding the difference, in percent (default: 80)."),
      Field(
        .effectDeviation, \.effectDeviation,
        FieldCodec.number("a number of points above 0 and below 100", points: true) { $0 > 0 && $0 < 100 }.optional(),
        "points",
        "For Test & Roll: how far apart the messages of such tests are, as a standard deviation in percentage points (default: that of the log's decided tests)."
      ),
      Field(
        .looks, \.looks, .number(1...ComparisonRequest.mostLooks), "k",
        "Declared looks of the group-sequential design (default: 5)."),
    ])

  public static let rules: [FieldRule] = [
    .not(.effect, with: [.users, .days]), .not(.users, with: [.days]), .keyWithUsers,
  ]

  var count: Int { variants ?? (messages.isEmpty ? 2 : messages.count) }

  /// A plan needs no log if it has a rate and no permission, or a rate and the exposures a day.
  package var needsLog: Bool { baseline == nil || permission != nil && traffic == nil }

  var question: PlanQuestion {
    var question = PlanQuestion()
    question.metric = metric
    question.screen = screen
    question.variants = count
    question.split = split?.latest
    question.power = power
    question.looks = looks
    question.effectDeviation = effectDeviation
    question.followUp = scope.followUp
    switch given {
    case .effect(let effect): question.effect = effect
    case .users(let users): question.users = users
    case .days(let days): question.days = days
    }
    return question
  }

  package func checkFields() throws(PermlogError) {
    if let baseline, !(0...1).contains(baseline) { throw .usage("the baseline must be a share from 0 to 1") }
    if let traffic, !(traffic > 0 && traffic < 1e12) { throw .usage("the exposures a day must be a number above 0") }
    switch given {
    case .effect(let effect):
      guard effect > 0, effect < 1 else { throw .usage("the effect must be between 0 and 1") }
    case .users(let users):
      guard (1...1_000_000_000_000).contains(users) else { throw .usage("the users must be at least 1") }
    case .days(let days):
      guard (1...100_000).contains(days) else { throw .usage("the days must be a number from 1 to 100000") }
      if !needsLog, traffic == nil {
        throw .usage("it needs the exposures a day: give the traffic, or a permission and a log", .days)
      }
    }
    let most = ComparisonRequest.mostVariants
    guard (2...most).contains(count) else { throw .usage("name 2 to \(most) messages, the control first") }
    // A single named message is the control.
    if let variants, messages.count > 1 || isToSave, variants != messages.count {
      throw .usage("it says \(variants), but \(messages.count) messages are named; leave it out", .variants)
    }
    guard Set(messages.map { Array($0.utf8) }).count == messages.count else {
      throw .usage("name two or more different messages, each once")
    }
    if let split {
      try split.check(count, for: "message")
      if case .users = given, Set(split.latest).count > 1 {
        throw .usage("users of each message are given, but the split is uneven: give the days instead", .users)
      }
    }
    try checkMetrics()
    try checkSaving()
    guard (0.06...0.999).contains(power) else { throw .usage("the power must be a share from 0.06 to 0.999") }
    if let effectDeviation, !(effectDeviation > 0 && effectDeviation < 1) {
      throw .usage("the deviation of the effects must be between 0 and 1")
    }
    guard (1...ComparisonRequest.mostLooks).contains(looks) else {
      throw .usage("the looks must be a number from 1 to \(ComparisonRequest.mostLooks)")
    }
  }

  /// If the plan is to be saved, throws unless its comparison is possible.
  private func checkSaving() throws(PermlogError) {
    guard isToSave else {
      let kept: [(PermlogError.Argument, Bool)] = [
        (.adjust, !adjust.isEmpty), (.guardrails, !guardrails.isEmpty), (.contaminated, contaminated != .first),
        (.minimumEffect, minimumEffect != nil), (.from, from != nil), (.to, to != nil),
        (.split, split?.changes.isEmpty == false),
      ]
      if let (argument, _) = kept.first(where: \.1) {
        throw .usage("it is only for a saved plan: name a file to save the plan to", argument)
      }
      return
    }
    guard case .effect(let effect) = given else {
      throw .usage(
        "a saved plan needs an effect, not users or days", question.users == nil ? .days : .users)
    }
    guard !messages.isEmpty else { throw .usage("a saved plan needs the names of its messages, the control first") }
    var comparison = ComparisonRequest(control: messages[0], treatments: Array(messages.dropFirst()))
    comparison.split = split
    (comparison.from, comparison.to) = (from, to)
    comparison.adjust = adjust
    comparison.minimumEffect = minimumEffect ?? effect
    comparison.guardrails = guardrails
    comparison.screen = screen
    try comparison.checkFields()
  }
}

/// The users and days that an experiment needs, or the difference that it can find, for each way of deciding.
public struct PlanResult: Sendable {
  public var plan: ExperimentPlan
  /// The permission whose rate the plan starts from; nil if the rate was given without a permission.
  public var permission: String?
  public var request: PlanRequest
  /// Whether the experiment is not in the log yet: then the rate and the traffic are those of all screens of the
  /// permission.
  public var isOfAllScreens = false
  /// Users who have events, and are left out as if they had none; nil if no list of users is left out, or no log was read.
  public var leftOutUsers: Int?

  /// The plan in one of its formats.
  /// - Parameters:
  ///   - format: text or JSON.
  ///   - style: the style of the text.
  ///   - file: the file to which the plan was saved; the text ends with the command to compare.
  public func render(as format: SummaryFormat, style: TextStyle = TextStyle(), file: PlanFile? = nil) -> [UInt8] {
    switch format {
    case .json: PlanJSON.render(plan, permission: permission, leftOut: leftOutUsers)
    case .text:
      PlanDocument.render(
        plan, permission: permission, allScreensFor: isOfAllScreens ? request.experiment : nil, leftOut: leftOutUsers,
        saved: file.map { ($0.path, $0.plan) }, style)
    }
  }
}

extension PlanResult {
  /// A plan that starts from a given rate and reads no log.
  /// - Throws: `usage` if the request has no rate or is not possible.
  public init(_ request: PlanRequest) throws(PermlogError) {
    try request.checkFields()
    guard let rate = request.baseline else {
      throw PermlogError(.usage, "a plan without a log needs a rate to start from", .nameBaselineRate)
    }
    let baseline = PlanBaseline(rate: rate, exposuresPerDay: request.traffic)
    try self.init(ExperimentPlan(request.question, baseline), request.permission, request)
  }

  /// Takes the deviation of effects from past tests; of fewer than three nothing is learnt.
  fileprivate mutating func learn(_ effects: [(difference: Double, variance: Double)]) {
    guard effects.count >= 3, let deviation = RandomEffects.deviation(effects), deviation > 0 else { return }
    var question = plan.question
    (question.effectDeviation, question.pastTests) = (deviation, effects.count)
    plan = ExperimentPlan(question, plan.baseline)
  }

  init(_ plan: ExperimentPlan, _ permission: String?, _ request: PlanRequest) throws(PermlogError) {
    if let refused = plan.refused { throw .usage(refused.sentence) }
    self.init(plan: plan, permission: permission, request: request)
  }
}

extension PermissionLog {
  /// Plans an experiment. The rate and the exposures a day are those of the log's last 28 days, unless the request has
  /// others. If it has both, or a rate and no permission, no log is read.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out of the
  ///   rate.
  /// - Throws: `usage` if the request is not possible; `notFound` if the log has no events to start from.
  public func plan(
    _ request: PlanRequest, onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> PlanResult {
    guard request.needsLog else { return try PlanResult(request) }
    try request.checkFields()
    var plan = try planned(request, onUnknown: onUnknown)
    if request.effectDeviation == nil, let permission = plan.permission {
      plan.learn(try pastEffects(permission, request))
    }
    return plan
  }

  /// The differences of the permission's decided tests of this metric, each with its variance.
  private func pastEffects(
    _ permission: String, _ request: PlanRequest
  ) throws(PermlogError) -> [(difference: Double, variance: Double)] {
    // Experiments are compared by the usual metric.
    guard request.metric == request.screen.usualMetric else { return [] }
    var asked = ExperimentsRequest()
    asked.scope = request.scope
    asked.permission = permission
    let all = try experiments(asked, most: ExperimentList.mostCompared) { $0.screen == request.screen }
    return all.flatMap { $0.comparison?.pairs ?? [] }.filter { $0.decidedOn != nil }.compactMap(\.effect)
  }

  private func planned(
    _ request: PlanRequest, onUnknown: ((UnknownVocabulary) -> Void)?
  ) throws(PermlogError) -> PlanResult {
    try translating {
      let snapshot = try asked(request.scope.without)
      snapshot.tellUnknown(onUnknown)
      guard let times = snapshot.timeRange else { throw PermlogError.emptyLog(path, leftOut: snapshot.leftOut.users) }
      var question = try request.asked(of: snapshot, AskedLog(snapshot, times, clock: clock(), threads: threads))
      func count(_ question: ComparisonQuestion) throws -> ComparisonSums {
        try snapshot.countRead(question.windows, threads: threads) { try ComparisonRequest.count(question, $0) }
      }
      guard var start = try PlanBaseline(count(question), question, needsRate: request.baseline == nil) else {
        // Users without a denied journey will never have one.
        let finding =
          request.screen == .settings
          ? "no user of \(question.permission) with a Settings prompt after a denial as first answer has an outcome for \(request.metric.rawValue)"
          : "no exposure of \(question.permission) has an outcome for \(request.metric.rawValue) yet"
        throw PermlogError(.notFound, finding, .nameBaselineRate)
      }
      let isOfAllScreens = request.experiment != nil && question.experiment == nil
      if let rate = request.baseline {
        start.rate = rate
        start.tally = nil
      } else if let control = request.messages.first, KnownNames.isKnown(AskedName(.variant, control), in: snapshot) {
        (question.variants, question.declaredSplit) = ([control], nil)
        if let rate = try PlanBaseline(count(question), question) {
          // The traffic is still that of all messages: it will be divided among the new messages.
          (start.rate, start.tally, start.lastDay, start.message) = (rate.rate, rate.tally, rate.lastDay, control)
        }
      }
      if let traffic = request.traffic { start.exposuresPerDay = traffic }
      var result = try PlanResult(ExperimentPlan(request.question, start), question.permission, request)
      result.isOfAllScreens = isOfAllScreens
      result.leftOutUsers = snapshot.leftOut.counted
      return result
    }
  }
}

extension PlanRequest {
  /// One arm of all journeys, with any message: a plan starts from their rate and traffic.
  fileprivate func asked(of snapshot: LogSnapshot, _ log: AskedLog) throws -> ComparisonQuestion {
    let (windows, zone) = try scope.windows(log)
    var experiment = experiment
    if let name = experiment {
      // An experiment that has not begun yet means all screens.
      let asked = AskedName(.experiment, name)
      if isToSave, !KnownNames.isKnown(asked, in: snapshot) {
        experiment = nil
      } else {
        try KnownNames.require([asked], in: snapshot)
      }
    }
    let permission = try permission ?? AskedPermission.only(of: snapshot, nil, experiment)
    try KnownNames.require([AskedName(.permission, permission)], in: snapshot)
    var question = ComparisonQuestion(
      windows: windows, zone: zone, permission: permission, variants: nil, experiment: experiment)
    question.metric = metric
    question.screen = screen
    return question
  }
}

// MARK: Saving

extension PlanResult {
  /// The plan as it is saved, dated now.
  /// - Throws: `usage` if the request lacks something that a saved plan needs, or if the plan is larger than
  ///   comparisons can be.
  public func saved() throws(PermlogError) -> SavedPlan { try saved(at: SystemClock.now) }

  func saved(at now: Milliseconds) throws(PermlogError) -> SavedPlan {
    guard request.isToSave, case .effect(let effect) = request.given else {
      throw .usage("a saved plan needs the names of its messages and the effect to find")
    }
    guard let permission else { throw .usage("a saved plan needs a permission, but none was named") }
    // A zone that no comparison could find is refused now.
    _ = try SystemZones.table(request.scope.timeZone, over: now...now)
    guard let users = plan.plannedUsers, users <= 1_000_000_000 else {
      throw .usage("the effect needs more than 1000000000 users of two messages, too many for a comparison")
    }
    var saved = SavedPlan(
      permission: permission, variants: request.messages,
      split: request.split ?? MessageSplit([Double](repeating: 1, count: request.messages.count)), plannedUsers: users,
      effect: effect, baseline: plan.baseline.rate, power: request.power, savedAt: now)
    saved.experiment = request.experiment
    (saved.from, saved.to) = (request.from?.dayNumber, request.to?.dayNumber)
    saved.screen = request.screen
    saved.metric = request.metric
    saved.timeZone = request.scope.timeZone
    saved.atOnce = request.scope.atOnce
    saved.responseWindow = request.scope.responseWindow
    saved.followUp = request.scope.followUp
    saved.adjust = request.adjust
    saved.contaminated = request.contaminated
    saved.minimumEffect = request.minimumEffect ?? effect
    saved.guardrails = request.guardrails
    return saved
  }
}
