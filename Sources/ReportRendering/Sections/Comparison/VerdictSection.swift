// The verdict of a pair, its reasons, what to keep in mind, and the interval.

import PermissionAnalysis

enum VerdictSection {
  /// With the interval as a line of signs.
  static func section(_ c: Comparison, isAlone: Bool, _ style: TextStyle) -> Section {
    .untitled([.gap] + words(c, isAlone: isAlone) + interval(c, style))
  }

  /// - Parameter isAlone: no other pair needs to be told from this one.
  static func words(_ c: Comparison, isAlone: Bool) -> [Block] {
    let name = isAlone ? "" : "\(c.b.variant) against \(c.a.variant): "
    return [.verdict(name + ComparisonWords.verdict(c), ComparisonWords.tone(c.decision))]
      + c.reasonSentences.map { .paragraph($0, indent: 2) } + c.cautionSentences.map { .caution($0, .mind) }
  }

  private static func interval(_ c: Comparison, _ style: TextStyle) -> [Block] {
    guard let headline = c.headline else { return [] }
    let drawing = IntervalDrawing(style)
    let effect = c.needed.minimumEffect
    let range = ComparisonWords.range(headline.low, headline.high)
    return [
      .gap, .ruler(drawing.line(headline, effect: effect)), .paragraph(drawing.legend(effect: effect), indent: 2),
      .paragraph("\(ComparisonWords.headline(c)): \(range) points", indent: 2),
    ]
  }
}
