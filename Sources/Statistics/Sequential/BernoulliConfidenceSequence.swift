// The exact confidence sequence of one rate.

/// The exact, non-asymptotic confidence sequence of one rate, by the beta-binomial mixture.
///
/// All p with B(kq + n − x, kp + x)/(B(kq, kp) pˣ qⁿ⁻ˣ) < 1/α, q = 1 − p. Source: Howard et al., Annals of Statistics 49
/// (2021), Propositions 6 and 7; the tuning of k is that of the authors' package confseq. Valid at every look and for any
/// count, and wider than the asymptotic one.
public struct BernoulliConfidenceSequence: Sendable, Hashable {
  public let tuningTrials: Int
  public let alpha: Double
  private let weight: Double

  /// `tuningTrials`: trials in the arm at which the interval is to be narrowest. Throws for none and for alpha outside
  /// (0, 1).
  public init(tuningTrials: Int, alpha: Double = 0.05) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    guard tuningTrials > 0 else { throw .notPositive(name: "tuning trials", value: Double(tuningTrials)) }
    self.tuningTrials = tuningTrials
    self.alpha = alpha
    // The package always tunes at 0.05, whatever alpha is asked for; any tuning is valid.
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
