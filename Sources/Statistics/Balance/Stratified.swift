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
  /// One per stratum; nil if an arm is empty there. Such a stratum counts only in the pooled difference.
  public let differences: [Double?]
  /// Σ W d, W the stratum's share of the users; error √Σ W² v (L. W. Miratrix, J. S. Sekhon and B. Yu, JRSS B 75 (2013)
  /// 369).
  public let postStratifiedDifference: Double
  public let postStratifiedError: Double
  /// With weights n₁n₂/(n₁ + n₂).
  public let mantelHaenszelDifference: Double
  /// Cochran–Mantel–Haenszel without correction (N. Mantel and W. Haenszel, JNCI 22 (1959) 719); nil if no stratum has
  /// any variance.
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
        associationP: chiSquare.map { ChiSquareDistribution.upperTail($0, degreesOfFreedom: 1) }, heterogeneity: q,
        heterogeneityDegreesOfFreedom: freedom,
        heterogeneityP: ChiSquareDistribution.upperTail(q, degreesOfFreedom: freedom),
        simpsonReversal: pooled * post < 0 || against))
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
    variance = first.waldVariance + second.waldVariance
    safeVariance = variance > 0 ? variance : AgrestiCaffo.variance(first) + AgrestiCaffo.variance(second)
    pairWeight = n1 / users * n2
    let successes = Double(first.successes) + Double(second.successes)
    let failures = Double(first.failures) + Double(second.failures)
    excess = difference * pairWeight
    excessVariance = users > 1 ? pairWeight * (successes / users) * (failures / (users - 1)) : 0
  }
}

// MARK: A difference of two rates within strata, for decisions that are adjusted for earlier facts

/// The score test of no difference within strata, and the Mantel–Haenszel difference with its own error.
///
/// For repeated looks the strata are used as they are: the score has independent increments for any number of strata.
/// Joining small strata, which may change from look to look, would break that.
public struct StratifiedDifference: Sendable, Hashable {
  /// Cochran–Mantel–Haenszel, positive if the first rate is higher: Σ(x₁ − n₁ p)/√(Σ n₁ n₂ p q/(n − 1)). 0 if no
  /// stratum has any variance. Sources: W. G. Cochran, Biometrics 10 (1954) 417, doi:10.2307/3001616; N. Mantel and W.
  /// Haenszel, JNCI 22 (1959) 719.
  public let cmhZ: Double
  /// Σ w d/Σ w, w = n₁ n₂/n.
  public let mantelHaenszel: Double
  /// √(d Σ P + Σ Q)/Σ w, P = (n₁² x₂ − n₂² x₁ + n₁ n₂ (n₂ − n₁)/2)/n², Q = (x₁ (n₂ − x₂) + x₂ (n₁ − x₁))/(2n); good both for
  /// few large strata and for many small ones. Source: T. Sato, Biometrics 45 (1989) 1323.
  public let satoError: Double
  /// 4 Σ n₁ n₂/n: the users of both arms at an even split that carry as much information.
  public let informationUsers: Double

  /// Refused if no stratum has users in both arms; the others are left out.
  public static func compare(_ strata: [Stratified.Stratum]) -> Result<StratifiedDifference, StatisticsError> {
    var (excess, variance, weight, weighted, p, q) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for stratum in strata {
      guard let difference = BinomialSample.exactDifference(stratum.first, stratum.second) else { continue }
      let (n1, n2) = (Double(stratum.first.trials), Double(stratum.second.trials))
      let (x1, x2) = (Double(stratum.first.successes), Double(stratum.second.successes))
      let (y1, y2) = (Double(stratum.first.failures), Double(stratum.second.failures))
      let n = n1 + n2
      let w = n1 / n * n2
      weight += w
      weighted += w * difference
      excess += w * difference
      variance += w * ((x1 + x2) / n) * ((y1 + y2) / (n - 1))
      p += n1 / n * (n1 / n) * x2 - n2 / n * (n2 / n) * x1 + n1 / n * (n2 / n) * (n2 - n1) / 2
      q += (x1 * (y2 / n) + x2 * (y1 / n)) / 2
    }
    guard weight > 0 else { return .failure(.tooFew(name: "strata with users in both arms", have: 0, need: 1)) }
    let difference = weighted / weight
    return .success(
      StratifiedDifference(
        cmhZ: variance > 0 ? excess / variance.squareRoot() : 0, mantelHaenszel: difference,
        satoError: max(0, difference * p + q).squareRoot() / weight, informationUsers: 4 * weight))
  }
}

