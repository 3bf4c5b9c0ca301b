// The checks of a comparison: can these numbers be believed?

import PermissionAnalysis
import PermissionEvents

enum ComparisonChecks {
  private typealias Fact = Facts.Element

  static func section(_ c: Comparison, _ title: String, _ style: TextStyle) -> Section {
    var facts = sampleRatio(c.sampleRatio)
    facts.append(contamination(c, style))
    facts += c.strata.map { property($0, style) }
    facts.append(novelty(c, style))
    facts += c.guardrails.map(guardrail)
    return Section("", "Checks" + title, [.facts(facts, width: ComparisonNumbers.nameWidth)])
  }

  /// How a check came out.
  private enum Mark: String {
    case fine = "ok"
    /// To be read, and no cause for alarm.
    case note
    /// Somebody has to look.
    case alarm = "LOOK"
  }

  private static func fact(_ name: String, _ mark: Mark, _ text: String) -> Fact { (name, "\(mark.rawValue) \(text)") }

  private static func sampleRatio(_ ratio: Comparison.SampleRatio) -> Facts {
    let observed = ratio.observed.map { NumberText.count($0) }.joined(separator: " : ")
    let expected = ratio.expected.map {
      $0 == $0.rounded() || $0 >= 1e15 ? NumberText.count(Int(min($0.rounded(), 1e15))) : fixed($0, 1)
    }.joined(separator: " : ")
    let sequential = ratio.sequential
    let alarm = sequential.firstAlarm.map { "; ALARM since \(CivilDate($0).text)" } ?? ""
    let all =
      "\(observed), expected \(expected); sequential p\u{A0}\(ComparisonWords.pValue(sequential.pValue)), holds at every look "
      + "(INVALID from \(fixed(Comparison.SequentialRatio.level, 2)) down)\(alarm)"
    let oneLook = "chi-square p\u{A0}\(ComparisonWords.pValue(ratio.pValue)), a caution for one look"
    var facts = [
      fact("sample ratio", alarm.isEmpty ? .fine : .alarm, all),
      fact("  one look", ratio.isMismatchOverall ? .note : .fine, oneLook),
    ]
    guard let worst = ratio.worstDay else { return facts }
    let alarms = ratio.mismatchedDays.count
    let text =
      alarms == 0
      ? "\(NumberText.counted(ratio.days.count, "day")), smallest p \(ComparisonWords.pValue(worst.adjustedPValue)) after Holm"
      : "\(NumberText.counted(alarms, "day")) of \(ratio.days.count) not as planned, the worst "
        + "\(CivilDate(worst.day).text) (\(worst.observed.map { NumberText.count($0) }.joined(separator: " : ")), "
        + "p\u{A0}\(ComparisonWords.pValue(worst.adjustedPValue)))"
    facts.append(fact("  by day", alarms == 0 ? .fine : .note, text + ", for one look"))
    return facts
  }

  private static func contamination(_ c: Comparison, _ style: TextStyle) -> Fact {
    let both = c.contamination
    let share = both.share.map { NumberText.percent($0) } ?? style.unknown
    var text =
      "\(NumberText.counted(both.users, "user")) with multiple exposures (\(share)), policy \(both.policy.rawValue)"
    if both.users > 0 {
      text +=
        "; counted for the first \(ComparisonWords.points(both.differenceFirst?.value)) points, "
        + "excluded \(ComparisonWords.points(both.differenceExcluding?.value)); equally frequent after either message: "
        + "p\u{A0}\(ComparisonWords.pValue(both.asymmetryPValue))"
    }
    let isBad = (both.share ?? 0) >= Comparison.Contamination.invalidShare || turnsSign(c)
    let isFine = (both.share ?? 0) < Comparison.Contamination.warningShare && !both.isAsymmetric
    return fact("saw several", isBad ? .alarm : isFine ? .fine : .note, text)
  }

  /// Said among the reasons or the cautions: without these users the difference has the other sign.
  private static func turnsSign(_ c: Comparison) -> Bool {
    c.reasons.contains { if case .signTurns = $0 { true } else { false } }
      || c.cautions.contains { if case .signTurnsWithout = $0 { true } else { false } }
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
    let name = "by " + check.property
    if check.allStrata < 2 { return (name, "\(style.unknown) \(text)") }
    let isNoted = check.isReversed || check.heterogeneity?.areDifferent == true
    return fact(name, check.isFlagged || check.isRatioMismatched ? .alarm : isNoted ? .note : .fine, text)
  }

  /// Claimed only after a decision: before, the difference and its trend are both luck.
  private static func novelty(_ c: Comparison, _ style: TextStyle) -> Fact {
    let novelty = c.novelty
    guard let slope = novelty.slope else {
      return ("novelty", "\(style.unknown) unknown: " + (novelty.refused?.sentence ?? ""))
    }
    let isDecided = c.monitoring.crossing != nil
    let text =
      "\(NumberText.signed(slope * 100, 3)) points a day over \(NumberText.counted(novelty.days, "day")) (p\u{A0}"
      + "\(ComparisonWords.pValue(novelty.pValue))); first half \(ComparisonWords.points(novelty.firstHalf?.value)), "
      + "second \(ComparisonWords.points(novelty.secondHalf?.value))"
    if !isDecided { return ("novelty", "\(style.unknown) looked at after a decision; so far \(text)") }
    return fact("novelty", novelty.isFading ? .alarm : .fine, (novelty.isFading ? "FADING: " : "") + text)
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
    let mark: Mark = guardrail.state == .harmed ? .alarm : guardrail.state == .safe ? .fine : .note
    return fact("guardrail", mark, "\(guardrail.metric.title) \(text)")
  }
}
