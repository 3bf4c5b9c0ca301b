// Differences of rates over strata, and what pooling them hides.

/// A comparison of two rates over strata: platforms, versions, days.
public struct Stratified: Sendable {
  public struct Stratum: Sendable, Hashable {
    public let first: BinomialSample
    public let second: BinomialSample

    public init(first: BinomialSample, second: BinomialSample) {
      self.first = first
      self.second = second
    }
  }

  /// rate(first) − rate(second) of all strata thrown together.
  public let pooledDifference: Double
  /// One per stratum; nil if an arm is empty there, and then the stratum is left out of all but the pooled one.
  public let differences: [Double?]
  /// Σ W d, W the stratum's share of the users; error √Σ W² v (L. W. Miratrix, J. S. Sekhon and B. Yu, JRSS B 75 (2013)
  /// 369).
  public let postStratifiedDifference: Double
  public let postStratifiedError: Double
  /// With weights n₁n₂/(n₁ + n₂).
  public let mantelHaenszelDifference: Double
  /// Cochran–Mantel–Haenszel without correction (N. Mantel and W. Haenszel, JNCI 22 (1959) 719); nil if nothing
  /// varies in any stratum.
  public let associationChiSquare: Double?
  public let associationP: Double?
  /// Q = Σ(d − d̄)²/v (W. G. Cochran, Biometrics 10 (1954) 101), v by Agresti and Caffo if Wald's is 0; only this
  /// says that strata differ, not one being significant and another not.
  public let heterogeneity: Double
  public let heterogeneityDegreesOfFreedom: Int
  public let heterogeneityP: Double
  /// The pooled difference has the opposite sign of the post-stratified one, or of every stratum's.
  public let simpsonReversal: Bool

  /// Refused if no stratum has users in both arms.
  public static func compare(_ strata: [Stratum]) -> Result<Stratified, StatisticsError> {
    let differences = strata.map { BinomialSample.exactDifference($0.first, $0.second) }
    let usable = zip(strata, differences).compactMap { stratum, difference in
      difference.map { StratumTerms(stratum.first, stratum.second, $0) }
    }
    let first = strata.reduce(BinomialSample.empty) { $0 + $1.first }
    let second = strata.reduce(BinomialSample.empty) { $0 + $1.second }
    guard !usable.isEmpty, let pooled = BinomialSample.exactDifference(first, second) else {
      return .failure(.tooFew(name: "strata with users in both arms", have: 0, need: 1))
    }
    let users = usable.reduce(0) { $0 + $1.users }
    let post = usable.reduce(0) { $0 + $1.users / users * $1.difference }
    let postVariance = usable.reduce(0) { $0 + ($1.users / users) * ($1.users / users) * $1.variance }
    let pairWeight = usable.reduce(0) { $0 + $1.pairWeight }
    let mantelHaenszel = usable.reduce(0) { $0 + $1.pairWeight / pairWeight * $1.difference }
    let excess = usable.reduce(0) { $0 + $1.excess }
    let excessVariance = usable.reduce(0) { $0 + $1.excessVariance }
    let chiSquare = excessVariance > 0 ? excess * excess / excessVariance : nil
    let precision = usable.reduce(0) { $0 + 1 / $1.safeVariance }
    let centre = usable.reduce(0) { $0 + $1.difference / $1.safeVariance } / precision
    let q = usable.reduce(0) { $0 + ($1.difference - centre) * ($1.difference - centre) / $1.safeVariance }
    let freedom = usable.count - 1
    let against = usable.allSatisfy { $0.difference * pooled < 0 }
    return .success(
      Stratified(
        pooledDifference: pooled, differences: differences, postStratifiedDifference: post,
        postStratifiedError: postVariance.squareRoot(), mantelHaenszelDifference: mantelHaenszel,
        associationChiSquare: chiSquare,
        associationP: chiSquare.map { ChiSquareDistribution.upperTail($0, degreesOfFreedom: 1) },
        heterogeneity: q, heterogeneityDegreesOfFreedom: freedom,
        heterogeneityP: ChiSquareDistribution.upperTail(q, degreesOfFreedom: freedom),
        simpsonReversal: pooled * post < 0 || against
      ))
  }
}

/// What one stratum adds to each sum.
private struct StratumTerms {
  let difference: Double
  let users: Double
  /// Wald's variance, and the one that is never 0.
  let variance: Double
  let safeVariance: Double
  /// n₁n₂/(n₁ + n₂)
  let pairWeight: Double
  /// Observed minus expected successes of the first, and its hypergeometric variance.
  let excess: Double
  let excessVariance: Double

  init(_ first: BinomialSample, _ second: BinomialSample, _ difference: Double) {
    self.difference = difference
    let n1 = Double(first.trials)
    let n2 = Double(second.trials)
    users = n1 + n2
    func wald(_ sample: BinomialSample, _ n: Double) -> Double {
      Double(sample.successes) / n * (Double(sample.failures) / n) / n
    }
    variance = wald(first, n1) + wald(second, n2)
    safeVariance = variance > 0 ? variance : AgrestiCaffo.variance(first) + AgrestiCaffo.variance(second)
    pairWeight = n1 / users * n2
    let successes = Double(first.successes) + Double(second.successes)
    let failures = Double(first.failures) + Double(second.failures)
    excess = difference * pairWeight
    excessVariance = users > 1 ? pairWeight * (successes / users) * (failures / (users - 1)) : 0
  }
}
