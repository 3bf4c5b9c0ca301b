// Questions that are saved for other machines, and answers from what they counted.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

struct QuestionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Save the question to this file (- is standard output) for `permlog sums make`, and read no log. Needs --as-of; docs/sums.md says which options go with it.",
      valueName: "file"), completion: .file())
  var saveQuestion: String?

  @Option(
    help: ArgumentHelp(
      "Answer from a file of `permlog sums` (- is standard input), and read no log; repeat it for the shards of a job. What the question fixes may be left out.",
      valueName: "file"), completion: .file())
  var fromSums: [String] = []

  /// A question is saved, and nothing answered.
  var isSaved: Bool { saveQuestion != nil }
  /// The answer comes from sums.
  var isAnswer: Bool { !fromSums.isEmpty }

  func validate() throws {
    if isSaved, isAnswer {
      throw ValidationError("a question is saved or answered: leave out --save-question or --from-sums")
    }
    if saveQuestion == "" {
      throw ValidationError("--save-question takes the name of a file, or - for standard output")
    }
    if fromSums.contains("") { throw ValidationError("--from-sums takes the name of a file, or - for standard input") }
    if fromSums.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("--from-sums: standard input can be read once, and is named several times")
    }
  }

  /// Files that are read: no result may be written over them.
  func protect(in files: inout ProtectedFiles) {
    for path in RawArguments.paths(fromSums) { files.add(path, "sums that are read") }
  }
}

// MARK: Saving

extension QuestionOptions {
  /// Options that go with every question that is saved.
  private static let alwaysSaved = ["--save-question", "--as-of", "--time-zone", "--where", "--quiet", "--now"]

  /// Writes the question that was asked.
  /// - Parameters:
  ///   - options: of the command that decide what is counted; others are refused.
  ///   - protected: what the command reads besides, which the question must not replace.
  ///   - hasLogStart: whether a start of the log was given; nil if the question has none.
  ///   - make: makes the question at a time of the clock.
  func save(
    with options: [String], _ log: LogOptions, besides protected: ProtectedFiles, hasLogStart: Bool? = nil,
    _ make: (Milliseconds?) throws -> Question
  ) throws {
    guard let saveQuestion else { return }
    let path = saveQuestion == "-" ? nil : saveQuestion
    try Output.check(path, besides: protected, option: "--save-question")
    if let path, Question.isOther(path) {
      throw CommandFailure.usage("--save-question: \(path) is there and no question. Name another file, or remove it.")
    }
    let given = RepeatedOptions.given
    if let other = given.first(where: { ["--log", "--threads"].contains($0) }) {
      throw CommandFailure.usage("--save-question reads no log: leave out \(other)")
    }
    if let other = given.first(where: { !(options + Self.alwaysSaved).contains($0) }) {
      throw CommandFailure.usage(
        "\(other) is chosen when the sums are read: leave it out with --save-question, and give it with --from-sums")
    }
    guard given.contains("--as-of") else {
      throw CommandFailure.usage(
        "--save-question needs --as-of: all who count look from one moment, like --as-of 2026-04-01")
    }
    let question = try CommandFailure.wrap { try make(try log.clock()) }
    if hasLogStart == false {
      Output.message(
        "Give --log-start with the first day of your events. Without it what users did before a screen is known only of those with an install in the events."
      )
    }
    for (name, meant) in question.customPermissions {
      Output.message(
        "WARNING: \(name) is a permission outside the taxonomy, which only events have that were read with --allow-custom-permissions"
          + (meant.map { "; did you mean \($0)?" } ?? "."))
    }
    if question.asOf > question.now + Timestamp.futureAllowance {
      Output.message(
        "WARNING: the question looks from \(question.shown(question.asOf)), which is yet to come. Events of more than 25 hours after now will be "
          + "rejected: save it again when that moment has come, or count with --allow-future.")
    }
    try Output.result(question.line, to: path, besides: protected, option: "--save-question")
  }
}

// MARK: Answering

extension QuestionOptions {
  /// Sums, the question that they answer, and what is asked of them.
  struct Answer<Request> {
    var question: Question
    var sums: AnySums
    var totals: SumsTotals
    var request: Request
  }

