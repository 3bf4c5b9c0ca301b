// A sheet as CSV, on its way to the reader of CSV: the row's number in the sheet is the line's number, and all rules of cells are the
// same.

/// The rows below a sheet's heading as lines of CSV (RFC 4180), the heading first.
final class SheetSource: ByteSource {
  /// The sheet's name, for messages.
  let sheet: String
  private let rows: SheetRows
  /// Rows that were read to find the heading.
  private var waitingRows: ArraySlice<SheetRow>
  private let columns: Range<Int>
  private var line = 1
  private var output: [UInt8] = []
  private var taken = 0

  var storedBytes: Int { rows.source.storedBytes }

  /// The first sheet that has a heading of three columns, or else of two; visible ones first.
  /// - Throws: if none has.
  static func first(of workbook: Workbook) throws(ImportError) -> SheetSource {
    var narrow: SheetSource?
    for isHidden in [false, true] {
      for sheet in workbook.sheets where sheet.isHidden == isHidden {
        guard let source = try SheetSource(workbook, sheet) else { continue }
        if source.columns.count > 2 { return source }
        narrow = narrow ?? source
      }
    }
    guard let narrow else {
      throw .workbook(
        workbook.name, "has no sheet with a heading: names in the cells of its first row, and rows below it")
    }
    return narrow
  }

  private static let looked = 20
  /// A heading further down is none.
  private static let lowest = 1000

  /// Nil if the sheet has no heading.
  private init?(_ workbook: Workbook, _ sheet: Workbook.Sheet) throws(ImportError) {
    guard let rows = try SheetRows(workbook, part: sheet.part) else { return nil }
    var first: [SheetRow] = []
    while first.count < Self.looked, let row = try rows.next() { first.append(row) }
    // Of the middle row: notes beside a row or two are no columns.
    let counts = first.map(\.cells.count).sorted()
    let usual = counts.isEmpty ? 0 : counts[counts.count / 2]
    let place = first.firstIndex { row in
      row.cells.count >= 2 && row.cells.count * 5 >= usual * 4 && row.number <= Self.lowest
        && row.cells.allSatisfy(\.isText) && Set(row.cells.map(\.text)).count == row.cells.count
    }
    guard let place, first.count > 1 || usual > 2, let left = first[place].cells.first?.column,
      let right = first[place].cells.last?.column
    else { return nil }
    self.rows = rows
    self.sheet = sheet.name
    columns = left..<right + 1
    waitingRows = first[place...]
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while taken == output.count {
      let waiting = waitingRows.popFirst()
      guard let row = try waiting == nil ? rows.next() : waiting else { return 0 }
      output.removeAll(keepingCapacity: true)
      taken = 0
      write(row)
    }
    let count = min(buffer.count, output.count - taken)
    buffer.copyBytes(from: output[taken..<taken + count])
    taken += count
    return count
  }

  /// The row on the line of its number. What is beside the heading's columns belongs to none.
  private func write(_ row: SheetRow) {
    output += [UInt8](repeating: ByteSearch.newline, count: row.number - line)
    line = row.number + 1
    var next = columns.lowerBound
    for cell in row.cells where columns.contains(cell.column) {
      output += [UInt8](repeating: 0x2C, count: cell.column - next)
      next = cell.column
      Self.append(cell.text, to: &output)
    }
    // An empty row has no delimiters either.
    if next > columns.lowerBound || row.cells.contains(where: { $0.column == next }) {
      output += [UInt8](repeating: 0x2C, count: columns.upperBound - 1 - next)
    }
    output.append(ByteSearch.newline)
  }

  /// In quotes if it has anything that could mean something to a reader of tables or of JSON.
  private static func append(_ text: [UInt8], to output: inout [UInt8]) {
    let isPlain = text.allSatisfy { byte in
      byte &- 48 <= 9 || (byte | 0x20) &- 97 < 26 || byte >= 0x80 || byte == 0x5F || byte == 0x2D || byte == 0x2E
        || byte == 0x3A
    }
    guard !isPlain else {
      output += text
      return
    }
    output.append(ByteSearch.quote)
    for byte in text {
      if byte == ByteSearch.quote { output.append(byte) }
      output.append(byte)
    }
    output.append(ByteSearch.quote)
  }
}
