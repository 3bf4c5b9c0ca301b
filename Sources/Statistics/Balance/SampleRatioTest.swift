// Does the split of users match the declared one?

/// The result of a sample-ratio test.
public struct SampleRatioTest: Sendable, Hashable {
  public enum Method: String, Sendable {
    case chiSquare = "chi_square"
    /// If an expected count is below 5 and there are two arms.
    case exactBinomial = "exact_binomial"
    /// If an expected count is below 5 and there are more arms.
    case exactMultinomial = "exact_multinomial"
  }

  public let statistic: Double
  /// Arms with a weight, minus 1.
  public let degreesOfFreedom: Int
  /// By `method`.
  public let pValue: Double
  /// Expected counts, one per arm; 0 for an arm without weight.
  public let expected: [Double]
  public let method: Method
}

/// The chi-square test of a split.
public enum ChiSquare {
  /// Σ(O − E)²/E over the arms with a weight, p from the upper tail; exact if an expected count is below 5.
  ///
  /// The exact p-value adds the outcomes that are at most as likely as the observed one (slack 1e-7). With three or
  /// more arms and more than about a million outcomes it uses chi-square, and `method` shows that. An arm with weight
  /// and no users is kept. Throws for lists of different length, negative counts or weights, weights that are all 0, no
  /// users, and users in an arm without weight. Alarm conventionally below 0.001 (A. Fabijan et al., KDD 2019).
  public static func sampleRatio(
    observed: [Int], weights: [Double]
  ) throws(StatisticsError) -> SampleRatioTest {
    guard observed.count == weights.count else { throw .lengthsDiffer(observed.count, weights.count) }
    var sum = 0.0
    for weight in weights {
      guard weight >= 0, weight.isFinite else { throw .notPositive(name: "weight", value: weight) }
      sum += weight
    }
    guard sum > 0 else { throw .noWeight }
    var total = 0
    for (index, count) in observed.enumerated() {
      guard count >= 0 else { throw .negativeCount(count) }
      guard weights[index] > 0 || count == 0 else { throw .unexpectedArm(index: index, observed: count) }
      total = total.clampedSum(count)
    }
    guard total > 0 else { throw .tooFew(name: "users", have: 0, need: 1) }
    let n = Double(total)
    let expected = weights.map { $0 / sum * n }
    let arms = observed.indices.filter { weights[$0] > 0 }
    let statistic = arms.reduce(0.0) { partial, arm in
      let gap = Double(observed[arm]) - expected[arm]
      return partial + gap * gap / expected[arm]
    }
    let freedom = arms.count - 1
    var method = SampleRatioTest.Method.chiSquare
    var p = ChiSquareDistribution.upperTail(statistic, degreesOfFreedom: freedom)
    if arms.contains(where: { expected[$0] < 5 }), freedom > 0 {
      let counts = arms.map { observed[$0] }
      let shares = arms.map { weights[$0] / sum }
      if freedom == 1 {
        method = .exactBinomial
        p = ExactMultinomial.binomialP(counts[0], counts[1], p: shares[0], q: shares[1])
      } else if let exact = ExactMultinomial.pValue(counts, shares: shares) {
        method = .exactMultinomial
        p = exact
      }
    }
    return SampleRatioTest(
      statistic: statistic, degreesOfFreedom: freedom, pValue: p, expected: expected, method: method)
  }
}

/// Exact two-sided p-values of a split.
enum ExactMultinomial {
  private static let slack = 1e-7

  /// The probability of all splits of x + y no likelier than the observed one.
  static func binomialP(_ x: Int, _ y: Int, p: Double, q: Double) -> Double {
    let n = x.clampedSum(y)
    func log(_ k: Int) -> Double { DiscreteMass.logBinomial(Double(k), Double(n - k), p: p, q: q) }
    let goal = log(x) + slack
    let mode = min(n, max(0, Int(clamped: ((Double(n) + 1) * p).rounded(.down))))
    // Left of the mode the mass rises, right of it it falls: two bisections find the ends of the likelier ones.
    let left = Bisection.first(after: -1, upTo: mode) { log($0) > goal } - 1
    let right = Bisection.first(after: mode, upTo: n.clampedSum(1)) { log($0) <= goal }
    if log(mode) <= goal { return 1 }
    let lower = BinomialDistribution.tails(left, trials: n, p: p).lower
    let upper = BinomialDistribution.tails(right - 1, trials: n, p: p).upper
    return min(1, lower + upper)
  }

