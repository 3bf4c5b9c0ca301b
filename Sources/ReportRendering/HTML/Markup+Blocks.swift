// Sections, blocks and tables as HTML.

extension Markup {
  mutating func write(_ section: Section) {
    guard section.heading != .none else {
      for block in section.blocks { write(block) }
      return
    }
    newLine()
    element("section", ["id": section.id, "aria-labelledby": section.id + "-title"]) { page in
      page.element("h2", ["id": section.id + "-title"], text: section.title)
      for block in section.blocks { page.write(block, caption: section.title) }
    }
  }

  /// - Parameter caption: of tables, for those who hear the page.
  mutating func write(_ block: Block, caption: String = "") {
    switch block {
    case .words(let words): element("p", ["class": "words"], text: words)
    case .paragraph(let words, _): element("p", text: words)
    case .headline(let words): element("p", ["class": "headline"], text: words)
    case .verdict(let words, _): element("p", ["class": "verdict"], text: words)
    case .note(let words, _): element("p", ["class": "note"], text: words)
    case .caution(let words, .note): element("p", ["class": "caution"], text: "Note: " + words)
    case .caution(let words, _): element("p", ["class": "caution"], text: words)
    case .strong(let words): element("h3", text: words)
    case .facts(let facts, _): self.facts(facts)
    case .table(let table, let empty, let more):
      guard !table.isEmpty else { return element("p", text: empty) }
      self.table(table, caption: caption, extraTitles: more?.titles ?? []) { more?.draw(&$0, $1) }
    case .command(let words): element("pre") { $0.element("code", text: words) }
    case .drawing(let draw): draw(&self)
    case .ruler, .gap: break
    }
  }

  // MARK: Tables

  /// A table that scrolls sideways if it is too wide, its notes below it.
  /// - Parameter caption: for those who hear the page.
  /// - Parameter extra: more cells of a row, by the number of the row.
  mutating func table(
    _ table: Table, caption: String, extraTitles: [String] = [], extra: (inout Markup, Int) -> Void = { _, _ in }
  ) {
    element("div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"]) { page in
      page.element("table", table.isList ? ["class": "list"] : [:]) { page in
        page.element("caption", ["class": "hidden"], text: caption)
        page.head(table, extraTitles)
        page.body(table, columns: table.titles.count + extraTitles.count + 1, extra)
      }
    }
    for case .note(let words) in table.entries { element("p", ["class": "caution"], text: words) }
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
          case .row(let name, let cells):
            page.element("tr") { page in
              let isIndented = name.hasPrefix(" ")
              page.element("th", isIndented ? ["scope": "row", "class": "indent"] : ["scope": "row"]) { page in
                page.name(name.trimmed)
              }
              for cell in cells { page.cell(cell) }
              extra(&page, number)
            }
            number += 1
          case .note: break
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

  /// A name from outside: its direction of writing stays its own.
  mutating func name(_ text: String) { element("bdi", text: text) }

  /// What opens with a click, and is left out on paper.
  mutating func details(_ summary: String, _ body: (inout Markup) -> Void) {
    element("details") { page in
      page.element("summary", text: summary)
      body(&page)
    }
  }

  private mutating func facts(_ facts: Facts) {
    element("dl", ["class": "facts"]) { page in
      for fact in facts {
        page.element("dt", text: fact.name.trimmed)
        page.element("dd") { page in
          // The word of a check that calls for a person stands out.
          let isAlarm = fact.text.hasPrefix("LOOK ")
          if isAlarm { page.element("strong", ["class": "bad"], text: "LOOK") }
          page.text(isAlarm ? String(fact.text.dropFirst(4)) : fact.text)
        }
      }
    }
  }
}
