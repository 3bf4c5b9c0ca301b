// Sections as HTML.

extension Markup: SectionPage {
  mutating func write(_ section: Section) {
    guard section.heading != .none else { return write(section.blocks, of: section) }
    newLine()
    element("section", ["id": section.id, "aria-labelledby": section.id + "-title"]) { page in
      page.element("h2", ["id": section.id + "-title"], text: section.title)
      page.write(section.blocks, of: section)
    }
  }

  private mutating func write(_ blocks: [Block], of section: Section) {
    for block in blocks { write(block, of: section) }
  }

  private mutating func write(_ block: Block, of section: Section) {
    switch block {
    case .words(let words): element("p", ["class": "words"], text: words)
    case .paragraph(let words, _): element("p", text: words)
    case .headline(let words): element("p", ["class": "headline"], text: words)
    case .verdict(let words, _): element("p", ["class": "verdict"], text: words)
    case .note(let words, _): element("p", ["class": "note"], text: words)
    case .caution(let words, .mind): element("p", ["class": "caution"], text: "Mind: " + words)
    case .caution(let words, _): element("p", ["class": "caution"], text: words)
    case .strong(let words): element("h3", text: words)
    case .facts(let facts, _): self.facts(facts)
    case .table(let table, let empty, let more):
      guard !table.isEmpty else { return element("p", text: empty) }
      self.table(table, caption: section.title, extraTitles: more?.titles ?? []) { more?.draw(&$0, $1) }
    case .drawing(let draw): draw(&self)
    case .ruler, .gap: break
    }
  }
}
