// Spearman's rank correlation of a group with an observation.

/// Spearman's correlation of membership (1 = first group) with the observation, ties at mid-ranks.
public enum RankCorrelation {
  /// From two histograms; nil below 2 observations together or where a side does not vary.
  public static func membership(_ first: Histogram, _ second: Histogram) -> Double? {
    // Pearson's of the doubled mid-ranks, which are integers, so the sums are exact.
    var before = 0
    var one = IntegerMoments(count: 0, sum: 0, sumOfSquares: 0)
    var two = one
    for group in Histogram.merged(first, second) {
      let size = group.first.clampedSum(group.second)
      let rank = (2 * Int128(before)) + Int128(size) + 1
      one += moments(rank, group.first)
      two += moments(rank, group.second)
      before = before.clampedSum(size)
    }
    return PointBiserial.correlation(one, two)?.value
  }

  private static func moments(_ rank: Int128, _ count: Int) -> IntegerMoments {
    IntegerMoments(
      count: count,
      sum: Int(clamping: rank * Int128(count)),
      sumOfSquares: Int(clamping: rank * rank * Int128(count))
    )
  }
}
