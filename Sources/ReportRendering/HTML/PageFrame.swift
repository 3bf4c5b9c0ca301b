// Answers on a site: the same pages, with the site's bar and controls above them, and with files of the site instead of what a page alone
// carries in itself.

/// The surroundings of the pages of a site.
///
/// An answer that is rendered as HTML with a ``TextStyle/frame`` has the same title, sections, charts and tables as one without. But its
/// style sheet and its script are files of the site, so that a site can forbid everything else (`Content-Security-Policy`), and the site's own
/// markup is above it.
///
/// For example:
///
/// ```swift
/// var style = TextStyle()
/// style.frame = PageFrame(styleSheet: "/style.css") { page in page.element("a", ["href": "/"], text: "Today") }
/// let page = report.render(as: .html, style: style)
/// ```
public struct PageFrame: Sendable {
  /// Address of the style sheet. It has ``css``, and what the site adds.
  public var styleSheet: String
  /// Address of the script; nil for none.
  public var script: String?
  /// Writes what is above the page.
  public var top: @Sendable (inout Markup) -> Void

  /// The rules of style that every page needs.
  public static let css =
    PageStyle.css + "\n"
    + VerdictKind.allCases.map { ".verdict-sign.\($0.rawValue){color:var(--\($0.rawValue))}\n" }.joined()

  public init(styleSheet: String, script: String? = nil, top: @escaping @Sendable (inout Markup) -> Void) {
    (self.styleSheet, self.script, self.top) = (styleSheet, script, top)
  }

  /// A page of the site's own.
  /// - Parameter body: writes the sections.
  public func page(_ title: String, _ body: (inout Markup) -> Void) -> [UInt8] {
    Page.render(title, self) { page in
      page.element("header") { page in
        page.element("h1") { $0.name(ChartName.heading(title)) }
      }
      page.newLine()
      page.element("main", ["id": Self.answer]) { page in
        Page.stripes(&page)
        body(&page)
      }
    }
  }

  /// The address of the answer within a page, for those who skip the bar.
  public static let answer = "answer"
}

// MARK: What a site's own pages are made of

extension Markup {
  /// A section with a title.
  /// - Parameter id: its address within the page.
  public mutating func section(_ id: String, _ title: String, _ body: (inout Markup) -> Void) {
    newLine()
    element("section", ["id": id, "aria-labelledby": id + "-title"]) { page in
      page.element("h2", ["id": id + "-title"], text: title)
      body(&page)
    }
  }

  /// A table of texts; the first of a row is its name.
  /// - Parameters:
  ///   - caption: for those who hear the page.
  ///   - areWords: the cells are sentences instead of numbers.
  public mutating func table(_ caption: String, _ titles: [String], _ rows: [[String]], areWords: Bool = false) {
    var table = Table(titles.first ?? "", Array(titles.dropFirst()), isList: areWords)
    for row in rows { table.row(row.first ?? "", row.dropFirst().map { TableCell($0) }) }
    self.table(table, caption: caption)
  }

  /// Names and what they are.
  public mutating func facts(_ facts: [(name: String, text: String)]) {
    write(.facts(facts.map { Fact($0.name, $0.text) }, width: 11))
  }
}
