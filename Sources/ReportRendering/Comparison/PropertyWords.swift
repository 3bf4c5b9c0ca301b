// The words of a comparison of values of a property, to which nobody was assigned at random: what differs and by how much,
// and never a winner or an advice.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  /// What is compared: one of several.
  var armNoun: String { isOfMessages ? "message" : "value" }

  /// A value with its property, `app_version 3.2`; a message by its name alone.
  func full(_ name: String) -> String { isOfMessages ? name : "\(comparedProperty.name) \(name)" }

  /// `app_version 3.2 against 3.1`.
  var versus: String { "\(full(b.variant)) against \(a.variant)" }

  /// Why a difference is not what the value did.
  var notAssignedSentence: String {
    let who =
      familySize == 1
      ? "who has \(full(b.variant)) may be another user, asked in another week, than who has \(a.variant)"
      : "the users of one \(comparedProperty.name) may be others, asked in other weeks, than those of another"
    return "Nobody was assigned at random: \(who). A real test assigns messages at random."
  }
}

enum PropertyVerdict {
  /// The verdict of a pair, in a line.
  static func sentence(_ c: Comparison) -> String {
    switch c.decision {
    case .differs: "DIFFERS, found on \(day(c)): \(difference(c))."
    case .noDifference: "NO DIFFERENCE FOUND that matters, by \(day(c))\(within(c))."
    default: "NOT CLEAR YET: a difference is neither shown nor excluded."
    }
  }

  private static func day(_ c: Comparison) -> String { ComparisonWords.day(c.decidedOn ?? 0, c.decidedDay ?? 0) }

  /// `the grant rate was higher with app_version 3.2 than with 3.1`. By how much is said of now, in the next line: an estimate
  /// at the moment of finding is too large on average.
  private static func difference(_ c: Comparison) -> String {
    guard let crossing = c.monitoring.crossing else { return "" }
    return "\(c.noun(c.metric)) was \(crossing.isHigher ? "higher" : "lower") with \(c.full(c.b.variant)) than with "
      + c.a.variant + (isDoubtful(c) ? ", but look at the reasons" : "")
  }

  /// What would put the decision of a test under review.
  private static func isDoubtful(_ c: Comparison) -> Bool {
    c.reasons.contains {
      switch $0 {
      case .intervalsDisagree, .turned, .signTurns, .simpsonsParadox, .fading: true
      default: false
      }
    }
  }

  private static func within(_ c: Comparison) -> String {
    guard let none = c.monitoring.noDifference else { return "" }
    return
      ": \(c.noun(c.metric)) with \(c.full(c.b.variant)) is within ± \(Sentence.size(c.needed.minimumEffect)) of that with "
      + "\(c.a.variant) (interval \(ComparisonWords.range(none.low, none.high)))"
  }

  /// The most telling first.
  static let order: [Comparison.Decision] = [.differs, .notClear, .noDifference]
}
