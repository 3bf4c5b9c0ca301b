// The checks of one pair of messages: users of both, properties, novelty, guardrails.

import PermissionAnalysis
import PermissionEvents

extension ComparisonChecks {
  static func ofPair(_ c: Comparison) -> [ComparisonCheck] {
    var checks: [ComparisonCheck] = []
    if c.familySize > 1, let both = c.contamination, both.users > 0 {
      let mark: ComparisonCheck.Mark = turnsSign(c) ? .alarm : both.isAsymmetric ? .note : .fine
      checks.append(ComparisonCheck("saw several", mark, contaminated(both)))
    }
    return checks + properties(c) + [novelty(c)] + c.guardrails.map { guardrail($0, c) }
  }

  /// Those that can be looked at one by one; the others together, by reason.
  private static func properties(_ c: Comparison) -> [ComparisonCheck] {
    var missing: [(why: String, names: [String])] = []
    var checks: [ComparisonCheck] = []
    for check in c.strata {
      guard let why = whyUnchecked(check, c) else {
        checks.append(property(check, c))
        continue
      }
      if let place = missing.firstIndex(where: { $0.why == why }) {
        missing[place].names.append(check.property)
      } else {
        missing.append((why, [check.property]))
      }
    }
    if !missing.isEmpty {
      let text = missing.map { "\($0.why) \(Sentence.list($0.names, "or"))" }.joined(separator: "; ")
      checks.append(ComparisonCheck("by property", .unchecked, text, brief: text))
    }
    return checks
  }

  private static func whyUnchecked(_ check: Comparison.PropertyCheck, _ c: Comparison) -> String? {
    if check.isMissing { return "no user has a value of" }
    if check.allStrata < 2 { return "there is only one value of" }
    guard check.usedStrata < 2 else { return nil }
    return "fewer than two values have users \(c.isOfMessages ? "of both messages" : "on both sides"):"
  }

  private static func property(_ check: Comparison.PropertyCheck, _ c: Comparison) -> ComparisonCheck {
    var brief: [String] = []
    var text =
      "\(ComparisonWords.points(check.postStratified?.value)) points (\(ComparisonWords.range(check.postStratified))) "
      + "weighted over \(NumberText.counted(check.usedStrata, "value"))"
    if check.usedStrata < check.allStrata {
      let side = c.isOfMessages ? "with one message" : "on one side"
      text += " (\(check.allStrata - check.usedStrata) more \(side) only)"
    }
    if check.isReversed {
      text += check.isFlagged ? ": SIMPSON'S PARADOX" : ": the sign changes, by little"
      brief.append(check.isFlagged ? "Simpson's paradox" : "the sign changes, by little")
    }
    if let test = check.heterogeneity {
      let p = "p\u{A0}\(ComparisonWords.pValue(test.adjustedPValue))"
      text += "; values \(test.areDifferent ? "differ" : "do not differ beyond chance"), \(p)"
      if test.areDifferent { brief.append("values differ, \(p)") }
    }
    if let p = check.sampleRatioPValue {
      text += "; sample ratio p\u{A0}\(ComparisonWords.pValue(p))"
      if check.isRatioMismatched {
        text += " MISMATCH"
        brief.append("sample ratio")
      }
    }
    let mark: ComparisonCheck.Mark =
      check.isFlagged || check.isRatioMismatched ? .alarm : brief.isEmpty ? .fine : .note
    return ComparisonCheck(
      "by " + check.property, mark, text, brief: brief.isEmpty ? nil : brief.joined(separator: ", "))
  }

  /// Claimed only after a decision: before, the difference and its trend are both luck.
  private static func novelty(_ c: Comparison) -> ComparisonCheck {
    let novelty = c.novelty
    guard let slope = novelty.slope else {
      return ComparisonCheck("novelty", .unchecked, novelty.refused?.sentence(c.armNoun) ?? "unknown")
    }
    let text =
      "\(NumberText.signed(slope * 100, 3)) points a day over \(NumberText.counted(novelty.days, "day")) (p\u{A0}"
      + "\(ComparisonWords.pValue(novelty.pValue))); first half \(ComparisonWords.points(novelty.firstHalf?.value)), "
      + "second \(ComparisonWords.points(novelty.secondHalf?.value))"
    guard c.monitoring.crossing != nil else {
      return ComparisonCheck(
        "novelty", .unchecked,
        "looked at when \(c.isOfMessages ? "there is a winner" : "a difference is found"); so far \(text)")
    }
    return novelty.isFading
      ? ComparisonCheck("novelty", .alarm, "FADING: " + text, brief: "the effect fades")
      : ComparisonCheck("novelty", .fine, text)
  }

  private static func guardrail(_ guardrail: Comparison.Guardrail, _ c: Comparison) -> ComparisonCheck {
    let title = c.title(guardrail.metric)
    if let evidence = guardrail.noEvidence {
      return ComparisonCheck("guardrail", .unchecked, "\(title), for \(evidence.sentence)", brief: title)
    }
    guard let difference = guardrail.difference?.value else {
      let reason = "\(title): nobody has an outcome under \(guardrail.a.trials == 0 ? c.a.variant : c.b.variant)"
      return ComparisonCheck("guardrail", .unchecked, reason, brief: title)
    }
    let margin = fixed(guardrail.margin * 100, 2)
    let hasLost = c.winner?.variant == c.a.variant
    let state =
      switch guardrail.state {
      case .safe: "safe"
      case .harmed: "HARMED"
      case .worse: "worse, within the margin"
      case .undecided: "undecided"
      }
    var text = "\(title) \(state): \(ComparisonWords.points(difference)) points"
    if guardrail.low != nil {
      let method = guardrail.method == .exactSequence ? "exact always-valid" : "always-valid"
      text += " (\(method) \(ComparisonWords.range(guardrail.low, guardrail.high)), each end 95\u{A0}%)"
    }
    text += ", margin \(margin); not worse by the margin: p\u{A0}\(ComparisonWords.pValue(guardrail.pValue)), one look"
    if hasLost { text += "; \(c.b.variant) lost, so nobody is harmed by the decision" }
    // A loser that harms a guardrail is no reason to look.
    let mark: ComparisonCheck.Mark =
      guardrail.state == .harmed && !hasLost ? .alarm : guardrail.state == .safe ? .fine : .note
    return ComparisonCheck("guardrail", mark, text, brief: "\(title) \(guardrail.state == .safe ? "safe" : state)")
  }

  /// What users of several messages do to the difference of a pair.
  static func contaminated(_ both: Comparison.Contamination) -> String {
    "counted for the first \(ComparisonWords.points(both.differenceFirst?.value)) points, "
      + "excluded \(ComparisonWords.points(both.differenceExcluding?.value)); equally frequent after either message: "
      + "p\u{A0}\(ComparisonWords.pValue(both.asymmetryPValue))"
  }

  /// Said among the reasons or the cautions: without these users the difference has the other sign.
  static func turnsSign(_ c: Comparison) -> Bool {
    c.reasons.contains { if case .signTurns = $0 { true } else { false } }
      || c.cautions.contains { if case .signTurnsWithout = $0 { true } else { false } }
  }
}
