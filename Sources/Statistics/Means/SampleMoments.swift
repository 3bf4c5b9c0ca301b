// Count, mean and variance of real observations.

/// Count, mean and sum of squared deviations of real observations, mergeable (T. Chan, G. Golub and R. LeVeque 1979).
public struct SampleMoments: Sendable, Hashable {
  public let count: Int
  private let centre: Double
  private let deviations: Double

  private init(count: Int, centre: Double, deviations: Double) {
    self.count = count
    self.centre = centre
    self.deviations = deviations
  }

  /// From the observations, in two passes.
  public init(_ observations: [Double]) {
    count = observations.count
    let mean = observations.isEmpty ? 0 : observations.reduce(0, +) / Double(observations.count)
    centre = mean
    deviations = observations.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }

  /// From integer sums.
  public init(_ moments: IntegerMoments) {
    count = moments.count
    centre = moments.mean ?? 0
    deviations = moments.count > 0 ? max(0, Double(moments.scatter)) / Double(moments.count) : 0
  }

  /// From a mean and a sample variance (divisor n − 1).
  public init(count: Int, mean: Double, sampleVariance: Double) {
    self.init(count: max(0, count), centre: mean, deviations: max(0, sampleVariance) * Double(max(0, count - 1)))
  }

  public static func + (left: SampleMoments, right: SampleMoments) -> SampleMoments {
    let count = left.count.clampedSum(right.count)
    guard count > 0 else { return left }
    let share = Double(right.count) / Double(count)
    let gap = right.centre - left.centre
    return SampleMoments(
      count: count,
      centre: left.centre + gap * share,
      deviations: left.deviations + right.deviations + gap * gap * Double(left.count) * share
    )
  }

  /// nil for no observation.
  public var mean: Double? { count > 0 ? centre : nil }

  /// nil below 2 observations.
  public var sampleVariance: Double? { count > 1 ? deviations / Double(count - 1) : nil }
}
