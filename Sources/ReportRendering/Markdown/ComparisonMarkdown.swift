// The comparison as Markdown, for a pull request or a chat.

import PermissionAnalysis

/// The comparison for a pull request or a chat.
public enum ComparisonMarkdown {
  /// - Parameter isExplained: with the method, formula and source of each number at the end.
  /// - Parameter hints: what the program that shows it calls what its reader may do.
  public static func render(
    _ set: ComparisonSet, isExplained: Bool = false, hints: @escaping HintWords = Hint.neutral
  ) -> [UInt8] {
    let style = TextStyle(width: 80, hints: hints)
    var page = MarkdownPage()
    guard let first = set.pairs.first else { return page.bytes }
    page.heading(2, ComparisonWords.title(set))
    page.paragraph(ComparisonWords.place(first))
    if let caution = RowNames.caution(first.permission) { page.paragraph(caution) }
    for pair in set.pairs { verdict(pair, isAlone: set.pairs.count == 1, style, on: &page) }
    var rest = BlockPage(style)
    ComparisonText.writeSections(set, isExplained: isExplained, on: &rest)
    for block in rest.blocks {
      switch block {
      case .line(let text, _): page.strong(text)
      case .section(let title): page.heading(3, title)
      case .paragraph(let words): page.paragraph(words)
      case .fields(let fields): page.list(fields)
      case .table(let table): page.table(table)
      }
    }
    return page.bytes
  }

  private static func verdict(_ c: Comparison, isAlone: Bool, _ style: TextStyle, on page: inout MarkdownPage) {
    let name = isAlone ? "" : "\(c.b.variant) against \(c.a.variant): "
    page.heading(3, name + ComparisonWords.verdict(c))
    for reason in c.reasonSentences { page.paragraph(reason) }
    for caution in c.cautionSentences { page.paragraph("Mind: " + caution) }
    guard let headline = c.headline else { return }
    let drawing = IntervalDrawing(style)
    page.code(drawing.line(headline, effect: c.needed.minimumEffect), language: "text")
    page.paragraph(drawing.legend(effect: c.needed.minimumEffect))
    page.paragraph(
      "\(ComparisonWords.headline(c)): \(ComparisonWords.range(headline.low, headline.high)) points")
  }
}
