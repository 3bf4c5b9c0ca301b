// Where each number of a comparison comes from: method, formula, source, limits. docs/statistics.md has the same table.

import PermissionAnalysis
import PermissionEvents

package enum ComparisonExplanation {
  package struct Explained<Value: Sendable>: Sendable {
    /// Its name in the output.
    package var name: String
    package var method: String
    package var formula: String
    package var source: String
    /// When it is conservative or approximate, and when it is refused.
    package var limits: String
    package var value: Value
  }

  /// The values in this comparison; for several comparisons one after the other.
  package typealias ExplainedNumber = Explained<String>
  /// The origin of a number, and its value in a comparison: nil if the comparison has no such number. In limits,
  /// `{planned users}` is replaced by the name that the program uses.
  typealias Origin = Explained<@Sendable (Comparison) -> String?>

  package static func numbers(_ set: ComparisonSet, _ words: RemedyWords) -> [ExplainedNumber] {
    let isOfMessages = set.pairs.first?.isOfMessages ?? true
    return (primary + sequential + trust + others).compactMap { number in
      let values = set.pairs.compactMap { number.value($0) }
      guard !values.isEmpty else { return nil }
      // Where no message was shown by chance, those who are compared are groups.
      func named(_ text: String) -> String { isOfMessages ? text : text.replacing("message", with: "group") }
      return ExplainedNumber(
        name: named(number.name), method: named(number.method), formula: number.formula, source: number.source,
        limits: named(number.limits).replacing("{planned users}", with: words(.plannedUsers)),
        value: values.joined(separator: "; "))
    }
  }

  static func section(_ set: ComparisonSet, _ style: TextStyle) -> Section {
    let blocks = numbers(set, style.words).enumerated().flatMap { index, number -> [Block] in
      let facts = [
        ("method", number.method), ("formula", number.formula), ("source", number.source), ("limits", number.limits),
      ].map { Fact($0, $1, isIndented: true) }
      return (index > 0 ? [.gap] : []) + [.strong("\(number.name): \(number.value)"), .facts(facts, width: 11)]
    }
    return Section("", "Where each number comes from", blocks)
  }

  /// `+1.20 (−0.30 to +2.70) points`.
  static func points(_ estimate: Estimate?) -> String? {
    estimate.map { "\(Sentence.points($0.value)) (\(ComparisonWords.range($0))) points" }
  }

  // MARK: The primary metric's numbers for one look, and their sources

  static let primary: [Origin] = [
    Origin(
      name: "rate of a message", method: "successes over trials, Wilson's score interval",
      formula: "(p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)",
      source: "E. B. Wilson, JASA 22 (1927) 209; Brown, Cai, DasGupta, Statistical Science 16 (2001) 101",
      limits: "right on average, can fall below 95 % next to 0 and 1; refused without trials",
      value: { c in
        [c.a, c.b].map { arm in
          "\(arm.variant) \(arm.successes) of \(arm.trials)"
            + (arm.rate.map { " = " + NumberText.percent($0.value) } ?? "")
        }.joined(separator: ", ")
      }),
    Origin(
      name: "difference", method: "Miettinen–Nurminen score interval, one look",
      formula: "all δ with (p1 − p2 − δ)² ≤ z² (v1 + v2) N/(N − 1), v at the likeliest rates that differ by δ",
      source: "O. Miettinen, M. Nurminen, Statistics in Medicine 4 (1985) 213",
      limits: "close to 95 %, a little above for rare outcomes; defined for 0 % and 100 %; refused without trials",
      value: { points($0.difference) ?? "unknown" }),
    Origin(
      name: "ratio", method: "Miettinen–Nurminen score interval of the ratio, one look",
      formula: "all R with (p1 − R p2)² ≤ z² (v1 + R² v2) N/(N − 1), v at the likeliest rates with ratio R",
      source: "the same; P. A. R. Koopman, Biometrics 40 (1984) 513",
      limits: "close to 95 %; no upper limit if A may be 0; refused if A's rate is 0",
      value: { c in c.ratio.map { fixed($0.value, 3) } ?? "unknown" }),
    Origin(
      name: "p-value", method: "pooled z, or Fisher's mid-p where an expected cell is below 5; two-sided, one look",
      formula:
        "z = (p1 − p2)/√(p(1 − p)(1/n1 + 1/n2)), p-value erfc(|z|/√2); mid-p: less likely tables and half the equally likely",
      source: "H. O. Lancaster, JASA 56 (1961) 223 for mid-p",
      limits: "for one look on a day fixed beforehand; not for repeated looks; upper tails, so 1e-71 is not 0",
      value: { c in c.test.map { ComparisonWords.pValue($0.pValue, log10: $0.log10PValue) } }),
    Origin(
      name: "p-value over several messages",
      method: "Holm over the comparisons with one control; intervals at 1 − 0.05/m",
      formula: "i-th smallest of m times m − i + 1, not below the one before, at most 1",
      source: "S. Holm, Scandinavian Journal of Statistics 6 (1979) 65",
      limits: "conservative if the comparisons are correlated, as they are through the common control",
      value: { c in c.familySize > 1 ? ComparisonWords.pValue(c.adjustedPValue) : nil }),
    Origin(
      name: "Bayes", method: "independent Beta(1, 1) priors; P(B > A), expected loss, credible interval",
      formula: "sum of Beta terms from the largest outwards; E[(other − chosen)⁺]; interval by quadrature",
      source: "E. Miller, Formulas for Bayesian A/B testing (2014); C. Stucchio, Bayesian A/B testing at VWO (2015)",
      limits: "exact, but says nothing about looking often: never a reason to stop",
      value: { c in c.bayes.map { fixed($0.probabilityBGreater, 4) } }),
  ]

  // MARK: What holds at every look: the rules of decision, and the sources of their numbers

  static let sequential: [Origin] = [
    Origin(
      name: "daily looks", method: "open-ended group-sequential looks at the ends of finished days; repeated interval",
      formula:
        "α(t) = α tʳ/(1 + tʳ), t = 4 nA nB/((nA + nB) N*); z the Miettinen–Nurminen score at 0; bounds c by recursion; all δ with |z(δ)| < c",
      source:
        "Lan, DeMets, Biometrika 70 (1983) 659; Armitage, McPherson, Rowe, JRSS A 132 (1969) 235; Jennison, Turnbull, JRSS B 51 (1989) 305",
      limits:
        "holds for any number of looks at one reading of the log; r = 2 without a plan; slow far beyond N*{planned users}",
      value: { c in c.monitoring.rule == .daily ? interval(c) : nil }),
    Origin(
      name: "few events", method: "exact conditional looks under the same α(t), until the normal ones may begin",
      formula: "events of B given the day's users and events: hypergeometric, convolved over the days; α(t)/2 a side",
      source: "Lin, Wei, DeMets, Biometrics 47 (1991) 1399",
      limits:
        "used while fewer than ten events, or non-events, are expected in the smaller message; the interval beside "
        + "them is wider",
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
      limits:
        "valid only at the declared looks; a look is the end of a finished day, so reading more often adds no looks",
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
      limits: "within properties named beforehand; no exact looks; the decision stays even if the total says otherwise",
      value: { c in c.monitoring.adjustedBy.isEmpty ? nil : interval(c) }),
  ]

  /// The rule's interval at the decision, or else at the latest look.
  private static func interval(_ c: Comparison) -> String {
    let estimate = c.monitoring.atDecision ?? c.monitoring.now
    return points(estimate) ?? "no look yet"
  }

  // MARK: The checks and the other metrics, and where they come from

  static let trust: [Origin] = [
    Origin(
      name: "sample ratio",
      method:
        "sequential test of the split at the ends of finished days; its alarm makes the test INVALID, of three messages or more only if the split was declared",
      formula:
        "E = D(400 w + n)/D(400 w)/Π wⁿ, D Dirichlet's normaliser, all exposed; p = 1/max(1, E so far); alarm at E ≥ 100",
      source: "Lindon, Malek, NeurIPS 2022, arXiv:2011.03567",
      limits: "false alarms in at most 1 % of tests, however often you look; a late alarm stays",
      value: { c in c.sampleRatio.map { "p " + ComparisonWords.pValue($0.sequential.pValue) } }),
    Origin(
      name: "sample ratio, one look",
      method: "chi-square against the split, exact where an expected count is below 5; Holm over days",
      formula: "Σ (O − E)²/E over the messages, all exposed, before the contamination policy",
      source: "A. Fabijan et al., KDD 2019; caution below 0.001",
      limits:
        "for one look, and therefore a caution; a day too small for chi-square has no test with three messages or more",
      value: { c in c.sampleRatio.map { ComparisonWords.pValue($0.pValue) } }),
    Origin(
      name: "saw several",
      method: "share of users who saw several messages; equality test by the first message",
      formula: "contaminated of exposed, by message seen first; pooled z or mid-p",
      source: "the test of equal rates above",
      limits: "invalid from 10 % on; the policy exclude leaves out users who differ, so both results are shown",
      value: { c in c.contamination?.share.map { NumberText.percent($0) } }),
    Origin(
      name: "by property", method: "post-stratified difference; Cochran's Q; Simpson check",
      formula: "Σ W d over values, W their share of users, error √Σ W² v; Q = Σ (d − d̄)²/v, chi-square",
      source: "Miratrix, Sekhon, Yu, JRSS B 75 (2013) 369; W. G. Cochran, Biometrics 10 (1954) 101",
      limits:
        "values with one message only are left out; flagged if the signs are opposite and the gap reaches the "
        + "smallest effect that matters",
      value: { c in
        let parts = c.strata.compactMap { check in
          check.postStratified.map { "\(check.property) \(Sentence.points($0.value))" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
      }),
    Origin(
      name: "novelty", method: "weighted line through the daily differences",
      formula: "slope Σ w(t − t̄)(d − d̄)/Σ w(t − t̄)², SE 1/√Σ w(t − t̄)², w = 1/(pA(1 − pA)/nA + pB(1 − pB)/nB)",
      source: "weighted least squares",
      limits:
        "refused below 5 days; checked only after a decision, and flagged if |z| ≥ 3.25 against the difference",
      value: { c in c.novelty.slope.map { "\(NumberText.signed($0 * 100, 3)) points a day" } }),
    Origin(
      name: "guardrail", method: "one-sided always-valid bounds against the margin; score test for one look",
      formula: "difference ± s √(2(nρ² + 1)/(n²ρ²) ln(1 + √(nρ² + 1)/(2α))); z = (d + m)/√V(−m)",
      source: "the sequence's paper, equation 134; Farrington, Manning, Statistics in Medicine 9 (1990) 1447",
      limits:
        "each end holds at every look with 95 %; below the gate by the exact sequences, wider; not adjusted, since all must hold",
      value: { c in
        c.guardrails.isEmpty
          ? nil
          : c.guardrails.map { "\(c.title($0.metric)) \($0.isAutomatic ? "(automatic) " : "")\($0.state.rawValue)" }
            .joined(separator: ", ")
      }),
  ]

  static let others: [Origin] = [
    Origin(
      name: "outlook", method: "power of the rule at the present pace, over the looks to come",
      formula: "P(a path with drift θt crosses) by the same recursion, θ = |d| √N*/(2 √(p(1 − p))), 80 %",
      source: "Jennison, Turnbull, Group Sequential Methods (2000), chapter 19",
      limits:
        "at the exposures a day of the last 28 days and A's present rate; shown until something is decided, up to a year",
      value: { c in
        guard c.isOpen else { return nil }
        return c.needed.outlook.map { outlook in
          outlook.detectable.map { "\(Sentence.size($0)) in \(outlook.days) days" } ?? "nothing in \(outlook.days) days"
        }
      }),
    Origin(
      name: "needed", method: "sample size of the test of two rates, 80 % power; times the sequence's inflation",
      formula:
        "n = (z(1 − α/2) √(2p̄(1 − p̄)) + z(0.8) √(p1(1 − p1) + p2(1 − p2)))²/(p1 − p2)²; × ((c + z(0.8))/(z(1 − α/2) + z(0.8)))²",
      source: "Fleiss, Tytun, Ury, Biometrics 36 (1980) 343, without continuity correction",
      limits: "at A's present rate; days at the slowest message's exposures a day over the last 28 days",
      value: { c in
        !c.isOpen
          ? nil
          : c.needed.perVariantAlwaysValid.map {
            "\($0) and \(c.needed.perVariant ?? 0) more a \(c.isOfMessages ? "message" : "group")"
          }
      }),
    Origin(
      name: "power", method: "both tails of the same test with the present users",
      formula: "Φ((−z SE0 − d)/SE1) + Φ((d − z SE0)/SE1), SE0 pooled, SE1 not",
      source: "as above",
      limits: "for the minimum effect, not for the difference seen",
      value: { c in !c.isOpen ? nil : c.needed.power.map { NumberText.percent($0) } }),
    Origin(
      name: "other metrics", method: "difference and p-value as for the primary metric; Benjamini–Hochberg over them",
      formula: "i-th smallest of m times m/i, not above the next",
      source: "Y. Benjamini, Y. Hochberg, JRSS B 57 (1995) 289",
      limits: "valid for tests that are independent or positively dependent; for one look",
      value: { c in c.secondary.isEmpty ? nil : "\(c.secondary.count) metrics" }),
    Origin(
      name: "time to answer",
      method: "medians; Mann–Whitney on the recorded histogram; normal interval of the medians' difference",
      formula: "U with ties, continuity ½; SE = (Q(½ + δ) − Q(½ − δ))/(2 · 1.96), δ = 1.96 √(¼/n)",
      source: "Mann, Whitney, Annals of Mathematical Statistics 18 (1947) 50; Deng, Knoblich, Lu, KDD 2018, section 4",
      limits:
        "of those who answered; values within 0.2 % are ties; interval refused below 4 answers or where ties make its width 0",
      value: { c in
        c.secondary.first { $0.measure == .timeToAnswer }.flatMap { row in
          row.difference.map { NumberText.signed($0.value / 1000, 2) + " s" }
        }
      }),
    Origin(
      name: "enabled later", method: "Kaplan–Meier in whole days, log-rank over 28 days",
      formula: "1 − Π(1 − d/n); (O − E)²/V, V = Σ d(n − d) n1 n2/(n²(n − 1))",
      source: "N. Mantel, Cancer Chemotherapy Reports 50 (1966) 163; R. Peto, J. Peto, JRSS A 135 (1972) 185",
      limits: "of users selected by the message: a description; refused if no users are at risk in both",
      value: { c in c.observations.first { $0.test == "log_rank" }.map { "p " + ComparisonWords.pValue($0.pValue) } }),
    Origin(
      name: "segments",
      method: "difference within each value, Benjamini–Hochberg over them; Cochran's Q before any claim",
      formula: "Q = Σ (d − d̄)²/v, chi-square with one less than the values",
      source: "W. G. Cochran, Biometrics 10 (1954) 101",
      limits:
        "one look; p of Q by Benjamini–Hochberg over the properties looked at; v by Agresti and Caffo where a value does not vary",
      value: { c in c.segments.map { "\($0.segments.count) values of \($0.property)" } }),
  ]
}
