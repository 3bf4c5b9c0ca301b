// Reads sums from untrusted text. Every line, number and name is checked as it is read, and is accepted only in its
// canonical form. No memory is allocated for numbers that a line merely announces.

/// The question of a file. Questions of this package are JSON, which their owner reads; questions of custom folds are
/// names and values.
package enum SumsQuestion: Sendable, Hashable {
  /// Canonical JSON on one line, without its end.
  case encoded([UInt8])
  case named(fold: String, facts: [String: String])
}

/// A question and its counts.
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
  let version: Int
  private var answers = 0

  /// Checks the first line and the checksum.
  package init(_ bytes: [UInt8]) throws(SumsError) {
    self.bytes = bytes
    // The first line identifies the format, before any other error is reported.
    let magic = Array("\(SumsFormat.magic) ".utf8)
    guard bytes.starts(with: magic) else { throw SumsError(.damaged, "these are not sums of permlog") }
    let digits = bytes[magic.count...].prefix { $0 >= 0x30 && $0 <= 0x39 }.prefix(6)
    guard let version = Int(String(bounded: digits)) else {
      throw SumsError(.damaged, "the sums do not say which format they are in")
    }
    end = bytes.count - SumsText.checksumLength
    guard end > magic.count, bytes[end - 1] == 0x0A,
      bytes[end...].elementsEqual(SumsText.checksumLine(of: bytes[..<end]))
    else { throw SumsError(.damaged, "the checksum of the sums does not match: they were cut short or changed") }
    guard version <= SumsFormat.version else {
      throw SumsError(
        .newerFormat, "written in format \(version), but this version reads formats up to \(SumsFormat.version)")
    }
    guard version >= SumsFormat.oldestVersion else {
      throw SumsError(.damaged, "written in format \(version), which is no longer read: make the sums again")
    }
    self.version = version
    guard take("\(SumsFormat.magic) \(version)"), takeLineEnd() else { throw damaged("the version") }
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
    guard take("fold ") else { throw damaged("the start of a question") }
    let start = position
    while bytes[position] != 0x0A { position += 1 }
    guard let fold = String(boundedExactly: bytes[start..<position]), !fold.isEmpty, takeLineEnd() else {
      throw damaged("the name of the fold")
    }
    var facts: [String: String] = [:]
    var last: [UInt8]?
    while position < end, take("asked ") {
      let name = try word()
      guard takeBlank(), let key = String(boundedExactly: name) else { throw damaged("a question") }
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

  /// A word without its escapes, up to a space or the end of the line.
  mutating func word() throws(SumsError) -> [UInt8] {
    let start = position
    while SumsText.isPlain(bytes[position]) { position += 1 }
    var word = Array(bytes[start..<position])
    while bytes[position] != 0x20, bytes[position] != 0x0A {
      if bytes[position] == 0x25 {
        guard end - position >= 3, let high = Self.digit(bytes[position + 1]), let low = Self.digit(bytes[position + 2])
        else { throw damaged("an escape") }
        let byte = high << 4 | low
        // Bytes are escaped only if necessary.
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
    guard let text = String(boundedExactly: try word()) else { throw damaged("a word that is not text") }
    return text
  }

  /// A number in canonical form: no plus, no leading zeros, no minus before 0, at most 2^62 on either side; nil for
  /// anything else.
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
      let value = Int64(String(bounded: bytes[start..<position])), value <= CheckedSum.limit
    else { return nil }
    return isNegative ? -value : value
  }

  func damaged(_ what: String) -> SumsError {
    SumsError(.damaged, "line \(lineNumber): \(what) is not as permlog writes it")
  }

  /// The job, if the file says which it is of: a program that adds up by itself need not.
  package mutating func job() throws(SumsError) -> SumsJob? {
    guard !isPastJob else { return nil }
    isPastJob = true
    return try readJob()
  }
}

// MARK: Tables

extension SumsReader {
  /// The rest after the name of a table.
  mutating func table(_ name: String) throws(SumsError) -> SumTable {
    guard take("keys") else { throw damaged("the list of keys") }
    let keys = try list(most: SumsFormat.mostKeys, "keys")
    let columns: SumTable.Columns
    if take("numbered ") {
      guard let count = number(), (1...Int64(SumsFormat.mostColumns)).contains(count), takeLineEnd() else {
        throw damaged("the number of columns")
      }
      columns = .numbered(Int(count))
    } else {
      guard take("columns") else { throw damaged("the list of columns") }
      columns = .named(try list(most: SumsFormat.mostColumns, "columns"))
    }
    var rows: [(key: SumTable.Key, row: SumTable.Row)] = []
    var last: SumTable.Key?
    // The ranges of the last key's parts in the bytes: equal parts are read once.
    var places = [Range<Int>](repeating: 0..<0, count: keys.count)
    while position < end, bytes[position] == 0x2D || bytes[position] == 0x3D {
      let key = try key(keys.count, last, &places)
      guard last.map({ SumTable.precedes($0, key) }) ?? true else { throw damaged("the order of the rows") }
      rows.append((key, try row(columns.count)))
      last = key
    }
    return SumTable(name, keys: keys, columns: columns, rows: rows)
  }

  private mutating func list(most: Int, _ name: String) throws(SumsError) -> [String] {
    var list: [String] = []
    while takeBlank() {
      guard list.count < most else { throw damaged("the list of \(name)") }
      list.append(try text())
    }
    guard takeLineEnd(), Set(list).count == list.count else { throw damaged("the list of \(name)") }
    return list
  }

  private mutating func key(
    _ count: Int, _ last: SumTable.Key?, _ places: inout [Range<Int>]
  ) throws(SumsError) -> SumTable.Key {
    if count == 0 {
      guard bytes[position] == 0x2D else { throw damaged("a key") }
      position += 1
      return []
    }
    var key: SumTable.Key = []
    key.reserveCapacity(count)
    for number in 0..<count {
      if number > 0, !takeBlank() { throw damaged("a key") }
      if bytes[position] == 0x2D {
        position += 1
        places[number] = 0..<0
        key.append(nil)
        continue
      }
      guard bytes[position] == 0x3D else { throw damaged("a key") }
      position += 1
      let range = places[number]
      let after = position + range.count
      if let last, !range.isEmpty, after < end, bytes[after] == 0x20, isSame(range, position) {
        key.append(last[number])
        position = after
      } else {
        let start = position
        key.append(try word())
        places[number] = start..<position
      }
    }
    return key
  }

  @inline(__always) private func isSame(_ range: Range<Int>, _ start: Int) -> Bool {
    for i in 0..<range.count where bytes[range.lowerBound + i] != bytes[start + i] { return false }
    return true
  }

  /// The cells after a key, to the end of the line.
  private mutating func row(_ count: Int) throws(SumsError) -> SumTable.Row {
    columns.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    takeShortCells(count)
    var last = columns.last ?? -1
    while takeBlank() {
      guard let column = number(), column > last, column < count, bytes[position] == 0x3A else {
        throw damaged("a value")
      }
      position += 1
      guard let value = number(), value != 0 else { throw damaged("a value") }
      last = Int(column)
      columns.append(last)
      values.append(value)
    }
    guard last >= 0 else { throw damaged("a row without values") }
    guard takeLineEnd() else { throw damaged("a value") }
    return SumTable.Row(columns: columns, values: values)
  }

  /// Reads cells up to the first that is not two numbers of few digits, as almost all are. A file has millions of them.
  private mutating func takeShortCells(_ count: Int) {
    let text = bytes
    // Taken out, so that they are not copied.
    var (columns, values) = (columns, values)
    (self.columns, self.values) = ([], [])
    var last = -1
    position = text.withUnsafeBufferPointer { text in
      var offset = position
      // There is a line feed before the end, and nothing here goes past one.
      while text[offset] == 0x20 {
        var next = offset + 1
        guard let column = Self.shortNumber(text, &next), column > last, column < count, text[next] == 0x3A else {
          break
        }
        next += 1
        guard let value = Self.shortNumber(text, &next), value != 0 else { break }
        last = column
        columns.append(column)
        values.append(Int64(value))
        offset = next
      }
      return offset
    }
    (self.columns, self.values) = (columns, values)
  }

  /// A canonical number of at most nine digits; nil for any other, which `number` reads or refuses.
  @inline(__always)
  private static func shortNumber(_ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> Int? {
    let start = offset
    var value = 0
    while offset - start < 10 {
      let digit = text[offset] &- 0x30
      guard digit < 10 else { break }
      value = value &* 10 &+ Int(digit)
      offset += 1
    }
    let digits = offset - start
    return digits == 0 || digits == 10 || digits > 1 && text[start] == 0x30 ? nil : value
  }
}
