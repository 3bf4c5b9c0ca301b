// Comparisons of messages: their requests, and their answers from a log or sums.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// The request of a comparison: messages against the first of them.
///
/// For example:
///
/// ```swift
/// var request = ComparisonRequest(control: "A", treatments: ["B"])
/// request.permission = "notifications"
/// ```
public struct ComparisonRequest: QuestionRequest {
  public var scope = QuestionScope()
  /// The property whose values are compared: the message, or another property of the exposure. Users are not assigned
  /// at random to a value of another property. Then the decision is `differs`, `noDifference` or `notClear`, and there
  /// is no sample ratio, no contamination and no guardrail.
  public var comparedProperty = StringField.variant
  /// The variant, or value of `comparedProperty`, that the others are compared with.
  public var control: String
  /// The others, one or more.
  public var treatments: [String]
  /// Needed if the log has several permissions with these variants.
  public var permission: String?
  public var experiment: String?
  /// The event that has a user's message. With `answer` only users who answered are compared, and only if nearly all did.
  public var messageSource = MessageSource.screen
  public var screen = MessageScreen.permission
  public var namedMetric: ComparisonMetric?
  /// Shares of the users, control first, in any unit, and how they change on days. If nil, even shares are assumed.
  public var split: MessageSplit?
  /// The first day of exposures that count, and the day after the last. Users who saw a message of the test before `from` are left out.
  public var from, to: CivilDate?
  public var contaminated: ContaminationPolicy = .first
  /// Smallest difference that matters, as a share of 1.
  public var minimumEffect = 0.01
  /// The rule of decision.
  public var rule = Comparison.Rule.daily
  /// The number of users of a pair of messages together, at an even split, at which a decision is expected; nil
  /// for 4 times the users of the first seven days with exposures.
  public var plannedUsers: Int?
  /// Properties of the exposure that the decision is adjusted for; to be chosen before outcomes are seen.
  public var adjust: [StringField] = []
  public var guardrails: [GuardrailQuestion] = []
  /// Conditions on the exposure, which must all hold. Users whose first exposure to a message does not meet them are
  /// not part of the comparison.
  public var conditions: [ExposureCondition] = []
  /// A property. The messages are also compared within each of its values.
  public var property: StringField?
  /// The plan that was made beforehand. This request has the choices that the plan fixes.
  public internal(set) var plan: SavedPlan?
  /// Only the decision and what it rests on is wanted, as in a list.
  var isBrief = false
  /// The recorded looks next to the plan, if there are any.
  var recorded: LookRecord?

  public static let mostVariants = ComparisonQuestion.mostVariants
  /// The largest number of declared looks. Each look costs some milliseconds, and more are not useful.
  public static let mostLooks = 50

  /// The properties that a decision can be adjusted for: properties of the device and the app.
  public static let adjustable = ComparisonQuestion.adjustable

  public static let comparable = StringField.allCases.filter { $0 != .permission }

  /// A comparison without messages yet.
  public init() { self.init(control: "", treatments: []) }

  public init(control: String, treatments: [String]) {
    self.control = control
    self.treatments = treatments
  }

  /// A comparison as it was planned. Choices that the plan leaves open, like the moment to look from, can be set
  /// afterwards.
  public init(_ plan: SavedPlan) {
    self.init(control: plan.variants.first ?? "", treatments: Array(plan.variants.dropFirst()))
    scope.timeZone = plan.timeZone
    scope.atOnce = plan.atOnce ?? scope.atOnce
    scope.responseWindow = plan.responseWindow
    scope.followUp = plan.followUp
    permission = plan.permission
    experiment = plan.experiment
    screen = plan.screen
    metric = plan.metric
    split = plan.split
    (from, to) = (plan.from.map { CivilDate($0) }, plan.to.map { CivilDate($0) })
    contaminated = plan.contaminated
    minimumEffect = plan.minimumEffect
    plannedUsers = plan.plannedUsers
    adjust = plan.adjust
    guardrails = plan.guardrails
    self.plan = plan
  }

  /// The control, then the others.
  public var variants: [String] {
    get { [control] + treatments }
    set { (control, treatments) = (newValue.first ?? "", Array(newValue.dropFirst())) }
  }

