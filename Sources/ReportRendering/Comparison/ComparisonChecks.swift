// The checks of a comparison: can you trust these numbers? A check is ok only if it was made and passed.

import PermissionAnalysis
import PermissionEvents

struct ComparisonCheck {
  enum Mark: String {
    case fine = "ok"
    /// Worth reading, but no alarm.
    case note
    case alarm = "LOOK"
    case unchecked = "not checked:"
  }

  var name: String
  /// It belongs to the check before it.
  var isPart: Bool
  var mark: Mark
  /// The result; for a check that was not made, the reason.
  var text: String
  /// The same in a few words. Nil if the name is enough, or if it belongs to the check before.
  var brief: String?

  init(_ name: String, _ mark: Mark, _ text: String, brief: String? = nil, isPart: Bool = false) {
    (self.name, self.mark, self.text, self.brief, self.isPart) = (name, mark, text, brief, isPart)
  }
}

enum ComparisonChecks {
  /// - Parameter title: of the pair, if there are several. Then the checks common to all pairs have their own section.
  static func section(_ c: Comparison, _ title: String, _ style: TextStyle) -> Section {
    section("Checks" + title, title.isEmpty ? ofAll(c) + ofPair(c) : ofPair(c))
  }

  static func shared(_ set: ComparisonSet) -> [Section] {
    guard set.pairs.count > 1, let first = set.pairs.first, first.isOfMessages else { return [] }
    return [section("Checks of all messages", ofAll(first))]
  }

  private static func section(_ title: String, _ checks: [ComparisonCheck]) -> Section {
    let facts = checks.map { check in
      let isAlarm = check.mark == .alarm
      return Fact(
        check.name, isAlarm ? check.text : "\(check.mark.rawValue) \(check.text)", isIndented: check.isPart,
        isAlarm: isAlarm)
    }
    return Section("", title, [.facts(facts, width: ComparisonNumbers.nameWidth)])
  }

  /// Returns all checks in one sentence, the failed ones first.
  static func summary(_ set: ComparisonSet) -> String {
    guard let first = set.pairs.first else { return "" }
    var found = ofAll(first).map { (mark: $0.mark, words: words($0)) }
    let pairs = set.pairs.map { pair in
      (name: pair.b.variant, checks: ofPair(pair).map { (mark: $0.mark, words: words($0)) })
    }
    for pair in pairs {
      for check in pair.checks {
        // Whose check it is matters only if it came out differently for another.
        let isOfAll = pairs.allSatisfy { $0.checks.contains { $0 == check } }
        found.append((check.mark, isOfAll ? check.words : "\(check.words) of \(pair.name)"))
      }
    }
    let marks: [ComparisonCheck.Mark] = [.alarm, .note, .fine, .unchecked]
    let parts = marks.compactMap { mark -> String? in
      var names: [String] = []
      for check in found where check.mark == mark && !check.words.isEmpty && !names.contains(check.words) {
        names.append(check.words)
      }
      return names.isEmpty ? nil : "\(mark.rawValue) \(names.joined(separator: ", "))"
    }
    return "Checks: \(parts.joined(separator: "; "))."
  }

  private static func words(_ check: ComparisonCheck) -> String {
    // A part is reported in the line of its check.
    guard !check.isPart || check.mark == .note || check.mark == .alarm else { return "" }
    guard let brief = check.brief else { return check.name }
    return check.name.isEmpty ? brief : "\(check.name) (\(brief))"
  }

  // MARK: Checks common to all pairs

  /// Empty if no users were assigned: then no split was planned, and users may have several of the values.
  private static func ofAll(_ c: Comparison) -> [ComparisonCheck] {
    sampleRatio(c) + assigned(c) + contamination(c)
  }

  /// The share of the users given each variant that was asked.
  private static func assigned(_ c: Comparison) -> [ComparisonCheck] {
    guard let assigned = c.assigned, let p = assigned.pValue else { return [] }
    let shares = zip(assigned.exposed, assigned.users).map { exposed, users in
      "\(NumberText.count(exposed)) of \(NumberText.count(users))"
    }
    let isNoted = p < Comparison.SampleRatio.alarm
    return [
      ComparisonCheck(
        c.isOfSettings ? "prompted" : "asked", isNoted ? .note : .fine,
        "\(shares.joined(separator: " : ")) users assigned; p\u{A0}\(ComparisonWords.pValue(p)), a caution below 0.001",
        brief: isNoted ? "the shares differ" : nil)
    ]
  }

