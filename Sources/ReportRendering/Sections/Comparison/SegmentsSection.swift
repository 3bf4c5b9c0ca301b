// The primary metric within each value of a property, and whether the values differ at all.

import PermissionAnalysis

enum SegmentsSection {
  /// Most segments of the text; the others are added up in a line. JSON has all.
  private static let most = 20

  /// nil if no property was asked for.
  static func section(_ c: Comparison, _ title: String?, _ style: TextStyle) -> Section? {
    guard let segments = c.segments else { return nil }
    let cells = FigureCells(style: style)
    var table = Table(
      segments.property,
      [c.a, c.b].map { ComparisonWords.title($0, style) } + ["difference", "p (BH)"])
    let largest = segments.segments.sorted { $0.a.exposed + $0.b.exposed > $1.a.exposed + $1.b.exposed }.prefix(most)
    // Told by place: names are bytes, Strings are not.
    let limit = largest.last.map { $0.a.exposed + $0.b.exposed } ?? 0
    var room = most
    for segment in segments.segments where segment.a.exposed + segment.b.exposed >= limit && room > 0 {
      room -= 1
      table.row(
        segment.value ?? "(none)",
        [
          arm(segment.a, cells), arm(segment.b, cells),
          segment.difference.map {
            TableCell(ComparisonWords.points($0.value), NumberText.signedInterval($0, scale: 100, 2))
          } ?? cells.unknown,
          TableCell(ComparisonWords.pValue(segment.adjustedPValue)),
        ])
    }
    var blocks: [Block] = [.words(claim(segments)), .gap, .table(table, empty: "None.")]
    let rest = segments.segments.count - (most - room)
    if rest > 0 {
      blocks.append(.paragraph("\(NumberText.counted(rest, "smaller segment")) not shown\(style.hints(.readJSON))"))
    }
    return Section("", "By \(segments.property)" + (title.map { ": " + $0 } ?? ""), blocks)
  }

  private static func arm(_ tally: Comparison.Tally, _ cells: FigureCells) -> TableCell {
    cells.shareOf(tally.successes, tally.trials)
  }

  private static func claim(_ segments: Comparison.Segments) -> String {
    guard let test = segments.heterogeneity else {
      return "Fewer than two values have users of both messages: there is nothing to tell apart."
    }
    let p = ComparisonWords.pValue(test.adjustedPValue)
    return test.areDifferent
      ? "The message works differently by \(segments.property): Cochran's Q has p\u{A0}\(p). Read the segments."
      : "No sign that the message works differently by \(segments.property) (Cochran's Q, p\u{A0}\(p)): read the overall result. That "
        + "one segment is significant and another is not says nothing."
  }
}
