// The verdict of a comparison, in a line, and what its interval is.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  /// The better message by the first crossing; nil without one.
  var winner: Arm? { monitoring.crossing.map { $0.isHigher == metric.isGoodWhenHigh ? b : a } }

  /// Nothing is decided yet: what is still needed is worth a word.
  var isOpen: Bool { monitoring.crossing == nil && monitoring.noDifference == nil }

  /// The look that decided was an exact test of few events.
  var isDecidedExactly: Bool {
    if case .events = monitoring.crossing?.look.boundary { true } else { false }
  }

  /// A plan was made before the first exposure, and fixes all that is to be fixed.
  var isPlanned: Bool {
    plan != nil
      && !cautions.contains {
        if case .planTooLate = $0 { true } else { false }
      }
  }
}

extension ComparisonWords {
  /// The verdict of a pair, in a line.
  static func verdict(_ c: Comparison) -> String {
    guard c.isOfMessages else { return PropertyVerdict.sentence(c) }
    return switch c.decision {
    case .invalid: "INVALID: nothing can be concluded from these numbers."
    case .tooEarly: "TOO EARLY to decide."
    case .review: "REVIEW: \(decided(c)), but look at the reasons first."
    case .aWins, .bWins:
      "\(winner(c)) WON on \(decisionDay(c)): \(c.decision == .aWins ? "keep" : "take") \(winner(c))."
    case .noDifference: "NO DIFFERENCE that matters, found on \(decisionDay(c)): take either."
    case .keepRunning: "KEEP RUNNING: not decided yet."
    case .differs, .notClear: PropertyVerdict.sentence(c)
    }
  }

  private static func winner(_ c: Comparison) -> String { c.winner?.variant ?? "" }

  /// `A 37.0 % → B 51.6 %, +14.6 points (of 389 and 440 users)`: of all users by now.
  static func rates(_ c: Comparison, _ style: TextStyle) -> String {
    // A version and a rate beside it are two numbers: a colon keeps them apart.
    func rate(_ arm: Comparison.Arm) -> String {
      "\(title(arm, style, columns: 24))\(c.isOfMessages ? "" : ":") "
        + (arm.rate.map { NumberText.percent($0.value) } ?? style.unknown)
    }
    var text =
      (c.isOfMessages ? "" : c.comparedProperty.name + " ") + rate(c.a) + (style.isASCII ? " -> " : " → ") + rate(c.b)
    if let difference = c.difference {
      text += ", " + NumberText.signed(difference.value * 100) + " points"
      if c.decision == .differs, let interval = NumberText.signedInterval(difference, scale: 100) {
        text += ", " + interval + " for one look"
      }
    }
    return text + " (of \(NumberText.count(c.a.trials)) and \(NumberText.counted(c.b.trials, "user")))"
  }

  /// What was decided, and when.
  private static func decided(_ c: Comparison) -> String {
    c.winner.map { "\($0.variant) won on \(decisionDay(c))" }
      ?? "no difference that matters was found on \(decisionDay(c))"
  }

  private static func decisionDay(_ c: Comparison) -> String { day(c.decidedOn ?? 0, c.decidedDay ?? 0) }

  /// `2026-03-16 (day 21)`.
  /// - Parameter number: 1 is the day of the first exposure.
  static func day(_ day: DayNumber, _ number: Int) -> String { "\(CivilDate(day).text) (day\u{A0}\(number))" }

  static func tone(_ decision: Comparison.Decision) -> TextTone {
    switch decision {
    case .invalid, .review: .bad
    case .aWins, .bWins: .good
    case .tooEarly, .noDifference, .keepRunning, .differs, .notClear: .strong
    }
  }

  // MARK: The rule

  /// The rule of decision in a few words.
  static func rule(_ c: Comparison) -> String {
    switch c.monitoring.rule {
    case .daily: "daily looks"
    case .alwaysValid: "always-valid sequence"
    case .looks(let count): count == 1 ? "one declared look" : "\(count) declared looks"
    }
  }

  /// The name of the rule's p-value.
  static func pName(_ c: Comparison) -> String {
    if c.monitoring.rule == .alwaysValid { return "always-valid p" }
    return c.monitoring.crossing == nil ? "sequential p" : "stage-wise p"
  }

  /// The rule's interval at a look.
  static func interval(_ c: Comparison, at look: Comparison.Look?) -> String {
    let level = level(c)
    if case .events = look?.boundary { return "exact always-valid \(level) interval" }
    return c.monitoring.rule == .alwaysValid ? "always-valid \(level) interval" : "\(level) interval of the \(rule(c))"
  }

  /// What the interval of the headline is.
  static func headline(_ c: Comparison) -> String {
    guard let headline = c.headline, let day = headline.day else {
      return "\(level(c)) interval for a single look, which decides nothing"
    }
    if headline.kind == .noDifference { return "equivalence interval that decided, \(CivilDate(day).text)" }
    let isOfDecision = c.monitoring.crossing?.day == day
    return interval(c, at: c.monitoring.looks.last { $0.day == day })
      + (isOfDecision ? " at the decision, " : " at the latest look, ") + CivilDate(day).text
  }

  private static func level(_ c: Comparison) -> String {
    fixed(c.confidence * 100, c.familySize == 1 ? 0 : 2) + "\u{A0}%"
  }

  /// How far the error of the decisions is bounded; the same for all pairs.
  static func errorBound(_ set: ComparisonSet) -> String {
    let isPlanned = set.pairs.allSatisfy(\.isPlanned)
    guard set.pairs.first?.isOfMessages != false else {
      return
        "If there is no difference, at most 5 % of such comparisons say that there is one, however often you look: for one reading "
        + "of the log, with property, values, metric, windows and time zone fixed beforehand."
    }
    return
      "At most 5 % of tests without a difference end with a winner, however often you look: for one reading of the log "
      + "(no events of earlier days added or removed later), with rule, metric, windows and time zone fixed beforehand"
      + "\(isPlanned ? ", as they are by the plan" : "")."
  }
}