  private static func sampleRatio(_ c: Comparison) -> [ComparisonCheck] {
    guard let ratio = c.sampleRatio else { return [] }
    guard ratio.observed.contains(where: { $0 > 0 }), let p = ratio.pValue else {
      return [
        ComparisonCheck(
          "sample ratio", .unchecked,
          c.assigned == nil ? "no users were shown a message" : "no users were assigned")
      ]
    }
    let observed = ratio.observed.map { NumberText.count($0) }.joined(separator: " : ")
    let expected = ratio.expected.map {
      $0 == $0.rounded() || $0 >= 1e15 ? NumberText.count(Int(min($0.rounded(), 1e15))) : fixed($0, 1)
    }.joined(separator: " : ")
    let users = "\(observed), expected \(expected)\(ratio.isDeclared ? "" : " by an assumed even split")"
    let sequential =
      "\(users); sequential p\u{A0}\(ComparisonWords.pValue(ratio.sequential.pValue)), holds at every look "
      + "(\(ratio.canBeInvalid ? "INVALID" : "a caution") from \(fixed(Comparison.SequentialRatio.level, 2)) down)"
    let all: ComparisonCheck
    if let day = ratio.sequential.firstAlarm {
      all = ComparisonCheck(
        "sample ratio", ratio.isInDoubt ? .note : .alarm, "\(sequential); ALARM since \(CivilDate(day).text)",
        brief: "\(observed), \(misfit(ratio))")
    } else if isRatioChecked(c) {
      all = ComparisonCheck("sample ratio", ratio.isMismatchOverall ? .note : .fine, sequential)
    } else {
      all = ComparisonCheck(
        "sample ratio", .unchecked,
        "no day with \(c.assigned == nil ? "exposures" : "assignments") is over; so far \(users)")
    }
    let oneLook = ComparisonCheck(
      "one look", ratio.isMismatchOverall ? .note : .fine,
      "chi-square p\u{A0}\(ComparisonWords.pValue(p)), a caution for one look",
      brief: "p\u{A0}\(ComparisonWords.pValue(p))", isPart: true)
    return [all, oneLook] + byDay(ratio)
  }

  private static func misfit(_ ratio: Comparison.SampleRatio) -> String {
    ratio.isDeclared ? "not as planned" : "off the assumed even split"
  }

  /// The test that holds at every look has looked: at the end of the first day with exposures.
  static func isRatioChecked(_ c: Comparison) -> Bool {
    c.sampleRatio?.days.contains { c.zone.firstMoment(of: $0.day + 1) <= c.asOf } ?? false
  }

  private static func byDay(_ ratio: Comparison.SampleRatio) -> [ComparisonCheck] {
    guard let worst = ratio.worstDay else { return [] }
    guard worst.adjustedPValue != nil else {
      return [ComparisonCheck("by day", .unchecked, "every day has too few users", isPart: true)]
    }
    let p = ComparisonWords.pValue(worst.adjustedPValue)
    let alarms = ratio.mismatchedDays.count
    guard alarms > 0 else {
      let days = NumberText.counted(ratio.days.count, "day")
      return [ComparisonCheck("by day", .fine, "\(days), smallest p \(p) after Holm, for one look", isPart: true)]
    }
    let text =
      "\(NumberText.counted(alarms, "day")) of \(ratio.days.count) \(misfit(ratio)), the worst "
      + "\(CivilDate(worst.day).text) (\(worst.observed.map { NumberText.count($0) }.joined(separator: " : ")), "
      + "p\u{A0}\(p)), for one look"
    return [
      ComparisonCheck(
        "by day", .note, text, brief: "\(NumberText.counted(alarms, "day")) \(misfit(ratio))", isPart: true)
    ]
  }

  private static func contamination(_ c: Comparison) -> [ComparisonCheck] {
    guard let both = c.contamination else { return [] }
    guard let share = both.share else {
      return [ComparisonCheck("saw several", .unchecked, "no users were shown a message")]
    }
    var text =
      "\(NumberText.counted(both.users, "user")) with multiple exposures (\(NumberText.percent(share))), policy "
      + both.policy.rawValue
    if both.users > 0, c.familySize == 1 { text += "; " + contaminated(both) }
    let isBad = share >= Comparison.Contamination.invalidShare || turnsSign(c)
    let isFine = share < Comparison.Contamination.warningShare && !both.isAsymmetric
    return [
      ComparisonCheck(
        "saw several", isBad ? .alarm : isFine ? .fine : .note, text, brief: isFine ? nil : NumberText.percent(share))
    ]
  }

