// What sections are made of.

/// A piece of a section: every form has one way to write it.
enum Block {
  /// What the numbers of a section mean, and whether they only describe.
  case words(String)
  /// - Parameter indent: columns of text before it.
  case paragraph(String, indent: Int = 0)
  /// The sentence that sums up a report.
  case headline(String)
  /// What a comparison comes to, in a line.
  case verdict(String, TextTone)
  /// - Parameter hanging: columns of text before its lines but the first.
  case note(String, hanging: Int = 0)
  case caution(String, Sign)
  /// A line set off from what follows it.
  case strong(String)
  /// Names and what they are; in text the names have a column of that width.
  case facts([(name: String, text: String)], width: Int)
  /// - Parameters:
  ///   - empty: said if the table has no row.
  ///   - more: cells that only a page has.
  case table(Table, empty: String = "", more: MoreCells? = nil)
  /// A line drawn with signs; a page has drawings instead.
  case ruler(String)
  /// What only a page has.
  case drawing((inout Markup) -> Void)
  /// An empty line of text; the other forms set blocks apart by themselves.
  case gap

  /// How a caution begins.
  enum Sign {
    case none
    /// `!`; a page sets the caution off by its looks.
    case exclamation
    /// `Mind:`.
    case mind
  }

  /// Drawn cells at the end of each row of a table.
  struct MoreCells {
    var titles: [String]
    /// - Parameter number: of the row.
    var draw: (_ page: inout Markup, _ number: Int) -> Void
  }
}
