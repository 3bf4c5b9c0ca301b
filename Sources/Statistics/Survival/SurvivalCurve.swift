// Curves of real times: Kaplan and Meier's with its median and restricted mean, Aalen and Johansen's with competing
// outcomes.

/// A Kaplan–Meier curve over real times.
public struct SurvivalCurve: Sendable {
  public struct Point: Sendable, Hashable {
    public let time: Double
    public let atRisk: Int
    public let events: Int
    public let survival: Double
    /// Greenwood's; nil if S is 0.
    public let standardError: Double?
    /// S ± z · error in [0, 1]; nil if S is 0.
    public let plainInterval: Interval?
    /// nil if S is 0 or 1.
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

  /// The first time with S ≤ ½; nil if the curve never gets there.
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

/// Aalen and Johansen's cumulative incidence: CIFₖ = Σ S(t−) dₖ/n.
///
/// Source: O. O. Aalen and S. Johansen, Scandinavian Journal of Statistics 5 (1978) 141. One minus a Kaplan–Meier curve
/// per cause overstates (H. Putter, M. Fiocco and R. B. Geskus, Statistics in Medicine 26 (2007) 2389); here S and the
/// incidences add up to 1 at every time.
public enum AalenJohansen {
  /// One point per time with an event of any cause.
  public static func incidence(_ times: SurvivalTimes) -> [CumulativeIncidence] {
    var survival = 1.0
    var incidence = [Double](repeating: 0, count: times.causes)
    var points: [CumulativeIncidence] = []
    for (row, atRisk) in times.rowsAtRisk where row.allEvents > 0 {
      let n = Double(atRisk)
      for cause in incidence.indices { incidence[cause] += survival * Double(row.events[cause]) / n }
      survival *= Double(atRisk - row.allEvents) / n
      points.append(
        CumulativeIncidence(time: row.time, atRisk: atRisk, survival: survival, incidence: incidence))
    }
    return points
  }
}

/// Cumulative incidences at one time.
public struct CumulativeIncidence: Sendable, Hashable {
  public let time: Double
  public let atRisk: Int
  /// Without any event.
  public let survival: Double
  /// By cause; the first is cause 1.
  public let incidence: [Double]
}
