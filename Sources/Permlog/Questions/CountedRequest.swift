// How a question of any kind is answered, from a log or from sums. The differences between the kinds are requirements
// of `CountedRequest`; everything else is here once.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

/// A request that can be asked of a log, saved, and answered by sums: a ``ReportRequest``, ``ComparisonRequest``, ``FlowRequest`` or
/// ``AuditRequest``.
public protocol QuestionRequest: FieldedRequest {
  associatedtype Answer: QuestionAnswer where Answer.Request == Self

  static var kind: Question.Kind { get }

  /// Throws if the request contradicts itself.
  func checkFields() throws(PermlogError)
  /// The question for a file; as ``Question/init(_:now:)``.
  func question(now: Milliseconds?) throws(PermlogError) -> Question
  /// Throws unless this request matches the counts of a question. Options that are chosen when sums are read may
  /// differ.
  func checkAgreement(with question: Question) throws(PermlogError)
  /// The answer of a log as it is now.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out of the
  ///   figures.
  func answer(of log: PermissionLog, onUnknown: ((UnknownVocabulary) -> Void)?) throws(PermlogError) -> Answer
  /// The answer of sums that others counted; as ``QuestionAnswer/init(_:of:as:isOfEmptyLog:threads:)``.
  static func answer(
    _ sums: AnySums, of question: Question, as request: Self?, isOfEmptyLog: Bool?, threads: Int
  ) throws(PermlogError) -> Answer
}

extension QuestionRequest {
  /// The request of a question; nil if it is of another kind.
  public init?(_ question: Question) {
    guard let request = question.request as? Self else { return nil }
    self = request
  }
}

/// The answer to a question.
public protocol QuestionAnswer {
  associatedtype Request: QuestionRequest where Request.Answer == Self

  /// Users who have events, and are left out as if they had none; nil if no list of users is left out.
  var leftOutUsers: Int? { get set }
}

extension QuestionAnswer {
  /// The answer of sums.
  /// - Parameters:
  ///   - sums: the sums of all users.
  ///   - question: the question that the sums answer.
  ///   - request: the options that are chosen when sums are read; the rest must be as in the question. For a report
  ///     these are `valueLimit` and `hasCharts`; for a comparison the metric, split, guardrails, the rule of decision
  ///     and the like; for flows the permission of the tables; for an audit the thresholds, the permission and
  ///     Info.plists. Nil for the question's request, with defaults for the options that it leaves open.
  ///   - isOfEmptyLog: true if no event came in, not even a later one. Then no name can be unknown, and there is
  ///     nothing to compare. Nil if it is not known: a report is then taken as empty if it has no counts, flows and an
  ///     audit if no log has a permission.
  ///   - threads: the number of threads for the rows of a report.
  /// - Throws: `usage` if the sums or the request do not match the question, or if no log has a name of the request.
  public init(
    _ sums: AnySums, of question: Question, as request: Request? = nil, isOfEmptyLog: Bool? = nil, threads: Int = 1
  ) throws(PermlogError) {
    self = try Request.answer(sums, of: question, as: request, isOfEmptyLog: isOfEmptyLog, threads: threads)
  }
}

/// The differences between the kinds.
protocol CountedRequest: QuestionRequest where Answer: AgedAnswer {
  /// The question for folds: the request with its zone and moments, for one log.
  associatedtype Asked: AskedQuestion
  associatedtype Sums: QuestionSums

