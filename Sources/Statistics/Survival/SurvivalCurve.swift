// The Kaplan–Meier curve of real times, with its median and restricted mean.

/// A Kaplan–Meier curve over real times.
public struct SurvivalCurve: Sendable {
  public struct Point: Sendable, Hashable {
    public let time: Double
    public let atRisk: Int
    public let events: Int
    public let survival: Double
    /// Greenwood's; nil where S is 0.
    public let standardError: Double?
    /// S ± z · error in [0, 1]; nil where S is 0.
    public let plainInterval: Interval?
    /// nil where S is 0 or 1.
    public let logLogInterval: Interval?
  }

  /// One point per time with an event.
  public let points: [Point]

  /// All causes count as the event.
  public init(_ times: SurvivalTimes, confidence: Double = 0.95) {
    let z = NormalDistribution.criticalValue(confidence: confidence)
    var limit = ProductLimit()
    var points: [Point] = []
    for (row, atRisk) in times.rowsAtRisk where row.allEvents > 0 {
      limit.advance(atRisk: atRisk, events: row.allEvents)
      points.append(
        Point(
          time: row.time, atRisk: atRisk, events: row.allEvents, survival: limit.survival,
          standardError: limit.standardError,
          plainInterval: z.flatMap { limit.plainInterval(z: $0) },
          logLogInterval: z.flatMap { limit.logLogInterval(z: $0) }
        ))
    }
    self.points = points
  }

  /// The first time with S ≤ ½; nil where the curve never gets there.
  public var median: Double? { points.first { $0.survival <= 0.5 }?.time }

  /// ∫₀^τ S with its error, Var = Σ over tᵢ ≤ τ of (∫_{tᵢ}^τ S)² d/(n(n − d)).
  public func restrictedMean(until tau: Double) -> (value: Double, standardError: Double) {
    var value = 0.0
    var variance = 0.0
    var end = tau
    // From the end backwards, so that the area right of each time is at hand.
    for (index, point) in points.enumerated().reversed() where point.time <= tau {
      value += point.survival * (end - point.time)
      end = point.time
      let left = Double(points[index].atRisk - point.events)
      if left > 0 { variance += value * value * Double(point.events) / Double(point.atRisk) / left }
    }
    value += end
    return (value, variance.squareRoot())
  }
}
