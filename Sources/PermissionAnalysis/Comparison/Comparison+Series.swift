// The primary metric over the days of exposure: the sequence, declared looks, and whether the effect fades.

import PermissionEvents
import Statistics

extension Comparison {
  /// The primary metric of one day's exposures, and of all up to it.
  public struct SeriesPoint: Sendable {
    public let day: DayNumber
    /// Of this day alone.
    public let a, b: Tally
    /// Of all days up to this one; nil while an arm has no trials.
    public internal(set) var difference: Double?
    /// The always-valid interval of all days up to this one; nil while its gate refuses.
    public internal(set) var interval: Interval?
  }

  /// A group-sequential design of declared looks (Lan and DeMets, O'Brien–Fleming spending).
  ///
  /// A look is the end of the first day of exposure by which its share of the planned users had an outcome, so reading
  /// the log more often adds no looks.
  public struct Looks: Sendable {
    public let declared, plannedUsers: Int
    /// Those reached, oldest first. Two that fall on one day are one.
    public internal(set) var reached: [Look]
    /// Users of the look to come; nil after the last.
    public internal(set) var nextAt: Int?
    /// There are more users than were planned; those after the last look are not looked at.
    public internal(set) var isOverrun: Bool
    /// Why no look can be made, arm 1 being B; nil if one can.
    public internal(set) var refused: AsymptoticConfidenceSequence.Refusal?

    /// The look that decides: the first that crossed its bound, else the last reached.
    public var deciding: Look? { reached.first(where: \.isCrossed) ?? reached.last }
  }

  /// One declared look that was reached.
  public struct Look: Sendable {
    /// 1 is the first.
    public let number: Int
    public let day: DayNumber
    public let users: Int
    /// Share of the planned users.
    public let fraction: Double
    /// |z| to reach.
    public let bound: Double
    public let z, difference: Double
    /// difference ± bound · standard error.
    public let low, high: Double
    public var isCrossed: Bool { abs(z) >= bound }
  }

  /// Whether the effect fades with the days.
  public struct Novelty: Sendable {
    /// Finished days with trials in both arms.
    public let days: Int
    /// Change of the difference per day, weighted by the days' users.
    public internal(set) var slope, pValue: Double?
    /// Differences of the earlier and the later half of those days.
    public internal(set) var firstHalf, secondHalf: Estimate?
    /// p below 0.05 and a slope against the sign of the difference.
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
  static func series(
    _ tallies: ComparisonTallies, _ pair: Pair, _ sequence: AsymptoticConfidenceSequence
  ) -> [SeriesPoint] {
    var a = Tally()
    var b = Tally()
    return tallies.finishedDays.map { day, arms in
      let ofDay = tallies.counted(arms, pair)
      a += ofDay.a
      b += ofDay.b
      var point = SeriesPoint(day: day, a: ofDay.a, b: ofDay.b)
      if let first = b.sample, let second = a.sample, let rateA = a.rate, let rateB = b.rate {
        point.difference = rateB - rateA
        point.interval = try? sequence.evaluate(first, second).get().interval
      }
      return point
    }
  }

  /// The looks that were reached: ends of days by which their share of the planned users had an outcome.
  static func looks(
    _ count: Int, _ series: [SeriesPoint], _ sequence: AsymptoticConfidenceSequence
  ) throws -> Looks {
    let planned = sequence.plannedUsers
    var looks = Looks(declared: count, plannedUsers: planned, reached: [], isOverrun: false)
    func users(at look: Int) -> Int { Int((Double(planned) * Double(look) / Double(count)).rounded(.up)) }
    var reached: [(number: Int, day: DayNumber, a: BinomialSample, b: BinomialSample)] = []
    var a = Tally()
    var b = Tally()
    var next = 1
    for point in series {
      a += point.a
      b += point.b
      let n = a.trials + b.trials
      guard next <= count else {
        looks.isOverrun = looks.isOverrun || n > 0 && point.a.trials + point.b.trials > 0
        continue
      }
      guard n >= users(at: next), let first = b.sample, let second = a.sample else { continue }
      // A look that the gate holds back is made on the first day that it lets through.
      if case .failure(let refusal) = sequence.evaluate(first, second) {
        looks.refused = refusal
        continue
      }
      looks.refused = nil
      while next <= count, n >= users(at: next) { next += 1 }
      reached.append((next - 1, point.day, second, first))
    }
    looks.nextAt = next <= count ? users(at: next) : nil
    guard !reached.isEmpty else { return looks }
    let fractions = reached.map { look in
      look.number == count ? 1 : min(1, Double(look.a.trials + look.b.trials) / Double(planned))
    }
    let design = try GroupSequential(fractions: fractions, alpha: sequence.alpha, spending: .obrienFleming)
    for (place, (number, day, a, b)) in reached.enumerated() {
      guard let rateA = a.rate, let rateB = b.rate else { continue }
      let error = (rateA * (1 - rateA) / Double(a.trials) + rateB * (1 - rateB) / Double(b.trials)).squareRoot()
      let difference = rateB - rateA
      guard error > 0, let interval = design.interval(difference: difference, standardError: error, look: place)
      else { continue }
      looks.reached.append(
        Look(
          number: number, day: day, users: a.trials + b.trials, fraction: fractions[place],
          bound: design.boundaries[place].bound, z: difference / error, difference: difference, low: interval.low,
          high: interval.high))
    }
    return looks
  }

  /// Whether the difference shrinks with the days. A day's weight comes from its users and the arms' overall rates, so
  /// that one day's luck does not set its own weight.
  static func novelty(_ series: [SeriesPoint], _ a: BinomialSample, _ b: BinomialSample) -> Novelty {
    let days = series.filter { $0.a.trials > 0 && $0.b.trials > 0 }
    var novelty = Novelty(days: days.count, isFading: false)
    let half = days.count / 2
    novelty.firstHalf = halfDifference(days.prefix(half))
    novelty.secondHalf = halfDifference(days.dropFirst(half))
    guard let rateA = a.rate, let rateB = b.rate else {
      novelty.refused = .nobody
      return novelty
    }
    let points = days.compactMap { point -> NoveltyTrend.Day? in
      guard let dayA = point.a.rate, let dayB = point.b.rate else { return nil }
      let variance =
        rateA * (1 - rateA) / Double(point.a.trials) + rateB * (1 - rateB) / Double(point.b.trials)
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

  private static func halfDifference(_ days: some Sequence<SeriesPoint>) -> Estimate? {
    let (a, b) = days.reduce((Tally(), Tally())) { ($0.0 + $1.a, $0.1 + $1.b) }
    return Estimate.difference((b.successes, b.trials), (a.successes, a.trials))
  }
}
