// The normal mixture boundary that the asymptotic confidence sequences use, and the test that is dual to it.

/// The normal mixture boundary.
///
/// Source: I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit theory and
/// asymptotic confidence sequences", Annals of Statistics 2024, arXiv:2103.06476v7; the same bound is Proposition 5 of S.
/// R. Howard et al., Annals of Statistics 49 (2021).
public struct NormalMixture: Sendable, Hashable {
  /// ρ², tuned so that the bound is narrowest near the planned number of users.
  public let rhoSquared: Double
  public let alpha: Double

  /// ρ² = (−2 ln α + ln(1 − 2 ln α))/N* (eq. 161).
  public init(plannedUsers: Int, alpha: Double) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    guard plannedUsers > 0 else { throw .notPositive(name: "planned users", value: Double(plannedUsers)) }
    self.alpha = alpha
    rhoSquared = Self.tuning(alpha) / Double(plannedUsers)
  }

  static func tuning(_ alpha: Double) -> Double {
    let l = -2 * Elementary.log(alpha)
    return l + Elementary.log1p(l)
  }

  /// s √(2(nρ² + 1)/(n²ρ²) · ln(√(nρ² + 1)/α)) (eq. 9), s² = n SE².
  public func halfWidth(scaledVariance s2: Double, users n: Double) -> Double {
    let m = n * rhoSquared
    let log = 0.5 * Elementary.log1p(m) - Elementary.log(alpha)
    return (s2 / n * 2 * (m + 1) / m * log).squareRoot()
  }

  /// ln E = ρ² d² n/(2 SE² (nρ² + 1)) − ½ ln(nρ² + 1) (eq. 155); 1/E is an always-valid p-value.
  public func logEValue(difference d: Double, squaredError: Double, users n: Double) -> Double {
    let m = n * rhoSquared
    return m / (m + 1) * (d * d / squaredError) / 2 - 0.5 * Elementary.log1p(m)
  }
}

/// The one-sided boundary, for guardrails.
public enum OneSidedNormalMixture {
  /// s √(2(nρ² + 1)/(n²ρ²) · ln(1 + √(nρ² + 1)/(2α))) (eq. 134), ρ tuned at 2α; s² = n SE². Throws for alpha outside
  /// (0, ½) and for no users.
  public static func bound(
    scaledVariance s2: Double, users n: Double, plannedUsers: Int, alpha: Double
  ) throws(StatisticsError) -> (rho: Double, halfWidth: Double) {
    let mixture = try NormalMixture(plannedUsers: plannedUsers, alpha: 2 * alpha)
    guard n > 0 else { throw .notPositive(name: "users", value: n) }
    let m = n * mixture.rhoSquared
    let log = Elementary.log1p((m + 1).squareRoot() / (2 * alpha))
    return (mixture.rhoSquared.squareRoot(), (s2 / n * 2 * (m + 1) / m * log).squareRoot())
  }
}

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
