// Writes sums as text. docs/sums-format.md describes the format, which cannot change within a version.

import CXXHash

package enum SumsFormat {
  static let magic = "permlog-sums"
  static let version = 4
  /// Without a list of users who are left out; with a sketch of the users.
  static let versionOfSketch = 3
  /// Without either.
  static let oldestVersion = 2
  /// Most parts of a key, columns of a table, tables of an answer, and answers.
  static let mostKeys = 16
  static let mostColumns = 1 << 16
  static let mostTables = 64
  package static let mostAnswers = 10_000
}

/// Lines of a file of sums. A word has no space in it: bytes up to the space, `%` and DEL are written as `%` and two digits.
struct SumsText {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String) { bytes += text.utf8 }

  mutating func line(_ text: String) {
    bytes += text.utf8
    bytes.append(0x0A)
  }

  /// The name of a line, a space, and the rest unchanged.
  mutating func line(_ name: String, _ rest: some Sequence<UInt8>) {
    bytes += name.utf8
    bytes.append(0x20)
    bytes += rest
    bytes.append(0x0A)
  }

  /// The name of a line and its words.
  mutating func line(_ name: String, words: [String]) {
    bytes += name.utf8
    for word in words {
      bytes.append(0x20)
      add(word: word.utf8)
    }
    bytes.append(0x0A)
  }

  mutating func add(word: some Sequence<UInt8>) {
    for byte in word {
      if Self.isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes.append(0x25)
        bytes.append(Self.digit(byte >> 4))
        bytes.append(Self.digit(byte & 15))
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x41 - 10) }

  @inline(__always) static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x25 && byte != 0x7F }

  /// A space, the number of a column, a colon and the value of each cell. Sums have millions of cells, so several at a
  /// time are composed in a separate buffer, from its end.
  private mutating func add(cellsOf row: SumTable.Row) {
    // A value has at most 19 digits and a sign, and so has a column. Up to 1,024 bytes are on the stack.
    let most = 24
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 42 * most) { space in
      row.columns.withUnsafeBufferPointer { columns in
        row.values.withUnsafeBufferPointer { values in
          for first in stride(from: 0, to: columns.count, by: most) {
            var start = space.count
            for cell in (first..<min(first + most, columns.count)).reversed() {
              Self.put(values[cell], before: &start, in: space)
              start -= 1
              space[start] = 0x3A
              Self.put(Int64(columns[cell]), before: &start, in: space)
              start -= 1
              space[start] = 0x20
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: space[start...]))
          }
        }
      }
    }
  }

  /// Writes a number in decimal digits before an index, which moves to the first digit.
  @inline(__always)
  private static func put(_ number: Int64, before position: inout Int, in space: UnsafeMutableBufferPointer<UInt8>) {
    var rest = number.magnitude
    repeat {
      position -= 1
      space[position] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    guard number < 0 else { return }
    position -= 1
    space[position] = 0x2D
  }

  mutating func add(_ table: SumTable) {
    line("table", words: [table.name])
    line("keys", words: table.keys)
    switch table.columns {
    case .named(let names): line("columns", words: names)
    case .numbered(let count): line("numbered \(count)")
    }
    for (key, row) in table.orderedRows {
      add(key)
      add(cellsOf: row)
      bytes.append(0x0A)
    }
  }

  /// `-` if it is absent, else `=` and the word. A row of a table without keys begins with `-`, too.
  private mutating func add(_ key: SumTable.Key) {
    if key.isEmpty { bytes.append(0x2D) }
    for (number, part) in key.enumerated() {
      if number > 0 { bytes.append(0x20) }
      guard let part else {
        bytes.append(0x2D)
        continue
      }
      bytes.append(0x3D)
      add(word: part)
    }
  }

  mutating func endWithChecksum() {
    bytes += Self.checksumLine(of: bytes[...])
  }

  /// The last line: "checksum ", 16 digits, a line feed.
  static func checksumLine(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    let sum = bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, 0) }
    let text = String(sum, radix: 16)
    return Array("checksum \(String(repeating: "0", count: 16 - text.utf8.count))\(text)\n".utf8)
  }

  static let checksumLength = 26
}

// MARK: Files

/// Makes the bytes of a file of sums. The same answers in the same order are always the same bytes.
package struct SumsWriter {
  private var out = SumsText()

  /// - Parameter job: nil for sums without shards.
  package init(_ job: SumsJob? = nil) {
    let version =
      job?.without != nil
      ? SumsFormat.version : job?.totals.sketch == nil ? SumsFormat.oldestVersion : SumsFormat.versionOfSketch
    out.line("\(SumsFormat.magic) \(version)")
    if let job { out.add(job) }
  }

  package mutating func add(_ question: SumsQuestion, _ tables: [SumTable]) {
    switch question {
    case .encoded(let json): out.line("question", json)
    case .named(let fold, let facts):
      out.line("fold", fold.utf8)
      for (name, value) in facts.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        out.line("asked", words: [name, value])
      }
    }
    for table in tables { out.add(table) }
  }

  /// The bytes with their checksum.
  package consuming func finish() -> [UInt8] {
    out.endWithChecksum()
    return out.bytes
  }
}
