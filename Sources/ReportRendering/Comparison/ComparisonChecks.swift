// The checks of a comparison: can these numbers be believed?

import PermissionAnalysis
import PermissionEvents

enum ComparisonChecks {
  private typealias Fact = Facts.Element

  static func section(_ c: Comparison, _ title: String, _ style: TextStyle) -> Section {
    var facts = sampleRatio(c.sampleRatio)
    facts.append(contamination(c, style))
    facts += c.strata.map { property($0, style) }
    facts.append(novelty(c.novelty, style))
    facts += c.guardrails.map(guardrail)
    return Section("", "Checks" + title, [.facts(facts, width: ComparisonNumbers.nameWidth)])
  }

  private static func sampleRatio(_ ratio: Comparison.SampleRatio) -> Facts {
    let observed = ratio.observed.map { NumberText.count($0) }.joined(separator: " : ")
    let expected = ratio.expected.map { NumberText.count(Int($0.rounded())) }.joined(separator: " : ")
    let all =
      "\(mark(!ratio.isMismatchOverall)) \(observed), expected \(expected), p\u{A0}\(ComparisonWords.pValue(ratio.pValue))"
    guard let worst = ratio.worstDay else { return [("sample ratio", all)] }
    let alarms = ratio.mismatchedDays.count
    let text =
      alarms == 0
      ? "\(NumberText.counted(ratio.days.count, "day")), smallest p \(ComparisonWords.pValue(worst.adjustedPValue)) after Holm"
      : "\(NumberText.counted(alarms, "day")) of \(ratio.days.count) not as planned, the worst "
        + "\(CivilDate(worst.day).text) (\(worst.observed.map { NumberText.count($0) }.joined(separator: " : ")), "
        + "p\u{A0}\(ComparisonWords.pValue(worst.adjustedPValue)))"
    return [("sample ratio", all), ("  by day", "\(mark(alarms == 0)) \(text)")]
  }

  private static func contamination(_ c: Comparison, _ style: TextStyle) -> Fact {
    let both = c.contamination
    let share = both.share.map { NumberText.percent($0) } ?? style.unknown
    let isFine = (both.share ?? 0) < Comparison.Contamination.warningShare && !both.isAsymmetric
    var text =
      "\(NumberText.counted(both.users, "user")) with multiple exposures (\(share)), policy \(both.policy.rawValue)"
    if both.users > 0 {
      text +=
        "; counted for the first \(ComparisonWords.points(both.differenceFirst?.value)) points, "
        + "excluded \(ComparisonWords.points(both.differenceExcluding?.value)); equally frequent after either message: "
        + "p\u{A0}\(ComparisonWords.pValue(both.asymmetryPValue))"
    }
    return ("saw several", "\(mark(isFine)) \(text)")
  }

  private static func property(_ check: Comparison.PropertyCheck, _ style: TextStyle) -> Fact {
    var text: String
    if check.allStrata < 2 {
      text = check.allStrata == 0 ? "no users" : "one value only"
    } else {
      text =
        "\(ComparisonWords.points(check.postStratified?.value)) points (\(ComparisonWords.range(check.postStratified))) "
        + "weighted over \(NumberText.counted(check.usedStrata, "value"))"
      if check.usedStrata < check.allStrata {
        text += " (\(check.allStrata - check.usedStrata) more with one message only)"
      }
      if check.isReversed { text += check.isFlagged ? ": SIMPSON'S PARADOX" : ": the sign changes, by little" }
      if let test = check.heterogeneity {
        text +=
          "; values \(test.areDifferent ? "differ" : "do not differ beyond chance"), p\u{A0}\(ComparisonWords.pValue(test.adjustedPValue))"
      }
    }
    if check.allStrata > 1, let p = check.sampleRatioPValue {
      text += "; sample ratio p\u{A0}\(ComparisonWords.pValue(p))"
      if check.isRatioMismatched { text += " MISMATCH" }
    }
    let mark = check.allStrata < 2 ? style.unknown : mark(!check.isFlagged && !check.isRatioMismatched)
    return ("by " + check.property, "\(mark) \(text)")
  }

  private static func novelty(_ novelty: Comparison.Novelty, _ style: TextStyle) -> Fact {
    var text: String
    if let slope = novelty.slope {
      text = novelty.isFading ? "FADING: " : ""
      text +=
        "\(NumberText.signed(slope * 100, 3)) points a day over \(NumberText.counted(novelty.days, "day")) (p\u{A0}"
        + "\(ComparisonWords.pValue(novelty.pValue))); first half \(ComparisonWords.points(novelty.firstHalf?.value)), "
        + "second \(ComparisonWords.points(novelty.secondHalf?.value))"
    } else {
      text = "unknown: " + (novelty.refused?.sentence ?? "")
    }
    let mark = novelty.slope == nil ? style.unknown : mark(!novelty.isFading)
    return ("novelty", "\(mark) \(text)")
  }

  private static func guardrail(_ guardrail: Comparison.Guardrail) -> Fact {
    let margin = fixed(guardrail.margin * 100, 2)
    let state =
      switch guardrail.state {
      case .safe: "safe"
      case .harmed: "HARMED"
      case .worse: "worse, within the margin"
      case .undecided: "undecided"
      }
    var text = "\(state): \(ComparisonWords.points(guardrail.difference?.value)) points"
    if guardrail.low != nil {
      let method = guardrail.method == .exactSequence ? "exact always-valid" : "always-valid"
      text += " (\(method) \(ComparisonWords.range(guardrail.low, guardrail.high)), each end 95\u{A0}%)"
    }
    text += ", margin \(margin); not worse by the margin: p\u{A0}\(ComparisonWords.pValue(guardrail.pValue)), one look"
    return ("guardrail", "\(mark(guardrail.state != .harmed)) \(guardrail.metric.title) \(text)")
  }

  private static func mark(_ isFine: Bool) -> String { isFine ? "ok" : "LOOK" }
}