  /// The probability of all outcomes that are at most as likely as the observed one; nil if there are more than a
  /// million.
  static func pValue(_ counts: [Int], shares: [Double]) -> Double? {
    let n = counts.reduce(0) { $0.clampedSum($1) }
    var outcomes = 1.0
    for i in 1..<counts.count { outcomes *= (Double(n) + Double(i)) / Double(i) }
    guard outcomes <= 1e6 else { return nil }
    let logFactorial = LogGamma.value(Double(n) + 1)
    func part(_ count: Int, _ arm: Int) -> Double {
      Double(count) * Elementary.log(shares[arm]) - LogGamma.value(Double(count) + 1)
    }
    let goal = counts.indices.reduce(logFactorial) { $0 + part(counts[$1], $1) } + slack
    var total = 0.0
    func visit(_ arm: Int, _ left: Int, _ log: Double) {
      if arm == counts.count - 1 {
        let value = log + part(left, arm)
        if value <= goal { total += Elementary.exp(value) }
        return
      }
      for count in 0...left { visit(arm + 1, left - count, log + part(count, arm)) }
    }
    visit(0, n, logFactorial)
    return min(1, total)
  }
}

// MARK: Does the split of users match the declared one, asked on every day?

/// A test of the declared split that holds at any look.
///
/// The evidence against it is a ratio of likelihoods: a Dirichlet(κ w) mixture of splits over the declared one,
/// ln E = lnΓ(κ) − lnΓ(κ + n) + Σ [lnΓ(κ wᵢ + nᵢ) − lnΓ(κ wᵢ) − nᵢ ln wᵢ]. Under the declared split E is a martingale from
/// 1, so the chance that it ever reaches 1/level is at most level, however often one looks. Sources: M. Lindon and A. Malek,
/// NeurIPS 2022, arXiv:2011.03567; J. Ville (1939).
public struct SequentialSampleRatio: Sendable, Hashable {
  /// Shares of the arms, with sum 1.
  public let shares: [Double]
  /// κ: the mixture weighs as much as this many imagined users; a larger κ looks for smaller deviations.
  public let concentration: Double

  /// `weights`: of the declared split, in any unit. Throws for a weight or a concentration that is not finite, weights below
  /// 0 or all 0, and a concentration that is not above 0.
  public init(weights: [Double], concentration: Double = 400) throws(StatisticsError) {
    for weight in weights where !(weight >= 0 && weight.isFinite) { throw .notPositive(name: "weight", value: weight) }
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

  /// ln E of cumulative counts by arm; 0 without users. Arms without weight are left out: users there are another
  /// error. NaN for a count below 0 or another number of arms.
  public func logE(_ counts: [Int]) -> Double {
    guard counts.count == shares.count, counts.allSatisfy({ $0 >= 0 }) else { return .nan }
    let arms = zip(shares, counts).filter { $0.0 > 0 }.map { (share: $0.0, users: Double($0.1)) }
    let users = arms.reduce(0) { $0 + $1.users }
    let all = concentration + users
    // lnΓ(a) = (a − ½) ln a − a + ½ ln 2π + e(a): the large terms are combined to avoid cancellation.
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

  /// ln E and p so far, 1/max(1, E so far), of cumulative counts by arm at the end of each day, and the first day (from
  /// 0) with E at or above 1/level: an alarm stays.
  ///
  /// The level is clamped to [0, 1]. A day without a number has the p of the previous day. `tests`: how many such tests
  /// share the level; E is divided by it.
  public func path(
    _ days: [[Int]], level: Double = 0.01, tests: Int = 1
  ) -> (logE: [Double], pValue: [Double], firstAlarm: Int?) {
    let needed = -Elementary.log(min(1, max(0, level)))
    let share = Elementary.log(Double(max(1, tests)))
    let evidence = days.map { logE($0) - share }
    var most = 0.0
    let pValues = evidence.map { logE in
      if logE > most { most = logE }
      return Elementary.exp(-most)
    }
    return (evidence, pValues, evidence.firstIndex { $0 >= needed })
  }
}

// MARK: Whether two groups of users were divided in the same way

/// The likelihood-ratio test of two divisions among the same arms.
public enum SameDivision {
  /// 2 Σ n ln(n/e) of two groups of users by arm: chi-square with arms − 1 degrees of freedom if they were divided in the same way
  /// (S. S. Wilks, Annals of Mathematical Statistics 9 (1938) 60). 0 for a group without users.
  public static func statistic(_ first: [Int], _ second: [Int]) -> Double {
    let both = zip(first, second).map { Double($0) + Double($1) }
    return 2
      * max(0, logLikelihood(first.map { Double($0) }) + logLikelihood(second.map { Double($0) }) - logLikelihood(both))
  }

  /// Of a statistic that may be the largest of `tests`.
  public static func pValue(_ statistic: Double, arms: Int, tests: Int = 1) -> Double {
    min(1, Double(tests) * ChiSquareDistribution.upperTail(statistic, degreesOfFreedom: max(1, arms - 1)))
  }

  /// Of the division that was seen.
  private static func logLikelihood(_ users: [Double]) -> Double {
    let total = users.reduce(0, +)
    return users.reduce(0) { $1 > 0 ? $0 + $1 * Elementary.log($1 / total) : $0 }
  }
}
