// What a reader of cells has to know of a file: the delimiter, and how many cells a record has.

/// The shape of a CSV file's records.
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

  /// - Parameter names: the heading. Spreadsheets write empty names at its end, for columns that nobody uses.
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

  /// True if a record with these cells has the heading's columns.
  @inline(__always)
  func fits(_ cells: [UnsafeRawBufferPointer]) -> Bool {
    cells.count >= columns && (cells.count <= named || cells[named...].allSatisfy(\.isEmpty))
  }

  /// True if bytes alone make no record: blanks, and delimiters as spreadsheets write them for an empty row.
  @inline(__always)
  func isBlank(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Bool {
    var i = range.lowerBound
    while i < range.upperBound, ByteSearch.isBlank(bytes[i]) || bytes[i] == delimiter { i += 1 }
    return i == range.upperBound
  }
}
