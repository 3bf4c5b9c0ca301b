// What holds at every look: the rules of decision, and the sources of their numbers.

import PermissionAnalysis

extension ComparisonExplanation {
  static let sequential: [Origin] = [
    Origin(
      name: "daily looks", method: "open-ended group-sequential looks at the ends of finished days; repeated interval",
      formula:
        "α(t) = α tʳ/(1 + tʳ), t = 4 nA nB/((nA + nB) N*); z the Miettinen–Nurminen score at 0; bounds c by recursion; all δ with |z(δ)| < c",
      source:
        "Lan, DeMets, Biometrika 70 (1983) 659; Armitage, McPherson, Rowe, JRSS A 132 (1969) 235; Jennison, Turnbull, JRSS B 51 (1989) 305",
      limits:
        "holds for any number of looks at one reading of the log; r = 1.5 without a plan; slow far beyond N*{planned users}",
      value: { c in c.monitoring.rule == .daily ? interval(c) : nil }),
    Origin(
      name: "few events", method: "exact conditional looks under the same α(t), until the normal ones may begin",
      formula: "events of B given the day's users and events: hypergeometric, convolved over the days; α(t)/2 a side",
      source: "Lin, Wei, DeMets, Biometrics 47 (1991) 1399",
      limits:
        "in force while fewer than ten events, or non-events, are expected in the smaller message; the interval beside them is wider",
      value: { c in
        let exact = c.monitoring.looks.count { if case .events = $0.boundary { true } else { false } }
        return exact > 0 ? NumberText.counted(exact, "look") : nil
      }),
    Origin(
      name: "p of the rule",
      method: "stage-wise at the decision; before it sequential; of the always-valid rule its own",
      formula: "spent before + P(crossing here by as much); the smallest α at which any look so far crosses",
      source: "Fairbanks, Madsen, Biometrika 69 (1982) 69; Liu, Anderson, JASA 103 (2008) 1621",
      limits: "at most α exactly if the rule has decided; not the p-value of one look",
      value: { c in
        c.monitoring.pValue.map { "\(ComparisonWords.pName(c)) \(ComparisonWords.pValue($0))" }
      }),
    Origin(
      name: "always valid", method: "asymptotic confidence sequence; valid at all looks together",
      formula: "difference ± s √(2(nρ² + 1)/(n²ρ²) ln(√(nρ² + 1)/α)), s² = n SE², ρ² = (−2 ln α + ln(1 − 2 ln α))/N*",
      source: "Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, arXiv:2103.06476v7, equations 9, 155 and 161",
      limits:
        "wider than one look needs, narrowest near N*{planned users}; refused below 100 users, 10 events or 10 non-events a message",
      value: { c in c.alwaysValid.map { "\(ComparisonWords.range($0.low, $0.high)) points" } ?? "refused" }),
    Origin(
      name: "exact always valid", method: "two Bernoulli confidence sequences at α/2 each",
      formula: "all p with B(kq + n − x, kp + x)/(B(kq, kp) p^x q^(n − x)) < 2/α; ends subtracted",
      source: "Howard, Ramdas, McAuliffe, Sekhon, Annals of Statistics 49 (2021), propositions 6 and 7",
      limits: "valid for any counts, and conservative: twice as wide or more; decides nothing",
      value: { c in
        c.alwaysValid == nil ? c.exactSequence.map { "\(ComparisonWords.range($0.low, $0.high)) points" } : nil
      }),
    Origin(
      name: "declared looks", method: "group-sequential design, O'Brien–Fleming spending; repeated interval",
      formula: "α*(t) = 4(1 − Φ(z(1 − α/4)/√t)); all δ with |z(δ)| < c",
      source: "K. K. G. Lan, D. L. DeMets, Biometrika 70 (1983) 659; Armitage, McPherson, Rowe, JRSS A 132 (1969) 235",
      limits: "valid at the declared looks alone; a look is the end of a finished day, so reading more often adds none",
      value: { c in
        c.monitoring.declared.map { "\(NumberText.counted(c.monitoring.looks.count, "look")) made of \($0.count)" }
      }),
    Origin(
      name: "no difference",
      method: "two one-sided always-valid bounds at 5 % each, both within ± the smallest effect that matters",
      formula: "difference ± s √(2(nρ² + 1)/(n²ρ²) ln(1 + √(nρ² + 1)/(2α)))",
      source: "the sequence's paper, equation 134; D. J. Schuirmann, J. Pharmacokin. Biopharm. 15 (1987) 657",
      limits: "at most 5 % wrong at any true difference that matters; about twice the users of one test at the end",
      value: { c in c.monitoring.noDifference.map { "\(ComparisonWords.range($0.low, $0.high)) points" } }),
    Origin(
      name: "adjusted difference",
      method: "Cochran–Mantel–Haenszel decides; Mantel and Haenszel's difference, Sato's error",
      formula: "z = Σ(xB − nB p)/√Σ(nA nB p q/(n − 1)) over the values; difference ± c · SE; t = 4 Σ(nA nB/n)/N*",
      source: "N. Mantel, W. Haenszel, JNCI 22 (1959) 719; T. Sato, Biometrics 45 (1989) 1323",
      limits: "within properties named beforehand; no exact looks; the decision stands if the total says otherwise",
      value: { c in c.monitoring.adjustedBy.isEmpty ? nil : interval(c) }),
  ]

  /// The rule's interval at the decision, or else at the latest look.
  private static func interval(_ c: Comparison) -> String {
    let estimate = c.monitoring.atDecision ?? c.monitoring.now
    return points(estimate) ?? "no look yet"
  }
}
