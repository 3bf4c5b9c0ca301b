// The always-valid interval of a difference of two rates.

/// The asymptotic confidence sequence of rate(first) − rate(second): valid at every look, however often one looks.
///
/// Bound and p-value from `NormalMixture`. It is asymptotic, so a gate holds it back while an arm has few users or few
/// of either outcome.
public struct AsymptoticConfidenceSequence: Sendable {
  /// Users an arm needs.
  public static let minimumUsers = 100
  /// Events, and non-events, an arm needs.
  public static let minimumOutcomes = 10

  public let plannedUsers: Int
  public let alpha: Double
  private let mixture: NormalMixture

  /// `plannedUsers`: users in both arms together at which a decision is expected; fixed for the experiment. Throws for
  /// no planned users and for alpha outside (0, 1).
  public init(plannedUsers: Int, alpha: Double = 0.05) throws(StatisticsError) {
    mixture = try NormalMixture(plannedUsers: plannedUsers, alpha: alpha)
    self.plannedUsers = plannedUsers
    self.alpha = alpha
  }

  /// Why no statement is made. Arm 1 is the first, arm 2 the second.
  public enum Refusal: Error, Sendable, Hashable {
    case tooFewUsers(arm: Int, have: Int, need: Int)
    case tooFewEvents(arm: Int, have: Int, need: Int)
    case tooFewNonEvents(arm: Int, have: Int, need: Int)
    case noVariance

    /// The refusal in plain English.
    public var sentence: String {
      switch self {
      case .tooFewUsers(let arm, let have, let need): Self.few(arm, have, "users", need)
      case .tooFewEvents(let arm, let have, let need): Self.few(arm, have, "events", need)
      case .tooFewNonEvents(let arm, let have, let need): Self.few(arm, have, "non-events", need)
      case .noVariance: "The outcome does not vary in either arm."
      }
    }

    private static func few(_ arm: Int, _ have: Int, _ what: String, _ need: Int) -> String {
      "Arm \(arm) has \(have) \(what); an always-valid statement needs \(need)."
    }
  }

  /// What holds at a look.
  public struct Statement: Sendable {
    /// Always valid: min(1, 1/E).
    public let pValue: Double
    /// Of first minus second; not cut to [−1, 1].
    public let interval: Interval
    /// Kept also if `pValue` is below the smallest double.
    public let log10PValue: Double
    /// First minus second.
    public let difference: Double
    /// ln of the E-value, the evidence against no difference.
    public let logEValue: Double
  }

  /// The statement at this look, first minus second, or the reason why there is no statement.
  public func evaluate(_ first: BinomialSample, _ second: BinomialSample) -> Result<Statement, Refusal> {
    Self.contrast(first, second).map { contrast in
      let (difference, squaredError, n) = contrast
      let halfWidth = mixture.halfWidth(scaledVariance: n * squaredError, users: n)
      let logE = mixture.logEValue(difference: difference, squaredError: squaredError, users: n)
      return Statement(
        pValue: min(1, Elementary.exp(-logE)), interval: Interval(difference, plusMinus: halfWidth),
        log10PValue: min(0, -logE / NormalDistribution.ln10), difference: difference, logEValue: logE)
    }
  }

  /// Bounds of rate(first) − rate(second) of which each alone holds at every look with 1 − alpha (eq. 134), for
  /// guardrails; the same gate holds it back.
  public func oneSidedBounds(
    _ first: BinomialSample, _ second: BinomialSample
  ) throws(StatisticsError) -> Result<Interval, Refusal> {
    switch Self.contrast(first, second) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let (difference, squaredError, n)):
      let bound = try OneSidedNormalMixture.bound(
        scaledVariance: n * squaredError, users: n, plannedUsers: plannedUsers, alpha: alpha)
      return .success(Interval(difference, plusMinus: bound.halfWidth))
    }
  }

  /// The difference, its squared error and the users of both arms, if the gate lets them through.
  private static func contrast(
    _ first: BinomialSample, _ second: BinomialSample
  ) -> Result<(difference: Double, squaredError: Double, users: Double), Refusal> {
    for (arm, sample) in [(1, first), (2, second)] {
      if sample.trials < minimumUsers {
        return .failure(.tooFewUsers(arm: arm, have: sample.trials, need: minimumUsers))
      }
      if sample.successes < minimumOutcomes {
        return .failure(.tooFewEvents(arm: arm, have: sample.successes, need: minimumOutcomes))
      }
      if sample.failures < minimumOutcomes {
        return .failure(.tooFewNonEvents(arm: arm, have: sample.failures, need: minimumOutcomes))
      }
    }
    let squaredError = first.waldVariance + second.waldVariance
    guard let difference = BinomialSample.exactDifference(first, second), squaredError > 0 else {
      return .failure(.noVariance)
    }
    return .success((difference, squaredError, Double(first.trials) + Double(second.trials)))
  }
}

