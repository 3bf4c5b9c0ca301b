// The interval of a comparison that its decision rests on, or, without a decision, the one that is nearest to it.

import PermissionAnalysis
import PermissionEvents

struct DrawnInterval {
  /// B minus A, shares of 1.
  var value, low, high: Double
  /// False for the interval of a single look, which decides nothing.
  var isOfRule: Bool
  /// Which interval it is.
  var words: String

  /// nil if nothing is known.
  init?(_ c: Comparison) {
    // That there is no difference rests on sequences of its own and not on the interval of the rule, which may be wider.
    if c.monitoring.crossing == nil, let none = c.monitoring.noDifference {
      guard let value = c.series.last(where: { $0.day <= none.day })?.difference else { return nil }
      (self.value, low, high, isOfRule) = (value, none.low, none.high, true)
      words =
        "interval that “no difference” rests on (each end holds at every look), \(CivilDate(none.day).text)"
      return
    }
    guard let headline = c.headline else { return nil }
    (value, low, high, isOfRule) = (headline.value, headline.low, headline.high, headline.kind == .rule)
    words = ComparisonWords.headline(c)
  }
}
