// The Kaplan–Meier estimator on whole-day counts.

/// Kaplan–Meier: the share with an event by a time, with censoring.
///
/// S = Π(1 − d/n); Greenwood's variance (1926); the log–log interval S^{exp(± z √G / ln S)} (J. D. Kalbfleisch and R. L.
/// Prentice, The Statistical Analysis of Failure Time Data). At one time events come before censorings.
public enum KaplanMeier {
  public struct Step: Sendable, Hashable {
    public let day: Int
    /// At risk at the start of the day.
    public let atRisk: Int
    /// 1 − S just after the day; nil if no users are at risk.
    public let eventProbability: Double?
    /// Of 1 − S; nil if 1 − S is 0 or 1.
    public let interval: Interval?
  }

  /// One step per day. `events[d]` and `censored[d]` count users whose follow-up ended on day d, `beyond` users who
  /// were followed past the last day. A shorter list is filled up with zeros; a negative count is taken as 0. Intervals
  /// cost four exponentials each: with `intervalDays` only those days get them.
  public static func steps(
    events: [Int], censored: [Int], beyond: Int, confidence: Double = 0.95, intervalDays: [Int]? = nil
  ) -> [Step] {
    let days = max(events.count, censored.count)
    let z = NormalDistribution.criticalValue(confidence: confidence)
    func count(_ list: [Int], _ day: Int) -> Int { day < list.count ? max(0, list[day]) : 0 }
    var atRisk = max(0, beyond)
    for day in 0..<days { atRisk = atRisk.clampedSum(count(events, day)).clampedSum(count(censored, day)) }
    var curve = ProductLimit()
    var steps: [Step] = []
    steps.reserveCapacity(days)
    for day in 0..<days {
      let deaths = count(events, day)
      curve.advance(atRisk: atRisk, events: deaths)
      steps.append(
        Step(
          day: day, atRisk: atRisk, eventProbability: atRisk > 0 ? curve.failure : nil,
          interval: atRisk > 0 && intervalDays?.contains(day) != false
            ? z.flatMap { curve.logLogFailureInterval(z: $0) } : nil))
      atRisk = max(0, atRisk - deaths - count(censored, day))
    }
    return steps
  }
}

/// The running product of a Kaplan–Meier curve.
///
/// 1 − S grows by additions and ln S by log1p, so a share of 1e-9 keeps its digits.
struct ProductLimit {
  private(set) var survival = 1.0
  private(set) var failure = 0.0
  private var logSurvival = 0.0
  private(set) var greenwood = 0.0

  /// Passes a time with `events` among `atRisk`.
  mutating func advance(atRisk: Int, events: Int) {
    guard events > 0, atRisk > 0 else { return }
    let n = Double(atRisk)
    let d = Double(events)
    let left = Double(atRisk - events)
    failure += survival * (d / n)
    survival *= left / n
    logSurvival += Elementary.log1p(-d / n)
    greenwood += d / n / left
    if events >= atRisk {
      survival = 0
      failure = 1
    }
  }

  /// √Var(S) by Greenwood; nil at S = 0.
  var standardError: Double? { survival > 0 ? survival * greenwood.squareRoot() : nil }

  /// The log–log interval of 1 − S; nil if S is 0 or 1.
  func logLogFailureInterval(z: Double) -> Interval? {
    logLogBounds(z: z).map { Interval(low: -Elementary.expm1($0.upper), high: -Elementary.expm1($0.lower)) }
  }

  /// The log–log interval of S; nil if S is 0 or 1.
  func logLogInterval(z: Double) -> Interval? {
    logLogBounds(z: z).map { Interval(low: Elementary.exp($0.lower), high: Elementary.exp($0.upper)) }
  }

  /// The bounds of ln S.
  private func logLogBounds(z: Double) -> (lower: Double, upper: Double)? {
    guard survival > 0, failure > 0 else { return nil }
    let theta = z * greenwood.squareRoot() / -logSurvival
    return (logSurvival * Elementary.exp(theta), logSurvival * Elementary.exp(-theta))
  }

  /// S ± z · error, kept in [0, 1]; nil at S = 0.
  func plainInterval(z: Double) -> Interval? {
    guard let standardError else { return nil }
    return Interval(low: max(0, survival - z * standardError), high: min(1, survival + z * standardError))
  }
}

