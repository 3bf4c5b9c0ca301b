// The answers to several questions about the same users: what `permlog sums` writes, and what is added up.

public import Folding
import PermissionEvents

/// Sums of several questions over some shards of a job, or over all users at once.
public struct SumsBundle: Sendable {
  /// Which shards of which job these are, and what was read for them.
  public private(set) var job: SumsJob
  /// By ascending checksum of the question; each question once.
  public private(set) var answers: [(question: Question, sums: AnySums)]
  /// The files that were added up with the shards of each, for sentences.
  private var sources: [(name: String, shards: ShardSet)]

  public var totals: SumsTotals { job.totals }

  /// - Parameters:
  ///   - answers: in any order, at least one.
  ///   - name: of what they are, for sentences.
  /// - Throws: `usage` if a question comes twice, or there are more than a file may have.
  public init(
    _ job: SumsJob, answers: [(question: Question, sums: AnySums)], name: String = "these sums"
  ) throws(PermlogError) {
    self.job = job
    self.answers = answers.sorted { Self.precedes($0.question, $1.question) }
    sources = [(name, job.claimed)]
    guard answers.count <= SumsFormat.mostAnswers else {
      throw PermlogError(
        .usage, "sums answer \(SumsFormat.mostAnswers) questions at most, and \(answers.count) are asked")
    }
    for (answer, next) in zip(self.answers, self.answers.dropFirst())
    where answer.question.encoded == next.question.encoded {
      throw PermlogError(
        .usage, "the \(next.question.kind.rawValue) \(next.question.checksum) is asked twice; ask it once")
    }
  }

  /// Reads one file. Nothing that it can hold makes this trap.
  /// - Parameter name: of the file, for sentences.
  /// - Throws: `damaged`, `newerFormat`, or `dataRefused` for sums that are none of saved questions.
  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    if let other = SumsInput.otherContent(bytes) { throw PermlogError(.damaged, "\(name): \(other)") }
    do {
      var reader = try SumsReader(bytes)
      guard let job = try reader.job() else {
        throw SumsError(.otherJob, "it does not say which users it counts: only its own program can read it")
      }
      (self.job, answers, sources) = (job, [], [(name, job.claimed)])
      while let answer = try reader.nextAnswer() {
        let answer = try Self.read(answer, job.totals, name: name)
        if let last = answers.last, !Self.precedes(last.question, answer.question) {
          throw SumsError(.damaged, "the order of the questions is not as it is written")
        }
        answers.append(answer)
      }
      if answers.isEmpty { throw SumsError(.damaged, "it answers no question") }
    } catch let error as SumsError {
      throw Self.refusal(error, in: name)
    } catch { throw PermlogError(error) }
  }

  private static func read(
    _ answer: SumsAnswer, _ totals: SumsTotals, name: String
  ) throws -> (question: Question, sums: AnySums) {
    guard case .encoded(let json) = answer.question else {
      throw SumsError(.otherFold, "it answers a question of a fold of one's own, which only its program can read")
    }
    let question: Question
    let advice = "Make the sums anew with this version of permlog."
    do { question = try Question(json, name: name, (noQuestion: advice, other: advice)) } catch {
      // Nobody gave the question: the file is at fault.
      throw PermlogError(
        error.code == .newerFormat ? .newerFormat : .dataRefused, error.explanation.finding, cause: error.cause)
    }
    let sums = try AnySums(question.kind, tables: answer.tables)
    // The text was checked as it was read; here, that the sums are those that these tables are written of.
    let tables = sums.tables
    guard tables == answer.tables else {
      throw SumsError(
        .damaged, "the tables of the \(question.kind.rawValue) \(question.checksum) are not as they are written")
    }
    try sums.check(tables, of: question, totals)
    return (question, sums)
  }

  /// The order of questions in a file.
  static func precedes(_ a: Question, _ b: Question) -> Bool {
    let (left, right) = (Array(a.checksum.utf8), Array(b.checksum.utf8))
    return left == right
      ? a.encoded.lexicographicallyPrecedes(b.encoded) : left.lexicographicallyPrecedes(right)
  }

  /// The bytes of a file: always the same of the same sums.
  public var encoded: [UInt8] {
    var writer = SumsWriter(job)
    for answer in answers { writer.add(.encoded(answer.question.encoded), answer.sums.tables) }
    return writer.finish()
  }

  /// The bytes of a file that can be read again.
  /// - Throws: `limit` if they are more than are read.
  public func file() throws(PermlogError) -> [UInt8] { try file(most: SumsInput.mostBytes) }

  func file(most: Int) throws(PermlogError) -> [UInt8] {
    let bytes = encoded
    guard bytes.count <= most else {
      throw PermlogError(
        .limit, "the sums have \(bytes.count) bytes, and files of more than \(most) are not read", .askForLess)
    }
    return bytes
  }
}

