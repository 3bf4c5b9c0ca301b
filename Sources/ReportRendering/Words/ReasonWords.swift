// The sentences of a comparison's reasons.

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
