// A closed interval of real numbers.

/// A confidence or credible interval. `high` is infinite if there is no upper limit.
public struct Interval: Sendable, Hashable {
  public var low: Double
  public var high: Double

  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// centre ± reach.
  init(_ centre: Double, plusMinus reach: Double) { self.init(low: centre - reach, high: centre + reach) }

  /// ratio ×/÷ factor, for intervals on the scale of the logarithm.
  init(_ ratio: Double, timesOrOver factor: Double) { self.init(low: ratio / factor, high: ratio * factor) }

  /// Whether the value lies inside, ends included.
  public func contains(_ value: Double) -> Bool { low <= value && value <= high }
}