  public static let fields = Field.list(
    [
      Field(
        .messages, \.variants, .operands(.variant), "A", counted: .variants, as: "messages",
        "The messages (or values of `property`), the control first.")
    ],
    Field.scope + [
      .permission(
        \.permission, "The permission; needed if several permissions have these messages, and to save the question."),
      Field(
        .comparedProperty, \.comparedProperty, .property, "property", counted: .property, as: "property",
        "Compare values of this property of the exposure, as A and B, instead of messages: \(PropertyNames.listed). Users were not assigned to them at random: the result says what differs, but names no winner."
      ),
    ],
    [
      Field(
        .messageSource, \.messageSource, .choice(unless: .screen), "event", counted: .messageSource,
        as: "event with the message",
        "The event that has the message: screen, answer (only users who answered count; refused if many have no message) (default: screen)."
      )
    ],
    Field.design(Field(.minimumEffect, \.minimumEffect, .effect, "points", Field.smallestEffect)),
    [
      Field(
        .rule, .choice(Self.ruleNames.map(\.name)), "rule",
        "Decide by: daily (a look on every finished day), always-valid (a confidence sequence) (default: daily).",
        apply: { request, text throws(PermlogError) in
          guard let rule = Self.ruleNames.first(where: { $0.name == text })?.rule else {
            let known = Self.ruleNames.map(\.name).joined(separator: ", ")
            throw .usage("\(text) is not one of \(known)")
          }
          request.rule = rule
        }, text: { request in Self.ruleNames.first { $0.rule == request.rule }?.name }),
      Field(
        .plannedUsers, \.plannedUsers, FieldCodec<Int>.number(2...1_000_000_000).optional(), "n",
        "Users of both messages together at which a decision is expected (default: 4 times the users of the first seven days with exposures, from 200 to 200000)."
      ),
      Field(
        .looks, .number, "k",
        "Decide at this many looks (group-sequential), evenly spaced up to `planned_n`, instead of every day.",
        apply: { request, text throws(PermlogError) in
          request.rule = .looks(try FieldCodec.number(1...mostLooks).parse([text]))
        }, text: { if case .looks(let count) = $0.rule { String(count) } else { nil } }),
      .conditions(\.conditions),
      Field(
        .properties, \.property, .property, "property", counted: .by, as: "breakdown",
        "Compare within each value of a property: \(PropertyNames.listed)."),
    ])

  public static let rules: [FieldRule] = [.not(.looks, with: [.rule]), .keyWithUsers]

  private static let ruleNames: [(name: String, rule: Comparison.Rule)] = [
    ("daily", .daily), ("always-valid", .alwaysValid),
  ]

}

// MARK: Rules

