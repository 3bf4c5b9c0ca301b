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
    /// 1 − S just after the day; nil when nobody is at risk.
    public let eventProbability: Double?
    /// Of 1 − S; nil if 1 − S is 0 or 1.
    public let interval: Interval?
  }

  /// One step per day. `events[d]` and `censored[d]` count who ended on day d, `beyond` who was followed past the last
  /// day. A shorter list is filled up with zeros; a negative count is taken as 0. Intervals cost four exponentials each:
  /// with `intervalDays` only those days get them.
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
