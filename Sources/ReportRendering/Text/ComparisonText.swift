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
    page.write(ComparisonDocument.head(first))
    page.write(ComparisonDocument.verdicts(set, style))
    page.write(ComparisonDocument.numbers(set, style, isExplained: isExplained))
    return page.bytes
  }
}
