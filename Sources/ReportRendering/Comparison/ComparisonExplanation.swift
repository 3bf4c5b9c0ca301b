// Where each number of a comparison comes from: method, formula, source, limits. docs/statistics.md has the same table.

import PermissionAnalysis
import PermissionEvents

package enum ComparisonExplanation {
  package struct ExplainedNumber: Sendable {
    /// What it is called in the output.
    package var figure: String
    /// As it came out here; of several comparisons one after the other.
    package var value: String
    package var method: String
    package var formula: String
    package var source: String
    /// When it is conservative or approximate, and when it is refused.
    package var limits: String
  }

  package static func numbers(_ set: ComparisonSet, _ words: RemedyWords) -> [ExplainedNumber] {
    let isOfMessages = set.pairs.first?.isOfMessages ?? true
    return (primary + sequential + trust + others).compactMap { number in
      let values = set.pairs.compactMap { number.value($0) }
      guard !values.isEmpty else { return nil }
      // Where no message was shown by chance, those who are compared are groups.
      func named(_ text: String) -> String { isOfMessages ? text : text.replacing("message", with: "group") }
      return ExplainedNumber(
        figure: named(number.name), value: values.joined(separator: "; "), method: named(number.method),
        formula: number.formula, source: number.source,
        limits: named(number.limits).replacing("{planned users}", with: words(.plannedUsers)))
    }
  }

  static func section(_ set: ComparisonSet, _ style: TextStyle) -> Section {
    let blocks = numbers(set, style.words).enumerated().flatMap { place, number -> [Block] in
      let facts = [
        ("method", number.method), ("formula", number.formula), ("source", number.source), ("limits", number.limits),
      ].map { Fact($0, $1, isIndented: true) }
      return (place > 0 ? [.gap] : []) + [.strong("\(number.figure): \(number.value)"), .facts(facts, width: 11)]
    }
    return Section("", "Where each number comes from", blocks)
  }

  /// What is known of a number before any comparison.
  struct Origin: Sendable {
    var name: String
    var method: String
    var formula: String
    var source: String
    /// `{planned users}` is how the program that shows it calls them.
    var limits: String
    /// nil if a comparison has no such number.
    var value: @Sendable (Comparison) -> String?
  }

  /// `+1.20 (−0.30 to +2.70) points`.
  static func points(_ estimate: Estimate?) -> String? {
    estimate.map { "\(ComparisonWords.points($0.value)) (\(ComparisonWords.range($0))) points" }
  }
}