// MARK: Adding up

extension SumsBundle {
  /// Adds other shards of the same job, to the same questions. If it throws, these are no sums any more.
  /// - Throws: `dataRefused` for another job, another way of reading, other questions, a shard that came before, and sums that
  ///   grow too large; `limit` for more groups than there is memory for.
  public mutating func add(_ other: SumsBundle) throws(PermlogError) {
    let name = other.sources.map(\.name).first ?? "these sums"
    try checkQuestions(other, name)
    do throws(SumsError) {
      try job.add(other.job, to: sources)
      for place in answers.indices { try answers[place].sums.add(other.answers[place].sums) }
    } catch { throw Self.refusal(error, in: name) }
    sources += other.sources
  }

  private func checkQuestions(_ other: SumsBundle, _ name: String) throws(PermlogError) {
    let (own, others) = (answers.map(\.question), other.answers.map(\.question))
    guard own.map(\.encoded) != others.map(\.encoded) else { return }
    let first = sources.map(\.name).first ?? "the first"
    let (difference, advice) = Self.difference(own, others)
    throw PermlogError(.dataRefused, "\(name): \(difference) in \(first). \(advice)")
  }

  /// What differs, up to where the other one is, and what to do.
  private static func difference(_ own: [Question], _ others: [Question]) -> (finding: String, advice: String) {
    let advice = "Sums of other questions do not add up: ask the same of all shards."
    let (ours, theirs) = (Set(own.map(\.encoded)), Set(others.map(\.encoded)))
    guard let extra = others.first(where: { !ours.contains($0.encoded) }) else {
      let missing = own.first { !theirs.contains($0.encoded) }
      return ("it does not answer the \(missing.map(shown) ?? "question") that is answered", advice)
    }
    // The nearest: most often one option was another.
    let rest = own.filter { $0.kind == extra.kind && !theirs.contains($0.encoded) }
    let differences = rest.map { question in
      Set(question.facts.keys).union(extra.facts.keys).sorted().filter {
        question.facts[$0].map { Array($0.utf8) } != extra.facts[$0].map { Array($0.utf8) }
      }
    }
    guard let nearest = differences.filter({ !$0.isEmpty }).min(by: { $0.count < $1.count }) else {
      return ("it answers the \(shown(extra)), which is not asked", advice)
    }
    let finding = "its \(shown(extra)) differs in \(nearest.joined(separator: ", ")) from the one"
    guard nearest == ["now"] else { return (finding, advice) }
    return (finding, "The question was saved anew: save it once, and copy it to all who count.")
  }

  private static func shown(_ question: Question) -> String { "\(question.kind.rawValue) \(question.checksum)" }

  /// Throws unless every shard of the job is there.
  public func requireWhole() throws(PermlogError) {
    let missing = job.missing
    guard !missing.isEmpty else { return }
    throw PermlogError(
      .dataRefused,
      "\(missing.phrase) of \(job.shards) of the job \(job.name ?? "-") \(missing.count == 1 ? "is" : "are") missing. "
        + "Name the files of all shards; a shard without users has one too.")
  }

  /// What is wrong with a file's sums, as the library's error.
  static func refusal(_ error: SumsError, in name: String) -> PermlogError {
    let code: PermlogError.Code =
      switch error.code {
      case .damaged: .damaged
      case .newerFormat: .newerFormat
      case .otherFold, .otherQuestion, .otherJob, .overflow: .dataRefused
      case .tooManyGroups: .limit
      }
    // The others say themselves what to do.
    let advice = error.code == .damaged ? ". Make it again." : error.code == .newerFormat ? ". Update permlog." : ""
    return PermlogError(
      code, "\(name): \(error.sentence)\(advice)", error.code == .tooManyGroups ? .askForLess : nil, cause: error)
  }
}
