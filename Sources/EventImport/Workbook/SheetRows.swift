// The rows of one sheet, one at a time: its cells as texts, without what is empty.

/// A row with its number in the sheet, from 1.
struct SheetRow {
  struct Cell {
    /// From 0.
    var column: Int
    var text: [UInt8]
    /// It was written as text, and is no number or date.
    var isText: Bool
  }

  var number: Int
  var cells: [Cell] = []
}

final class SheetRows {
  private let workbook: Workbook
  private let tokens: XMLTokens
  /// What the tokens are read from.
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
        if isInside { throw tokens.damaged("a sheet ends inside of its rows") }
        isDone = true
      case .start(let isEmpty):
        if tokens.element == "sheetData" { isInside = !isEmpty }
        guard isInside, tokens.element == "row" else { continue }
        let number = try rowNumber()
        if isEmpty { continue }
        let row = try readRow(number)
        if !row.cells.isEmpty { return row }
      case .end:
        // What follows the cells is of no interest.
        if tokens.element == "sheetData" { isDone = true }
      case .text: break
      }
    }
    return nil
  }

  private func rowNumber() throws(ImportError) -> Int {
    let number = tokens["r"] == nil ? lastRow + 1 : tokens.number(of: "r") ?? 0
    guard number > lastRow, number <= Self.mostRows else { throw tokens.damaged("a row is out of its order") }
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
      case .eof: throw tokens.damaged("a sheet ends inside of a row")
      case .end:
        if tokens.element == "row" { return row }
      case .text: break
      case .start(let isEmpty):
        guard tokens.element == "c" else { continue }
        column = try tokens["r"].map { reference throws(ImportError) in try self.column(reference) } ?? column + 1
        guard column < Self.mostColumns, column > row.cells.last?.column ?? -1 else {
          throw tokens.damaged("a cell is out of its order")
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
      case .eof: throw tokens.damaged("a sheet ends inside of a cell")
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
        throw tokens.damaged("a cell names a text that is not there")
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

  /// `_x000D_` is a character that XML cannot have. Line ends become blanks, so that a row is a line.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var i = text.startIndex
    while i < text.endIndex {
      var byte = text[i]
      var length = 1
      if byte == 0x5F, text.endIndex - i >= 7, text[i + 1] == 0x78, text[i + 6] == 0x5F,
        let code = UInt32(String(decoding: text[(i + 2)..<(i + 6)], as: UTF8.self), radix: 16),
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
