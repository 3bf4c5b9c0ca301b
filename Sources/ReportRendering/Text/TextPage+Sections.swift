// Sections as text.

extension TextPage: SectionPage {
  mutating func write(_ section: Section) {
    if section.heading == .everywhere { self.section(section.title) }
    for block in section.blocks { write(block) }
  }

  private mutating func write(_ block: Block) {
    switch block {
    case .words(let words), .headline(let words): paragraph(words)
    case .paragraph(let words, let indent): paragraph(words, indent: indent)
    case .verdict(let words, let tone): line(words, tone: tone)
    case .note(let words, let hanging): paragraph(words, hanging: hanging)
    case .caution(let words, .none): paragraph(words)
    case .caution(let words, .exclamation): paragraph("! " + words, hanging: 2)
    case .caution(let words, .mind): paragraph("Mind: " + words, indent: 2, hanging: 2)
    case .strong(let words): line(words, tone: .strong)
    case .facts(let facts, let width): for fact in facts { field(fact.name, width: width, fact.text) }
    case .table(let table, let empty, _):
      if table.isEmpty { paragraph(empty) } else if table.isList { list(table) } else { self.table(table) }
    case .ruler(let drawn): line(drawn)
    case .drawing: break
    case .gap: blank()
    }
  }
}
