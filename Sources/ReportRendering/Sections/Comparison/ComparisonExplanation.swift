// Where each number of a comparison comes from: method, formula, source, limits. The same table stands in
// docs/statistics.md.

import PermissionAnalysis

package enum ComparisonExplanation {
  package struct Entry: Sendable {
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

  package static func entries(_ set: ComparisonSet, _ hints: HintWords = Hint.neutral) -> [Entry] {
    (primary + sequential + trust + others).compactMap { figure in
      let values = set.pairs.compactMap { figure.value($0) }
      guard !values.isEmpty else { return nil }
      return Entry(
        figure: figure.name, value: values.joined(separator: "; "), method: figure.method, formula: figure.formula,
        source: figure.source, limits: figure.limits(hints))
    }
  }

  struct Figure: Sendable {
    var name: String
    var method: String
    var formula: String
    var source: String
    /// In the words of whoever shows it.
    var limits: @Sendable (HintWords) -> String
    /// nil where a comparison has no such figure.
    var value: @Sendable (Comparison) -> String?
  }

  /// `+1.20 (−0.30 to +2.70) points`.
  static func points(_ estimate: Estimate?) -> String? {
    estimate.map { "\(ComparisonWords.points($0.value)) (\(ComparisonWords.range($0))) points" }
  }
}

extension ComparisonExplanation.Figure {
  init(
    name: String, method: String, formula: String, source: String, limits: String,
    value: @escaping @Sendable (Comparison) -> String?
  ) {
    self.init(name: name, method: method, formula: formula, source: source, limits: { _ in limits }, value: value)
  }
}