extension ComparisonRequest {
  public func checkFields() throws(PermlogError) {
    let arm = comparedProperty == .variant ? "message" : "value"
    guard (2...Self.mostVariants).contains(variants.count) else {
      throw .usage("a comparison needs 2 to \(Self.mostVariants) \(arm)s")
    }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw .usage("name two or more different \(arm)s, each once")
    }
    if let plan { try checkFixed(by: plan) }
    if conditions.contains(where: { $0.field == comparedProperty }) {
      let what = comparedProperty == .variant ? "the messages are" : comparedProperty.name + " is"
      throw .usage("\(what) compared: set conditions on other properties", .conditions)
    }
    if comparedProperty != .variant { try checkProperty() }
    if messageSource == .answer { try checkMessagesOfAnswers() }
    try checkMetrics()
    guard minimumEffect > 0, minimumEffect < 1 else { throw .usage("the smallest effect must be between 0 and 1") }
    guard (2...1_000_000_000).contains(plannedUsers ?? 2) else {
      throw .usage("the planned users must be a number from 2 to 1000000000")
    }
    if case .looks(let looks) = rule, !(1...min(Self.mostLooks, plannedUsers ?? .max)).contains(looks) {
      throw .usage(
        "the looks must be a number from 1 to \(Self.mostLooks), and not more than the planned users", .looks)
    }
    guard guardrails.allSatisfy({ $0.margin > 0 && $0.margin < 1 }) else {
      throw .usage("the margin of a guardrail must be between 0 and 1")
    }
    guard Set(adjust).count == adjust.count, adjust.allSatisfy({ Self.adjustable.contains($0) }) else {
      let known = Self.adjustable.map(\.name).joined(separator: ", ")
      throw .usage("a comparison can be adjusted for these properties of the exposure, each once: \(known)")
    }
    if !adjust.isEmpty, rule != .daily {
      throw .usage("only looks on every finished day can be adjusted, not \(rule.name)")
    }
    if split?.changes.isEmpty == false, rule != .daily {
      throw .usage("only looks on every finished day compare within the periods of a split, not \(rule.name)", .split)
    }
    if comparedProperty == .variant, property == .variant {
      throw .usage("the messages are compared, so they cannot be the property to compare within", .properties)
    }
    if let split { try split.check(variants.count, for: arm) }
    try checkDays()
  }

  private func checkMessagesOfAnswers() throws(PermlogError) {
    guard comparedProperty == .variant else {
      throw .usage("answers are looked at for messages, not for \(comparedProperty.name)", .messageSource)
    }
    guard screen == .permission else {
      throw .usage("a Settings prompt has its own message, whatever the answer had: leave this out", .messageSource)
    }
    guard plan == nil else {
      throw .usage("a plan counts all users who saw a screen, not those who answered", .messageSource)
    }
    let unknown = [metric] + guardrails.map(\.metric)
    guard !unknown.contains(.dropOffRate) else {
      throw .usage("drop_off_rate counts users without an answer, who have no message", .messageSource)
    }
  }

  /// Statistics that need a random assignment have no meaning for values that users brought with them.
  private func checkProperty() throws(PermlogError) {
    let name = comparedProperty.name
    guard Self.comparable.contains(comparedProperty) else {
      throw .usage(
        "values of \(name) cannot be compared; use one of \(Self.comparable.map(\.name).joined(separator: ", "))")
    }
    if variants.contains("") {
      throw .usage("an empty name is not a value of \(name): name two values that occur in the log")
    }
    if plan != nil {
      throw .usage("a plan is for messages that are assigned at random, not for \(name)", .comparedProperty)
    }
    if split != nil { throw .usage("users were not assigned to values of \(name): there is no planned split", .split) }
    if contaminated != .first {
      throw .usage("users may have several values of \(name): they count for the first", .contaminated)
    }
    if !guardrails.isEmpty {
      throw .usage(
        "a guardrail is for choosing a winner, but a comparison by \(name) names none: compare by its metric instead",
        .guardrails)
    }
    if adjust.contains(comparedProperty) {
      throw .usage("\(name) is compared: adjust for other properties", .adjust)
    }
    if property == comparedProperty {
      throw .usage("\(name) is compared, so it cannot be the property to compare within", .properties)
    }
    if comparedProperty == .experiment, experiment != nil {
      throw .usage("experiments are compared: leave out the condition on one experiment", .experiment)
    }
  }

}

extension MessageSplit {
  /// Whether each part is a share that users can have.
  static func isSplit(_ parts: [Double]) -> Bool {
    guard let least = parts.min(), let largest = parts.max(), least > 0, largest.isFinite else { return false }
    return largest / least <= 1e6
  }

  /// Throws unless each period has one share per arm, and periods begin one after the other.
  /// - Parameter arms: how many there are; `arm` is their name in errors.
  func check(_ arms: Int, for arm: String) throws(PermlogError) {
    // A saved question has the days alone: shares are chosen when the sums are read.
    let isOfDays = !changes.isEmpty && periods.allSatisfy(\.isEmpty)
    guard isOfDays || periods.allSatisfy({ $0.count == arms && Self.isSplit($0) }) else {
      let example = [String](repeating: "50", count: arms).joined(separator: ":")
      throw .usage(
        "the split needs a positive number for each \(arm), like \(example), and none a million times another", .split)
    }
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0.from < $1.from }) else {
      throw .usage("the days on which the split changes must follow each other", .split)
    }
    guard changes.count < Self.mostPeriods else {
      throw .usage("the split changes more than \(Self.mostPeriods) times", .split)
    }
    for change in changes { _ = try CivilDate(change.from).checkedDay() }
  }
}