/// The difference over strata, with small strata joined, weighted by users: a check of the other estimate.
///
/// Strata below `minimum` users in an arm are joined into a rest. While the rest is below it in an arm, the smallest
/// other stratum (by users, then by index) joins it. Source: L. W. Miratrix, J. S. Sekhon and B. Yu, JRSS B 75 (2013)
/// 369, doi:10.1111/j.1467-9868.2012.01048.x.
public struct JoinedDifference: Sendable, Hashable {
  /// The strata that were not joined, in their order, then the rest.
  public let strata: [Stratified.Stratum]
  /// Σ W d, W the stratum's share of the users.
  public let difference: Double
  /// √Σ W² (p₁q₁/(n₁ − 1) + p₂q₂/(n₂ − 1)).
  public let standardError: Double
  /// d/√Σ W² p q (1/n₁ + 1/n₂) n/(n − 1), p of both arms; 0 without variance.
  public let z: Double
  /// 4 Σ n₁ n₂/n.
  public let informationUsers: Double

  /// Refused if, after joining, an arm has fewer than two users.
  public static func compare(
    _ strata: [Stratified.Stratum], minimum: Int = 20
  ) -> Result<JoinedDifference, StatisticsError> {
    let joined = join(strata, minimum: minimum)
    let users = joined.reduce(0.0) { $0 + Double($1.first.trials) + Double($1.second.trials) }
    var (difference, variance, null, information) = (0.0, 0.0, 0.0, 0.0)
    for stratum in joined {
      let (n1, n2) = (Double(stratum.first.trials), Double(stratum.second.trials))
      guard n1 > 1, n2 > 1, let gap = BinomialSample.exactDifference(stratum.first, stratum.second) else {
        let have = min(stratum.first.trials, stratum.second.trials)
        return .failure(.tooFew(name: "users in an arm", have: have, need: 2))
      }
      let n = n1 + n2
      let w = n / users
      let p = (Double(stratum.first.successes) + Double(stratum.second.successes)) / n
      let q = (Double(stratum.first.failures) + Double(stratum.second.failures)) / n
      difference += w * gap
      variance += w * w * (stratum.first.spread / (n1 - 1) + stratum.second.spread / (n2 - 1))
      null += w * w * p * q * (1 / n1 + 1 / n2) * n / (n - 1)
      information += 4 * n1 / n * n2
    }
    guard users > 0 else { return .failure(.tooFew(name: "users in an arm", have: 0, need: 2)) }
    return .success(
      JoinedDifference(
        strata: joined, difference: difference, standardError: variance.squareRoot(),
        z: null > 0 ? difference / null.squareRoot() : 0, informationUsers: information))
  }

  private static func join(_ strata: [Stratified.Stratum], minimum: Int) -> [Stratified.Stratum] {
    func isSmall(_ stratum: Stratified.Stratum) -> Bool { min(stratum.first.trials, stratum.second.trials) < minimum }
    var kept = strata.filter { !isSmall($0) }
    let small = strata.filter(isSmall)
    guard !small.isEmpty else { return kept }
    var rest = small.reduce(Stratified.Stratum(first: .empty, second: .empty)) { $0.joined($1) }
    while isSmall(rest),
      let smallest = kept.indices.min(by: { (kept[$0].users, $0) < (kept[$1].users, $1) })
    {
      rest = rest.joined(kept.remove(at: smallest))
    }
    // A rest without users is not a stratum.
    if rest.users > 0 { kept.append(rest) }
    return kept
  }
}

extension Stratified.Stratum {
  fileprivate var users: Int { first.trials.clampedSum(second.trials) }

  fileprivate func joined(_ other: Self) -> Self { Self(first: first + other.first, second: second + other.second) }
}