  /// Reads the sums of a whole job.
  /// - Parameters:
  ///   - kind: of the question.
  ///   - hasOwnClock: `--now` is for something else than the question.
  ///   - ask: lays the options that were given over a question.
  ///   - check: throws if that asks for something else than the question.
  func answer<Request>(
    _ kind: Question.Kind, _ log: LogOptions, hasOwnClock: Bool = false, _ ask: (Question) throws -> Request,
    check: (Question, Request) throws -> Void
  ) throws -> Answer<Request> {
    if log.log != nil { throw CommandFailure.usage("--from-sums reads no log: leave out --log") }
    let now = hasOwnClock ? nil : try log.clock()
    let bundle = try SumsBundle(paths: RawArguments.paths(fromSums))
    try bundle.requireWhole()
    let totals = bundle.totals
    try bundle.requireUnderstood()
    let answer = try choose(bundle, kind, ask) { question, request in
      try Self.check(now, question)
      try check(question, request)
    }
    if let rejected = totals.rejected, rejected > 0 {
      let read = totals.lines.map { " of \(grouped(Int($0)))" } ?? ""
      let (count, were) = (grouped(Int(rejected)), rejected == 1 ? "was" : "were")
      Output.message(
        "\(count)\(read) lines \(were) rejected, and left out. `permlog sums show` has the reasons.")
    }
    if answer.sums.isMisread { Output.warning(lines: ["WARNING: " + CallSentences.misread]) }
    let (question, zone) = (answer.question, answer.question.timeZone)
    if let newest = totals.newest, newest < question.asOf - millisecondsPerDay {
      Output.message(
        "The newest event of these sums is of \(Timestamp.text(newest)), more than a day before the moment that they look from, "
          + "\(question.shown(question.asOf)) (\(zone)).")
    }
    return answer
  }

  /// The clock is the question's: limits of timestamps were held against it.
  private static func check(_ now: Milliseconds?, _ question: Question) throws {
    guard let now, now != question.now else { return }
    throw CommandFailure.usage(
      "--now: the sums were counted with the clock \(Timestamp.text(question.now)), and not with \(Timestamp.text(now)). Leave it out."
    )
  }

  /// The one question of a kind that the options that were given go with.
  private func choose<Request>(
    _ bundle: SumsBundle, _ kind: Question.Kind, _ ask: (Question) throws -> Request,
    check: (Question, Request) throws -> Void
  ) throws -> Answer<Request> {
    let candidates = bundle.answers.filter { $0.question.kind == kind }
    guard !candidates.isEmpty else {
      throw CommandFailure.usage(
        "--from-sums: they answer no question of \(kind.noun). They answer: \(Self.list(bundle.answers.map(\.question)))"
      )
    }
    var found: [Answer<Request>] = []
    var refusals: [CommandFailure] = []
    for (question, sums) in candidates {
      // What no question goes with, like a date that is none, is an error of its own.
      let request = try ask(question)
      do {
        try CommandFailure.wrap { try check(question, request) }
        found.append(Answer(question: question, sums: sums, totals: bundle.totals, request: request))
      } catch let refusal as CommandFailure {
        refusals.append(refusal)
      }
    }
    // Options that were left out go with any question: the one is meant that asks for less than each of the others.
    let meant = found.filter { answer in
      found.allSatisfy { $0.question == answer.question || answer.question.asksLess(than: $0.question) }
    }
    if meant.count == 1, let answer = meant.first { return answer }
    // If all say the same it is what is wrong.
    if found.isEmpty, let first = refusals.first, refusals.allSatisfy({ $0.message == first.message }) { throw first }
    let what =
      found.isEmpty
      ? "none of them goes with the options that were given" : "several go with the options that were given"
    throw CommandFailure.usage(
      "--from-sums: they answer \(candidates.count) questions of \(kind.noun), and \(what). There is: "
        + Self.list(candidates.map(\.question)))
  }

  private static func list(_ questions: [Question]) -> String {
    let areSavedTwice = Set(questions.map(\.now)).count > 1
    return questions.map { $0.summary(withClock: areSavedTwice) }.joined(separator: "; ")
  }
}
