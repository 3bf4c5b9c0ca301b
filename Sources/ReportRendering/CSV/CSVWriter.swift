// The one writer of CSV (RFC 4180): rows of cells. Text from outside is made harmless, unknown values are empty.

import PermissionAnalysis
import PermissionEvents

/// Writes rows cell by cell. The columns are named once, and each row has a cell for each.
struct CSVWriter {
  private(set) var bytes: [UInt8] = []
  private var isInRow = false

  /// Rows alone, or cells for `encoded`.
  init() {}

  init(_ columns: [String]) { bytes = Array((columns.joined(separator: ",") + "\r\n").utf8) }

  mutating func endRow() {
    bytes += [0x0D, 0x0A]
    isInRow = false
  }

  /// Hands over the bytes once there are many.
  mutating func flush(from size: Int = 1 << 18, to sink: ([UInt8]) throws -> Void) rethrows {
    guard bytes.count >= size else { return }
    try sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func reserveCapacity(_ size: Int) { bytes.reserveCapacity(size) }

  // MARK: Cells

  /// Our own words.
  mutating func text(_ text: String?) {
    begin()
    if let text { CSVText.write(Array(text.utf8), into: &bytes) }
  }

  /// What comes from outside.
  mutating func name(_ name: String?) {
    begin()
    if let name { CSVText.write(Array(CSVText.harmless(name).utf8), into: &bytes) }
  }

  mutating func flag(_ flag: Bool?) { text(flag.map { $0 ? "true" : "false" }) }

  @inline(__always)
  mutating func number(_ number: Double?) {
    begin()
    guard let number, number.isFinite else { return }
    guard let whole = NumberText.whole(number), whole >= 0, whole < 10 else {
      bytes += NumberText.exact(number).utf8
      return
    }
    // Most are, and more than half of them 0.
    bytes.append(0x30 + UInt8(truncatingIfNeeded: whole))
  }

  mutating func number(_ number: Int?) { self.number(number.map(Double.init)) }

  /// The cells `value`, `low` and `high`.
  mutating func estimate(_ estimate: Estimate?) {
    number(estimate?.value)
    number(estimate?.low)
    number(estimate?.high)
  }

  /// The cells `value`, `low`, `high` and `n`.
  mutating func value(_ value: FigureValue) {
    number(value.value)
    number(value.low)
    number(value.high)
    number(value.n)
  }

  /// Cells as they were written before, or a cell of two parts that need no quotes.
  mutating func encoded(_ cells: [UInt8], _ more: [UInt8] = []) {
    begin()
    bytes += cells
    if !more.isEmpty { bytes += more }
  }

  @inline(__always)
  private mutating func begin() {
    if isInRow { bytes.append(0x2C) }
    isInRow = true
  }
}

package enum CSVText {
  /// Appends a cell: quoted if it has a comma, a quote or a line break.
  package static func write(_ value: [UInt8], into out: inout [UInt8]) {
    guard value.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
      out += value
      return
    }
    out.append(0x22)
    for byte in value {
      if byte == 0x22 { out.append(0x22) }
      out.append(byte)
    }
    out.append(0x22)
  }

  /// Text from outside that a spreadsheet may open. It is never a formula, and hidden characters are printed like
  /// `\u{9B}`, so different names stay different.
  ///
  /// Spreadsheets calculate cells that begin with one of these signs, quoted or not; an apostrophe before it makes them
  /// text. An existing apostrophe gets one more, so removing one always returns the name.
  static func harmless(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return guarded(text, text) }
    var shown = ""
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if TextStyle.isHidden(scalar, after: before) {
        shown += TextStyle.codePoint(scalar)
      } else {
        shown.unicodeScalars.append(scalar)
      }
      before = scalar
    }
    return guarded(text, shown)
  }

  package static func writeHarmless(_ value: [UInt8], into out: inout [UInt8]) {
    write(Array(harmless(String(bounded: value)).utf8), into: &out)
  }

  /// Spreadsheets may skip leading spaces.
  private static func guarded(_ text: String, _ shown: String) -> String {
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace && !TextStyle.isHidden($0, after: " ") }
    let isFormula = first.map { formulaSigns.contains($0) } ?? false
    return isFormula || text.utf8.first == 0x09 || text.utf8.first == 0x0D ? "'" + shown : shown
  }

  private static let formulaSigns: Set<Unicode.Scalar> = ["=", "+", "-", "@", "'", "＝", "＋", "－", "＠"]
}

// MARK: Trees of figures as tables of one number a row, with columns for what the number is about

