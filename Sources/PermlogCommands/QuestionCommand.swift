// How a question becomes a result, for every command that answers one: from a log, from sums, or saved for other
// machines.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

/// A command that answers a question of one kind.
protocol QuestionCommand: ParsableCommand {
  associatedtype Request: QuestionRequest
  associatedtype Format: NamedFormat
  /// A file that is read once, before all else.
  associatedtype Plan = Void

  var log: LogOptions { get }
  var question: QuestionOptions { get }
  var fields: FieldOptions<Request> { get }
  var format: Format? { get }
  var title: String? { get }
  var result: ResultOptions { get }
  /// The arguments without an option.
  var operands: GivenFields { get }
  /// The command's own options that decide what is counted.
  static var ownSavedOptions: [String] { get }
  static var usualFormat: Format { get }

  func plan() throws -> Plan
  /// The request that the given fields change, without a saved question.
  func beginning(_ plan: Plan) -> Request
  /// The request that the given fields change, for a question that sums answer.
  func beginning(of asked: Request, _ plan: Plan) -> Request
  /// Throws if a question cannot be the right one, for reasons that the fields do not show.
  func checkQuestion(_ question: Question, _ plan: Plan) throws
  /// Throws for options that do not go together; sets what the format decides.
  func prepare(_ request: inout Request, _ format: Format) throws
  /// Adds the other files that the command reads or writes.
  func protect(in files: inout ProtectedFiles, _ plan: Plan)
  func answer(_ request: Request, of log: PermissionLog, _ plan: Plan) throws -> Request.Answer
  func answer(_ answer: SumsAnswer<Request>, _ plan: Plan) throws -> Request.Answer
  /// The answer without a log, for a question that can do without and was asked where there is none; nil for others.
  func answerWithoutLog(_ request: Request) throws -> Request.Answer?
  /// Files that were read for an answer: they must not be overwritten.
  func filesRead(_ answer: Request.Answer) -> [String]
  /// The sentence about a condition that was met, if any.
  func condition(_ answer: Request.Answer) -> String?
  /// Whether the result names users: then there must be no second copy of it.
  var namesUsers: Bool { get }
  /// Whether the text may be longer than a screen.
  var isPaged: Bool { get }
  func write(_ answer: Request.Answer, as format: Format, to sink: ([UInt8]) throws -> Void) throws
}

extension QuestionCommand {
  var title: String? { nil }
  var operands: GivenFields { [:] }
  static var ownSavedOptions: [String] { [] }
  var isPaged: Bool { false }
  var namesUsers: Bool { false }

  func beginning(_ plan: Plan) -> Request { Request() }
  func beginning(of asked: Request, _ plan: Plan) -> Request { asked }
  func checkQuestion(_ question: Question, _ plan: Plan) throws { try checkClock(question) }
  func prepare(_ request: inout Request, _ format: Format) throws {}
  func protect(in files: inout ProtectedFiles, _ plan: Plan) {}
  func answerWithoutLog(_ request: Request) throws -> Request.Answer? { nil }
  func filesRead(_ answer: Request.Answer) -> [String] { [] }
  func condition(_ answer: Request.Answer) -> String? { nil }

  func answer(_ request: Request, of log: PermissionLog, _ plan: Plan) throws -> Request.Answer {
    try request.answer(of: log, onUnknown: Output.tell)
  }

  /// The answer from sums. Counts that no figure can be made of are refused by the files' names.
  private func answerFromSums(_ format: Format, _ plan: Plan) throws -> Request.Answer {
    let counted = try answered(format, plan)
    do {
      var answer = try answer(counted, plan)
      answer.leftOutUsers = counted.totals.leftOutUsers.map { Int($0) }
      return answer
    } catch var error as PermlogError where error.code == .dataRefused {
      error.explanation.finding = LongNames.list(question.fromSums) + ": " + error.explanation.finding
      throw error
    }
  }

  func answer(_ answer: SumsAnswer<Request>, _ plan: Plan) throws -> Request.Answer {
    try Request.Answer(
      answer.sums, of: answer.question, as: answer.request, isOfEmptyLog: answer.totals.events == 0,
      threads: PermissionLog.threads(log.workers.threads))
  }

  private func request(over beginning: Request, _ format: Format) throws -> Request {
    var request = beginning
    try fields.apply(to: &request, operands: operands)
    try finish(&request, format)
    return request
  }

  /// Checks and prepares the whole request.
  private func finish(_ request: inout Request, _ format: Format) throws {
    try fields.checkCompany(in: request)
    try prepare(&request, format)
  }

  private func isForPager(_ format: Format) -> Bool { format.rawValue == "text" && result.output == nil && isPaged }

  func run() throws { try ask() }

