// The primary metric's numbers: the rule that decides first, then what holds beside it or for one look.

import PermissionAnalysis
import PermissionEvents

enum ComparisonNumbers {
  /// Columns of the names in text, here and among the checks.
  static let nameWidth = 17

  /// - Parameter words: for what is left to the program that shows them.
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
      // A loss is of a choice, and there is none between values that nobody assigns.
      let loss =
        "; expected loss \(fixed(bayes.expectedLossA * 100, 3)) points with \(c.a.variant), "
        + "\(fixed(bayes.expectedLossB * 100, 3)) with \(c.b.variant). A second view, never a reason to stop"
      facts.append(Fact("Bayes", probability + (c.isOfMessages ? loss : ". A second view")))
    }
    if c.isOpen { facts += needed(c, words) }
    return Section("", "Numbers" + title, [.facts(facts, width: nameWidth)])
  }

  /// Said if nobody in an arm has an outcome.
  private static func empty(_ c: Comparison) -> String? {
    [c.a, c.b].first { $0.trials == 0 }.map {
      "unknown: nobody \(c.isOfMessages ? "who saw" : "with") \(c.full($0.variant)) has an outcome"
    }
  }

  private static func difference(_ c: Comparison) -> String {
    guard let difference = c.difference else { return empty(c) ?? "unknown" }
    return "\(ComparisonWords.points(difference.value)) points (\(ComparisonWords.range(difference)); "
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

  /// What is still to come; said until something is decided.
  private static func needed(_ c: Comparison, _ words: RemedyWords) -> [Fact] {
    let needed = c.needed
    let effect = Sentence.size(needed.minimumEffect)
    var facts: [Fact] = []
    if let outlook = needed.outlook, !c.reasons.contains(.outlook(outlook)) {
      facts.append(Fact("outlook", Sentence.held(c.sentence(outlook, words))))
    }
    guard needed.perVariant != nil else {
      return facts + [Fact("needed", empty(c) ?? "unknown: no rate lies \(effect) away")]
    }
    func users(_ more: Int?, _ days: Int?) -> String {
      ComparisonWords.needed(more, c.endedOn == nil ? days : nil, forEach: c.armNoun)
    }
    let users =
      "to find \(effect) with 80\u{A0}% power: \(users(needed.perVariant, needed.days)) with one look at the end; "
      + "\(users(needed.perVariantAlwaysValid, needed.daysAlwaysValid)) by the always-valid interval"
    facts.append(Fact("needed", Sentence.held(users)))
    guard let power = needed.power else { return facts }
    let up = needed.detectableUp.map { ComparisonWords.points($0) } ?? "nothing upwards"
    let down = needed.detectableDown.map { ComparisonWords.points(-$0) } ?? "nothing downwards"
    let found =
      "\(NumberText.percent(power)) to find \(effect) with these users at one look; with 80\u{A0}% they find \(up) or \(down) points"
    return facts + [Fact("power", Sentence.held(found))]
  }
}
