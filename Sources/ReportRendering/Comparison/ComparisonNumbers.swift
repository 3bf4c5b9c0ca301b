// The primary metric's numbers: first the rule that decides, then the numbers valid at every look or for one look.

import PermissionAnalysis
import PermissionEvents

enum ComparisonNumbers {
  /// Columns of the names in text, here and among the checks.
  static let nameWidth = 17

  static func section(_ c: Comparison, _ title: String, _ words: RemedyWords) -> Section {
    var facts = rule(c)
    facts.append(Fact("always valid", alwaysValid(c)))
    facts += [Fact("difference", difference(c)), Fact("ratio", ratio(c))]
    if let test = c.test {
      let method = test.method == .z ? "pooled z" : "Fisher's mid-p"
      var text =
        ComparisonWords.pValue(test.pValue, log10: test.log10PValue)
        + " (\(method), two-sided, fixed horizon: for one look)"
      if c.familySize > 1 {
        text += "; \(ComparisonWords.pValue(c.adjustedPValue)) after Holm over \(c.familySize) comparisons"
      }
      facts.append(Fact("p-value", text))
    }
    if let bayes = c.bayes {
      let probability = "P(\(c.b.variant) > \(c.a.variant)) \(fixed(bayes.probabilityBGreater, 4))"
      // A loss needs a choice, and values of a property are not assigned.
      let loss =
        "; expected loss \(fixed(bayes.expectedLossA * 100, 3)) points with \(c.a.variant), "
        + "\(fixed(bayes.expectedLossB * 100, 3)) with \(c.b.variant). A second view, never a reason to stop"
      facts.append(Fact("Bayes", probability + (c.isOfMessages ? loss : ". A second view")))
    }
    if c.isOpen { facts += needed(c, words) }
    return Section("", "Numbers" + title, [.facts(facts, width: nameWidth)])
  }

  /// Returns a text if no users of an arm have an outcome.
  private static func empty(_ c: Comparison) -> String? {
    [c.a, c.b].first { $0.trials == 0 }.map {
      "unknown: no users \(c.isOfMessages ? "who saw" : "with") \(c.full($0.variant)) have an outcome"
    }
  }

  private static func difference(_ c: Comparison) -> String {
    guard let difference = c.difference else { return empty(c) ?? "unknown" }
    return "\(Sentence.points(difference.value)) points (\(ComparisonWords.range(difference)); "
      + "Miettinen–Nurminen, fixed horizon: for one look)"
  }

  private static func ratio(_ c: Comparison) -> String {
    guard let ratio = c.ratio else { return empty(c) ?? "unknown: \(c.a.variant) has no successes" }
    let low = ratio.low.map { fixed($0, 3) } ?? "–"
    let high = ratio.high.map { fixed($0, 3) } ?? "no upper limit"
    return "\(fixed(ratio.value, 3)) (\(low) to \(high)), fixed horizon: for one look"
  }

  private static func alwaysValid(_ c: Comparison) -> String {
    if let sequence = c.alwaysValid {
      let p = ComparisonWords.pValue(sequence.pValue, log10: sequence.log10PValue)
      return "\(ComparisonWords.range(sequence.low, sequence.high)) points, p\u{A0}\(p), planned for "
        + "\(NumberText.counted(c.plannedUsers, "user")); holds at every look, whatever the rule"
    }
    let exact = c.exactSequence.map { " The exact one, wider: \(ComparisonWords.range($0.low, $0.high)) points." } ?? ""
    return "refused: \(c.alwaysValidRefused?.sentence(c.armNoun) ?? "")" + exact
  }

  /// The users still needed; printed until something is decided.
  private static func needed(_ c: Comparison, _ words: RemedyWords) -> [Fact] {
    let needed = c.needed
    let effect = Sentence.size(needed.minimumEffect)
    var facts: [Fact] = []
    if let outlook = needed.outlook, !c.reasons.contains(.outlook(outlook)) {
      facts.append(Fact("outlook", Sentence.held(c.sentence(outlook, words))))
    }
    guard needed.perVariant != nil else {
      return facts + [Fact("needed", empty(c) ?? "unknown: no rate is \(effect) away")]
    }
    func users(_ more: Int?, _ days: Int?) -> String {
      ComparisonWords.needed(more, c.endedOn == nil ? days : nil, forEach: c.armNoun)
    }
    let users =
      "to find \(effect) with 80\u{A0}% power: \(users(needed.perVariant, needed.days)) with one look at the end; "
      + "\(users(needed.perVariantAlwaysValid, needed.daysAlwaysValid)) by the always-valid interval"
    facts.append(Fact("needed", Sentence.held(users)))
    guard let power = needed.power else { return facts }
    let up = needed.detectableUp.map { Sentence.points($0) } ?? "nothing upwards"
    let down = needed.detectableDown.map { Sentence.points(-$0) } ?? "nothing downwards"
    let found =
      "\(NumberText.percent(power)) to find \(effect) with these users at one look; with 80\u{A0}% they find \(up) or \(down) points"
    return facts + [Fact("power", Sentence.held(found))]
  }

  // MARK: The rule of decision in numbers: its name, and its result at the decision and now

