// The rule of decision in numbers: what it is, and what it says at the decision and now.

import PermissionAnalysis
import PermissionEvents

extension ComparisonNumbers {
  static func rule(_ c: Comparison) -> [Fact] {
    let monitoring = c.monitoring
    var facts: [Fact] = [Fact("rule", ruleText(c))]
    if let crossing = monitoring.crossing {
      facts.append(Fact("at decision", look(crossing.look, c) + "; " + p(c), isIndented: true))
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
    let users = NumberText.counted(monitoring.plannedUsers, "user")
    var text = ComparisonWords.rule(c)
    switch monitoring.rule {
    case .daily:
      text +=
        " at the ends of finished days, without end (error spent by α tʳ/(1 + tʳ)), planned for N*\u{A0}=\u{A0}\(users)"
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

  /// What an adjustment is worth.
  private static func adjustment(_ saved: Double) -> String {
    let size = NumberText.percent(abs(saved))
    return saved < 0
      ? "costs \(size) more users than the plain difference needs"
      : "saves \(size) of the users that the plain difference needs"
  }

  /// A look: the estimate, its day and users, and what it had to cross.
  private static func look(_ look: Comparison.Look, _ c: Comparison) -> String {
    let users = "\(NumberText.count(look.a.trials))\u{A0}:\u{A0}\(NumberText.count(look.b.trials))"
    return "\(ComparisonWords.points(look.estimate.value)) points (\(ComparisonWords.range(look.estimate))) on "
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
