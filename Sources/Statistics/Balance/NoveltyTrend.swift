// Does a difference fade as users get used to the change?

/// The trend of daily differences: weighted least squares on the day, weights 1/SE².
public struct NoveltyTrend: Sendable, Hashable {
  public struct Day: Sendable, Hashable {
    public let day: Int
    public let difference: Double
    public let standardError: Double

    public init(day: Int, difference: Double, standardError: Double) {
      self.day = day
      self.difference = difference
      self.standardError = standardError
    }
  }

  /// Fewest days with a standard error.
  public static let minimumDays = 5

  /// Change of the difference per day.
  public let slope: Double
  public let slopeError: Double
  public let z: Double
  public let pValue: Double
  /// The weighted mean difference.
  public let meanDifference: Double

  /// |z| from which a trend counts.
  ///
  /// The trend is tested on every day after a first crossing, which is itself a high point, so later differences tend
  /// to fall. With 3.03, two in a hundred true, constant effects would be reported as fading within 60 days; with 3.25,
  /// six in a thousand. Of ten points that fade in two weeks, half (200 users a day) to nine in ten (500) are found
  /// (simulated; docs/statistics.md).
  public static let threshold = 3.25

  /// |z| at or above `threshold`, and a slope against the sign of the mean difference.
  public var isFading: Bool { abs(z) >= Self.threshold && slope * meanDifference < 0 }

  /// b = Σ w(t − t̄)(d − d̄)/Σ w(t − t̄)², SE = 1/√Σ w(t − t̄)². Days without a finite error above 0 are left out;
  /// refused below 5 days.
  public static func fit(_ days: [Day]) -> Result<NoveltyTrend, StatisticsError> {
    let usable = days.filter { $0.standardError > 0 && $0.standardError.isFinite && $0.difference.isFinite }
    guard usable.count >= minimumDays else {
      return .failure(.tooFew(name: "days with a known error", have: usable.count, need: minimumDays))
    }
    let weights = usable.map { 1 / ($0.standardError * $0.standardError) }
    let total = weights.reduce(0, +)
    let centre = zip(usable, weights).reduce(0) { $0 + $1.1 * Double($1.0.day) } / total
    let mean = zip(usable, weights).reduce(0) { $0 + $1.1 * $1.0.difference } / total
    var cross = 0.0
    var square = 0.0
    for (day, weight) in zip(usable, weights) {
      let t = Double(day.day) - centre
      cross += weight * t * (day.difference - mean)
      square += weight * t * t
    }
    guard square > 0 else { return .failure(.noVariance) }
    let slope = cross / square
    let error = 1 / square.squareRoot()
    return .success(
      NoveltyTrend(
        slope: slope, slopeError: error, z: slope / error, pValue: NormalDistribution.twoSidedP(slope / error),
        meanDifference: mean))
  }
}
