// Reading sums from text that anybody may have written. Every line, number and name is checked as it is read, and is accepted only in the
// one form in which it is written; nothing is allocated for what a line merely announces.

/// What a file's question is. The questions of this package are JSON that their owner reads; those of custom folds are names and values.
package enum SumsQuestion: Sendable, Hashable {
  /// Canonical JSON on one line, without its end.
  case encoded([UInt8])
  case named(fold: String, facts: [String: String])
}

/// A question, and what was counted.
package struct SumsAnswer: Sendable {
  package var question: SumsQuestion
  package var tables: [SumTable]

  package init(_ question: SumsQuestion, _ tables: [SumTable]) {
    (self.question, self.tables) = (question, tables)
  }
}

/// Goes over a file of sums: first the job, then one answer after the other, so that only one need be held beside the bytes.
package struct SumsReader {
  let bytes: [UInt8]
  var position = 0
  var lineNumber = 1
  /// The end of what the checksum is of. The byte before it is a line feed.
  let end: Int
  /// Cells of the row that is being read, kept for the next one's.
  var columns: [Int] = []
  var values: [Int64] = []
  private var isPastJob = false
  private var answers = 0

  /// Checks the first line and the checksum.
  package init(_ bytes: [UInt8]) throws(SumsError) {
    self.bytes = bytes
    // The first line says what it is, before anything else is said of it.
    let magic = Array("\(SumsFormat.magic) ".utf8)
    guard bytes.starts(with: magic) else { throw SumsError(.damaged, "these are not sums of permlog") }
    let digits = bytes[magic.count...].prefix { $0 >= 0x30 && $0 <= 0x39 }.prefix(6)
    guard let version = Int(String(decoding: digits, as: UTF8.self)) else {
      throw SumsError(.damaged, "the sums do not say which format they are in")
    }
    end = bytes.count - SumsText.checksumLength
    guard end > magic.count, bytes[end - 1] == 0x0A,
      bytes[end...].elementsEqual(SumsText.checksumLine(of: bytes[..<end]))
    else { throw SumsError(.damaged, "the sums do not have their checksum: they were cut short or changed") }
    guard version <= SumsFormat.version else {
      throw SumsError(
        .newerFormat, "written in format \(version), and this version reads formats up to \(SumsFormat.version)")
    }
    guard version == SumsFormat.version else {
      throw SumsError(.damaged, "written in format \(version), which is read no more: make the sums again")
    }
    guard take("\(SumsFormat.magic) \(SumsFormat.version)"), takeLineEnd() else { throw damaged("the version") }
  }

  /// The next question and its tables; nil after the last.
  package mutating func nextAnswer() throws(SumsError) -> SumsAnswer? {
    if !isPastJob { _ = try job() }
    guard position < end else { return nil }
    answers += 1
    guard answers <= SumsFormat.mostAnswers else { throw damaged("the number of questions") }
    let question = try question()
    var tables: [SumTable] = []
    while position < end, take("table ") {
      let name = try text()
      guard takeLineEnd(), tables.count < SumsFormat.mostTables, !tables.contains(where: { $0.name == name }) else {
        throw damaged("a table")
      }
      tables.append(try table(name))
    }
    return SumsAnswer(question, tables)
  }

  private mutating func question() throws(SumsError) -> SumsQuestion {
    if take("question ") {
      let start = position
      while bytes[position] != 0x0A { position += 1 }
      let json = Array(bytes[start..<position])
      guard json.first == 0x7B, json.allSatisfy({ $0 >= 0x20 }), takeLineEnd() else { throw damaged("a question") }
      return .encoded(json)
    }
    guard take("fold ") else { throw damaged("what it begins with") }
    let start = position
    while bytes[position] != 0x0A { position += 1 }
    guard let fold = String(validating: bytes[start..<position], as: UTF8.self), !fold.isEmpty, takeLineEnd() else {
      throw damaged("the name of the fold")
    }
    var facts: [String: String] = [:]
    var last: [UInt8]?
    while position < end, take("asked ") {
      let name = try word()
      guard takeBlank(), let key = String(validating: name, as: UTF8.self) else { throw damaged("a question") }
      let value = try text()
      guard takeLineEnd(), last.map({ $0.lexicographicallyPrecedes(name) }) ?? true,
        facts.updateValue(value, forKey: key) == nil
      else { throw damaged("a question") }
      last = name
    }
    return .named(fold: fold, facts: facts)
  }

  // MARK: Words

  /// Goes past a text if it comes next.
  mutating func take(_ text: String) -> Bool {
    let text = text.utf8
    guard end - position >= text.count, bytes[position..<(position + text.count)].elementsEqual(text) else {
      return false
    }
    position += text.count
    return true
  }

  @inline(__always) mutating func takeBlank() -> Bool {
    guard bytes[position] == 0x20 else { return false }
    position += 1
    return true
  }

  /// There is a line end before `end`, so that whoever stops at it never reads past.
  @inline(__always) mutating func takeLineEnd() -> Bool {
    guard bytes[position] == 0x0A else { return false }
    position += 1
    lineNumber += 1
    return true
  }

  /// A word without its escapes, up to a blank or the end of the line.
  mutating func word() throws(SumsError) -> [UInt8] {
    let start = position
    while SumsText.isPlain(bytes[position]) { position += 1 }
    var word = Array(bytes[start..<position])
    while bytes[position] != 0x20, bytes[position] != 0x0A {
      if bytes[position] == 0x25 {
        guard end - position >= 3, let high = Self.digit(bytes[position + 1]), let low = Self.digit(bytes[position + 2])
        else { throw damaged("an escape") }
        let byte = high << 4 | low
        // What need not be escaped is not.
        guard !SumsText.isPlain(byte) else { throw damaged("an escape") }
        word.append(byte)
        position += 3
      } else {
        guard SumsText.isPlain(bytes[position]) else { throw damaged("a control character") }
        word.append(bytes[position])
        position += 1
      }
    }
    return word
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    default: nil
    }
  }

  mutating func text() throws(SumsError) -> String {
    guard let text = String(validating: try word(), as: UTF8.self) else { throw damaged("a word that is no text") }
    return text
  }

  /// A number as it is written: no plus, no leading zeros, no minus before 0, at most 2^62 on either side; nil for anything else.
  @inline(__always) mutating func number() -> Int64? {
    let isNegative = bytes[position] == 0x2D
    if isNegative { position += 1 }
    let start = position
    var value: Int64 = 0
    while true {
      let digit = bytes[position] &- 0x30
      guard digit < 10 else { break }
      // At most 2^62 before: ten times that is checked below, and the number of digits here.
      guard position - start < 18 else { return longNumber(from: start, isNegative) }
      value = value &* 10 &+ Int64(digit)
      position += 1
    }
    let count = position - start
    guard count > 0, count == 1 || bytes[start] != 0x30, !isNegative || value != 0 else { return nil }
    return isNegative ? -value : value
  }

  /// One of 19 digits.
  private mutating func longNumber(from start: Int, _ isNegative: Bool) -> Int64? {
    position = start
    while bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
    guard position - start == 19, bytes[start] != 0x30,
      let value = Int64(String(decoding: bytes[start..<position], as: UTF8.self)), value <= CheckedSum.limit
    else { return nil }
    return isNegative ? -value : value
  }

  func damaged(_ what: String) -> SumsError {
    SumsError(.damaged, "line \(lineNumber): \(what) is not as it is written")
  }

  /// The job, if the file says which it is of: a program that adds up by itself need not.
  package mutating func job() throws(SumsError) -> SumsJob? {
    guard !isPastJob else { return nil }
    isPastJob = true
    return try readJob()
  }
}
