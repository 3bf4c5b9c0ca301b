// Writing sums as text.

import CXXHash

/// Lines of a file of sums. A word has no blank in it: bytes up to the blank, `%` and DEL are written as `%` and two digits.
struct SumsText {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String) { bytes += text.utf8 }

  mutating func line(_ text: String) {
    bytes += text.utf8
    bytes.append(0x0A)
  }

  mutating func add(word: [UInt8]) {
    for byte in word {
      if Self.isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes.append(0x25)
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      }
    }
  }

  static let digits = Array("0123456789ABCDEF".utf8)

  static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x25 && byte != 0x7F }

  mutating func add(_ table: SumTable) {
    add("table ")
    add(word: Array(table.name.utf8))
    line("")
    add(list: "keys", table.keys)
    switch table.columns {
    case .named(let names): add(list: "columns", names)
    case .numbered(let count): line("numbered \(count)")
    }
    for (key, row) in table.orderedRows {
      add(key)
      for (column, value) in zip(row.columns, row.values) {
        add(" \(column):\(value)")
      }
      bytes.append(0x0A)
    }
  }

  private mutating func add(list name: String, _ words: [String]) {
    add(name)
    for word in words {
      add(" ")
      add(word: Array(word.utf8))
    }
    line("")
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
