// Cumulative incidence with competing outcomes.

/// Aalen and Johansen's cumulative incidence: CIFₖ = Σ S(t−) dₖ/n.
///
/// Source: O. O. Aalen and S. Johansen, Scandinavian Journal of Statistics 5 (1978) 141. One minus a Kaplan–Meier curve
/// per cause overstates (H. Putter, M. Fiocco and R. B. Geskus, Statistics in Medicine 26 (2007) 2389); here S and the
/// incidences add up to 1 at every time.
public enum AalenJohansen {
  public struct Point: Sendable, Hashable {
    public let time: Double
    public let atRisk: Int
    /// Without any event.
    public let survival: Double
    /// By cause; the first is cause 1.
    public let incidence: [Double]
  }

  /// One point per time with an event of any cause.
  public static func incidence(_ times: SurvivalTimes) -> [Point] {
    var survival = 1.0
    var incidence = [Double](repeating: 0, count: times.causes)
    var points: [Point] = []
    for (row, atRisk) in times.rowsAtRisk where row.allEvents > 0 {
      let n = Double(atRisk)
      for cause in incidence.indices { incidence[cause] += survival * Double(row.events[cause]) / n }
      survival *= Double(atRisk - row.allEvents) / n
      points.append(Point(time: row.time, atRisk: atRisk, survival: survival, incidence: incidence))
    }
    return points
  }
}
