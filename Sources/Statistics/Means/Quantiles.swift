// Quantiles of observations and their intervals, and capping outliers at one.

/// Sample quantiles of type 7 (R. J. Hyndman and Y. Fan, The American Statistician 50 (1996) 361) and their intervals.
public enum Quantiles {
  /// The type-7 quantile of sorted values; nil for no values or a share outside [0, 1].
  public static func type7(_ sorted: [Double], _ share: Double) -> Double? {
    guard let last = sorted.last, share >= 0, share <= 1 else { return nil }
    let position = share * Double(sorted.count - 1)
    let index = Int(position.rounded(.down))
    guard index + 1 < sorted.count else { return last }
    return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
  }

  /// The type-7 quantile of values with counts; nil for no values or a share outside [0, 1].
  public static func type7(_ histogram: Histogram, _ share: Double) -> Double? {
    guard let last = histogram.bins.last, share >= 0, share <= 1 else { return nil }
    let position = share * Double(histogram.count - 1)
    let index = Int(clamped: position.rounded(.down))
    var seen = 0
    for (number, bin) in histogram.bins.enumerated() {
      seen = seen.clampedSum(bin.count)
      guard index < seen else { continue }
      let next =
        index + 1 < seen ? bin.value : number + 1 < histogram.bins.count ? histogram.bins[number + 1].value : bin.value
      return bin.value + (position - Double(index)) * (next - bin.value)
    }
    return last.value
  }

  /// The quantile of sorted values with SE = (Q(ν + δ) − Q(ν − δ))/(2 · 1.96), δ = 1.96 √(ν(1 − ν)/n).
  ///
  /// Source: Deng, Knoblich and Lu, KDD 2018, section 4. Refused if ν ± δ leaves [0, 1] (with the number of
  /// observations that would do), and if ties make the error 0, because that is not certainty.
  public static func estimate(_ sorted: [Double], _ share: Double) -> Result<QuantileEstimate, StatisticsError> {
    estimate(count: sorted.count, share) { type7(sorted, $0) }
  }

  /// The same of values with counts.
  public static func estimate(_ histogram: Histogram, _ share: Double) -> Result<QuantileEstimate, StatisticsError> {
    estimate(count: histogram.count, share) { type7(histogram, $0) }
  }

  private static func estimate(
    count: Int, _ share: Double, quantile: (Double) -> Double?
  ) -> Result<QuantileEstimate, StatisticsError> {
    guard share > 0, share < 1 else { return .failure(.notAProbability(name: "quantile", value: share)) }
    let z = 1.959963984540054
    let spread = share * (1 - share)
    let edge = min(share, 1 - share)
    let need = Int(clamped: (z * z * spread / (edge * edge)).rounded(.up))
    guard count >= max(2, need) else { return .failure(.quantileOutsideSample(have: count, need: max(2, need))) }
    let delta = z * (spread / Double(count)).squareRoot()
    guard let value = quantile(share), let above = quantile(share + delta), let below = quantile(share - delta) else {
      return .failure(.quantileOutsideSample(have: count, need: need.clampedSum(1)))
    }
    guard above > below else { return .failure(.noVariance) }
    return .success(QuantileEstimate(value: value, standardError: (above - below) / (2 * z), count: count))
  }

  /// The normal interval of the first quantile minus the second.
  public static func differenceInterval(
    _ first: QuantileEstimate, _ second: QuantileEstimate, confidence: Double = 0.95
  ) -> Interval? {
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    let error = (first.standardError * first.standardError + second.standardError * second.standardError).squareRoot()
    return Interval(first.value - second.value, plusMinus: z * error)
  }

  /// Ranks, from 1, of the order statistics that hold the quantile; nil if the sample has no such rank.
  public struct RankInterval: Sendable, Hashable {
    public let lower: Int?
    public let upper: Int?
    /// The exact probability of holding the quantile, a missing end counted as infinite.
    public let coverage: Double
  }

  /// The distribution-free interval of one sample's quantile from order statistics.
  ///
  /// r = binomial quantile of α/2, s = binomial quantile of 1 − α/2, plus 1 (W. J. Conover, Practical Nonparametric
  /// Statistics, 3rd ed. 1999, section 3.2). Conservative by its discreteness. nil for no observation.
  public static func rankInterval(count n: Int, quantile share: Double, confidence: Double = 0.95) -> RankInterval? {
    guard n > 0, share > 0, share < 1, confidence > 0, confidence < 1 else { return nil }
    let tail = (1 - confidence) / 2
    let lower = BinomialDistribution.quantile(tail, trials: n, p: share)
    let upper = BinomialDistribution.upperQuantile(tail, trials: n, p: share) + 1
    let below = BinomialDistribution.tails(lower - 1, trials: n, p: share).lower
    let above = BinomialDistribution.tails(upper - 1, trials: n, p: share).upper
    return RankInterval(lower: lower >= 1 ? lower : nil, upper: upper <= n ? upper : nil, coverage: 1 - below - above)
  }
}

/// Winsorization: values above a cap count as the cap.
public enum Winsorization {
  /// The type-7 quantile of both groups together; never one of each group, which would hide a difference of tails.
  public static func pooledCap(_ first: [Double], _ second: [Double], quantile: Double) -> Double? {
    Quantiles.type7((first + second).sorted(), quantile)
  }

  public static func capped(_ values: [Double], at cap: Double) -> [Double] { values.map { min($0, cap) } }
}

/// A quantile with its standard error.
public struct QuantileEstimate: Sendable, Hashable {
  public let value, standardError: Double
  public let count: Int
}