/// A table that is written row by row. The columns `figure`, `value`, `low`, `high` and `n` follow the key columns.
struct FigureTable: FigureWalk {
  private(set) var csv: CSVWriter
  private let columns: [String]
  /// The cells of the columns before the figure. Names in them come from outside.
  private var place: [String]
  private let after: [String]
  /// The column for the part of the row that a number belongs to, instead of a prefix of the figure's name. Nil
  /// without such a column.
  private let partColumn: Int?
  private var path = ""
  private var isAtTop = true
  /// The encoded key columns; empty if they changed.
  private var cells: [UInt8] = []

  /// - Parameters:
  ///   - columns: before the figure.
  ///   - partColumn: the column with the name of the part.
  ///   - after: columns after the numbers, with what all rows have there.
  init(_ columns: [String], partColumn: String? = nil, after: [(column: String, cell: String)] = []) {
    self.columns = columns
    self.after = after.map(\.cell)
    self.partColumn = partColumn.flatMap { columns.firstIndex(of: $0) }
    place = [String](repeating: "", count: columns.count)
    csv = CSVWriter(columns + ["figure", "value", "low", "high", "n"] + after.map(\.column))
  }

  mutating func flush(to sink: ([UInt8]) throws -> Void) rethrows { try csv.flush(from: 0, to: sink) }

  /// Rows about something: a cell is empty if it is not named.
  mutating func rows(about place: KeyValuePairs<String, String?>, _ body: (inout FigureTable) -> Void) {
    let before = self.place
    for (column, cell) in place { set(column, cell ?? "") }
    body(&self)
    self.place = before
    cells = []
  }

  mutating func row(_ figure: String, _ value: FigureValue) {
    if cells.isEmpty {
      var writer = CSVWriter()
      for cell in place { writer.name(cell) }
      cells = writer.bytes
    }
    csv.encoded(cells)
    csv.text(figure)
    csv.value(value)
    for cell in after { csv.text(cell) }
    csv.endRow()
  }

  private mutating func set(_ column: String, _ cell: String) {
    guard let number = columns.firstIndex(of: column) else { return }
    place[number] = cell
    cells = []
  }

  // MARK: Trees

  mutating func rows<Row>(_ nodes: [FigureNode<Row>], of row: Row) { go(nodes, row) }

  /// - Parameter row: nil if it is not there: its numbers are unknown.
  private mutating func go<Row>(_ nodes: [FigureNode<Row>], _ row: Row?) {
    for node in nodes {
      switch node {
      case .figure:
        for number in FigureNumber.all(of: [node], under: path) {
          guard let row else { self.row(Self.name(number.name), FigureValue(nil)); continue }
          if let value = number.value(row) { self.row(Self.name(number.name), value) }
        }
      case .group(let name, let nodes): within("\(name)") { $0.go(nodes, row) }
      case .days(let name, let days): for one in days { within("\(name).day_\(one.day)") { $0.go(one.nodes, row) } }
      case .classes(_, let classes): for one in classes { within("\(one.name)") { $0.go(one.nodes, row) } }
      case .optional(let name, let isThere, let nodes):
        if let row, isThere(row) { within("\(name)") { $0.go(nodes, row) } }
      case .knowable(let name, let isKnown, let nodes):
        within("\(name)") { $0.go(nodes, row.flatMap { isKnown($0) ? $0 : nil }) }
      case .part(let name, let part): if let row { within("\(name)") { part.send(&$0, to: row) } }
      case .inTables(let nodes): go(nodes, row)
      case .inJSON: break
      }
    }
  }

  /// A figure without a name has the name of its parent.
  private static func name(_ path: String) -> String { path.hasSuffix(".") ? String(path.dropLast()) : path }

  private mutating func within(_ name: String, _ body: (inout FigureTable) -> Void) {
    let (path, isAtTop, place) = (self.path, self.isAtTop, self.place)
    if isAtTop, let partColumn { set(columns[partColumn], name) } else if !name.isEmpty { self.path += name + "." }
    self.isAtTop = false
    body(&self)
    (self.path, self.isAtTop, self.place) = (path, isAtTop, place)
    cells = []
  }

  mutating func visit<Part>(_ part: Part, _ nodes: [FigureNode<Part>], isElement: Bool, place: [FigureSubject]) {
    let (path, before) = (self.path, self.place)
    for one in place {
      switch one {
      case .name(let name): self.path += name + "."
      case .column(let column, let cell): set("\(column)", cell)
      }
    }
    go(nodes, part)
    (self.path, self.place) = (path, before)
    cells = []
  }

  mutating func miss<Part>(_ nodes: [FigureNode<Part>], isKnowable: Bool) {
    if isKnowable { go(nodes, nil) }
  }
}
