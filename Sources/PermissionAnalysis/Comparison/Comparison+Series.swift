// The primary metric day after day, and whether the effect fades.

import PermissionEvents
import Statistics

extension Comparison {
  /// The primary metric at the end of a finished day: what a reader of that day knew.
  public struct SeriesPoint: Sendable {
    public let day: DayNumber
    /// Users whose outcome became known on this day; below 0 if more of them left, seen to be users of several variants.
    public let a, b: Tally
    /// The rule's look at the end of this day; nil if it made none.
    public let look: Look?
    /// Of all users up to this day; nil while an arm has no trials.
    public internal(set) var difference: Double?
    /// The always-valid interval of all users up to this day; nil while its gate refuses.
    public internal(set) var interval: Interval?
  }

  /// Whether the effect fades with the days.
  public struct Novelty: Sendable {
    /// Finished days with trials in both arms; once it was flagged, up to the day of that.
    public let days: Int
    /// Change of the difference per day, weighted by the days' users.
    public internal(set) var slope, pValue: Double?
    /// Differences of the earlier and the later half of those days.
    public internal(set) var firstHalf, secondHalf: Estimate?
    /// |z| of the slope of at least 3.25, against the sign of the difference: rare by chance, at whatever look.
    public internal(set) var isFading: Bool
    /// Why there is no trend; nil if there is one.
    public internal(set) var refused: NoveltyRefusal?
  }

  /// Why nothing is said of a trend over the days.
  public enum NoveltyRefusal: Sendable, Hashable {
    /// An arm has nobody.
    case nobody
    /// The mathematics declines, for lack of days or of variance.
    case declined(StatisticsError)
  }
}

extension Comparison {
  /// - Parameter looks: of the rule, some of `days`.
  static func series(
    _ days: [SettledDay], _ looks: [Look], _ sequence: AsymptoticConfidenceSequence
  ) -> [SeriesPoint] {
    let lookOf = Dictionary(looks.map { ($0.day, $0) }) { $1 }
    var before = (a: Tally(), b: Tally())
    return days.map { day in
      var point = SeriesPoint(day: day.day, a: day.a - before.a, b: day.b - before.b, look: lookOf[day.day])
      before = (day.a, day.b)
      if let first = day.b.sample, let second = day.a.sample {
        point.difference = BinomialSample.exactDifference(first, second)
        point.interval = try? sequence.evaluate(first, second).get().interval
      }
      return point
    }
  }

  /// A day of exposure, all of whose users have had their say, and its arms.
  private typealias ExposureDay = (day: DayNumber, arms: (a: Tally, b: Tally))

  /// Whether the difference shrinks with the days of exposure: on the first day from the crossing on on which it does, for an
  /// effect that is gone shows less and less of a trend; else by all days.
  static func novelty(
    _ tallies: ComparisonTallies, _ pair: Pair, _ a: BinomialSample, _ b: BinomialSample, crossing: DayNumber?
  ) -> Novelty {
    let days = tallies.finishedDays.map { (day: $0.day, arms: tallies.counted($0.arms, pair)) }.filter {
      $0.arms.a.trials > 0 && $0.arms.b.trials > 0
    }
    var sum = (a: Tally(), b: Tally())
    for (place, day) in days.enumerated() {
      sum = (sum.a + day.arms.a, sum.b + day.arms.b)
      guard let crossing, day.day >= crossing, let first = sum.a.sample, let second = sum.b.sample else { continue }
      let early = novelty(Array(days[...place]), first, second)
      if early.isFading { return early }
    }
    return novelty(days, a, b)
  }

  /// A day's weight comes from its users and the arms' overall rates, so that one day's luck does not set its own weight.
  private static func novelty(_ days: [ExposureDay], _ a: BinomialSample, _ b: BinomialSample) -> Novelty {
    var novelty = Novelty(days: days.count, isFading: false)
    let half = days.count / 2
    novelty.firstHalf = halfDifference(days.prefix(half).map(\.arms))
    novelty.secondHalf = halfDifference(days.dropFirst(half).map(\.arms))
    guard let rateA = a.rate, let rateB = b.rate else {
      novelty.refused = .nobody
      return novelty
    }
    let points = days.compactMap { point -> NoveltyTrend.Day? in
      guard let dayA = point.arms.a.rate, let dayB = point.arms.b.rate else { return nil }
      let variance =
        rateA * (1 - rateA) / Double(point.arms.a.trials) + rateB * (1 - rateB) / Double(point.arms.b.trials)
      return NoveltyTrend.Day(
        day: Int(point.day), difference: dayB - dayA, standardError: variance.squareRoot())
    }
    switch NoveltyTrend.fit(points) {
    case .success(let trend):
      novelty.slope = trend.slope
      novelty.pValue = trend.pValue
      novelty.isFading = trend.isFading
    case .failure(let refusal): novelty.refused = .declined(refusal)
    }
    return novelty
  }

  private static func halfDifference(_ days: [(a: Tally, b: Tally)]) -> Estimate? {
    let (a, b) = days.reduce((Tally(), Tally())) { ($0.0 + $1.a, $0.1 + $1.b) }
    return Estimate.difference((b.successes, b.trials), (a.successes, a.trials))
  }
}
