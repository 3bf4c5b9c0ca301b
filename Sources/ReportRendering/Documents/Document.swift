// Documents before they are text, Markdown or HTML: reports, comparisons and plans are sections of the same few
// blocks. Each form writes a block in one function.

package struct Document {
  /// The output form. HTML pages have drawings, and tables as wide as those of wide text.
  package enum Form: String, Sendable { case text, markdown, html }

  /// Empty for none.
  var title: String
  /// Where the numbers are from.
  var head: [Block] = []
  var sections: [Section] = []
  /// Sections that a page lists at its head.
  var contents: [Section] = []

  /// The same document without repetitions: a caution is printed where it first applies.
  var sayingOnce: Document {
    var document = self
    var said: Set<String> = []
    for i in sections.indices {
      document.sections[i].blocks = sections[i].blocks.compactMap { block in
        switch block {
        case .caution(let text, .exclamation): return said.insert(text).inserted ? block : nil
        case .table(var table, let empty, let more):
          table.entries = table.entries.filter { entry in
            if case .caution(let text) = entry { said.insert(text).inserted } else { true }
          }
          return .table(table, empty: empty, more: more)
        default: return block
        }
      }
    }
    return document
  }

  /// Returns the document for a log without events, with a command that fills it, if known.
  /// - Parameters:
  ///   - missing: the part of the sentence about what is missing.
  ///   - isBroken: a paragraph for each sentence.
  /// - Parameter leftOut: users with events, if all of them are left out.
  static func ofEmptyLog(
    _ title: String, _ missing: String, _ style: TextStyle, leftOut: Int? = nil, isBroken: Bool = false
  ) -> Document {
    if let leftOut, leftOut > 0 {
      let sentence = "All users with events are left out (\(NumberText.count(leftOut))): \(missing)."
      return Document(title: title, sections: [.untitled([.paragraph(sentence)])])
    }
    let command = style.words(.exampleIngest)
    let sentences = [
      "The log is empty: \(missing).",
      "Fill it with an export of your events" + (command.isEmpty ? "." : ", for example:"),
    ]
    let blocks = (isBroken ? sentences : [sentences.joined(separator: " ")]).map { Block.paragraph($0) }
    return Document(title: title, sections: [.untitled(blocks + (command.isEmpty ? [] : [.command(command)]))])
  }

  /// The document as UTF-8. Names in it come from exports, and are made harmless for the form.
  package func render(_ form: Form, _ style: TextStyle) -> [UInt8] {
    switch form {
    case .text:
      var page = TextPage(style)
      if !title.isEmpty { page.line(title, tone: .strong) }
      for block in head { page.write(block) }
      for section in sections { page.write(section) }
      return page.bytes
    case .markdown: return Array(MarkdownPage.render(self, words: style.words).utf8)
    case .html: return title.isEmpty ? [] : Page.render(self, style.frame)
    }
  }
}

extension TextStyle {
  private func framed(_ style: TextStyle) -> TextStyle {
    var style = style
    style.frame = frame
    return style
  }

  /// The style of the tables of a form: Markdown is as narrow as a terminal, pages are wide, and both take only its words.
  func of(_ form: Document.Form) -> TextStyle {
    switch form {
    case .text: self
    case .markdown: TextStyle(width: 80, words: words)
    case .html: framed(TextStyle(width: 120, words: words))
    }
  }
}

struct Section {
  enum Heading {
    case everywhere
    /// Only on a page of HTML, on which everything has a title.
    case onPages
    case none
  }

  /// Its address within a page.
  var id: String
  /// Of a report's sections, which it is.
  var name: ReportSectionName?
  var title: String
  /// For a list of sections.
  var shortTitle: String
  var heading: Heading
  /// Whether Markdown shows only the title until it is opened.
  var isFolded = false
  var blocks: [Block]

  init(
    _ id: String = "", _ title: String = "", short: String? = nil, heading: Heading = .everywhere, _ blocks: [Block]
  ) {
    (self.id, self.title, self.heading, self.blocks) = (id, title, heading, blocks)
    shortTitle = short ?? title.split(separator: ",").first.map(String.init) ?? title
  }

  init(_ name: ReportSectionName, _ title: String, short: String? = nil, _ blocks: [Block]) {
    self.init(name.rawValue, title, short: short, blocks)
    self.name = name
  }

  static func untitled(_ blocks: [Block]) -> Section { Section(heading: .none, blocks) }
}

struct Fact {
  var name: String
  var text: String
  /// It belongs to the fact before it.
  var isIndented: Bool
  /// Whether a person has to look: then `LOOK` comes before the text.
  var isAlarm: Bool

  static let alarm = ComparisonCheck.Mark.alarm.rawValue

  init(_ name: String, _ text: String, isIndented: Bool = false, isAlarm: Bool = false) {
    (self.name, self.text, self.isIndented, self.isAlarm) = (name, text, isIndented, isAlarm)
  }

  var words: String { isAlarm ? Self.alarm + " " + text : text }
}

/// A piece of a section: every form has one way to write it.
enum Block {
  /// What the numbers of a section mean, and whether they only describe.
  case words(String)
  /// - Parameter indent: columns of text before it.
  case paragraph(String, indent: Int = 0)
  /// The sentence that sums up a report.
  case headline(String)
  /// The verdict of a comparison, in a line.
  case verdict(String, VerdictKind)
  /// - Parameter hanging: columns of text before its lines but the first.
  case note(String, hanging: Int = 0)
  case caution(String, Sign)
  /// A line set off from what follows it.
  case strong(String, kind: VerdictKind? = nil)
  /// - Parameter width: of the column that the names have in text.
  case facts([Fact], width: Int)
  /// - Parameters:
  ///   - empty: printed if the table has no rows.
  ///   - more: cells that only a page has.
  case table(Table, empty: String = "", more: MoreCells? = nil)
  /// A command to type, never from data.
  case command(String)
  /// A reference to a page: one of our addresses, never from data.
  case source(String)
  /// A line drawn with signs; a page has drawings instead.
  case ruler(String)
  /// A drawing, which only a page has.
  case drawing((inout Markup) -> Void)
  /// An empty line of text; the other forms set blocks apart by themselves.
  case gap

  enum Sign {
    case none
    /// `!`; a page sets the caution off by its looks.
    case exclamation
    /// `Note:`.
    case note
  }

  /// Drawn cells at the end of each row of a table.
  struct MoreCells {
    var title: String
    var draw: (_ page: inout Markup, _ number: Int) -> Void

    /// - Parameter cell: of a row; those after the last are empty.
    init<Row>(_ title: String, _ rows: [Row], isWide: Bool = true, _ cell: @escaping (inout Markup, Row) -> Void) {
      self.title = title
      draw = { page, number in
        page.element("td", isWide ? ["class": "wide"] : [:]) { page in
          if number < rows.count { cell(&page, rows[number]) }
        }
      }
    }
  }
}

extension Block {
  /// Rows of a table, else 0.
  var rows: Int {
    guard case .table(let table, _, _) = self else { return 0 }
    return table.weights.count
  }
}
