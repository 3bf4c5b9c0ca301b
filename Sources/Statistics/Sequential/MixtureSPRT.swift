// The mixture sequential probability ratio test.

/// The mixture sequential probability ratio test with a normal mixture, for parity.
///
/// Λ = √(V/(V + τ²)) exp(τ²d²/(2V(V + τ²))), p = min(1, 1/Λ). Source: R. Johari, P. Koomen, L. Pekelis and D. Walsh,
/// "Always valid inference", Operations Research 70 (2022). With τ² = V n ρ² it is the asymptotic confidence sequence.
public struct MixtureSPRT: Sendable, Hashable {
  public let likelihoodRatio: Double
  public let pValue: Double

  /// Throws unless variance and τ² are finite and above 0.
  public static func test(
    difference d: Double, variance: Double, mixingVariance tau2: Double
  ) throws(StatisticsError) -> MixtureSPRT {
    guard variance > 0, variance.isFinite else { throw .notPositive(name: "variance", value: variance) }
    guard tau2 > 0, tau2.isFinite else { throw .notPositive(name: "mixing variance", value: tau2) }
    let sum = variance + tau2
    let log = 0.5 * Elementary.log(variance / sum) + d * d / (2 * variance) * (tau2 / sum)
    return MixtureSPRT(likelihoodRatio: Elementary.exp(log), pValue: min(1, Elementary.exp(-log)))
  }
}