// MARK: Curves of real times: Kaplan and Meier's with its median and restricted mean, Aalen and Johansen's with competing outcomes

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
          standardError: limit.standardError, plainInterval: z.flatMap { limit.plainInterval(z: $0) },
          logLogInterval: z.flatMap { limit.logLogInterval(z: $0) }))
    }
    self.points = points
  }

  /// The first time with S ≤ ½; nil if the curve never gets that low.
  public var median: Double? { points.first { $0.survival <= 0.5 }?.time }

  /// ∫₀^τ S with its error, Var = Σ over tᵢ ≤ τ of (∫_{tᵢ}^τ S)² d/(n(n − d)).
  public func restrictedMean(until tau: Double) -> (value: Double, standardError: Double) {
    var value = 0.0
    var variance = 0.0
    var end = tau
    // From the end backwards, so that the area to the right of each time is known.
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
      points.append(CumulativeIncidence(time: row.time, atRisk: atRisk, survival: survival, incidence: incidence))
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

// MARK: Times to an event, or to the end of watching, as counts per distinct time

/// Counts of events by cause, and of censorings, at distinct times.
public struct SurvivalTimes: Sendable, Hashable {
  public struct CountsAtTime: Sendable, Hashable {
    public let time: Double
    /// Events by cause; the first is cause 1.
    public let events: [Int]
    public let censored: Int

    public var allEvents: Int { events.reduce(0) { $0.clampedSum($1) } }
  }

  /// By rising time.
  public let rows: [CountsAtTime]
  public let causes: Int

  /// Individual times, each with its cause; 0 is censored. Throws if the lengths differ, a time is not finite, or a
  /// cause is negative or above 1000.
  public init(times: [Double], causes: [Int]) throws(StatisticsError) {
    guard times.count == causes.count else { throw .lengthsDiffer(times.count, causes.count) }
    guard times.allSatisfy(\.isFinite) else { throw .notFinite(name: "time") }
    if let negative = causes.first(where: { $0 < 0 }) { throw .negativeCount(negative) }
    let kinds = max(1, causes.max() ?? 0)
    guard kinds <= 1000 else { throw .tooMany(name: "causes", have: kinds, most: 1000) }
    var rows: [CountsAtTime] = []
    var events = [Int](repeating: 0, count: kinds)
    var censored = 0
    let order = times.indices.sorted { times[$0] < times[$1] }
    for (position, index) in order.enumerated() {
      if causes[index] == 0 { censored += 1 } else { events[causes[index] - 1] += 1 }
      let next = position + 1 < order.count ? times[order[position + 1]] : nil
      if next != times[index] {
        rows.append(CountsAtTime(time: times[index], events: events, censored: censored))
        events = [Int](repeating: 0, count: kinds)
        censored = 0
      }
    }
    self.rows = rows
    self.causes = kinds
  }

  /// One cause, in whole days: `events[d]` and `censored[d]` count users whose follow-up ended on day d, `beyond` users
  /// who were followed past the last day and are censored there. A shorter list is filled up with zeros; a negative
  /// count is taken as 0.
  public init(events: [Int], censored: [Int], beyond: Int) {
    let days = max(events.count, censored.count)
    func count(_ list: [Int], _ day: Int) -> Int { day < list.count ? max(0, list[day]) : 0 }
    var rows = (0..<days).map {
      CountsAtTime(time: Double($0), events: [count(events, $0)], censored: count(censored, $0))
    }
    if beyond > 0 { rows.append(CountsAtTime(time: Double(days), events: [0], censored: beyond)) }
    self.rows = rows.filter { $0.allEvents > 0 || $0.censored > 0 }
    causes = 1
  }

  /// All subjects. Sums past `Int.max` stay there.
  public var count: Int { rows.reduce(0) { $0.clampedSum($1.allEvents).clampedSum($1.censored) } }

  /// Each row with the number at risk just before it.
  var rowsAtRisk: [(row: CountsAtTime, atRisk: Int)] {
    var atRisk = count
    return rows.map { row in
      defer { atRisk -= row.allEvents + row.censored }
      return (row, atRisk)
    }
  }
}

// MARK: The log-rank test of two survival curves

/// The log-rank test.
///
/// (O − E)²/V with V = Σ d(n − d) n₁n₂/(n²(n − 1)) over event times. Source: N. Mantel, Cancer Chemotherapy Reports 50
/// (1966) 163; R. Peto and J. Peto, JRSS A 135 (1972) 185.
public struct LogRank: Sendable, Hashable {
  /// Events of the first sample, observed and expected.
  public let observed: Double
  public let expected: Double
  public let variance: Double
  public let chiSquare: Double
  public let pValue: Double

  /// Nil if the variance is 0, because no event time has both samples at risk.
  public static func test(_ first: SurvivalTimes, _ second: SurvivalTimes) -> LogRank? {
    let a = first.rowsAtRisk
    let b = second.rowsAtRisk
    var i = 0
    var j = 0
    var observed = 0.0
    var expected = 0.0
    var variance = 0.0
    while i < a.count || j < b.count {
      let time = min(i < a.count ? a[i].row.time : .infinity, j < b.count ? b[j].row.time : .infinity)
      let n1 = i < a.count ? Double(a[i].atRisk) : 0
      let n2 = j < b.count ? Double(b[j].atRisk) : 0
      var d1 = 0.0
      var d2 = 0.0
      if i < a.count, a[i].row.time == time {
        d1 = Double(a[i].row.allEvents)
        i += 1
      }
      if j < b.count, b[j].row.time == time {
        d2 = Double(b[j].row.allEvents)
        j += 1
      }
      let n = n1 + n2
      let d = d1 + d2
      guard d > 0 else { continue }
      observed += d1
      expected += d * (n1 / n)
      if n > 1 { variance += d * ((n - d) / (n - 1)) * (n1 / n) * (n2 / n) }
    }
    guard variance > 0 else { return nil }
    let chiSquare = (observed - expected) * (observed - expected) / variance
    return LogRank(
      observed: observed, expected: expected, variance: variance, chiSquare: chiSquare,
      pValue: ChiSquareDistribution.upperTail(chiSquare, degreesOfFreedom: 1))
  }
}
