// The delimiter of a file of cells, told by counting, and its heading. Spreadsheets write what their language asks for.

import Buffers

/// One way to read the beginning of a file of cells.
struct CSVDialect {
  let delimiter: UInt8
  /// The heading's cells, blanks at their ends cut.
  let names: [[UInt8]]
  /// Where the first record begins, and the line ends before it.
  let offset: Int
  let lines: Int
  /// Records of the first ones that have as many cells as the heading.
  private let consistent: Int

  private static let maximumRecords = 50

  /// All ways, the likeliest first; none if the heading is no record or is not whole.
  static func all(_ head: [UInt8], from start: Int, lines: Int) -> [CSVDialect] {
    let named = named(head, from: start)
    let ways = (named.map { [$0.delimiter] } ?? CSVShape.delimiters).compactMap {
      CSVDialect(head, from: named?.offset ?? start, lines: lines + (named == nil ? 0 : 1), delimiter: $0)
    }
    return ways.enumerated().sorted { a, b in
      let (x, y) = (a.element, b.element)
      if (x.names.count > 1) != (y.names.count > 1) { return x.names.count > 1 }
      if x.consistent != y.consistent { return x.consistent > y.consistent }
      if x.names.count != y.names.count { return x.names.count > y.names.count }
      return a.offset < b.offset
    }.map(\.element)
  }

  /// The delimiter that a file names in a first line `sep=;`, as spreadsheets do.
  private static func named(_ head: [UInt8], from start: Int) -> (delimiter: UInt8, offset: Int)? {
    let mark = Array("sep=".utf8)
    guard head[start...].starts(with: mark), let end = head[start...].firstIndex(of: ByteSearch.newline) else {
      return nil
    }
    let rest = head[(start + mark.count)..<end].filter { $0 != 0x0D }
    guard rest.count == 1, CSVShape.delimiters.contains(rest[0]) else { return nil }
    return (rest[0], end + 1)
  }

  private init?(_ head: [UInt8], from start: Int, lines: Int, delimiter: UInt8) {
    let text = PaddedBuffer(head)
    let record = CSVRecord()
    // A heading is one line: a quote that is astray in it would take the first records for its own.
    guard record.read(text.bytes, from: start, CSVShape(headingOf: delimiter), Self.tail(head)) == .cells,
      record.lines == 0
    else { return nil }
    self.delimiter = delimiter
    names = record.cells.map { Self.trimmed($0.bytes) }
    offset = min(record.end + 1, head.count)
    self.lines = lines + 1
    var count = 0
    Self.forEachRecord(head, from: offset, CSVShape(delimiter: delimiter, names: names)) { reading, _ in
      if reading == .cells { count += 1 }
      return true
    }
    consistent = count
  }

  private static func tail(_ head: [UInt8]) -> CSVRecord.Tail { FileHead.isCut(head) ? .more : .whole }

  /// Calls the body with the first records until it says false.
  static func forEachRecord(
    _ head: [UInt8], from offset: Int, _ shape: CSVShape, _ body: (CSVRecord.Reading, [PaddedBytes]) -> Bool
  ) {
    let text = PaddedBuffer(head)
    let record = CSVRecord()
    var start = offset
    for _ in 0..<maximumRecords where start < head.count {
      let reading = record.read(text.bytes, from: start, shape, tail(head))
      if reading == .undecided || !body(reading, record.cells) { return }
      start = record.end + 1
    }
  }

  /// A name without the blanks at its ends, and without the mark that a file put after another one brings along.
  static func trimmed(_ name: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(name)
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    while let first = rest.first, ByteSearch.isBlank(first) { rest.removeFirst() }
    while let last = rest.last, ByteSearch.isBlank(last) { rest.removeLast() }
    return Array(rest)
  }
}
