// Sums on their way: a text with a version, the question that they answer, the tables, and a checksum. The format is
// described in docs/sums-format.md; what is written there cannot change within a version.

/// Sums and the question that they answer, as one file.
///
/// The bytes are canonical: the same sums are always the same bytes, and a file is accepted only if writing what was read
/// gives it again.
public struct SumsFile<Sums: FoldSums>: Sendable {
  /// What was asked, by name: windows, moment, zone. Sums of different questions do not add up.
  public let question: [String: String]
  public private(set) var sums: Sums

  public init(question: [String: String], sums: Sums) {
    self.question = question
    self.sums = sums
  }

  /// Adds the sums of other users to the same question.
  public mutating func add(_ other: SumsFile) throws(SumsError) {
    try check(other.question)
    // In a copy: sums that are refused halfway leave these as they are.
    var sum = sums
    try sum.add(other.sums)
    sums = sum
  }

  /// Throws unless a question is the one that these sums answer.
  public func check(_ other: [String: String]) throws(SumsError) {
    let names = Set(question.keys).union(other.keys).sorted()
    // Byte by byte: texts that only look alike are different questions.
    func bytes(_ value: String?) -> [UInt8]? { value.map { Array($0.utf8) } }
    guard let name = names.first(where: { bytes(question[$0]) != bytes(other[$0]) }) else { return }
    let (ours, theirs) = (question[name] ?? "not given", other[name] ?? "not given")
    throw SumsError(.otherQuestion, "the sums answer different questions: \(name) is \(ours) and \(theirs)")
  }

  public func encoded() -> [UInt8] {
    var out = SumsText()
    out.line("\(SumsFormat.magic) \(SumsFormat.version)")
    out.line("fold \(Sums.name)")
    for (name, value) in question.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      out.add("question ")
      out.add(word: Array(name.utf8))
      out.add(" ")
      out.add(word: Array(value.utf8))
      out.line("")
    }
    for table in sums.tables { out.add(table) }
    out.endWithChecksum()
    return out.bytes
  }

  /// Reads what `encoded` gave. Nothing that a file can hold makes it trap.
  public init(_ bytes: [UInt8]) throws(SumsError) {
    var reader = try SumsReader(bytes)
    let (question, tables) = try reader.read(fold: Sums.name)
    self.init(question: question, sums: try Sums(tables: tables))
    guard encoded() == bytes else {
      throw SumsError(.damaged, "the sums are not in the form in which they are written")
    }
  }
}

enum SumsFormat {
  static let magic = "permlog-sums"
  static let version = 1
  /// Most parts of a key, columns of a table, and tables.
  static let mostKeys = 16
  static let mostColumns = 1 << 16
  static let mostTables = 64
}
