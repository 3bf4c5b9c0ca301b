// The sentences of a comparison: reasons, cautions, and why a figure is missing. JSON has them too.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  /// The sentences of `reasons`, in their order.
  public var reasonSentences: [String] { reasons.map { sentence($0) } }

  private func sentence(_ reason: Reason) -> String {
    switch reason {
    case .nobodySaw(let variant, let isExcluded):
      "Nobody was shown \(variant)\(isExcluded ? ", leaving out those who saw several messages" : "")."
    case .notAsPlanned(let observed, let p):
      "The users are not divided as planned (\(Sentence.ratio(observed)), p = \(Sentence.pValue(p))): assignment or logging is broken."
    case .notAsPlannedOnDays(let day, let others, let observed, let p):
      "On \(CivilDate(day).text)\(others > 0 ? " and on \(Sentence.counted(others, "other day"))" : "") the users are not divided as "
        + "planned (\(Sentence.ratio(observed)), p = \(Sentence.pValue(p)) after Holm): assignment or logging was broken."
    case .contaminated(let share):
      "\(Sentence.percent(share)) of the users saw \(manyMessages) messages; from 10 % on a comparison says nothing."
    case .refused(let refusal): refusal.sentence
    case .fewDays(let have, let need):
      "There are exposures on \(Sentence.counted(have, "day")); a decision takes \(need), weekend included."
    case .pending(let share, let most):
      "\(Sentence.percent(share)) of the journeys are pending; a decision takes at most \(fixed(most * 100, 0)) %."
    case .signTurns(let difference):
      "Without the users who saw \(manyMessages) messages the difference has the other sign (\(Sentence.points(difference)) points)."
    case .simpsonsParadox(let property, let inAll, let within):
      "Simpson's paradox by \(property): \(Sentence.points(inAll)) points in all, \(Sentence.points(within)) points within its values "
        + "weighted by their users."
    case .fading(let slope, let p):
      "The difference fades: it changes by \(Sentence.points(slope)) points a day of exposure, against its sign (p = \(Sentence.pValue(p)))."
    case .guardrailHarmed(let metric, let margin):
      "The guardrail is harmed: \(metric.noun) \(metric.isGoodWhenHigh ? "falls" : "rises") by more than \(Sentence.points(margin)) points."
    case .guardrailNotSafe(let metric, let margin, let state):
      "Guardrail: \(metric.noun) is \(state == .worse ? "worse, within its margin" : "not yet shown to be safe") "
        + "(margin \(Sentence.points(margin)) points)."
    case .intervalAboveZero(let interval): "The whole \(words(interval)), lies above 0; \(direction)."
    case .intervalBelowZero(let interval): "The whole \(words(interval)), lies below 0; \(direction)."
    case .intervalWithinEffect(let interval, let effect):
      "The whole \(words(interval)), lies within ± \(Sentence.points(effect)) points, the smallest effect that matters."
    case .intervalHoldsZero(let interval): "The \(words(interval)), still holds 0."
    case .needed(let effect, let users, let days):
      "To see \(Sentence.points(effect)) points with 80 % power in this interval takes some \(users) more users for each message"
        + (days.map { ", about \(Sentence.counted($0, "day")) at the present traffic" } ?? "") + "."
    case .firstLookAhead(let declared, let at, let have):
      "The first of \(declared) declared looks comes at \(at) users with an outcome; there are \(have)."
    case .nextLookAhead(let declared, let at):
      "The next of \(declared) declared looks comes at \(at) users with an outcome."
    case .looksOver(let declared):
      "All \(declared) declared looks are over and none crossed its bound: the plan ends undecided."
    case .noLook: "No declared look could be made."
    }
  }

  /// The sentences of `cautions`, in their order.
  public var cautionSentences: [String] { cautions.map { sentence($0) } }

  private func sentence(_ caution: Caution) -> String {
    switch caution {
    case .notAsPlannedAmong(let property, let value, let p):
      "Among \(value.map { "\(property) \($0)" } ?? "exposures without \(property)") the users are not divided as planned "
        + "(p = \(Sentence.pValue(p))): the messages are compared on different users there."
    case .signTurnsWithin(let property):
      "By \(property) the sign turns round, by less than the smallest effect that matters."
    case .contaminated(let share): "\(Sentence.percent(share)) of the users saw \(manyMessages) messages."
    case .exclusionUnbalances(let p):
      "Leaving them out unbalances the messages (sample ratio of those left: p = \(Sentence.pValue(p)))."
    case .contaminationAsymmetric(let p):
      "Who saw \(a.variant) first went on to another message more or less often than who saw \(b.variant) first "
        + "(p = \(Sentence.pValue(p))): leaving them out would leave different users."
    case .metricIsDescriptive:
      "Prompt grant rate: of those who answered the system's prompt, whom the message has chosen; a description, not an effect."
    case .looksOverrun: "There are more users than planned; those after the last look are left out of it."
    case .severalMessages(let count, let confidence):
      "\(count) messages are compared with \(a.variant): intervals hold together at 95 %, each at \(Sentence.percent(confidence))."
    }
  }

  /// How many messages somebody saw who saw more than one.
  var manyMessages: String { familySize > 1 ? "several" : "both" }

  private var direction: String {
    "for \(metric.noun) \(metric.isGoodWhenHigh ? "higher is better" : "lower is better")"
  }

  private func words(_ interval: Headline) -> String {
    let name = interval.kind == .look ? "interval of the deciding look" : "always-valid interval of the difference"
    return "\(name), \(Sentence.points(interval.low)) to \(Sentence.points(interval.high)) points"
  }
}

extension Comparison.AlwaysValidRefusal {
  var sentence: String {
    func few(_ variant: String, _ have: Int, _ noun: String, _ need: Int) -> String {
      "\(variant) has \(Sentence.counted(have, noun)); an always-valid statement needs \(need) for each message."
    }
    return switch self {
    case .fewUsers(let variant, let have, let need): few(variant, have, "user", need)
    case .fewEvents(let variant, let have, let need): few(variant, have, "event", need)
    case .fewNonEvents(let variant, let have, let need): few(variant, have, "non-event", need)
    case .noVariance: "The outcome does not vary in either arm."
    }
  }
}

extension Comparison.NoveltyRefusal {
  var sentence: String {
    switch self {
    case .nobody: "An arm has nobody."
    case .declined(let error): error.sentence
    }
  }
}

extension ExperimentPlan.PlanRefusal {
  /// The refusal in plain English.
  public var sentence: String {
    switch self {
    case .unknownTraffic: "How many exposures a day there are is not known."
    case .noSuchRate(let effect, let baseline):
      "No rate lies \(Sentence.points(effect)) points from \(Sentence.percent(baseline)), up or down."
    }
  }
}

/// Numbers inside sentences.
private enum Sentence {
  /// A share of 1 in percentage points, with a minus sign if it is below 0.
  static func points(_ value: Double) -> String { fixed(value * 100, 2).replacing("-", with: "−") }

  static func percent(_ value: Double) -> String { fixed(value * 100, 1) + " %" }

  static func counted(_ n: Int, _ noun: String) -> String { "\(n) \(noun)\(n == 1 ? "" : "s")" }

  /// `700 : 500`, users by message.
  static func ratio(_ users: [Int]) -> String { users.map(String.init).joined(separator: " : ") }

  /// A p-value in two or three significant digits.
  static func pValue(_ p: Double) -> String {
    guard p > 0 else { return "below 1e-300" }
    return p >= 0.001 ? fixed(p, 3) : scientific(p, from: 1)
  }
}
