// Sections as Markdown.

extension MarkdownPage: SectionPage {
  mutating func write(_ section: Section) {
    if section.heading == .everywhere { heading(3, section.title) }
    for block in section.blocks { write(block) }
  }

  private mutating func write(_ block: Block) {
    switch block {
    case .words(let words), .headline(let words), .paragraph(let words, _), .note(let words, _),
      .caution(let words, .none):
      paragraph(words)
    case .verdict(let words, _): heading(3, words)
    case .caution(let words, .exclamation): paragraph("! " + words)
    case .caution(let words, .mind): paragraph("Mind: " + words)
    case .strong(let words): strong(words)
    case .facts(let facts, _): list(facts)
    case .table(let table, let empty, _): if table.isEmpty { paragraph(empty) } else { self.table(table) }
    case .ruler(let drawn): code(drawn, language: "text")
    case .drawing, .gap: break
    }
  }
}
