// `permlog compare`: messages against the first of them.

import ArgumentParser
import Permlog

extension ComparisonFormat: ExpressibleByArgument {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare messages: B, and any others, with A, the control.",
    discussion: """
      Every finished day is a look at the numbers. The first day on which the difference is clear decides, and the \
      decision stays: you may read it every day. With a plan that was saved before the first exposure, a test needs \
      fewer users. The exit status is 0 whatever the decision.

      Example:
        permlog compare A B --permission notifications
        permlog compare --plan plan.json --record
        permlog compare A B --guardrail drop_off_rate:1 --explain
        permlog compare A B C --split 2:1:1 --looks 5 --planned-n 20000
        permlog compare --property app_version 3.1 3.2 --permission notifications
      """)

  @Argument(
    help: ArgumentHelp(
      "The message (or value of --property) that is the control; with --plan those of the plan.", valueName: "A"),
    completion: .variants)
  var control: String?

  @Argument(help: ArgumentHelp("Messages to compare with it, one or more.", valueName: "B"), completion: .variants)
  var treatments: [String] = []

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var windows: WindowOptions

  @Option(
    help: ArgumentHelp(
      "The permission; needed if the log has these messages for several, and with --save-question.", valueName: "name"),
    completion: .permissions)
  var permission: String?

  @Option(
    help: ArgumentHelp(
      "Compare values of this property of the exposure, as A and B, instead of messages: \(PropertyName.allNames). Nobody was assigned to them at random: it says what differs, and no winner.",
      valueName: "property"), completion: .list(PropertyName.names))
  var property: PropertyName?

  @OptionGroup var design: DesignOptions
  @OptionGroup var decision: DecisionOptions

  @OptionGroup var conditions: ConditionOptions

  @Option(
    help: ArgumentHelp("Compare within each value of a property: \(PropertyName.allNames).", valueName: "property"),
    completion: .list(PropertyName.names))
  var by: PropertyName?

  @Option(
    help: ArgumentHelp(
      "Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: ComparisonFormat?

  @OptionGroup var result: ResultOptions

  @Flag(help: "Give the method, formula and source of each number.")
  var explain = false

  private var messages: [String] { (control.map { [$0] } ?? []) + treatments }

  func validate() throws {
    let most = ComparisonRequest.mostVariants
    let isOfMessages = (property?.field ?? .variant) == .variant
    let arms = isOfMessages ? "messages" : "values"
    guard messages.count <= most else { throw ValidationError("compare takes at most \(most) \(arms)") }
    guard Set(messages.map { Array($0.utf8) }).count == messages.count else {
      throw ValidationError("name two different \(arms), or more, each once")
    }
    guard messages.count > 1 || (decision.plan != nil || question.isAnswer) && messages.isEmpty else {
      throw ValidationError(
        isOfMessages
          ? "name the messages, the control first, like permlog compare A B; a --plan names them itself"
          : "name the values, like permlog compare --property app_version 3.1 3.2")
    }
    if let property, property.field != .variant { try validate(property.field) }
    if by?.field == .variant, isOfMessages {
      throw ValidationError("--by variant says nothing here: the messages are compared")
    }
    // The plan checks its own.
    if !messages.isEmpty { _ = try design.weights(messages.count) }
  }

  /// What rests on messages that were assigned says nothing of another property's values.
  private func validate(_ property: StringField) throws {
    let name = property.name
    let refused: [(option: String, isGiven: Bool, why: String)] = [
      ("--plan", decision.plan != nil, "a plan is of messages that are assigned at random"),
      ("--split", design.split != nil, "nobody divided the users by \(name)"),
      ("--contaminated", design.contaminated != nil, "users may well have several values of \(name); the first counts"),
      ("--guardrail", !design.guardrail.isEmpty, "nothing is decided by \(name); compare by that metric with --metric"),
      ("--by \(name)", by?.field == property, "\(name) is what is compared"),
      ("--adjust \(name)", design.adjust?.fields.contains(property) == true, "\(name) is what is compared"),
      ("--experiment", property == .experiment && design.experiment != nil, "experiments are compared"),
    ]
    if let first = refused.first(where: \.isGiven) {
      throw ValidationError("leave out \(first.option) with --property \(name): \(first.why)")
    }
    if messages.contains("") {
      throw ValidationError("--property \(name): an empty name is no value; name two values that screens have")
    }
  }

  func run() throws {
    if question.isSaved {
      return try question.save(
        with: [
          "--permission", "--property", "--experiment", "--adjust", "--by", "--plan", "--response-window",
          "--at-once", "--follow-up",
        ], log, besides: protectedFiles
      ) { try Question(try request(try asked()), now: $0) }
    }
    let format = try result.format(format, else: .text)
    let protected = protectedFiles
    // Before looks are recorded.
    try Output.check(result.output, besides: protected)
    let rendered = try CommandFailure.wrap {
      try (question.isAnswer ? answered() : comparison()).render(
        as: format, style: result.style, isExplained: explain)
    }
    try Output.result(rendered, to: result.output, besides: protected)
  }

  private var protectedFiles: ProtectedFiles {
    var files = log.protectedFiles
    question.protect(in: &files)
    files.add(decision.plan, "the plan")
    files.add(output: decision.plan.flatMap { try? PlanFile($0).recordPath }, "the record of the plan's looks")
    return files
  }

  /// What the record of looks must not be.
  private var sumsFiles: ProtectedFiles {
    var files = ProtectedFiles()
    question.protect(in: &files)
    return files
  }

  private func comparison() throws -> ComparisonSet {
    let log = try log.open()
    guard let path = decision.plan else { return try log.compare(try request(try asked()), onUnknown: Output.tell) }
    let file = try PlanFile(path)
    return try log.compare(
      try request(ComparisonRequest(file.plan)), as: file, isRecorded: decision.record, onUnknown: Output.tell)
  }

  /// What a plan says, or nothing but the messages.
  private func asked() throws -> ComparisonRequest {
    guard let path = decision.plan else { return ComparisonRequest(control: control ?? "", treatments: treatments) }
    return ComparisonRequest(try PlanFile(path).plan)
  }

  /// From sums, with the options that were given over their question.
  private func answered() throws -> ComparisonSet {
    let file = try decision.plan.map { try PlanFile($0) }
    // With --record the clock says when a look was recorded.
    let answer = try question.answer(.compare, log, hasOwnClock: decision.record) {
      let asked = try $0.request(ComparisonRequest.init)
      return try request(file.map { planned($0, asked) } ?? asked)
    } check: { question, request in
      if let file { try check(file, question) }
      try question.check(request)
    }
    guard answer.totals.events > 0 else {
      throw CommandFailure.failed("the sums are of no events: there is nothing to compare")
    }
    guard let file else { return try ComparisonSet(answer.sums, of: answer.question, as: answer.request) }
    let now = try log.clock()
    return try ComparisonSet(
      answer.sums, of: answer.question, as: answer.request, file, isRecorded: decision.record,
      newest: answer.totals.newest, besides: sumsFiles, clock: { now ?? SystemClock.now })
  }

  /// What a plan says, and what it leaves open as in a question.
  private func planned(_ file: PlanFile, _ asked: ComparisonRequest) -> ComparisonRequest {
    var planned = ComparisonRequest(file.plan)
    planned.scope.asOf = asked.scope.asOf
    (planned.property, planned.conditions) = (asked.property, asked.conditions)
    planned.comparedProperty = asked.comparedProperty
    return planned
  }

  /// Throws unless the plan's fixed parts are those of a question.
  private func check(_ file: PlanFile, _ question: Question) throws {
    let planned = planned(file, try question.request(ComparisonRequest.init))
    do throws(PermlogError) { try question.check(planned) } catch {
      throw PermlogError(error.code, "\(file.path): \(error.explanation.finding)", argument: .plan)
    }
  }

  /// What was given, over what a plan or a question says.
  private func request(_ planned: ComparisonRequest) throws -> ComparisonRequest {
    var request = planned
    if let control { (request.control, request.treatments) = (control, treatments) }
    if let permission { request.permission = permission }
    if let property { request.comparedProperty = property.field }
    try windows.apply(to: &request.scope)
    try design.apply(to: &request)
    try decision.apply(to: &request)
    if let by { request.property = by.field }
    try conditions.apply(to: &request.conditions)
    return request
  }
}

/// How it is decided: a plan, a rule, looks.
struct DecisionOptions: ParsableArguments {
  enum RuleName: String, CaseIterable, ExpressibleByArgument {
    case daily
    case alwaysValid = "always-valid"

    var rule: Comparison.Rule { self == .daily ? .daily : .alwaysValid }
  }

  @Option(
    help: ArgumentHelp(
      "Compare as planned: a file of permlog plan --save. It fixes everything that the decision depends on.",
      valueName: "file"), completion: .file())
  var plan: String?

  @Flag(
    help:
      "Keep the looks in a file beside the plan (plan.looks.json for plan.json): later changes of the log change no decision that was given."
  )
  var record = false

  @Option(
    help:
      "Decide by: daily (a look on every finished day), always-valid (a confidence sequence) (default: daily).")
  var rule: RuleName?

  @Option(
    help: ArgumentHelp(
      "Users of both messages together at which a decision is expected (default: 5000).", valueName: "n"))
  var plannedN: Int?

  @Option(
    help: ArgumentHelp(
      "Decide at this many looks (group-sequential), evenly spaced up to --planned-n, instead of every day.",
      valueName: "k"))
  var looks: Int?

  static let mostLooks = ComparisonRequest.mostLooks

  func validate() throws {
    if let plannedN, !(2...1_000_000_000).contains(plannedN) {
      throw ValidationError("--planned-n takes a number of users from 2 to 1000000000")
    }
    if let looks, !(1...Self.mostLooks).contains(looks) {
      throw ValidationError("--looks takes a number from 1 to \(Self.mostLooks)")
    }
    if let looks, let plannedN, looks > plannedN {
      throw ValidationError("--looks takes at most as many looks as --planned-n users")
    }
    if rule != nil, looks != nil { throw ValidationError("--looks is a rule of its own: leave out --rule or --looks") }
    if record, plan == nil {
      throw ValidationError("--record keeps the looks beside a plan: name it with --plan")
    }
    let fixed = [("--planned-n", plannedN != nil), ("--looks", looks != nil), ("--rule", rule != nil)]
    if plan != nil, let (option, _) = fixed.first(where: \.1) {
      throw ValidationError("--plan fixes how it is decided: leave out \(option), or compare without the plan")
    }
  }

  func apply(to request: inout ComparisonRequest) throws {
    if let plannedN { request.plannedUsers = plannedN }
    if let rule { request.rule = rule.rule }
    if let looks { request.rule = .looks(looks) }
  }
}