  /// Asks the question, and prints or saves the result.
  func ask() throws {
    let plan = try CommandFailure.wrap { try self.plan() }
    if question.isSaved { return try save(plan) }
    let format = try FileFormat.choose(format, result.output, else: Self.usualFormat)
    try PageTitle.checkTitle(title, format.rawValue)
    var protected = log.protectedFiles
    question.protect(in: &protected)
    fields.protect(in: &protected)
    protect(in: &protected, plan)
    // Before any work is done.
    try Output.checkFile(result.output, besides: protected)
    var kept: KeptResult?
    let asked = try CommandFailure.wrap { () throws -> Request.Answer? in
      if question.isAnswer { return try answerFromSums(format, plan) }
      let request = try request(over: beginning(plan), format)
      try request.checkFields()
      if let answer = try answerWithoutLog(request) { return answer }
      let log = try log.open()
      if !namesUsers { kept = KeptResult(question.kept, log, request.scope, besides: protected, result.style) }
      if kept?.bytes != nil { return nil }
      return try self.answer(request, of: kept?.log ?? log, plan)
    }
    guard let answer = asked else {
      let bytes = kept?.bytes ?? []
      return try isForPager(format) ? Pager.show(bytes) : Output.result(bytes, to: result.output, besides: protected)
    }
    // The files next to an Info.plist are known only after it was read. Nothing is written before that.
    for path in filesRead(answer) { protected.add(path, "read for the audit") }
    try Output.checkFile(result.output, besides: protected)
    let condition = condition(answer)
    if condition != nil { Output.setStatusIfUnread(CommandFailure.holds("").status) }
    var collector = ResultCollector()
    if isForPager(format) {
      var text: [UInt8] = []
      try write(answer, as: format) { text += $0 }
      collector.add(text)
      try Pager.show(text)
    } else {
      // Piece by piece: rows of hundreds of thousands of values have gigabytes.
      let stream = try ResultStream(path: result.output, option: "--output", besides: protected)
      try write(answer, as: format) { bytes in
        try bytes.withUnsafeBytes { try stream.write($0) }
        collector.add(bytes)
      }
      try stream.close()
    }
    if let condition { throw CommandFailure.holds(condition) }
    if let bytes = collector.bytes { kept?.keep(bytes) }
  }
}

extension QuestionCommand where Plan == Void {
  func plan() {}
}

// MARK: Saving

extension QuestionCommand {
  private func save(_ plan: Plan) throws {
    guard let file = question.saveQuestion else { return }
    let path = file == "-" ? nil : file
    var protected = log.protectedFiles
    protect(in: &protected, plan)
    try Output.checkFile(path, besides: protected, option: "--save-question")
    if let path, Question.isOther(path) {
      throw CommandFailure.usage(
        "--save-question: \(path) exists and is not a question. Name another file, or remove it.")
    }
    let given = RepeatedOptions.given
    if let other = given.first(where: { ["--log", "--threads"].contains($0) }) {
      throw CommandFailure.usage("--save-question reads no log: leave out \(other)")
    }
    if fields.given[.withoutUsers] != nil {
      throw CommandFailure.usage(
        "--without-users goes with permlog sums make, where the users are counted, not with --save-question")
    }
    let counted = Request.fields.map(\.description).filter { $0.isCounted == true }.map(\.option)
    // Of a split only the days on which it changes are counted.
    let hasDays = fields.given[.split]?.last?.contains(";") == true
    let saved =
      counted + (hasDays ? [PermlogError.Argument.split.option] : []) + Self.ownSavedOptions + [
        "--save-question", "--quiet", "--now", "--no-cache",
      ]
    if let other = given.first(where: { !saved.contains($0) }) {
      throw CommandFailure.usage(
        "\(other) is for reading the sums: give it with --from-sums, not with --save-question")
    }
    guard fields.given[.asOf] != nil else {
      throw CommandFailure.usage(
        "--save-question needs --as-of, so that every machine counts as of the same moment, like --as-of 2026-04-01")
    }
    let question = try CommandFailure.wrap {
      try request(over: beginning(plan), Self.usualFormat).question(now: log.clock())
    }
    if counted.contains(PermlogError.Argument.logStart.option), fields.given[.logStart] == nil {
      Output.message(
        "Give --log-start with the first day of your events. Without it, what users did before a screen is known only for users whose install is in the events."
      )
    }
    for (name, meant) in question.customPermissions {
      Output.message(
        "WARNING: \(name) is a permission outside the taxonomy. Only events that were read with --allow-custom-permissions have it"
          + (meant.map { "; did you mean \($0)?" } ?? "."))
    }
    if question.asOf > question.now + Timestamp.futureAllowance {
      Output.message(
        "WARNING: the question looks from \(question.shown(question.asOf)), which is in the future. Events more than "
          + "25 hours after now will be rejected: save it again when that moment has come, or count with "
          + "--allow-future.")
    }
    try Output.result(question.line, to: path, besides: protected, option: "--save-question")
  }
}

// MARK: Answering from sums

/// The sums, the question that they answer, and the request for this answer.
struct SumsAnswer<Request: QuestionRequest> {
  var question: Question
  var sums: AnySums
  var totals: SumsTotals
  var request: Request
}

