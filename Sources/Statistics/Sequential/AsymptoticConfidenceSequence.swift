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

  /// The statement at this look, first minus second, or why there is none.
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
    let squaredError = variance(first) + variance(second)
    guard let difference = BinomialSample.exactDifference(first, second), squaredError > 0 else {
      return .failure(.noVariance)
    }
    return .success((difference, squaredError, Double(first.trials) + Double(second.trials)))
  }

  /// p̂(1 − p̂)/n.
  private static func variance(_ sample: BinomialSample) -> Double {
    let n = Double(sample.trials)
    return Double(sample.successes) / n * (Double(sample.failures) / n) / n
  }
}
