// Tables as HTML. What does not fit scrolls in a box of its own, in which the names, and the answer beside them, stay.

extension Markup {
  /// A table that scrolls sideways if it is too wide, its notes below it.
  /// - Parameter caption: for those who hear the page.
  /// - Parameter extra: more cells of a row, by the number of the row.
  mutating func table(
    _ table: Table, caption: String, extraTitles: [String] = [], extra: (inout Markup, Int) -> Void = { _, _ in }
  ) {
    let table = table.withKeyFirst
    element("div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"]) { page in
      page.element("table", table.isList ? ["class": "list"] : table.hasKey ? ["class": "keyed"] : [:]) { page in
        page.element("caption", ["class": "hidden"], text: caption)
        page.head(table, extraTitles)
        page.body(table, columns: table.titles.count + extraTitles.count + 1, extra)
      }
    }
    for entry in table.entries {
      switch entry {
      case .note(let words): prose(words, ["class": "caution"])
      case .caution(let words): prose("! " + words, ["class": "caution"])
      case .heading, .row: break
      }
    }
    newLine()
  }

  private mutating func head(_ table: Table, _ extraTitles: [String]) {
    element("thead") { page in
      page.element("tr") { page in
        // A column of names without a title has no header of its own.
        if table.nameTitle.isEmpty {
          page.element("td") { _ in }
        } else {
          page.element("th", ["scope": "col"], text: table.nameTitle)
        }
        for title in table.titles + extraTitles { page.element("th", ["scope": "col"], text: title) }
      }
    }
  }

  private mutating func body(_ table: Table, columns: Int, _ extra: (inout Markup, Int) -> Void) {
    var groups: [[Table.Entry]] = [[]]
    for entry in table.entries {
      if case .heading = entry { groups.append([]) }
      groups[groups.count - 1].append(entry)
    }
    var number = 0
    for group in groups where !group.isEmpty {
      element("tbody") { page in
        for entry in group {
          switch entry {
          case .heading(let name):
            page.element("tr") { page in
              page.element("th", ["scope": "rowgroup", "colspan": "\(columns)"]) { $0.name(name) }
            }
          case .row(let name, let cells, let depth):
            page.element("tr") { page in
              page.element("th", depth > 0 ? ["scope": "row", "class": "indent"] : ["scope": "row"]) { page in
                page.name(name)
              }
              for cell in cells { page.cell(cell) }
              extra(&page, number)
            }
            number += 1
          case .note, .caution: break
          }
        }
      }
    }
  }

  private mutating func cell(_ cell: TableCell) {
    element("td") { page in
      page.text(cell.text)
      guard let detail = cell.detail else { return }
      page.text(" ")
      switch cell.tone {
      case .good: page.mark(detail, "good", "significantly up")
      case .bad: page.mark(detail, "bad", "significantly down")
      default: page.element("span", ["class": "detail"], text: detail)
      }
    }
  }

  /// A sign with what it means for those who do not see it.
  private mutating func mark(_ sign: String, _ tone: String, _ words: String) {
    element("span", ["class": tone, "role": "img", "aria-label": words], text: sign)
  }
}

// MARK: The column to be read first

extension Table {
  /// Titles of columns that hold the answer, the first that a table has; a plain rate is the answer of messages alone.
  private static let keys = ["verdict", "decision", "grant rate", "difference so far"]

  private var key: Int? {
    guard !isList else { return nil }
    let keys = Self.keys + (nameTitle == "message" ? ["rate"] : [])
    return keys.lazy.compactMap { titles.firstIndex(of: $0) }.first
  }

  /// True if the column beside the names holds the answer.
  fileprivate var hasKey: Bool { key == 0 }

  /// The same table, the column with the answer beside the names, where a phone shows it.
  fileprivate var withKeyFirst: Table {
    guard let key, key > 0 else { return self }
    var table = self
    table.titles.insert(table.titles.remove(at: key), at: 0)
    table.entries = entries.map { entry in
      guard case .row(let name, var cells, let depth) = entry, key < cells.count else { return entry }
      cells.insert(cells.remove(at: key), at: 0)
      return .row(name, cells, depth: depth)
    }
    return table
  }
}