  /// Reads the files that the answer needs besides the log.
  mutating func readFiles() throws(PermlogError)
  /// Names that a log must have, in the order in which they are looked for.
  var names: [AskedName] { get }
  /// The request, completed with facts that only a log has.
  func completed(by snapshot: LogSnapshot) throws -> Self
  func asked(of log: AskedLog) throws(PermlogError) -> Asked
  /// The same for logs whose sums are added up.
  func shared(in zone: ZoneTable?) throws(PermlogError) -> Asked
  /// The noun for a field's value in sentences, if its usual noun does not fit.
  func noun(of field: PermlogError.Argument) -> String?
  /// Throws if sums from a file belong to another question.
  func checkSums(_ sums: Sums, _ question: Asked) throws(SumsError)
  /// The counts of a walk.
  static func count(_ question: Asked, _ walk: LogWalk) throws -> Sums
  /// The answer without any events; nil to go on with sums without users.
  func answerOfNothing(_ source: AnswerSource) throws(PermlogError) -> Answer?
  func answer(_ sums: Sums, _ question: Asked, _ source: AnswerSource) throws -> Answer
  /// Adds to an answer of a log what the request asks of the log besides its own counts.
  func complete(_ answer: inout Answer, by log: PermissionLog) throws(PermlogError)
}

protocol AskedQuestion: Sendable {
  var windows: AnalysisWindows { get }
  var zone: ZoneTable { get }
  /// The data that the fold needs from the log.
  var selection: HistorySelection { get }
}

/// The source of sums, and how they were counted.
struct AnswerSource {
  /// The log; nil for sums that others counted.
  var snapshot: LogSnapshot?
  var logPath: String?
  /// The zone, if the question has it: then no zone file is read.
  var zone: ZoneTable?
  var reading = CallReading()
  var threads = 1
  /// True if no events came in, false if some did, nil if it is not known.
  var isEmpty: Bool?

  /// Whether the log has no moment to look from, because it has no events and the request names no moment.
  func hasNoMoment(_ scope: QuestionScope) -> Bool { snapshot != nil && isEmpty == true && scope.asOf == nil }
}

/// An answer with the age of its log.
protocol AgedAnswer {
  var age: DataAge? { get set }
}

extension Report: QuestionAnswer, AgedAnswer { public typealias Request = ReportRequest }
extension ComparisonSet: QuestionAnswer, AgedAnswer { public typealias Request = ComparisonRequest }
extension FlowReport: QuestionAnswer, AgedAnswer { public typealias Request = FlowRequest }
extension AuditReport: QuestionAnswer, AgedAnswer { public typealias Request = AuditRequest }
extension ReportQuestion: AskedQuestion {}
extension ComparisonQuestion: AskedQuestion {}
extension FlowQuestion: AskedQuestion {}
extension AuditQuestion: AskedQuestion {}

extension CountedRequest {
  public func checkFields() throws(PermlogError) {}
  func readFiles() throws(PermlogError) {}
  func completed(by snapshot: LogSnapshot) throws -> Self { self }
  func noun(of field: PermlogError.Argument) -> String? { nil }
  func checkSums(_ sums: Sums, _ question: Asked) throws(SumsError) {}
  func answerOfNothing(_ source: AnswerSource) throws(PermlogError) -> Answer? { nil }
  func complete(_ answer: inout Answer, by log: PermissionLog) throws(PermlogError) {}
  func shared(in zone: ZoneTable?) throws(PermlogError) -> Asked {
    try asked(of: AskedLog(asked: scope, in: zone))
  }

  /// The remedy if the users divide into more groups than there is memory for.
  static var wayOutOfTooMany: Remedy {
    fields.contains { $0.argument == .properties } ? .askForLess : .askForShorterInterval
  }

  /// As `translating`, with that remedy.
  static func translatingLimits<Value>(_ body: () throws -> Value) throws(PermlogError) -> Value {
    do { return try body() } catch let error as SumsError where error.code == .tooManyGroups {
      throw PermlogError(.limit, error.sentence, wayOutOfTooMany, cause: error)
    } catch { throw PermlogError(error) }
  }
}

// MARK: Answers of a log

