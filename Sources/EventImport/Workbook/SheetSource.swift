// A sheet as CSV, on its way to the reader of CSV: the row's number in the sheet is the line's number, and all rules of cells are the
// same.

import PermissionEvents

/// The rows below a sheet's heading as lines of CSV (RFC 4180), the heading first.
final class SheetSource: ByteSource {
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
  /// The last row in which a heading may be.
  private static let lowest = 1000

  /// Nil if the sheet has no heading.
  private init?(_ workbook: Workbook, _ sheet: Workbook.Sheet) throws(ImportError) {
    guard let rows = try SheetRows(workbook, part: sheet.part) else { return nil }
    var first: [SheetRow] = []
    while first.count < Self.looked, let row = try rows.next() { first.append(row) }
    // Of the middle row, because notes beside a few rows are not columns.
    let counts = first.map(\.cells.count).sorted()
    let usual = counts.isEmpty ? 0 : counts[counts.count / 2]
    let index = first.firstIndex { row in
      row.cells.count >= 2 && row.cells.count * 5 >= usual * 4 && row.number <= Self.lowest
        && row.cells.allSatisfy(\.isText) && Set(row.cells.map(\.text)).count == row.cells.count
    }
    guard let index, first.count > 1 || usual > 2, let left = first[index].cells.first?.column,
      let right = first[index].cells.last?.column
    else { return nil }
    self.rows = rows
    self.sheet = sheet.name
    columns = left..<right + 1
    waitingRows = first[index...]
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

  /// The row on the line of its number. Cells outside the heading's columns are ignored.
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

// MARK: The rows of one sheet, one at a time: its cells as texts, without empty ones

/// A row with its number in the sheet, from 1.
struct SheetRow {
  struct Cell {
    /// From 0.
    var column: Int
    var text: [UInt8]
    /// It was written as text, so it is not a number or date.
    var isText: Bool
  }

  var number: Int
  var cells: [Cell] = []
}

final class SheetRows {
  private let workbook: Workbook
  private let tokens: XMLTokens
  let source: any ByteSource
  private var isInside = false
  private var isDone = false
  private var lastRow = 0

  private static let mostRows = 1 << 20
  private static let mostColumns = 1 << 14

  /// Nil if the workbook does not have the part.
  init?(_ workbook: Workbook, part: String) throws(ImportError) {
    guard let (tokens, source) = try workbook.tokens(of: part) else { return nil }
    self.workbook = workbook
    self.tokens = tokens
    self.source = source
  }

  /// The next row that has a cell; nil at the end.
  func next() throws(ImportError) -> SheetRow? {
    while !isDone {
      switch try tokens.next() {
      case .eof:
        if isInside { throw tokens.damaged("a sheet ends inside its rows") }
        isDone = true
      case .start(let isEmpty):
        if tokens.element == "sheetData" { isInside = !isEmpty }
        guard isInside, tokens.element == "row" else { continue }
        let number = try rowNumber()
        if isEmpty { continue }
        let row = try readRow(number)
        if !row.cells.isEmpty { return row }
      case .end:
        // Bytes after the cells do not matter.
        if tokens.element == "sheetData" { isDone = true }
      case .text: break
      }
    }
    return nil
  }

  private func rowNumber() throws(ImportError) -> Int {
    let number = tokens["r"] == nil ? lastRow + 1 : tokens.number(of: "r") ?? 0
    guard number > lastRow, number <= Self.mostRows else { throw tokens.damaged("a row is out of order") }
    lastRow = number
    return number
  }

  private func readRow(_ number: Int) throws(ImportError) -> SheetRow {
    var row = SheetRow(number: number)
    var column = -1
    // Beyond the longest line the rest is of no use: the line is refused.
    var length = 0
    while true {
      switch try tokens.next() {
      case .eof: throw tokens.damaged("a sheet ends inside a row")
      case .end:
        if tokens.element == "row" { return row }
      case .text: break
      case .start(let isEmpty):
        guard tokens.element == "c" else { continue }
        column = try tokens["r"].map { reference throws(ImportError) in try self.column(reference) } ?? column + 1
        guard column < Self.mostColumns, column > row.cells.last?.column ?? -1 else {
          throw tokens.damaged("a cell is out of order")
        }
        if isEmpty { continue }
        let cell = try readCell(column)
        length += cell.text.count
        if !cell.text.isEmpty, length <= ImportLimit.line + (1 << 16) { row.cells.append(cell) }
      }
    }
  }

  /// The letters of `AB12`, from 0.
  private func column(_ reference: [UInt8]) throws(ImportError) -> Int {
    var column = 0
    for byte in reference.prefix(while: { ($0 | 0x20) &- 97 < 26 }).prefix(4) {
      column = column * 26 + Int((byte | 0x20) - 96)
    }
    guard column > 0 else { throw tokens.damaged("a cell has no column") }
    return column - 1
  }

  private func readCell(_ column: Int) throws(ImportError) -> SheetRow.Cell {
    let type = tokens.text(of: "t") ?? "n"
    let style = tokens.number(of: "s") ?? 0
    var value: [UInt8] = []
    var (isValue, isPhonetic) = (false, false)
    while true {
      switch try tokens.next() {
      case .eof: throw tokens.damaged("a sheet ends inside a cell")
      case .start(let isEmpty):
        if tokens.element == "rPh" { isPhonetic = !isEmpty }
        isValue = !isEmpty && !isPhonetic && (tokens.element == "v" || tokens.element == "t")
      case .text:
        if isValue { value += tokens.text }
        guard value.count <= ImportLimit.line else { throw tokens.damaged("a cell is longer than 1 MiB") }
      case .end:
        if tokens.element == "rPh" { isPhonetic = false }
        if tokens.element == "c" {
          return SheetRow.Cell(
            column: column, text: try text(value, type, style), isText: ["s", "str", "inlineStr"].contains(type))
        }
        isValue = false
      }
    }
  }

  private func text(_ value: [UInt8], _ type: String, _ style: Int) throws(ImportError) -> [UInt8] {
    switch type {
    case "s":
      if value.isEmpty { return [] }
      guard let index = XMLTokens.number(value), let text = workbook.shared(index) else {
        throw tokens.damaged("a cell refers to a missing text")
      }
      return Self.unescaped(text)
    case "str", "inlineStr": return Self.unescaped(value[...])
    case "b": return value.isEmpty ? [] : Array((value == [0x31] ? "true" : "false").utf8)
    // The cell shows `#N/A` or another error.
    case "e": return []
    case "d": return value
    default:
      if value.isEmpty { return [] }
      let isDate = workbook.isDate.indices.contains(style) && workbook.isDate[style]
      return isDate
        ? CellNumber.date(value, is1904: workbook.is1904) ?? CellNumber.text(value) : CellNumber.text(value)
    }
  }

  /// `_x000D_` is a character that XML cannot have. Line ends become spaces, so that a row is a line.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var i = text.startIndex
    while i < text.endIndex {
      var byte = text[i]
      var length = 1
      if byte == 0x5F, text.endIndex - i >= 7, text[i + 1] == 0x78, text[i + 6] == 0x5F,
        let code = UInt32(String(bounded: text[(i + 2)..<(i + 6)]), radix: 16),
        let scalar = Unicode.Scalar(code)
      {
        length = 7
        if code > 0x7F || code == 0 {
          result += Array(String(scalar).utf8)
          i += length
          continue
        }
        byte = UInt8(code)
      }
      result.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte)
      i += length
    }
    return result
  }
}

