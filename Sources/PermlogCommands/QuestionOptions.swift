// Questions that are saved for other machines, and answers from what they counted.

import ArgumentParser
import PermissionEvents
import Permlog

struct QuestionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the question to this file (- for standard output) for `permlog sums make`, and read no log. Needs --as-of.",
      valueName: "file"), completion: .file())
  var saveQuestion: String?

  @Option(
    help: ArgumentHelp(
      "Answer from sums (of `permlog sums`) in place of a log; repeat it for the shards of a job, - is standard input. Options may be left out, and those that decide what is counted must be as in the question.",
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
  ///   - hasLogStart: whether a start of the log was given; nil if the question has none.
  ///   - make: makes the question at a time of the clock.
  func save(
    with options: [String], _ log: LogOptions, hasLogStart: Bool? = nil, _ make: (Milliseconds?) throws -> Question
  ) throws {
    guard let saveQuestion else { return }
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
        "Without --log-start the answer knows from when on users were seen only of those with an install: sums know no oldest event."
      )
    }
    let path = saveQuestion == "-" ? nil : saveQuestion
    try Output.result(question.line, to: path, besides: ProtectedFiles(), option: "--save-question")
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
  ///   - ask: lays the options that were given over a question; throws if it asks for something else.
  func answer<Request>(
    _ kind: Question.Kind, _ log: LogOptions, _ ask: (Question) throws -> Request
  ) throws -> Answer<Request> {
    if log.log != nil { throw CommandFailure.usage("--from-sums reads no log: leave out --log") }
    let bundle = try SumsBundle(paths: RawArguments.paths(fromSums))
    try bundle.requireWhole()
    let totals = bundle.totals
    try bundle.requireUnderstood()
    let answer = try choose(bundle, kind, ask)
    if let newest = totals.newest, newest < answer.question.asOf - millisecondsPerDay {
      Output.message(
        "The newest event of these sums is of \(Timestamp.text(newest)), more than a day before the moment that they look from, "
          + "\(Timestamp.text(answer.question.asOf)).")
    }
    return answer
  }

  /// The one question of a kind that the options that were given go with.
  private func choose<Request>(
    _ bundle: SumsBundle, _ kind: Question.Kind, _ ask: (Question) throws -> Request
  ) throws -> Answer<Request> {
    let candidates = bundle.answers.filter { $0.question.kind == kind }
    guard !candidates.isEmpty else {
      throw CommandFailure.usage(
        "--from-sums: they answer no question of a \(kind.rawValue). They answer: \(Self.list(bundle.answers.map(\.question)))"
      )
    }
    var found: [Answer<Request>] = []
    for (question, sums) in candidates {
      do {
        found.append(Answer(question: question, sums: sums, totals: bundle.totals, request: try ask(question)))
      } catch {
        // Of one question it is told what differs.
        if candidates.count == 1 { throw error }
      }
    }
    // Options that were left out go with any question; if several are left, the one that has no others is meant.
    let fewest = found.map(\.question.givenOptions).min()
    let simplest = found.filter { $0.question.givenOptions == fewest }
    guard simplest.count == 1, let answer = simplest.first else {
      let what =
        found.isEmpty
        ? "none of them goes with the options that were given" : "several go with the options that were given"
      throw CommandFailure.usage(
        "--from-sums: they answer \(candidates.count) questions of a \(kind.rawValue), and \(what). There is: "
          + Self.list(candidates.map(\.question)))
    }
    return answer
  }

  private static func list(_ questions: [Question]) -> String {
    questions.map { "\($0.checksum) (\($0.summary))" }.joined(separator: "; ")
  }
}
