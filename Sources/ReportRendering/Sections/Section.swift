// A part of a document before it takes a form: reports, comparisons and plans are made of the same few blocks, and text,
// Markdown and HTML each write a block in one place.

struct Section {
  /// Where its title is shown.
  enum Heading {
    case everywhere
    /// On a page of HTML alone, where all that stands together has a title.
    case onPages
    case none
  }

  /// Its address within a page.
  var id: String
  var title: String
  /// For a list of sections.
  var shortTitle: String
  var heading: Heading
  var blocks: [Block]

  init(
    _ id: String = "", _ title: String = "", short: String? = nil, heading: Heading = .everywhere, _ blocks: [Block]
  ) {
    (self.id, self.title, self.heading, self.blocks) = (id, title, heading, blocks)
    shortTitle = short ?? title.split(separator: ",").first.map(String.init) ?? title
  }

  /// Blocks that stand for themselves.
  static func untitled(_ blocks: [Block]) -> Section { Section(heading: .none, blocks) }
}
