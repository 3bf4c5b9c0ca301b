// `permlog compare`: messages against the first of them.

import ArgumentParser
import Permlog

struct CompareCommand: QuestionCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare messages: B, and any others, with A, the control.",
    discussion: """
      Every finished day is a look at the numbers. The first day on which the difference is clear decides, and the \
      decision stays: you may read it every day. With a plan that was saved before the first exposure, a test needs \
      fewer users. The exit status is 0 whatever the decision.

      Example:
        permlog compare A B --permission notifications
        permlog compare --plan plan.json --record
        permlog compare A B --guardrail drop_off_rate:1 --explain
        permlog compare A B C --split 2:1:1 --looks 5 --planned-n 20000
        permlog compare A B --screen settings --permission notifications
        permlog compare --property app_version 3.1.0 3.2.0 --permission notifications
      """)

  @Argument(
    help: ArgumentHelp(
      "The control: a message, or a value of --property. With --plan, the plan names it.", valueName: "A"),
    completion: .variants)
  var control: String?

  @Argument(
    help: ArgumentHelp("One or more messages to compare with the control.", valueName: "B"), completion: .variants)
  var treatments: [String] = []

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var fields: FieldOptions<ComparisonRequest>

  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp(
      "Compare as planned, with a file from permlog plan --save. The plan fixes everything that the decision depends on.",
      valueName: "file"), completion: .file())
  var planned: String?

  @Flag(
    help:
      "Keep the looks in a file next to the plan (plan.looks.json for plan.json). A decision that was reported then stays, even if the log changes later."
  )
  var record = false

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: ComparisonFormat?

  @OptionGroup var result: ResultOptions

  @Flag(help: "Print everything instead of one screen of text.")
  var full = false

  @Flag(help: "Print the method, formula and source of each number.")
  var explain = false

  static let usualFormat = ComparisonFormat.text
  static let ownSavedOptions = ["--plan"]

  private var messages: [String] { (control.map { [$0] } ?? []) + treatments }
  var operands: GivenFields { messages.isEmpty ? [:] : [.messages: messages] }

  func validate() throws {
    guard messages.count > 1 || (planned != nil || question.isAnswer) && messages.isEmpty else {
      throw ValidationError(
        fields.given[.comparedProperty] ?? ["variant"] == ["variant"]
          ? "name the messages, the control first, like permlog compare A B, or give a --plan, which has their names"
          : "name the values, like permlog compare --property app_version 3.1.0 3.2.0")
    }
    if record, planned == nil { throw ValidationError("--record keeps the looks of a plan: give the plan with --plan") }
  }

  func plan() throws -> PlanFile? { try planned.map { try PlanFile($0) } }

  func beginning(_ file: PlanFile?) -> ComparisonRequest {
    file.map { ComparisonRequest($0.plan) } ?? ComparisonRequest()
  }

  /// The plan's choices; for what the plan leaves open, the choices of the question.
  func beginning(of asked: ComparisonRequest, _ file: PlanFile?) -> ComparisonRequest {
    guard let file else { return asked }
    var planned = ComparisonRequest(file.plan)
    planned.scope.asOf = asked.scope.asOf
    (planned.property, planned.conditions) = (asked.property, asked.conditions)
    planned.comparedProperty = asked.comparedProperty
    return planned
  }

  /// Throws unless the question has the choices that the plan fixes.
  func checkQuestion(_ question: Question, _ file: PlanFile?) throws {
    // With --record the clock says when a look was recorded.
    if !record { try checkClock(question) }
    guard let file else { return }
    let planned = beginning(of: try question.request(of: ComparisonRequest.self), file)
    do throws(PermlogError) { try planned.checkAgreement(with: question) } catch {
      throw PermlogError(error.code, "\(file.path): \(error.explanation.finding)", argument: .plan)
    }
  }

  func protect(in files: inout ProtectedFiles, _ file: PlanFile?) {
    files.add(file?.path, "the plan")
    files.add(output: file?.recordPath, "the record of the plan's looks")
  }

  func answer(_ request: ComparisonRequest, of log: PermissionLog, _ file: PlanFile?) throws -> ComparisonSet {
    guard let file else { return try log.compare(request, onUnknown: Output.tell) }
    return try log.compare(request, as: file, isRecorded: record, onUnknown: Output.tell)
  }

  func answer(_ answer: SumsAnswer<ComparisonRequest>, _ file: PlanFile?) throws -> ComparisonSet {
    guard let file else {
      return try ComparisonSet(
        answer.sums, of: answer.question, as: answer.request, isOfEmptyLog: answer.totals.events == 0)
    }
    let now = try log.clock()
    // The record of looks must not overwrite these files.
    var sumsFiles = ProtectedFiles()
    question.protect(in: &sumsFiles)
    return try ComparisonSet(
      answer.sums, of: answer.question, as: answer.request, file, isRecorded: record, newest: answer.totals.newest,
      besides: sumsFiles, clock: { now ?? SystemClock.now })
  }

  func write(_ set: ComparisonSet, as format: ComparisonFormat, to sink: ([UInt8]) throws -> Void) throws {
    try sink(set.render(as: format, style: result.style, isExplained: explain, isFull: full))
  }
}
