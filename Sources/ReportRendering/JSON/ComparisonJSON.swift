// The comparison as JSON, schema permlog.compare/3: every key always there, in this order. Of several messages the first
// pair is the object itself, and the others are in `others`.

import PermissionAnalysis
import PermissionEvents

/// The comparison for programs.
package enum ComparisonJSON {
  static let schema = "permlog.compare/3"

  /// - Parameters:
  ///   - isExplained: with the method, formula and source of each figure.
  ///   - words: for what is left to the program that shows it.
  package static func render(
    _ set: ComparisonSet, isExplained: Bool = false, words: @escaping RemedyWords = { $0.advice }
  ) -> [UInt8] {
    guard let first = set.pairs.first else { return JSONWriter.document(Int?.none) }
    var json = JSONWriter()
    json.object { json in
      json.member("schema", schema)
      json.figures(ComparedPair.figures, of: ComparedPair(c: first, plan: set.plan, words: words))
      json.member("overall", set.pairs.count > 1 ? OverallVerdict(set) : nil)
      // The best is chosen among messages; a value of a property is not.
      json.member("probability_best", first.isOfMessages ? set.probabilityBest : nil)
      json.member("error_bound", ComparisonWords.errorBound(set))
      json.array("others") { json in
        for pair in set.pairs.dropFirst() {
          json.element { $0.figures(ComparedPair.figures, of: ComparedPair(c: pair, plan: set.plan, words: words)) }
        }
      }
      json.member("explain", isExplained ? ComparisonExplanation.numbers(set, words) : nil)
    }
    json.endLine()
    return json.take()
  }
}

extension OverallVerdict: JSONObject {
  var members: JSONMembers { ["winners": winners, "sentence": sentence] }
}

extension ComparisonExplanation.ExplainedNumber: JSONObject {
  var members: JSONMembers {
    ["figure": figure, "value": value, "method": method, "formula": formula, "source": source, "limits": limits]
  }
}