// MARK: Answers

extension ComparisonRequest: CountedRequest {
  public typealias Answer = ComparisonSet

  public static let kind = Question.Kind.compare

  var names: [AskedName] {
    AskedName.values(conditions) + variants.map { AskedName(comparedProperty, $0) }
      + (experiment.map { [AskedName(.experiment, $0)] } ?? [])
      + (permission.map { [AskedName(.permission, $0)] } ?? [])
  }

  func noun(of field: PermlogError.Argument) -> String? {
    field == .messages && comparedProperty != .variant ? "values" : nil
  }

  func completed(by snapshot: LogSnapshot) throws -> ComparisonRequest {
    var request = self
    if permission == nil {
      try KnownNames.require(names, in: snapshot)
      let messages = comparedProperty == .variant ? variants : nil
      request.permission = try AskedPermission.only(of: snapshot, messages, experiment)
    }
    return request
  }

  func asked(of log: AskedLog) throws(PermlogError) -> ComparisonQuestion {
    guard let permission else {
      throw .usage(
        "name one: without a log, permlog cannot tell which permission these messages belong to", .permission)
    }
    let dates = try days().compactMap { $0 } + (split?.changes.map(\.from) ?? [])
    let (windows, zone) = try scope.windows(log, dates: dates)
    var question = ComparisonQuestion(
      windows: windows, zone: zone, permission: permission, variants: variants, experiment: experiment)
    question.by = property
    question.comparedProperty = comparedProperty
    question.metric = metric
    question.source = messageSource
    question.screen = screen
    question.isBrief = isBrief
    question.declaredSplit = split?.shares
    (question.from, question.to) = try interval(in: zone)
    question.policy = contaminated
    question.minimumEffect = minimumEffect
    question.plannedUsers = plannedUsers
    question.rule = rule
    question.adjust = adjust
    question.conditions = conditions
    question.plan = plan?.facts
    question.guardrails = guardrails
    question.recorded = recorded?.arms(through: zone.lastBegunDay(at: windows.asOf) - 1)
    return question
  }

  func checkSums(_ sums: ComparisonSums, _ question: ComparisonQuestion) throws(SumsError) {
    try sums.checkCounts(for: question)
  }

  static func count(_ question: ComparisonQuestion, _ walk: LogWalk) throws -> ComparisonSums {
    try walk.fold(question.selection) { ComparisonFold(question, contexts: $0) }
  }

  func answerOfNothing(_ source: AnswerSource) throws(PermlogError) -> ComparisonSet? {
    guard let path = source.logPath else {
      throw PermlogError(.notFound, "the sums have no events to compare")
    }
    throw .emptyLog(path, leftOut: source.snapshot?.leftOut.users ?? 0)
  }

  func answer(_ sums: ComparisonSums, _ question: ComparisonQuestion, _ source: AnswerSource) throws -> ComparisonSet {
    guard !question.split.parts.isEmpty else {
      throw PermlogError.usage(
        "the sums were counted for a split that changes on days: give its shares, like '90:10; from 2026-01-12 50:50'",
        .split)
    }
    var question = question
    question.reading = source.reading
    try requireScreen(sums, question, source)
    try sums.requireScreens(question)
    var set = try ComparisonSet(sums, question)
    if let snapshot = source.snapshot { set.noteChanges(of: snapshot) }
    set.noteExperiments(of: sums, question)
    set.plan = plan
    return set
  }
}

