// The primary metric's numbers for one look, and their sources.

import PermissionAnalysis

extension ComparisonExplanation {
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
      limits: "close to 95 %; no upper limit where A may be 0; refused where A's rate is 0",
      value: { c in c.ratio.map { fixed($0.value, 3) } ?? "unknown" }),
    Origin(
      name: "p-value", method: "pooled z, or Fisher's mid-p where an expected cell is below 5; two-sided, one look",
      formula:
        "z = (p1 − p2)/√(p(1 − p)(1/n1 + 1/n2)), p-value erfc(|z|/√2); mid-p: less likely tables and half the equally likely",
      source: "H. O. Lancaster, JASA 56 (1961) 223 for mid-p",
      limits: "for one look at a day fixed before; not for reading again and again; upper tails, so 1e-71 is not 0",
      value: { c in c.test.map { ComparisonWords.pValue($0.pValue, log10: $0.log10PValue) } }),
    Origin(
      name: "p-value over several messages",
      method: "Holm over the comparisons with one control; intervals at 1 − 0.05/m",
      formula: "i-th smallest of m times m − i + 1, not below the one before, at most 1",
      source: "S. Holm, Scandinavian Journal of Statistics 6 (1979) 65",
      limits: "conservative where the comparisons hang together, as they do by the common control",
      value: { c in c.familySize > 1 ? ComparisonWords.pValue(c.adjustedPValue) : nil }),
    Origin(
      name: "Bayes", method: "independent Beta(1, 1) priors; P(B > A), expected loss, credible interval",
      formula: "sum of Beta terms from the largest outwards; E[(other − chosen)⁺]; interval by quadrature",
      source: "E. Miller, Formulas for Bayesian A/B testing (2014); C. Stucchio, Bayesian A/B testing at VWO (2015)",
      limits: "exact, but says nothing about looking often: never a reason to stop",
      value: { c in c.bayes.map { fixed($0.probabilityBGreater, 4) } }),
  ]
}
