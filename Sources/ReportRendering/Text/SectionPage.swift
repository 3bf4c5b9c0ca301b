// What sections are written on: the text page itself, or blocks that other forms are made of.

protocol SectionPage {
  var style: TextStyle { get }

  mutating func blank()
  mutating func line(_ text: String, tone: TextTone)
  mutating func section(_ title: String)
  /// - Parameter indent: columns before the first line. - Parameter hanging: more columns before the others.
  mutating func paragraph(_ text: String, indent: Int, hanging: Int)
  /// Words beside a label.
  mutating func field(_ label: String, width: Int, _ text: String)
  mutating func table(_ table: Table)
}

extension SectionPage {
  mutating func line(_ text: String) { line(text, tone: .plain) }
  mutating func paragraph(_ text: String) { paragraph(text, indent: 0, hanging: 0) }
  mutating func paragraph(_ text: String, indent: Int) { paragraph(text, indent: indent, hanging: 0) }
}

extension TextPage: SectionPage {}

/// What a section wrote, without its form.
enum Block {
  case line(String, TextTone)
  case section(String)
  case paragraph(String)
  /// Labels and words that follow one another.
  case fields([(name: String, text: String)])
  case table(Table)
}

/// A page that keeps what is written on it.
struct BlockPage: SectionPage {
  let style: TextStyle
  private(set) var blocks: [Block] = []

  init(_ style: TextStyle) { self.style = style }

  mutating func blank() {}
  mutating func line(_ text: String, tone: TextTone) { blocks.append(.line(text, tone)) }
  mutating func section(_ title: String) { blocks.append(.section(title)) }
  mutating func paragraph(_ text: String, indent: Int, hanging: Int) { blocks.append(.paragraph(text)) }
  mutating func table(_ table: Table) { blocks.append(.table(table)) }

  mutating func field(_ label: String, width: Int, _ text: String) {
    if case .fields(let fields) = blocks.last {
      blocks[blocks.count - 1] = .fields(fields + [(label, text)])
    } else {
      blocks.append(.fields([(label, text)]))
    }
  }
}
