// The checks and the other metrics, and where they come from.

import PermissionAnalysis

extension ComparisonExplanation {
  static let trust: [Origin] = [
    Origin(
      name: "sample ratio",
      method: "sequential test of the split at the ends of finished days; its alarm makes the test INVALID",
      formula:
        "E = D(400 w + n)/D(400 w)/Π wⁿ, D Dirichlet's normaliser, all exposed; p = 1/max(1, E so far); alarm at E ≥ 100",
      source: "Lindon, Malek, NeurIPS 2022, arXiv:2011.03567",
      limits: "false alarms in at most 1 % of tests, however often one looks; a late alarm stays",
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
      method: "share of users with screens of several messages; equality test by the first message",
      formula: "contaminated of exposed, by message seen first; pooled z or mid-p",
      source: "the test of equal rates above",
      limits: "invalid from 10 % on; users who differ are left out by exclude, so both results are shown",
      value: { c in c.contamination?.share.map { NumberText.percent($0) } }),
    Origin(
      name: "by property", method: "post-stratified difference; Cochran's Q; Simpson check",
      formula: "Σ W d over values, W their share of users, error √Σ W² v; Q = Σ (d − d̄)²/v, chi-square",
      source: "Miratrix, Sekhon, Yu, JRSS B 75 (2013) 369; W. G. Cochran, Biometrics 10 (1954) 101",
      limits:
        "values with one message only are left out; flagged where signs are opposite and the gap reaches the smallest effect that matters",
      value: { c in
        let parts = c.strata.compactMap { check in
          check.postStratified.map { "\(check.property) \(ComparisonWords.points($0.value))" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
      }),
    Origin(
      name: "novelty", method: "weighted line through the daily differences",
      formula: "slope Σ w(t − t̄)(d − d̄)/Σ w(t − t̄)², SE 1/√Σ w(t − t̄)², w = 1/(pA(1 − pA)/nA + pB(1 − pB)/nB)",
      source: "weighted least squares",
      limits:
        "refused below 5 days; looked at after a decision alone, and flagged where |z| ≥ 3.25 against the difference",
      value: { c in c.novelty.slope.map { "\(NumberText.signed($0 * 100, 3)) points a day" } }),
    Origin(
      name: "guardrail", method: "one-sided always-valid bounds against the margin; score test for one look",
      formula: "difference ± s √(2(nρ² + 1)/(n²ρ²) ln(1 + √(nρ² + 1)/(2α))); z = (d + m)/√V(−m)",
      source: "the sequence's paper, equation 134; Farrington, Manning, Statistics in Medicine 9 (1990) 1447",
      limits:
        "each end holds at every look with 95 %; below the gate by the exact sequences, wider; not adjusted, since all must hold",
      value: { c in
        c.guardrails.isEmpty
          ? nil : c.guardrails.map { "\(c.title($0.metric)) \($0.state.rawValue)" }.joined(separator: ", ")
      }),
  ]

  static let others: [Origin] = [
    Origin(
      name: "outlook", method: "power of the rule at the present pace, over the looks to come",
      formula: "P(a path with drift θt crosses) by the same recursion, θ = |d| √N*/(2 √(p(1 − p))), 80 %",
      source: "Jennison, Turnbull, Group Sequential Methods (2000), chapter 19",
      limits:
        "at the exposures a day of the last 28 days and A's present rate; said until something is decided, up to a year",
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
      name: "power", method: "both tails of the same test at the users there are",
      formula: "Φ((−z SE0 − d)/SE1) + Φ((d − z SE0)/SE1), SE0 pooled, SE1 not",
      source: "as above",
      limits: "for the minimum effect, not for the difference seen",
      value: { c in !c.isOpen ? nil : c.needed.power.map { NumberText.percent($0) } }),
    Origin(
      name: "other metrics", method: "difference and p-value as for the primary metric; Benjamini–Hochberg over them",
      formula: "i-th smallest of m times m/i, not above the next",
      source: "Y. Benjamini, Y. Hochberg, JRSS B 57 (1995) 289",
      limits: "holds for tests that are independent or go together; for one look",
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
      limits: "of users whom the message has chosen: a description; refused where nobody is at risk in both",
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
