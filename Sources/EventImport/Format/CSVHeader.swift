// The first record of a canonical CSV file: which column holds which field.

import Buffers
import EventMapping

struct CSVHeader: Sendable {
  /// `ImportField` number of each column; -1 for an unwanted column.
  let fields: [Int]
  let ownNames: [String]
  /// The names of all columns; fields have their canonical names.
  let columns: [String]
  let shape: CSVShape
  private let timestamp: Int

  /// - Parameter names: the cells of the header.
  /// - Throws: `ImportError.badHeader` if a field has two columns or a required field has no column.
  init(names: [[UInt8]], delimiter: UInt8, file: String, line: Int) throws(ImportError) {
    let found = Self.fields(names)
    var places: [Int: Int] = [:]
    for (column, field) in found.enumerated() where field >= 0 {
      if let first = places[field] {
        let both = [first, column].map { String(bounded: names[$0]) }
        throw .duplicateColumn(file, ImportField.names[field], both, line: line)
      }
      places[field] = column
    }
    let missing = ImportField.required.filter { places[$0] == nil }
    if !missing.isEmpty { throw .missingColumns(file, missing.map { ImportField.names[$0] }, line: line) }
    fields = found
    ownNames = names.map { String(bounded: $0) }
    columns = zip(ownNames, found).map { $1 >= 0 ? ImportField.names[$1] : $0 }
    shape = CSVShape(delimiter: delimiter, names: names)
    timestamp = places[ImportField.timestamp] ?? 0
  }

  static func isHeader(_ names: [[UInt8]]) -> Bool {
    let fields = Set(Self.fields(names))
    return ImportField.required.allSatisfy(fields.contains)
  }

  private static func fields(_ names: [[UInt8]]) -> [Int] { names.map { field($0) ?? -1 } }

  /// The field that a column's name means, in any case and with spaces, dashes or capitals between its words.
  static func field(_ name: [UInt8]) -> Int? {
    if let exact = ImportField.index(of: name) { return exact }
    return folded[NormalName(name).text.filter { $0 != "_" }]
  }

  private static let folded = Dictionary(
    uniqueKeysWithValues: ImportField.names.enumerated().map { ($1.filter { $0 != "_" }, $0) })

  // MARK: Headings further down, as `cat` leaves them

  enum Repetition {
    case none
    case same
    /// A heading with other columns, so that the records after it would be read wrongly.
    case other
  }

  /// - Parameter cells: a record's, whether it has the heading's columns or not.
  func repetition(_ cells: [PaddedBytes]) -> Repetition {
    // A record is quickly recognised as not a heading: its time begins with a digit.
    if cells.count > timestamp, let first = cells[timestamp].bytes.first, first &- 0x30 <= 9 { return .none }
    return slowRepetition(cells)
  }

  @inline(never)
  private func slowRepetition(_ cells: [PaddedBytes]) -> Repetition {
    // Names are made only if one could be `timestamp`, so that broken lines stay cheap.
    guard cells.contains(where: Self.couldBeTimestamp) else { return .none }
    let names = cells.map { CSVDialect.trimmed($0.bytes) }
    guard Self.isHeader(names) else { return .none }
    let columns = CSVShape(delimiter: shape.delimiter, names: names).columns
    return Self.fields(names).prefix(columns) == fields.prefix(shape.columns) ? .same : .other
  }

  private static func couldBeTimestamp(_ cell: PaddedBytes) -> Bool {
    guard cell.count >= 9, cell.count <= 64 else { return false }
    let first = cell.bytes.first { $0 >= 0x41 && $0 < 0x80 }
    return first.map { $0 | 0x20 == 0x74 } ?? false
  }
}

/// The facts that a reader of cells needs: the delimiter, and the number of cells in a record.
struct CSVShape: Sendable, Equatable {
  /// Delimiters that are looked for, in the order in which they win a tie.
  static let delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
  /// Line ends that a record may have in its quoted cells.
  static let maximumLines = 256

  let delimiter: UInt8
  /// Cells that a record must have: columns up to the last one that has a name.
  let columns: Int
  /// Cells that a record may have; more are accepted if they are empty, as spreadsheets write them.
  let named: Int

  /// - Parameter names: the heading. Spreadsheets write empty names at its end, for unused columns.
  init(delimiter: UInt8, names: [[UInt8]]) {
    self.delimiter = delimiter
    columns = (names.lastIndex { !$0.isEmpty } ?? -1) + 1
    named = names.count
  }

  /// The shape of a heading, which may have any number of cells.
  init(headingOf delimiter: UInt8) {
    self.delimiter = delimiter
    columns = 1
    named = .max
  }

  /// Whether a record with these cells has the heading's columns.
  @inline(__always)
  func fits(_ cells: [PaddedBytes]) -> Bool {
    cells.count >= columns && (cells.count <= named || cells[named...].allSatisfy(\.isEmpty))
  }

  /// Whether the bytes are not a record: only spaces, and delimiters as spreadsheets write them for an empty row.
  @inline(__always)
  func isBlank(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    var i = range.lowerBound
    while i < range.upperBound, ByteSearch.isBlank(bytes[i]) || bytes[i] == delimiter { i += 1 }
    return i == range.upperBound
  }
}

/// The columns of a CSV file that a mapping describes, under the names of the file's heading.
struct CSVColumns: Sendable, Equatable {
  let names: [String]
  let shape: CSVShape

  init(names: [[UInt8]], delimiter: UInt8) {
    self.names = names.map { String(bounded: $0) }
    shape = CSVShape(delimiter: delimiter, names: names)
  }

  /// Whether the cells repeat the heading, as `cat` leaves it between two files.
  func isHeading(_ cells: [PaddedBytes]) -> Bool {
    // A cell of another length than the name is rejected without comparing its text.
    cells.count == names.count
      && zip(names, cells).allSatisfy { name, cell in
        cell.count >= name.utf8.count && CSVDialect.trimmed(cell.bytes).elementsEqual(name.utf8)
      }
  }
}

// MARK: The delimiter of a file of cells, found by counting, and its heading. Spreadsheets use the delimiter of their language

/// One dialect in which the beginning of a file of cells can be read.
struct CSVDialect {
  let delimiter: UInt8
  /// The heading's cells, without spaces at their ends.
  private(set) var names: [[UInt8]]
  /// Where the first record begins, and the line ends before it.
  let offset: Int
  let lines: Int
  /// Records of the first ones that have as many cells as the heading.
  private let consistent: Int

  private static let maximumRecords = 50

  /// With a heading in capitals alone in lower case, as the presets name columns: some warehouses write capitals.
  var inLowerCase: CSVDialect {
    guard !names.contains(where: { $0.contains { (0x61...0x7A).contains($0) } }) else { return self }
    var result = self
    result.names = names.map { $0.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    return result
  }

  /// All dialects, the likeliest first; empty if the heading is not a record or is incomplete.
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

  /// A name without the spaces at its ends, and without the byte-order mark of a file that was appended to another one.
  static func trimmed(_ name: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(name)
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    while let first = rest.first, ByteSearch.isBlank(first) { rest.removeFirst() }
    while let last = rest.last, ByteSearch.isBlank(last) { rest.removeLast() }
    return Array(rest)
  }
}