extension ComparisonRequest {
  /// Throws if only the other screen shows the messages. A walk of its own looks for them there.
  private func requireScreen(
    _ sums: ComparisonSums, _ question: ComparisonQuestion, _ source: AnswerSource
  ) throws {
    guard let snapshot = source.snapshot, source.isEmpty != true, question.isOfMessages, question.source == .screen,
      !sums.areByAssignment, !sums.showMessages(of: experiment), sums.experimentsToName.isEmpty
    else { return }
    var other = question
    other.screen = question.screen == .settings ? .permission : .settings
    let walk = LogWalk(
      snapshot: snapshot, windows: question.windows, reading: source.reading, threads: source.threads)
    guard try Self.count(other, walk).showMessages(of: experiment) else { return }
    let messages = listed(variants, most: 12) + (experiment.map { " in the experiment \($0)" } ?? "")
    guard other.screen == .settings else {
      throw PermlogError.usage(
        "no Settings prompt of \(question.permission) carries the messages \(messages), only screens do: compare the messages of screens",
        .screen)
    }
    throw PermlogError(
      .usage,
      "no screen of \(question.permission) carries the messages \(messages), only Settings prompts do. Write the message on the event of the screen",
      .compareSettingsMessages)
  }
}

extension ComparisonSums {
  /// Throws if the experiment must be named, or if only answers carry the messages: who left without an answer has none, so the rates would
  /// be wrong.
  fileprivate func requireScreens(_ question: ComparisonQuestion) throws(PermlogError) {
    guard question.comparedProperty == .variant else { return }
    if question.source == .answer { return try requireAnswers(question) }
    let names = experimentsToName
    let shown = question.screen == .settings ? "Settings prompt" : "screen"
    if question.experiment == nil, !names.isEmpty {
      throw .usage(
        "no \(shown) carries these messages; users were only assigned to them, in \(listed(names, most: 12)): name the experiment",
        .experiment)
    }
    if question.screen == .settings, !haveScreensMessages, !areByAssignment {
      throw .usage(
        "no Settings prompt of \(question.permission) carries a message. Write the message on settings_prompt_shown",
        .screen)
    }
    guard hasOnlyAnswersWithMessages else { return }
    throw PermlogError(
      .usage,
      "no screen of \(question.permission) carries a message, only its answers do: users without an answer have no message. Write the message on the event of the screen",
      .compareAnswers)
  }

  /// Throws if the users who answered do not stand for all.
  private func requireAnswers(_ question: ComparisonQuestion) throws(PermlogError) {
    if haveScreensMessages {
      throw .usage(
        "screens of \(question.permission) carry messages, or it has answers alone: leave this out", .messageSource)
    }
    let (without, all) = withoutMessage
    guard Double(without) <= ComparisonQuestion.mostWithoutMessage * Double(all) else {
      throw .usage(
        "\(grouped(without)) of \(counted(all, "user", "users")) who saw a screen of \(question.permission) have no answer with a "
          + "message, more than 5 %: the others are a selection. Write the message on the event of the screen",
        .messageSource)
    }
    if haveNoUsers, all > 0 {
      throw .usage(
        "no answer of \(question.permission) has these messages\(question.experiment.map { " in the experiment \($0)" } ?? "")",
        .messageSource)
    }
  }
}

extension PermlogError {
  /// There are no events to compare or to plan from.
  /// - Parameter leftOut: users with events, all of whom are left out.
  static func emptyLog(_ path: String, leftOut: Int) -> PermlogError {
    leftOut == 0
      ? PermlogError(.notFound, "the log at \(path) is empty", .fillLog)
      : PermlogError(.notFound, "\(path): all users with events are left out (\(grouped(leftOut)))")
  }
}

