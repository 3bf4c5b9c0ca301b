// Tables of aligned columns that keep within a width.

/// A cell: a number, and next to it a detail (an interval, a share, a mark), aligned separately.
struct TableCell: Sendable {
  var text: String
  var detail: String?
  var tone: TextTone

  init(_ text: String, _ detail: String? = nil, tone: TextTone = .plain) {
    self.text = text
    self.detail = detail
    self.tone = tone
  }
}

struct Table: Sendable {
  enum Line: Sendable {
    /// A line over the rows below it.
    case heading(String)
    /// - Parameter depth: under how many rows or headings it belongs.
    case row(String, [TableCell], depth: Int)
    /// Words about the row above.
    case note(String)
    /// A caution about its permission.
    case caution(String)

    /// The name as text has it.
    var indentedName: String? {
      if case .row(let name, _, let depth) = self { DisplayWidth.spaces(2 * depth) + name } else { nil }
    }
  }

  /// Title of the names, then of each column.
  var nameTitle: String
  var titles: [String]
  /// Whether a row has one cell of words instead of columns of numbers.
  var isList: Bool
  var entries: [Line] = []
  /// How much each row matters, in the order of the rows: the least goes first if not all can be shown.
  private(set) var weights: [Double] = []

  init(_ nameTitle: String, _ titles: [String], isList: Bool = false) {
    self.nameTitle = nameTitle
    self.titles = titles
    self.isList = isList
  }

  /// True without rows.
  var isEmpty: Bool { weights.isEmpty }

  /// Headings and names of rows below none, in their order.
  var names: [String] {
    entries.compactMap {
      switch $0 {
      case .heading(let text), .row(let text, _, depth: 0): text
      case .row, .note, .caution: nil
      }
    }
  }

  mutating func row(_ name: String, _ cells: [TableCell], weight: Double = 0, depth: Int = 0) {
    entries.append(.row(name, cells, depth: depth))
    weights.append(weight)
  }

  mutating func heading(_ text: String) { entries.append(.heading(text)) }
  mutating func note(_ text: String) { entries.append(.note(text)) }
  mutating func caution(_ text: String) { entries.append(.caution(text)) }

  /// The indices of rows, the most important first; equal ones keep their order.
  var order: [Int] {
    weights.indices.sorted { weights[$0] == weights[$1] ? $0 < $1 : weights[$0] > weights[$1] }
  }

  /// Returns the table with some of its rows, their headings, and all notes.
  /// - Parameter places: the indices of the rows to keep.
  func only(_ places: Set<Int>) -> Table {
    var table = Table(nameTitle, titles, isList: isList)
    var heading: String?
    var place = 0
    for entry in entries {
      switch entry {
      case .heading(let text): heading = text
      case .note(let text): table.note(text)
      case .caution(let text): table.caution(text)
      case .row(let name, let cells, let depth):
        if places.contains(place) {
          if let text = heading { table.heading(text) }
          heading = nil
          table.row(name, cells, weight: weights[place], depth: depth)
        }
        place += 1
      }
    }
    return table
  }

  func legible(_ style: TextStyle) -> Table {
    var table = self
    table.nameTitle = style.legible(nameTitle)
    table.titles = titles.map { style.legible($0) }
    table.entries = entries.map { entry in
      switch entry {
      case .row(let name, let cells, let depth):
        return .row(
          style.legible(name),
          cells.map { TableCell(style.legible($0.text), $0.detail.map { style.legible($0) }, tone: $0.tone) },
          depth: depth)
      default: return entry
      }
    }
    return table
  }
}

extension Collection {
  /// Neighbours that belong together, in their order.
  func runs(_ areTogether: (Element, Element) -> Bool) -> [SubSequence] {
    var runs: [SubSequence] = []
    var start = startIndex
    for (before, place) in zip(indices, indices.dropFirst()) where !areTogether(self[before], self[place]) {
      runs.append(self[start..<place])
      start = place
    }
    return isEmpty ? [] : runs + [self[start...]]
  }

  /// The values of neighbours; where one is not known the next stretch begins.
  func stretches<Value>(_ value: (Element) -> Value?) -> [[Value]] {
    map(value).runs { ($0 == nil) == ($1 == nil) }.map { $0.compactMap { $0 } }.filter { !$0.isEmpty }
  }
}

struct TableLayout {
  struct Column {
    var text = 0
    var detail = 0
    var title = 0
    var width: Int { max(title, text + (detail > 0 ? detail + 1 : 0)) }
  }

  /// Names are not cut below this: the longest that carries a caution is 13 columns.
  static let leastName = 13
  /// Longer names are cut before anything else has to give: the longest of the taxonomy is 20 columns.
  static let usualName = 24

  var name: Int
  var columns: [Column]
  /// Spaces before each column.
  var gaps: [Int]

  /// - Parameter table: of legible text.
  init(_ table: Table) {
    name = DisplayWidth.of(table.nameTitle)
    columns = table.titles.map { Column(title: DisplayWidth.of($0)) }
    gaps = [Int](repeating: 2, count: columns.count)
    for entry in table.entries {
      guard case .row(_, let cells, _) = entry, let rowName = entry.indentedName else { continue }
      name = max(name, DisplayWidth.of(rowName))
      for (i, cell) in cells.enumerated() where i < columns.count {
        columns[i].text = max(columns[i].text, DisplayWidth.of(cell.text))
        columns[i].detail = max(columns[i].detail, cell.detail.map { DisplayWidth.of($0) } ?? 0)
      }
    }
  }

  var total: Int { name + gaps.reduce(0, +) + columns.reduce(0) { $0 + $1.width } }

  /// Unusually long names are cut first, then gaps from the right, then all names.
  mutating func fit(_ width: Int) {
    if total > width { name = max(min(name, Self.usualName), name - (total - width)) }
    for i in gaps.indices.reversed() where total > width { gaps[i] = 1 }
    if total > width { name = max(min(name, Self.leastName), name - (total - width)) }
  }

  /// Ranges of columns that fit side by side: one if all do, else several below each other.
  func bands(_ width: Int) -> [Range<Int>] {
    guard total > width else { return [columns.indices] }
    var bands: [Range<Int>] = []
    var start = 0
    var used = name
    for i in columns.indices {
      let more = gaps[i] + columns[i].width
      if i > start, used + more > width {
        bands.append(start..<i)
        (start, used) = (i, name)
      }
      used += more
    }
    bands.append(start..<columns.count)
    return bands
  }
}