// MARK: Numbers in cells: as displayed, and as dates if their number format is a date format (ECMA-376, 18.8.30 and 18.17.4.1)

enum CellNumber {
  /// Number formats that every workbook has and that show dates or times: 27 to 36 and 50 to 58 in East Asia.
  static func isDate(builtIn id: Int) -> Bool {
    switch id {
    case 14...22, 27...36, 45...47, 50...58: true
    default: false
    }
  }

  /// Whether a format of the workbook's own shows a date or a time: it has a day, month, year, hour or second outside of quotes.
  static func isDate(format: [UInt8]) -> Bool {
    var rest = format[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x3B: return false
      case 0x22: rest = rest.drop { $0 != 0x22 }.dropFirst()
      // An escaped character, a space of its width, one that fills the cell.
      case 0x5C, 0x5F, 0x2A: _ = rest.popFirst()
      case 0x5B:
        // `[h]` is a time that continues after a day; `[Red]` and `[$-407]` are not times.
        let inside = rest.prefix { $0 != 0x5D }.map { $0 | 0x20 }
        if let first = inside.first, "hms".utf8.contains(first), inside.allSatisfy({ $0 == first }) { return true }
        rest = rest.dropFirst(inside.count + 1)
      default: if "dmyhs".utf8.contains(byte | 0x20) { return true }
      }
    }
    return false
  }

  /// A number as a cell shows it without a format: 15 digits, no exponent where it is an integer.
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count <= 40, let number = Double(String(bounded: bytes)), number.isFinite else {
      return bytes
    }
    // From here on an exponent shows that an id was rounded.
    guard abs(number) < 1e15 else { return bytes }
    if number == number.rounded() { return Array(String(Int64(number)).utf8) }
    guard abs(number) >= 1e-4 else { return bytes }
    var digits = 14
    var limit = 10.0
    while digits > 1, abs(number) >= limit {
      limit *= 10
      digits -= 1
    }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64(abs(number))
    let fraction = Int64(((abs(number) - Double(whole)) * scale).rounded())
    guard fraction > 0, fraction < Int64(scale) else { return Array(String(Int64(number.rounded())).utf8) }
    let places = String(fraction)
    var text =
      (number < 0 ? "-" : "") + String(whole) + "." + String(repeating: "0", count: max(0, digits - places.count))
      + places
    while text.hasSuffix("0") { text.removeLast() }
    return Array(text.utf8)
  }

  /// A day's number as `2026-03-02 10:00:00`, or a time of day; nil if it is not a date of the calendar.
  /// - Parameter is1904: days count from 1904, not from 1900.
  static func date(_ bytes: [UInt8], is1904: Bool) -> [UInt8]? {
    guard bytes.count <= 40, let serial = Double(String(bounded: bytes)), serial >= 0,
      serial < 2_958_466
    else { return nil }
    let milliseconds = Int64((serial * 86_400_000).rounded())
    var day = milliseconds / 86_400_000
    let isTime = !is1904 && day == 0
    // 1900 was not a leap year, but spreadsheets treat it as one.
    if !is1904, day == 60 { return nil }
    day += is1904 ? 1462 : day < 60 ? 1 : 0
    var text: [UInt8] = []
    // Day 25,569 is 1970-01-01.
    Timestamp.write((day - 25_569) * 86_400_000 + milliseconds % 86_400_000, into: &text)
    // After the date comes `THH:MM:SS.mmmZ`.
    text[text.count - 14] = 0x20
    text.removeLast(milliseconds % 1000 > 0 ? 1 : 5)
    return isTime ? Array(text.dropFirst(11)) : text
  }
}
