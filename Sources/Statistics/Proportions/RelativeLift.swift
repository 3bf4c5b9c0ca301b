// The delta method for a relative lift.

/// Relative lift (p̂₁ − p̂₂)/p̂₂ by the delta method, for parity with other engines only.
///
/// Var = v₁/p̂₂² + v₂ p̂₁²/p̂₂⁴ with v = p̂(1 − p̂)/n. Source: A. Deng, U. Knoblich and J. Lu, KDD 2018. It covers badly at
/// small counts and can disagree with the absolute difference about 0; `MiettinenNurminen.ratioInterval` does not.
public struct RelativeLift: Sendable {
  public let lift: Double
  public let standardError: Double
  /// Welch–Satterthwaite degrees of freedom of the absolute difference.
  public let degreesOfFreedom: Double
  public let normalInterval: Interval
  public let studentInterval: Interval
  public let studentP: Double

  /// nil below 2 trials in an arm, where the second rate is 0, or where nothing varies.
  public static func delta(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> RelativeLift? {
    guard first.trials > 1, second.trials > 1, second.successes > 0, let p1 = first.rate, let p2 = second.rate,
      let difference = BinomialSample.exactDifference(first, second),
      let z = NormalDistribution.criticalValue(confidence: confidence)
    else { return nil }
    let n1 = Double(first.trials)
    let n2 = Double(second.trials)
    let v1 = p1 * (1 - p1) / n1
    let v2 = p2 * (1 - p2) / n2
    let lift = difference / p2
    let error = (v1 + v2 * (p1 / p2) * (p1 / p2)).squareRoot() / p2
    guard error > 0,
      let freedom = Welch.degreesOfFreedom(v1, count: n1, v2, count: n2),
      let t = StudentT.criticalValue(confidence: confidence, degreesOfFreedom: freedom)
    else { return nil }
    return RelativeLift(
      lift: lift, standardError: error, degreesOfFreedom: freedom,
      normalInterval: Interval(low: lift - z * error, high: lift + z * error),
      studentInterval: Interval(low: lift - t * error, high: lift + t * error),
      studentP: StudentT.twoSidedP(lift / error, degreesOfFreedom: freedom)
    )
  }
}
