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
    page.write(ComparisonDocument.head(first))
    page.write(ComparisonDocument.verdicts(set, style))
    page.write(ComparisonDocument.numbers(set, style, isExplained: isExplained))
    return page.bytes
  }
}