extension QuestionCommand {
  /// Reads the sums of a whole job, and finds the right question.
  private func answered(_ format: Format, _ plan: Plan) throws -> SumsAnswer<Request> {
    if log.log != nil { throw CommandFailure.usage("--from-sums reads no log: leave out --log") }
    let bundle = try SumsBundle(paths: RawArguments.paths(question.fromSums))
    try bundle.requireWhole()
    let totals = bundle.totals
    try bundle.requireUnderstood()
    var answer = try choose(bundle, plan)
    // The question is known only now.
    try finish(&answer.request, format)
    if let rejected = totals.rejected, rejected > 0 {
      let read = totals.lines.map { " of \(grouped(Int($0)))" } ?? ""
      let (count, were) = (grouped(Int(rejected)), rejected == 1 ? "was" : "were")
      Output.message("\(count)\(read) lines \(were) rejected and left out. `permlog sums show` lists the reasons.")
    }
    if answer.sums.isMisread { Output.message("WARNING: " + CallSentences.misread) }
    let (question, zone) = (answer.question, answer.question.timeZone)
    if let newest = totals.newest, newest < question.asOf - millisecondsPerDay {
      Output.message(
        "The newest event of these sums is from \(Timestamp.text(newest)), more than a day before their as_of, "
          + "\(question.shown(question.asOf)) (\(zone)).")
    }
    return answer
  }

  /// The only question of this kind that fits the given options.
  private func choose(_ bundle: SumsBundle, _ plan: Plan) throws -> SumsAnswer<Request> {
    let noun = Request.kind.noun
    let candidates = bundle.answers.filter { $0.question.kind == Request.kind }
    guard !candidates.isEmpty else {
      throw CommandFailure.usage(
        "--from-sums: the sums do not answer a question of \(noun). They answer: \(Self.list(bundle.answers.map(\.question)))"
      )
    }
    var found: [SumsAnswer<Request>] = []
    var refusals: [CommandFailure] = []
    for (question, sums) in candidates {
      // A value that is wrong for every question, like a malformed date, is an error of its own.
      var request = beginning(of: try question.request(of: Request.self), plan)
      try fields.apply(to: &request, operands: operands)
      do {
        try CommandFailure.wrap {
          try checkQuestion(question, plan)
          try request.checkAgreement(with: question)
        }
        found.append(SumsAnswer(question: question, sums: sums, totals: bundle.totals, request: request))
      } catch let refusal as CommandFailure {
        refusals.append(refusal)
      }
    }
    // Options that were left out fit any question. The right question asks for less than each of the others.
    let meant = found.filter { answer in
      found.allSatisfy { $0.question == answer.question || answer.question.asksLess(than: $0.question) }
    }
    if meant.count == 1, let answer = meant.first { return answer }
    // If all refusals have the same text, that text is the reason.
    if found.isEmpty, let first = refusals.first, refusals.allSatisfy({ $0.message == first.message }) { throw first }
    let what =
      found.isEmpty
      ? "none of them fits the given options" : "several fit the given options"
    throw CommandFailure.usage(
      "--from-sums: the sums answer \(candidates.count) questions of \(noun), and \(what). They are: "
        + Self.list(candidates.map(\.question)))
  }

  private static func list(_ questions: [Question]) -> String {
    let areSavedTwice = Set(questions.map(\.now)).count > 1
    return questions.map { $0.summary(withClock: areSavedTwice) }.joined(separator: "; ")
  }

  /// The clock is the question's, because the limits of timestamps depend on it.
  func checkClock(_ question: Question) throws {
    guard let now = try log.clock(), now != question.now else { return }
    throw CommandFailure.usage(
      "--now: the sums were counted with the clock \(Timestamp.text(question.now)), not with \(Timestamp.text(now)). Leave --now out."
    )
  }
}

// MARK: Options

/// Questions to save for other machines, and the answers from their counts.
struct QuestionOptions: ParsableArguments {
  @Option(
    "Save the question to this file (- is standard output) for `permlog sums make`, and read no log. Needs --as-of; docs/sums.md lists the options that go with it.",
    value: "file")
  var saveQuestion: String?

  @Option(
    "Answer from a file of `permlog sums` (- is standard input) instead of a log; repeat it for the shards of a job. Options that the question fixes can be left out.",
    value: "file")
  var fromSums: [String] = []

  @OptionGroup var kept: KeptResultOptions

  var isSaved: Bool { saveQuestion != nil }
  var isAnswer: Bool { !fromSums.isEmpty }

  func validate() throws {
    if isSaved, isAnswer {
      throw ValidationError("a question is either saved or answered: leave out --save-question or --from-sums")
    }
    if fromSums.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("--from-sums: standard input can be read only once, but is named several times")
    }
  }

  /// Files that are read: they must not be overwritten.
  func protect(in files: inout ProtectedFiles) {
    for path in RawArguments.paths(fromSums) { files.add(path, "sums that are read") }
  }
}