// MARK: The normal mixture boundary that the asymptotic confidence sequences use, and the test that is dual to it

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

// MARK: The exact confidence sequence of one rate

/// The exact, non-asymptotic confidence sequence of one rate, by the beta-binomial mixture.
///
/// All p with B(kq + n − x, kp + x)/(B(kq, kp) pˣ qⁿ⁻ˣ) < 1/α, q = 1 − p. Source: Howard et al., Annals of Statistics 49
/// (2021), Propositions 6 and 7; the tuning of k is that of the authors' package confseq. Valid at every look and for any
/// count, and wider than the asymptotic one.
public struct BernoulliConfidenceSequence: Sendable, Hashable {
  public let tuningTrials: Int
  public let alpha: Double
  private let weight: Double

  /// `tuningTrials`: trials in the arm at which the interval is to be narrowest. Throws for 0 trials and for alpha
  /// outside (0, 1).
  public init(tuningTrials: Int, alpha: Double = 0.05) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    guard tuningTrials > 0 else { throw .notPositive(name: "tuning trials", value: Double(tuningTrials)) }
    self.tuningTrials = tuningTrials
    self.alpha = alpha
    // The package always tunes at 0.05, for any requested alpha; every tuning is valid.
    weight = max(Double(tuningTrials) / NormalMixture.tuning(0.05) - 1, 1e-3)
  }

  /// The interval at this look; the whole of [0, 1] before the first trial.
  public func interval(_ sample: BinomialSample) -> Interval {
    guard sample.trials > 0, let rate = sample.rate, let failing = sample.complement.rate else {
      return Interval(low: 0, high: 1)
    }
    // Solved from the side of the rarer end, where p has its digits.
    let low = sample.successes == 0 ? 0 : limit(sample, below: rate)
    let high = sample.failures == 0 ? 1 : 1 - limit(sample.complement, below: failing)
    return Interval(low: low, high: high)
  }

  /// The interval of rate(first) − rate(second) from one sequence per arm at α/2 each (union bound).
  public static func differenceInterval(
    _ first: BinomialSample, _ second: BinomialSample, tuningTrials: Int, alpha: Double = 0.05
  ) throws(StatisticsError) -> Interval {
    let sequence = try BernoulliConfidenceSequence(tuningTrials: tuningTrials, alpha: alpha / 2)
    let one = sequence.interval(first)
    let two = sequence.interval(second)
    return Interval(low: one.low - two.high, high: one.high - two.low)
  }

  private func limit(_ sample: BinomialSample, below rate: Double) -> Double {
    let x = Double(sample.successes)
    let y = Double(sample.failures)
    let threshold = -Elementary.log(alpha)
    func excess(_ p: Double) -> Double {
      let q = 1 - p
      let posterior = LogGamma.beta(weight * q + y, weight * p + x)
      let prior = LogGamma.beta(weight * q, weight * p)
      return posterior - prior - x * Elementary.log(p) - y * Elementary.log1p(-p) - threshold
    }
    // In ln p, because the lower end can be tiny.
    let top = Elementary.log(min(rate, 1 - 1e-16))
    if excess(Elementary.exp(top)) > 0 { return Elementary.exp(top) }
    let bottom = -700.0
    if excess(Elementary.exp(bottom)) <= 0 { return 0 }
    let error = 3 / x.squareRoot()
    let t = RootFinder.solve(
      low: bottom, high: top, starts: (top - error, top - 1.2 * error), positiveBelow: true, relative: 1e-12,
      absolute: 1e-12
    ) { excess(Elementary.exp($0)) }
    return Elementary.exp(t)
  }
}
