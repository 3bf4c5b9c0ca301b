// The comparison for people: the verdict in one line, the interval drawn against zero and the smallest effect that
// matters, then the messages, then the numbers and the checks behind them.

import PermissionAnalysis
import PermissionEvents

/// The comparison for people.
public enum ComparisonText {
  /// - Parameter isExplained: with the method, formula and source of each number at the end.
  public static func render(_ set: ComparisonSet, _ style: TextStyle, isExplained: Bool = false) -> [UInt8] {
    var page = TextPage(style)
    guard let first = set.pairs.first else { return page.bytes }
    page.line(ComparisonWords.title(set), tone: .strong)
    page.paragraph(ComparisonWords.place(first))
    if let caution = RowNames.caution(first.permission) { page.paragraph(caution) }
    for pair in set.pairs { VerdictSection.write(pair, isAlone: set.pairs.count == 1, on: &page) }
    writeSections(set, isExplained: isExplained, on: &page)
    return page.bytes
  }

  /// All that stands behind the verdicts.
  static func writeSections(_ set: ComparisonSet, isExplained: Bool, on page: inout some SectionPage) {
    ArmsSection.write(set, on: &page)
    for pair in set.pairs {
      let title = set.pairs.count == 1 ? nil : "\(pair.b.variant) against \(pair.a.variant)"
      NumbersSection.write(pair, title, on: &page)
      ChecksSection.write(pair, title, on: &page)
      OtherMetricsSection.write(pair, title, on: &page)
      SegmentsSection.write(pair, title, on: &page)
    }
    if isExplained { ExplanationSection.write(set, on: &page) }
  }
}