/// The permission if the request does not name one.
enum AskedPermission {
  /// The only permission that has these variants.
  /// - Parameter variants: nil for any.
  static func only(of snapshot: LogSnapshot, _ variants: [String]?, _ experiment: String?) throws -> String {
    let contexts = try HistoryScan(snapshot, selection: HistorySelection(variants: true)).contexts
    let variantCodes = variants?.map { contexts.variants.firstIndex(of: Array($0.utf8)) }
    let experimentCode = experiment.map { contexts.experiments.firstIndex(of: Array($0.utf8)) }
    let codes = Set(
      contexts.contexts.filter { context in
        context.permission != 0 && variantCodes?.contains(Int(context.variant)) != false
          && (experimentCode == nil || experimentCode == Int(context.experiment))
      }.map(\.permission))
    func texts(_ codes: some Sequence<UInt32>) -> [String] {
      codes.map { String(bounded: contexts.permissions[Int($0)]) }.sorted()
    }
    var names = texts(codes)
    if names.isEmpty, let code = experimentCode ?? nil,
      contexts.contexts.contains(where: { $0.permission == 0 && Int($0.experiment) == code })
    {
      // No screen carries the experiment, but users were given its variants: it may concern any permission.
      names = texts(Set(contexts.contexts.map(\.permission).filter { $0 != 0 }))
    }
    if names.count == 1 { return names[0] }
    guard names.isEmpty else {
      throw PermlogError(
        .usage, "several permissions have \(variants == nil ? "events" : "these messages")", .choosePermission(names))
    }
    if let variants {
      let codes = Set(variantCodes ?? [])
      let assigning = Set(
        contexts.contexts.filter { $0.permission == 0 && $0.experiment != 0 && codes.contains(Int($0.variant)) }
          .map { String(bounded: contexts.experiments[Int($0.experiment)]) }
      ).sorted()
      if experiment == nil, !assigning.isEmpty {
        throw PermlogError.usage(
          "no permission has the messages \(variants.joined(separator: " and ")). If users were assigned to them, name the experiment: "
            + listed(assigning, most: 12), .experiment)
      }
    }
    if let experiment, variants != nil, names.isEmpty, let code = experimentCode ?? nil,
      contexts.contexts.contains(where: { $0.permission == 0 && Int($0.experiment) == code })
    {
      throw PermlogError.usage(
        "users were assigned in \(experiment), but none has been asked for a permission yet")
    }
    let what = variants.map { "the messages \($0.joined(separator: " and "))" } ?? "any events"
    throw PermlogError.usage("no permission has \(what)")
  }
}

extension ComparisonSet {
  /// Messages with the same name may belong to several experiments, unless the request names one.
  fileprivate mutating func noteExperiments(of sums: ComparisonSums, _ question: ComparisonQuestion) {
    guard question.experiment == nil, question.comparedProperty == .variant else { return }
    let names = sums.experiments
    if names.count > 1 { addCautions { _ in [.severalExperiments(names)] } }
  }

  /// Looks are computed again from the log at each call. If events that earlier looks depend on were added or removed
  /// later, every decision that they could have changed has a caution.
  fileprivate mutating func noteChanges(of snapshot: LogSnapshot) {
    addCautions { pair in
      guard let first = pair.firstExposureDay else { return [] }
      let last = pair.monitoring.decidedOn ?? .max
      let moments = pair.monitoring.looks.prefix { $0.day <= last }.map { pair.zone.firstMoment(of: $0.day + 1) }
      let changes = snapshot.changes(before: moments, since: pair.zone.firstMoment(of: first))
      func day(_ moment: Milliseconds) -> DayNumber { pair.zone.day(of: moment) }
      var cautions: [Comparison.Caution] = []
      for events in [changes.lateEvents, pair.metric == .retentionDay7 ? changes.lateActivity : nil].compactMap({ $0 })
      {
        // Before a decision, a few late events are normal for phones and need no caution.
        let isMany = events.atMost >= (pair.a.exposed + pair.b.exposed) / 100
        guard pair.monitoring.decidedOn != nil || isMany else { continue }
        cautions.append(.lateEvents(atMost: events.atMost, last: day(events.committed.upperBound)))
      }
      if let erasure = changes.erasure {
        cautions.append(.erased(atMost: erasure.atMost, last: day(erasure.committed.upperBound)))
      }
      if let undone = changes.undone { cautions.append(.undone(last: day(undone.upperBound))) }
      if let changed = changes.exclusion { cautions.append(.excluded(last: day(changed.upperBound))) }
      if let limit = changes.expiredBefore { cautions.append(.expired(before: day(limit))) }
      return cautions
    }
  }
}

extension PermissionLog {
  /// Compares messages with the control, by the rule of the request.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out of the
  ///   figures.
  /// - Throws: `usage` if the log does not have a name of the request, or the request is not possible; `notFound` if
  ///   the log is empty.
  public func compare(
    _ request: ComparisonRequest, onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> ComparisonSet { try request.answer(of: self, onUnknown: onUnknown) }
}