  // MARK: The checks of one pair of messages: users of both, properties, novelty, guardrails

  static func ofPair(_ c: Comparison) -> [ComparisonCheck] {
    var checks: [ComparisonCheck] = []
    if c.familySize > 1, let both = c.contamination, both.users > 0 {
      let mark: ComparisonCheck.Mark = turnsSign(c) ? .alarm : both.isAsymmetric ? .note : .fine
      checks.append(ComparisonCheck("saw several", mark, contaminated(both)))
    }
    return checks + properties(c) + [novelty(c)] + c.guardrails.map { guardrail($0, c) }
  }

  /// The properties that can be checked, one by one; the others together, by reason.
  private static func properties(_ c: Comparison) -> [ComparisonCheck] {
    var missing: [(why: String, names: [String])] = []
    var checks: [ComparisonCheck] = []
    for check in c.strata {
      guard let why = whyUnchecked(check, c) else {
        checks.append(property(check, c))
        continue
      }
      if let index = missing.firstIndex(where: { $0.why == why }) {
        missing[index].names.append(check.property)
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
      "\(Sentence.points(check.postStratified?.value)) points (\(ComparisonWords.range(check.postStratified))) "
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
      check.isFlagged || check.isRatioMismatched && c.sampleRatio?.isInDoubt != true
      ? .alarm : brief.isEmpty ? .fine : .note
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
      + "\(ComparisonWords.pValue(novelty.pValue))); first half \(Sentence.points(novelty.firstHalf?.value)), "
      + "second \(Sentence.points(novelty.secondHalf?.value))"
    guard c.monitoring.crossing != nil else {
      return ComparisonCheck(
        "novelty", .unchecked,
        "only when \(c.isOfMessages ? "there is a winner" : "a difference is found"); so far \(text)")
    }
    return novelty.isFading
      ? ComparisonCheck("novelty", .alarm, "FADING: " + text, brief: "the effect fades")
      : ComparisonCheck("novelty", .fine, text)
  }

  private static func guardrail(_ guardrail: Comparison.Guardrail, _ c: Comparison) -> ComparisonCheck {
    let metric = c.title(guardrail.metric)
    let title = metric + (guardrail.isAutomatic ? " (automatic)" : "")
    // In brief it is in brackets itself.
    let name = (guardrail.isAutomatic ? "automatic, " : "") + metric
    if let evidence = guardrail.noEvidence {
      return ComparisonCheck("guardrail", .unchecked, "\(title), because \(evidence.sentence)", brief: name)
    }
    guard let difference = guardrail.difference?.value else {
      let reason = "\(title): no users have an outcome under \(guardrail.a.trials == 0 ? c.a.variant : c.b.variant)"
      return ComparisonCheck("guardrail", .unchecked, reason, brief: name)
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
    var text = "\(title) \(state): \(Sentence.points(difference)) points"
    if guardrail.low != nil {
      let method = guardrail.method == .exactSequence ? "exact always-valid" : "always-valid"
      text += " (\(method) \(ComparisonWords.range(guardrail.low, guardrail.high)), each end 95\u{A0}%)"
    }
    text += ", margin \(margin); not worse by the margin: p\u{A0}\(ComparisonWords.pValue(guardrail.pValue)), one look"
    if hasLost { text += "; \(c.b.variant) lost, so the decision harms no users" }
    // A loser that harms a guardrail is no reason to look.
    let mark: ComparisonCheck.Mark =
      guardrail.state == .harmed && !hasLost ? .alarm : guardrail.state == .safe ? .fine : .note
    return ComparisonCheck("guardrail", mark, text, brief: "\(name) \(guardrail.state == .safe ? "safe" : state)")
  }

  /// What users of several messages do to the difference of a pair.
  static func contaminated(_ both: Comparison.Contamination) -> String {
    "counted for their first message \(Sentence.points(both.differenceFirst?.value)) points, left out "
      + "\(Sentence.points(both.differenceExcluding?.value)); equally frequent after either message: "
      + "p\u{A0}\(ComparisonWords.pValue(both.asymmetryPValue))"
  }

  /// Whether the reasons or the cautions report that without these users the difference has the other sign.
  static func turnsSign(_ c: Comparison) -> Bool {
    c.reasons.contains { if case .signTurns = $0 { true } else { false } }
      || c.cautions.contains { if case .signTurnsWithout = $0 { true } else { false } }
  }
}
