// Does the split of users match the declared one, asked on every day?

/// A test of the declared split that holds at any look.
///
/// The evidence against it is a ratio of likelihoods: a Dirichlet(κ w) mixture of splits over the declared one,
/// ln E = lnΓ(κ) − lnΓ(κ + n) + Σ [lnΓ(κ wᵢ + nᵢ) − lnΓ(κ wᵢ) − nᵢ ln wᵢ]. Under the declared split E is a martingale from
/// 1, so the chance that it ever reaches 1/level is at most level, however often one looks. Sources: M. Lindon and A. Malek,
/// NeurIPS 2022, arXiv:2011.03567; J. Ville (1939).
public struct SequentialSampleRatio: Sendable, Hashable {
  /// Shares of the arms, with sum 1.
  public let shares: [Double]
  /// κ: the mixture weighs as much as so many imagined users; more of them look for smaller deviations.
  public let concentration: Double

  /// `weights`: of the declared split, in any unit. Throws for a weight or a concentration that is not finite, weights below
  /// 0 or all 0, and a concentration that is not above 0.
  public init(weights: [Double], concentration: Double = 400) throws(StatisticsError) {
    for weight in weights where !(weight >= 0 && weight.isFinite) {
      throw .notPositive(name: "weight", value: weight)
    }
    guard concentration > 0, concentration.isFinite else {
      throw .notPositive(name: "concentration", value: concentration)
    }
    let most = weights.max() ?? 0
    guard most > 0 else { throw .noWeight }
    // By the largest first, so that the sum stays finite.
    let sum = weights.reduce(0) { $0 + $1 / most }
    shares = weights.map { $0 / most / sum }
    self.concentration = concentration
  }

  /// ln E of cumulative counts by arm; 0 for nobody. Arms without weight are left out: users there are another error. NaN for
  /// a count below 0 or another number of arms.
  public func logE(_ counts: [Int]) -> Double {
    guard counts.count == shares.count, counts.allSatisfy({ $0 >= 0 }) else { return .nan }
    let arms = zip(shares, counts).filter { $0.0 > 0 }.map { (share: $0.0, users: Double($0.1)) }
    let users = arms.reduce(0) { $0 + $1.users }
    let all = concentration + users
    // lnΓ(a) = (a − ½) ln a − a + ½ ln 2π + e(a): the large terms are taken together, so that nothing cancels.
    func rest(_ a: Double, _ prior: Double) -> Double {
      (prior - 0.5) * Elementary.log(a / prior) + LogGamma.stirlingError(a) - LogGamma.stirlingError(prior)
    }
    var sum = -rest(all, concentration)
    for arm in arms {
      let prior = concentration * arm.share
      sum += rest(prior + arm.users, prior)
      // nᵢ ln((κ wᵢ + nᵢ)/((κ + n) wᵢ))
      let excess = (arm.users - users * arm.share) / (all * arm.share)
      if arm.users > 0 { sum += arm.users * Elementary.log1p(excess) }
    }
    return sum
  }

  /// E of ln E; infinite beyond the largest double.
  public static func eValue(_ logE: Double) -> Double { Elementary.exp(logE) }

  /// ln E and p so far, 1/max(1, E so far), of cumulative counts by arm at the end of each day, and the first day (from 0)
  /// with E at or above 1/level: an alarm stays.
  ///
  /// The level is clamped to [0, 1]. A day without a number has p of the day before.
  public func path(
    _ days: [[Int]], level: Double = 0.01
  ) -> (logE: [Double], pValue: [Double], firstAlarm: Int?) {
    let needed = -Elementary.log(min(1, max(0, level)))
    let evidence = days.map(logE)
    var most = 0.0
    let pValues = evidence.map { logE in
      if logE > most { most = logE }
      return Elementary.exp(-most)
    }
    return (evidence, pValues, evidence.firstIndex { $0 >= needed })
  }
}
