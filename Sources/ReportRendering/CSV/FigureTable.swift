// Trees of figures as tables of one number a row, with columns for what the number is about.

import PermissionAnalysis

/// A table that is written row by row. The columns `figure`, `value`, `low`, `high` and `n` follow those of the place.
struct FigureTable: FigureWalk {
  private(set) var csv: CSVWriter
  private let columns: [String]
  /// The cells of the columns before the figure. Names in them come from outside.
  private var place: [String]
  private let after: [String]
  /// The column that says of which part of the row a number is, in place of the figure's name; nil if there is none.
  private let partColumn: Int?
  private var path = ""
  private var isAtTop = true
  /// The place as it is written; empty if it changed.
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

  /// A figure without a name of its own has that of what it is in.
  private static func name(_ path: String) -> String { path.hasSuffix(".") ? String(path.dropLast()) : path }

  private mutating func within(_ name: String, _ body: (inout FigureTable) -> Void) {
    let (path, isAtTop, place) = (self.path, self.isAtTop, self.place)
    if isAtTop, let partColumn { set(columns[partColumn], name) } else if !name.isEmpty { self.path += name + "." }
    self.isAtTop = false
    body(&self)
    (self.path, self.isAtTop, self.place) = (path, isAtTop, place)
    cells = []
  }

  mutating func visit<Part>(_ part: Part, _ nodes: [FigureNode<Part>], isElement: Bool, place: [FigurePlace]) {
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
