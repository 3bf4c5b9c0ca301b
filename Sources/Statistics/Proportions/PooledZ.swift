// The pooled z-test of two rates.

/// The pooled z-test of equal rates.
///
/// z = (p̂₁ − p̂₂)/√(p̄(1 − p̄)(1/n₁ + 1/n₂)), p = erfc(|z|/√2), never 2(1 − Φ). It is the score test, dual to the
/// Miettinen–Nurminen interval up to the factor N/(N − 1).
public struct PooledZ: Sendable, Hashable {
  public let z: Double
  public let pValue: Double
  public let log10PValue: Double
  /// False where all users, or none, had the outcome: z is 0 and p is 1 by convention.
  public let hasInformation: Bool

  /// nil where either has no trials.
  public static func test(_ first: BinomialSample, _ second: BinomialSample) -> PooledZ? {
    guard let difference = BinomialSample.exactDifference(first, second) else { return nil }
    let both = first + second
    guard both.successes > 0, both.failures > 0, let pooled = both.rate, let failing = both.complement.rate else {
      return PooledZ(z: 0, pValue: 1, log10PValue: 0, hasInformation: false)
    }
    let variance = pooled * failing * (1 / Double(first.trials) + 1 / Double(second.trials))
    let z = difference / variance.squareRoot()
    return PooledZ(
      z: z,
      pValue: NormalDistribution.twoSidedP(z),
      log10PValue: min(0, NormalDistribution.log10TwoSidedP(z)),
      hasInformation: true
    )
  }
}
