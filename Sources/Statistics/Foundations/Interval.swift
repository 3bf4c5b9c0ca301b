// A closed interval of real numbers.

/// A confidence or credible interval. `high` may be infinite where no upper limit exists.
public struct Interval: Sendable, Hashable {
  public var low: Double
  public var high: Double

  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// Whether the value lies inside, ends included.
  public func contains(_ value: Double) -> Bool { low <= value && value <= high }
}