extension CountedRequest {
  public func answer(of log: PermissionLog, onUnknown: ((UnknownVocabulary) -> Void)?) throws(PermlogError) -> Answer {
    try checkFields()
    var request = self
    try request.readFiles()
    return try Self.translatingLimits { [request] in
      let snapshot = try log.asked(request.scope.without)
      snapshot.tellUnknown(onUnknown)
      var source = AnswerSource(
        snapshot: snapshot, logPath: log.path, threads: log.threads, isEmpty: snapshot.timeRange == nil)
      guard let times = snapshot.timeRange else {
        var answer =
          try request.answerOfNothing(source) ?? request.answer(Sums(), request.asked(of: .empty), source)
        answer.leftOutUsers = snapshot.leftOut.counted
        try request.complete(&answer, by: log)
        return answer
      }
      let now = log.clock()
      let request = try request.completed(by: snapshot)
      let question = try request.asked(of: AskedLog(snapshot, times, clock: now, threads: log.threads))
      try KnownNames.require(request.names, in: snapshot)
      let sums = try snapshot.countRead(question.windows, threads: log.threads) { try Self.count(question, $0) }
      source.reading = CallReading(sums.calls)
      var answer = try request.answer(sums, question, source)
      answer.age = try request.scope.age(of: snapshot, clock: now, threads: log.threads)
      answer.leftOutUsers = snapshot.leftOut.counted
      try request.complete(&answer, by: log)
      return answer
    }
  }
}

extension LogSnapshot {
  /// Calls `body` if the log has kinds, permissions or columns of a later version.
  func tellUnknown(_ body: ((UnknownVocabulary) -> Void)?) {
    guard let body else { return }
    let unknown = unknown
    if !unknown.isEmpty { body(unknown) }
  }
}

// MARK: Answers of sums

extension CountedRequest {
  public static func answer(
    _ sums: AnySums, of question: Question, as request: Self?, isOfEmptyLog: Bool?, threads: Int
  ) throws(PermlogError) -> Answer {
    let (counted, reading) = try translating { try sums.resolved() }
    guard let counted = counted as? Sums, let asked = Self(question) else {
      throw .usage("the sums answer a question of \(question.kind.noun), not of \(kind.noun)", .sums)
    }
    var request = request ?? asked
    try request.checkAgreement(with: question)
    try request.readFiles()
    let source = AnswerSource(
      zone: question.zone, reading: reading, threads: max(1, threads), isEmpty: isOfEmptyLog ?? counted.isEmpty)
    if source.isEmpty == true, let answer = try request.answerOfNothing(source) { return answer }
    try KnownNames.require(request, in: counted.known, isOfEmptyLog: isOfEmptyLog)
    let shared = try request.shared(in: question.zone)
    return try translatingLimits { [request] in try request.answer(counted, shared, source) }
  }

  public func checkAgreement(with question: Question) throws(PermlogError) { try question.checkAgreement(of: self) }

  public func question(now: Milliseconds?) throws(PermlogError) -> Question {
    try Question(counting: self, now: now)
  }
}

// MARK: Sums

/// Sums that answer a kind of question, in one reading of calls and answers.
package protocol QuestionSums: FoldSums {
  /// How fast prompts were answered. For a comparison, only the prompts of its permission count.
  var calls: CallSums { get set }
  /// Names of the question that some log has.
  var known: NameSums { get set }
  /// Whether nothing was counted, as far as the sums show.
  var isEmpty: Bool { get }
}

// Each says itself what it knows of that: a default would take the place of one that is removed.
extension ReportSums: QuestionSums { package var isEmpty: Bool { counted.events == 0 } }
extension ComparisonSums: QuestionSums { package var isEmpty: Bool { false } }
extension FlowSums: QuestionSums { package var isEmpty: Bool { false } }
extension AuditSums: QuestionSums { package var isEmpty: Bool { false } }

extension QuestionSums {
  /// Adds sums of the same kind, in place. If it throws, these sums are no longer valid.
  mutating func add(any other: any QuestionSums) throws(SumsError) {
    guard let other = other as? Self else {
      throw SumsError(.otherFold, "sums of \(type(of: other).name) cannot be added to sums of \(Self.name)")
    }
    try add(other)
  }
}
