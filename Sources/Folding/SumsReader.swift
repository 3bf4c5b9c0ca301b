// Reading sums from text that anybody may have written: every line, number and name is checked, and nothing is allocated
// for what a line merely announces.

/// Goes over the lines of a file of sums.
struct SumsReader {
  private let bytes: [UInt8]
  private var position = 0
  private var lineNumber = 0
  /// The end of what the checksum is of.
  private let end: Int

  init(_ bytes: [UInt8]) throws(SumsError) {
    self.bytes = bytes
    // The first line says what it is, before anything else is said of it.
    let magic = Array("\(SumsFormat.magic) ".utf8)
    guard bytes.starts(with: magic) else { throw SumsError(.damaged, "these are not sums of permlog") }
    let digits = bytes[magic.count...].prefix { $0 >= 0x30 && $0 <= 0x39 }.prefix(6)
    guard let version = Int(String(decoding: digits, as: UTF8.self)) else {
      throw SumsError(.damaged, "line 1: there is no version")
    }
    end = bytes.count - SumsText.checksumLength
    guard end > magic.count else { throw SumsError(.damaged, "the sums end too soon") }
    guard bytes[end...].elementsEqual(SumsText.checksumLine(of: bytes[..<end])) else {
      throw SumsError(.damaged, "the sums do not have their checksum: they were cut short or changed")
    }
    guard version <= SumsFormat.version else {
      throw SumsError(
        .newerFormat, "written in format \(version), and this version reads formats up to \(SumsFormat.version)")
    }
  }

  mutating func read(
    fold: String
  ) throws(SumsError) -> (question: [String: String], tables: [SumTable]) {
    guard try nextLine() == Array("\(SumsFormat.magic) \(SumsFormat.version)".utf8) else {
      throw damaged("the version")
    }
    let name = try nextLine()
    guard name.starts(with: "fold ".utf8) else { throw damaged("the name of the fold") }
    guard name == Array("fold \(fold)".utf8) else {
      throw SumsError(
        .otherFold, "these are sums of \(String(decoding: name.dropFirst(5), as: UTF8.self)), and not of \(fold)")
    }
    var question: [String: String] = [:]
    var tables: [SumTable] = []
    while position < end {
      let line = try nextLine()
      let words = try words(of: line)
      switch words.first {
      case Array("question".utf8) where tables.isEmpty:
        guard words.count == 3, let name = text(words[1]), let value = text(words[2]),
          question.updateValue(value, forKey: name) == nil
        else { throw damaged("a question") }
      case Array("table".utf8):
        guard words.count == 2, let name = text(words[1]), tables.count < SumsFormat.mostTables,
          !tables.contains(where: { $0.name == name })
        else { throw damaged("a table") }
        tables.append(try table(name))
      default: throw damaged("what it begins with")
      }
    }
    return (question, tables)
  }

  private mutating func table(_ name: String) throws(SumsError) -> SumTable {
    let keys = try list("keys", most: SumsFormat.mostKeys)
    let start = position
    let first = try words(of: try nextLine())
    let columns: SumTable.Columns
    if first.first == Array("numbered".utf8) {
      guard first.count == 2, let count = number(first[1][...]), (1...Int64(SumsFormat.mostColumns)).contains(count)
      else { throw damaged("the number of columns") }
      columns = .numbered(Int(count))
    } else {
      position = start
      lineNumber -= 1
      columns = .named(try list("columns", most: SumsFormat.mostColumns))
    }
    var table = SumTable(name, keys: keys, columns: columns)
    while position < end, bytes[position] == 0x2D || bytes[position] == 0x3D {
      let line = try nextLine()
      try addRow(line, to: &table)
    }
    return table
  }

  private mutating func addRow(_ line: [UInt8], to table: inout SumTable) throws(SumsError) {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    let keyCount = max(1, table.keys.count)
    guard parts.count > keyCount else { throw damaged("a row without values") }
    var key: SumTable.Key = []
    for part in parts[..<keyCount] where !table.keys.isEmpty { key.append(try keyPart(part)) }
    var row = SumTable.Row()
    for part in parts[keyCount...] {
      guard let colon = part.firstIndex(of: 0x3A), let column = number(part[..<colon]),
        let value = number(part[(colon + 1)...]), column >= 0, column < table.columns.count,
        column > row.columns.last ?? -1, value != 0, value.magnitude <= CheckedSum.limit.magnitude
      else { throw damaged("a value") }
      row.append(Int(column), value)
    }
    guard table.rows[key] == nil else { throw damaged("a key that comes twice") }
    table.setRow(key, row)
  }

  private func keyPart(_ part: ArraySlice<UInt8>) throws(SumsError) -> [UInt8]? {
    if part.count == 1, part.first == 0x2D { return nil }
    guard part.first == 0x3D else { throw damaged("a key") }
    return try word(part.dropFirst())
  }

  private mutating func list(_ name: String, most: Int) throws(SumsError) -> [String] {
    let words = try words(of: try nextLine())
    guard words.first == Array(name.utf8), words.count <= most + 1 else { throw damaged("the list of \(name)") }
    var list: [String] = []
    for word in words.dropFirst() {
      guard let text = text(word) else { throw damaged("the list of \(name)") }
      list.append(text)
    }
    guard Set(list).count == list.count else { throw damaged("the list of \(name)") }
    return list
  }

  private mutating func nextLine() throws(SumsError) -> [UInt8] {
    lineNumber += 1
    guard let feed = bytes[position..<end].firstIndex(of: 0x0A) else { throw damaged("an end") }
    defer { position = feed + 1 }
    return Array(bytes[position..<feed])
  }

  private func words(of line: [UInt8]) throws(SumsError) -> [[UInt8]] {
    var words: [[UInt8]] = []
    for part in line.split(separator: 0x20, omittingEmptySubsequences: false) { words.append(try word(part)) }
    return words
  }

  /// A word without its escapes.
  private func word(_ part: ArraySlice<UInt8>) throws(SumsError) -> [UInt8] {
    var word: [UInt8] = []
    word.reserveCapacity(part.count)
    var i = part.startIndex
    while i < part.endIndex {
      if part[i] == 0x25 {
        guard part.endIndex - i >= 3, let high = SumsText.digits.firstIndex(of: part[i + 1]),
          let low = SumsText.digits.firstIndex(of: part[i + 2])
        else { throw damaged("an escape") }
        word.append(UInt8(high << 4 | low))
        i += 3
      } else {
        guard SumsText.isPlain(part[i]) else { throw damaged("a control character") }
        word.append(part[i])
        i += 1
      }
    }
    return word
  }

  private func text(_ word: [UInt8]) -> String? { String(validating: word, as: UTF8.self) }

  /// That it is written in the one right way is found when the whole file is compared.
  private func number(_ digits: ArraySlice<UInt8>) -> Int64? { Int64(String(decoding: digits, as: UTF8.self)) }

  private func damaged(_ what: String) -> SumsError {
    SumsError(.damaged, "line \(lineNumber): \(what) is not as it is written")
  }
}
