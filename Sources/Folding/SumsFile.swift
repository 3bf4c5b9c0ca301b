// Sums of one question as a file, for custom folds and for programs that add up sums themselves. The format is that of
// `permlog sums` (docs/sums-format.md), without the lines of a job.

/// Sums and the question that they answer, as one file.
///
/// The bytes are canonical: the same sums are always the same bytes, and a file is accepted only if writing the sums
/// that were read gives the same bytes.
public struct SumsFile<Sums: FoldSums>: Sendable {
  /// The question, by name: windows, moment, zone. Sums of different questions cannot be added.
  public let question: [String: String]
  public private(set) var sums: Sums

  public init(question: [String: String], sums: Sums) {
    self.question = question
    self.sums = sums
  }

  /// Adds the sums of other users to the same question.
  public mutating func add(_ other: SumsFile) throws(SumsError) {
    try checkSameQuestion(other.question)
    // In a copy: if an addition fails halfway, these sums do not change.
    var sum = sums
    try sum.add(other.sums)
    sums = sum
  }

  /// Throws unless a question is the one that these sums answer.
  public func checkSameQuestion(_ other: [String: String]) throws(SumsError) {
    let names = Set(question.keys).union(other.keys).sorted()
    // Byte by byte: texts that only look alike are different questions.
    func bytes(_ value: String?) -> [UInt8]? { value.map { Array($0.utf8) } }
    guard let name = names.first(where: { bytes(question[$0]) != bytes(other[$0]) }) else { return }
    let (ours, theirs) = (question[name] ?? "not given", other[name] ?? "not given")
    throw SumsError(.otherQuestion, "the sums answer different questions: \(name) is \(ours) and \(theirs)")
  }

  public func encoded() -> [UInt8] {
    var writer = SumsWriter()
    writer.add(.named(fold: Sums.name, facts: question), sums.tables)
    return writer.finish()
  }

  /// Reads the bytes that `encoded` returned. No content of a file makes it trap.
  public init(_ bytes: [UInt8]) throws(SumsError) {
    var reader = try SumsReader(bytes)
    guard try reader.job() == nil else {
      throw SumsError(.otherFold, "these are sums of the shards of a job; `SumsBundle` reads them")
    }
    guard let answer = try reader.nextAnswer() else { throw SumsError(.damaged, "it has no sums") }
    guard case .named(let fold, let facts) = answer.question, fold.utf8.elementsEqual(Sums.name.utf8) else {
      throw SumsError(.otherFold, "these are sums of \(answer.question.fold), not of \(Sums.name)")
    }
    guard try reader.nextAnswer() == nil else { throw SumsError(.otherFold, "these are sums of several questions") }
    self.init(question: facts, sums: try Sums(tables: answer.tables))
    guard encoded() == bytes else {
      throw SumsError(.damaged, "the sums are not in the form that permlog writes")
    }
  }
}

extension SumsQuestion {
  /// The name of the counts, for messages.
  var fold: String {
    switch self {
    case .encoded: "a saved question"
    case .named(let fold, _): fold
    }
  }
}