  static func rule(_ c: Comparison) -> [Fact] {
    let monitoring = c.monitoring
    var facts: [Fact] = [Fact("rule", ruleText(c))]
    if let crossing = monitoring.crossing {
      facts.append(Fact("at decision", look(crossing.look, c) + "; " + p(c), isIndented: true))
      if let estimate = crossing.estimate, monitoring.rule != .alwaysValid {
        let text =
          "\(Sentence.points(estimate.value)) points (\(ComparisonWords.range(estimate))), corrected for stopping at a crossing "
          + "(median-unbiased). Of a test that was unlikely to decide even this is too large: trust the interval"
        facts.append(Fact("estimate", text, isIndented: true))
      }
    }
    if let last = monitoring.looks.last, last.day != monitoring.crossing?.day {
      let p = monitoring.crossing == nil ? "; " + p(c) : ""
      facts.append(Fact("now", look(last, c) + p, isIndented: true))
    } else if monitoring.looks.isEmpty {
      facts.append(Fact("now", "no look yet", isIndented: true))
    }
    if let saved = monitoring.usersSaved { facts.append(Fact("adjustment", adjustment(saved))) }
    if let none = monitoring.noDifference {
      let text =
        "\(ComparisonWords.range(none.low, none.high)) points on \(ComparisonWords.day(none.day, none.dayNumber)), each end valid "
        + "at every look: within ± \(Sentence.size(c.needed.minimumEffect))"
      facts.append(Fact("no difference", text))
    }
    if let declared = monitoring.declared { facts += looks(declared, c) }
    return facts
  }

  private static func p(_ c: Comparison) -> String {
    "\(ComparisonWords.pName(c))\u{A0}\(ComparisonWords.pValue(c.monitoring.pValue))"
  }

  private static func ruleText(_ c: Comparison) -> String {
    let monitoring = c.monitoring
    let users =
      NumberText.counted(monitoring.plannedUsers, "user")
      + (monitoring.isByFirstDays ? " (4 times the first seven days, 200 to 200\u{A0}000)" : "")
    var text = ComparisonWords.rule(c)
    switch monitoring.rule {
    case .daily:
      text +=
        " at the ends of finished days, open-ended (error spent by α tʳ/(1 + tʳ)), planned for N*\u{A0}=\u{A0}\(users)"
      if let exponent = monitoring.exponent { text += ", r\u{A0}=\u{A0}\(NumberText.exact(exponent))" }
    case .alwaysValid: text += " at the ends of finished days, planned for N*\u{A0}=\u{A0}\(users)"
    case .looks: text += " up to \(users), group-sequential (O'Brien–Fleming)"
    }
    if let plan = c.plan, c.isPlanned {
      text += ", by the plan of \(CivilDate(c.zone.day(of: plan.savedAt)).text)"
    } else if c.isOfMessages {
      text += ", no plan made beforehand"
    }
    if !monitoring.adjustedBy.isEmpty {
      text += "; adjusted within \(Sentence.list(monitoring.adjustedBy)) (Cochran–Mantel–Haenszel)"
    }
    return text
  }

  private static func adjustment(_ saved: Double) -> String {
    let size = NumberText.percent(abs(saved))
    return saved < 0
      ? "costs \(size) more users than the plain difference needs"
      : "saves \(size) of the users that the plain difference needs"
  }

  private static func look(_ look: Comparison.Look, _ c: Comparison) -> String {
    let users = "\(NumberText.count(look.a.trials))\u{A0}:\u{A0}\(NumberText.count(look.b.trials))"
    return "\(Sentence.points(look.estimate.value)) points (\(ComparisonWords.range(look.estimate))) on "
      + "\(ComparisonWords.day(look.day, look.dayNumber)), users \(users)\(boundary(look, c.b.variant))"
  }

  private static func boundary(_ look: Comparison.Look, _ b: String) -> String {
    switch look.boundary {
    case .score(let bound): "; \(score(look)), bound\u{A0}\(fixed(bound, 2))"
    case .events(let lower, let upper): "; events of \(b)\u{A0}\(look.b.successes), \(events(lower, upper))"
    case .interval: ""
    }
  }

  private static func score(_ look: Comparison.Look) -> String {
    "z\u{A0}\(look.z.map { NumberText.signed($0, 2) } ?? "–")"
  }

  /// What crosses while events are few.
  static func events(_ lower: Int?, _ upper: Int?) -> String {
    let ends = [lower.map { $0 == 0 ? "0" : "at most \($0)" }, upper.map { "\($0) or more" }].compactMap { $0 }
    return ends.isEmpty ? "no number of them crosses yet" : "crossed at \(ends.joined(separator: ", and at "))"
  }

  // MARK: Declared looks

  private static func looks(_ declared: Comparison.DeclaredLooks, _ c: Comparison) -> [Fact] {
    let next =
      c.monitoring.crossing != nil
      ? "Decided." : declared.nextAt.map { "Next at \(NumberText.counted($0, "user"))." } ?? "All are made."
    return [Fact("looks", next)]
      + c.monitoring.looks.map { look in
        let users = NumberText.counted(look.a.trials + look.b.trials, "user")
        let words =
          "\(CivilDate(look.day).text), \(users): \(score(look))\(bound(look)), \(look.isCrossed ? "crossed" : "not crossed"), "
          + "\(ComparisonWords.range(look.estimate)) points"
        return Fact("", words)
      }
  }

  private static func bound(_ look: Comparison.Look) -> String {
    if case .score(let bound) = look.boundary { ", bound\u{A0}\(fixed(bound, 2))" } else { "" }
  }
}
