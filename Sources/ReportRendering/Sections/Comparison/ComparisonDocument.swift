// The comparison as sections: what it is about, the verdict of each pair, then the numbers that it rests on.

import PermissionAnalysis

enum ComparisonDocument {
  /// Where the numbers are from, and what to keep in mind with the permission.
  static func head(_ first: Comparison) -> Section {
    let caution = RowNames.caution(first.permission)
    return .untitled([.words(ComparisonWords.place(first))] + (caution.map { [.caution($0, .none)] } ?? []))
  }

  /// The verdicts, with intervals drawn by signs.
  static func verdicts(_ set: ComparisonSet, _ style: TextStyle) -> [Section] {
    set.pairs.map { VerdictSection.section($0, isAlone: set.pairs.count == 1, style) }
  }

  /// The numbers that the verdicts rest on.
  /// - Parameter isExplained: with the method, formula and source of each number at the end.
  static func numbers(_ set: ComparisonSet, _ style: TextStyle, isExplained: Bool) -> [Section] {
    var sections = [ArmsSection.section(set, style)]
    for pair in set.pairs {
      let title = set.pairs.count == 1 ? nil : "\(pair.b.variant) against \(pair.a.variant)"
      sections.append(NumbersSection.section(pair, title))
      sections.append(ChecksSection.section(pair, title, style))
      sections += OtherMetricsSection.sections(pair, title, style)
      if let segments = SegmentsSection.section(pair, title, style) { sections.append(segments) }
    }
    if isExplained { sections.append(ExplanationSection.section(set, style)) }
    for i in sections.indices { sections[i].id = "part\(i)" }
    return sections
  }
}
