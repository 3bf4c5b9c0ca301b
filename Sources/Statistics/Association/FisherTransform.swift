// Fisher's z interval of a correlation.

/// Fisher's transformation of a correlation.
enum FisherTransform {
  /// tanh(atanh r ± z/√(n − 3)); nil below 4 observations or at |r| ≥ 1. Source: R. A. Fisher, Metron 1 (1921).
  static func interval(_ r: Double, count: Double, confidence: Double) -> Interval? {
    guard count >= 4, abs(r) < 1, let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    let centre = Elementary.atanh(r)
    let reach = z / (count - 3).squareRoot()
    return Interval(low: Elementary.tanh(centre - reach), high: Elementary.tanh(centre + reach))
  }

  /// The two-sided t-test of no correlation with n − 2 degrees of freedom; nil below 3 observations.
  static func pValue(_ r: Double, count: Double) -> Double? {
    guard count >= 3 else { return nil }
    guard abs(r) < 1 else { return 0 }
    let t = r * ((count - 2) / ((1 - r) * (1 + r))).squareRoot()
    return StudentT.twoSidedP(t, degreesOfFreedom: count - 2)
  }
}
