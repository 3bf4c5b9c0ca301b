// The verdict of a pair, its reasons, what to keep in mind, and the interval.

import PermissionAnalysis

enum VerdictSection {
  static func write(_ c: Comparison, isAlone: Bool, on page: inout some SectionPage) {
    page.blank()
    let name = isAlone ? "" : "\(c.b.variant) against \(c.a.variant): "
    page.line(name + ComparisonWords.verdict(c), tone: ComparisonWords.tone(c.decision))
    for reason in c.reasonSentences { page.paragraph(reason, indent: 2) }
    for caution in c.cautionSentences { page.paragraph("Mind: " + caution, indent: 2, hanging: 2) }
    guard let headline = c.headline else { return }
    let drawing = IntervalDrawing(page.style)
    let effect = c.needed.minimumEffect
    page.blank()
    page.line(drawing.line(headline, effect: effect))
    page.paragraph(drawing.legend(effect: effect), indent: 2)
    page.paragraph(
      "\(ComparisonWords.headline(c)): \(ComparisonWords.range(headline.low, headline.high)) points", indent: 2)
  }
}
