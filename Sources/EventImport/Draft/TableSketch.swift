// A table in the head of a file: what is between its cells is found by counting. This is a look, not the reader of
// tables: it only has to be right about what a message or a draft shows.

struct TableSketch {
  let separator: UInt8
  let heading: [String]
  let rows: [[String]]

  private static let maximumLines = 200

  /// Nil if the lines do not have equally many cells, or only one each.
  init?(_ content: ArraySlice<UInt8>, isCut: Bool) {
    var lines = Self.lines(content)
    if isCut, lines.count > 1 { lines.removeLast() }
    // Spreadsheets may name what is between cells in a line of its own.
    if lines.first?.starts(with: "sep=".utf8) == true { lines.removeFirst() }
    guard let first = lines.first else { return nil }
    // The one that gives most cells among those by which most lines have as many as the heading.
    var best: (separator: UInt8, columns: Int)?
    for separator in CSVShape.delimiters {
      let columns = Self.cells(first, separator).count
      guard columns > best?.columns ?? 1 else { continue }
      let alike = lines.count { Self.cells($0, separator).count == columns }
      if alike * 5 >= lines.count * 4 { best = (separator, columns) }
    }
    guard let separator = best?.separator else { return nil }
    self.separator = separator
    heading = Self.cells(first, separator)
    guard heading.allSatisfy(Self.isName) else { return nil }
    rows = lines.dropFirst().map { Self.cells($0, separator) }
  }

  /// A heading is no sentence.
  private static func isName(_ cell: String) -> Bool {
    cell.utf8.count <= 80 && cell.split(separator: " ").count <= 4 && cell.utf8.last != 0x2E
  }

  /// The first lines that are not blank; a line end in quotes does not end one.
  private static func lines(_ content: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var isQuoted = false
    return content.split { byte in
      if byte == ByteSearch.quote { isQuoted.toggle() }
      return byte == ByteSearch.newline && !isQuoted
    }
    .lazy.filter { $0.contains { !ByteSearch.isBlank($0) } }.prefix(maximumLines)
    .map { $0.last == 0x0D ? $0.dropLast() : $0 }
  }

  private static func cells(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> [String] {
    var result: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var last: UInt8?
    for byte in line {
      if byte == ByteSearch.quote {
        // Two quotes inside of quotes are one.
        if !isQuoted, last == ByteSearch.quote, !cell.isEmpty { cell.append(byte) }
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        result.append(String(decoding: cell, as: UTF8.self))
        cell = []
      } else {
        cell.append(byte)
      }
      last = byte
    }
    return result + [String(decoding: cell, as: UTF8.self)]
  }
}
