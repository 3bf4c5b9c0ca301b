// The comparison within the values of a property: Simpson's paradox, the sample ratio, and segments on demand.

import PermissionEvents
import Statistics

extension Comparison {
  /// One property of the exposure: the result within its values, and whether pooling them misleads.
  public struct PropertyCheck: Sendable {
    /// Its name, such as `platform`.
    public let property: String
    /// Strata with users in both arms, and all strata.
    public let usedStrata, allStrata: Int
    /// No exposure has a value of it.
    public let isMissing: Bool
    /// Weighted by each stratum's share of the users, with the normal 95 % interval.
    public internal(set) var postStratified: Estimate?
    public internal(set) var mantelHaenszel: Double?
    /// Cochran–Mantel–Haenszel.
    public internal(set) var associationPValue: Double?
    /// Cochran's Q over the strata.
    public internal(set) var heterogeneity: Heterogeneity?
    /// The pooled difference has the sign opposite to the post-stratified one, or to every stratum's.
    public internal(set) var isReversed: Bool
    /// Whether it is reversed by enough to matter; see docs/statistics.md.
    public internal(set) var isFlagged: Bool
    /// Whether users were assigned to the arms. If not, no split was planned.
    public let hasSampleRatio: Bool
    /// The smallest sample-ratio p-value of any value, by Bonferroni over the values of all properties looked at.
    public internal(set) var sampleRatioPValue: Double?
    /// The value of that p-value. An inner nil is a missing value.
    public internal(set) var sampleRatioValue: String??
    /// The values whose users are not divided as expected, while the users of all others are: where an imbalance comes from.
    public internal(set) var imbalance: Imbalance?
    /// The values with the lowest and the highest difference, of at least 20 users of each arm. An inner nil is a missing value.
    package internal(set) var lowest, highest: (value: String?, difference: Double)?
    public var isRatioMismatched: Bool { (sampleRatioPValue ?? 1) < SampleRatio.alarm }
  }

  /// Some values of a property, or days, hold all of an imbalance.
  public struct Imbalance: Sendable, Hashable {
    /// Nil is a missing value.
    public let values: [String?]
    /// Users by arm with these values, and with all others.
    public let among, elsewhere: [Int]

    /// Nil unless some parts, and not all, are off the split, each by itself, and what is left is not.
    /// - Parameters:
    ///   - parts: each with its own p-value of the split.
    ///   - pValue: of users by arm.
    init?(_ parts: [(value: String?, users: [Int], pValue: Double?)], _ pValue: ([Int]) -> Double?) {
      func sum(_ parts: [[Int]]) -> [Int] {
        guard let first = parts.first else { return [] }
        return parts.dropFirst().reduce(first) { sum, next in zip(sum, next).map { $0 &+ $1 } }
      }
      let isOff = parts.map { ($0.pValue ?? 1) * Double(parts.count) < SampleRatio.alarm }
      let off = zip(parts, isOff).filter(\.1).map(\.0)
      let rest = zip(parts, isOff).filter { !$0.1 }.map(\.0.users)
      guard !off.isEmpty, off.count <= Self.most, let left = pValue(sum(rest)), left >= Self.fits else { return nil }
      (values, among, elsewhere) = (off.map(\.value), sum(off.map(\.users)), sum(rest))
    }

    private static let most = 5
    private static let fits = 0.01
  }

  /// Whether the values of a property differ, by Cochran's Q.
  public struct Heterogeneity: Sendable {
    public let q: Double
    public let degreesOfFreedom: Int
    public let pValue: Double
    /// Benjamini–Hochberg over the properties looked at, of all comparisons with the control; only this makes a claim.
    public internal(set) var adjustedPValue: Double
    public var areDifferent: Bool { adjustedPValue < 0.05 }
  }

  /// The primary metric within each value of a property.
  public struct Segments: Sendable {
    public struct Segment: Sendable {
      /// Nil if the exposure has no value.
      public let value: String?
      public let a, b: Tally
      /// Miettinen–Nurminen 95 %, for one look.
      public internal(set) var difference: Estimate?
      public internal(set) var pValue: Double?
      /// Benjamini–Hochberg over the segments.
      public internal(set) var adjustedPValue: Double?
      public internal(set) var sampleRatioPValue: Double?
    }
    public let property: String
    /// By value, bytewise; the missing value first.
    public internal(set) var segments: [Segment]
    /// nil if fewer than two segments have users in both arms. Only this shows that segments differ.
    public internal(set) var heterogeneity: Heterogeneity?
  }

  static func propertyChecks(_ tallies: ComparisonTallies, _ pair: Pair) throws -> [PropertyCheck] {
    var checks = try tallies.properties.map { try propertyCheck($0.field, $0.strata, tallies, pair) }
    let values = tallies.properties.reduce(0) {
      $0 + $1.strata.filter { $0.arms.all.contains { $0.exposed > 0 } }.count
    }
    for i in checks.indices {
      checks[i].sampleRatioPValue = checks[i].sampleRatioPValue.map { min(1, $0 * Double(values)) }
    }
    return checks
  }

  private static func propertyCheck(
    _ field: StringField, _ strata: [ComparisonTallies.ValueTallies], _ tallies: ComparisonTallies, _ pair: Pair
  ) throws -> PropertyCheck {
    let samples = try strata.map { try stratum($0.arms, tallies, pair) }
    var check = PropertyCheck(
      property: field.name, usedStrata: samples.filter { $0.first.trials > 0 && $0.second.trials > 0 }.count,
      allStrata: samples.filter { $0.first.trials > 0 || $0.second.trials > 0 }.count,
      isMissing: strata.allSatisfy { $0.value == nil }, isReversed: false, isFlagged: false,
      hasSampleRatio: tallies.ratioIsOfExposed)
    let ratios = strata.map { ($0.value, $0.arms.all.map(\.exposed), ratioPValue($0.arms, tallies)) }
    for (value, _, p) in ratios {
      if let p, p < check.sampleRatioPValue ?? 2 {
        check.sampleRatioPValue = p
        check.sampleRatioValue = .some(value)
      }
    }
    check.imbalance = Imbalance(ratios) { partPValue($0, tallies.question.split.parts) }
    guard case .success(let result) = Stratified.compare(samples) else { return check }
    for ((value, _), (sample, difference)) in zip(strata, zip(samples, result.differences)) {
      guard let difference, min(sample.first.trials, sample.second.trials) >= 20 else { continue }
      if difference < check.lowest?.difference ?? .infinity { check.lowest = (value, difference) }
      if difference > check.highest?.difference ?? -.infinity { check.highest = (value, difference) }
    }
    let post = result.postStratifiedDifference
    check.postStratified = Estimate(post, standardError: result.postStratifiedError)
    check.mantelHaenszel = result.mantelHaenszelDifference
    check.associationPValue = result.associationP
    check.heterogeneity = heterogeneity(result)
    check.isReversed = check.allStrata > 1 && result.simpsonReversal
    // Two differences next to 0 have opposite signs by luck. It matters if the gap does.
    let gap = abs(result.pooledDifference - post)
    check.isFlagged = check.isReversed && gap >= tallies.question.minimumEffect
    return check
  }

  /// Of the users with one value; nil if they were not divided among the arms, or if the division changes: they are not known
  /// by period.
  private static func ratioPValue(_ arms: ArmTallies, _ tallies: ComparisonTallies) -> Double? {
    guard tallies.ratioIsOfExposed, tallies.question.split.changes.isEmpty else { return nil }
    return partPValue(arms.all.map(\.exposed), tallies.question.split.parts)
  }

  private static func stratum(
    _ arms: ArmTallies, _ tallies: ComparisonTallies, _ pair: Pair
  ) throws -> Stratified.Stratum {
    let (a, b) = tallies.counted(arms, pair)
    return Stratified.Stratum(first: try b.binomial(), second: try a.binomial())
  }

  private static func heterogeneity(_ result: Stratified) -> Heterogeneity? {
    guard result.heterogeneityDegreesOfFreedom > 0 else { return nil }
    return Heterogeneity(
      q: result.heterogeneity, degreesOfFreedom: result.heterogeneityDegreesOfFreedom, pValue: result.heterogeneityP,
      adjustedPValue: result.heterogeneityP)
  }

  /// The comparison within each value of the requested property.
  /// - Parameter checks: of all properties, so both agree about this one.
  static func segments(_ tallies: ComparisonTallies, _ pair: Pair, _ checks: [PropertyCheck]) -> Segments? {
    guard let by = tallies.question.by, let (_, strata) = tallies.properties.first(where: { $0.field == by }) else {
      return nil
    }
    var segments = Segments(property: by.name, segments: [])
    for (value, arms) in strata {
      let (a, b) = tallies.counted(arms, pair)
      guard a.exposed > 0 || b.exposed > 0 else { continue }
      var segment = Segments.Segment(value: value, a: a, b: b)
      if let first = b.sample, let second = a.sample {
        segment.difference = Estimate.difference(first, second)
        segment.pValue = EqualityTest.primary(first, second)?.pValue
      }
      segment.sampleRatioPValue = ratioPValue(arms, tallies)
      segments.segments.append(segment)
    }
    let adjusted = MultipleTesting.benjaminiHochberg(segments.segments.map(\.pValue))
    for (i, p) in adjusted.enumerated() { segments.segments[i].adjustedPValue = p }
    segments.heterogeneity = checks.first { $0.property == by.name }?.heterogeneity
    return segments
  }

  // MARK: The primary metric day after day, and whether the effect fades

  /// The primary metric at the end of a finished day: as it was known on that day.
  public struct SeriesPoint: Sendable {
    public let day: DayNumber
    /// Users whose outcome became known on this day. Below 0 if more users left, because they saw several variants.
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
    /// The number of finished days with trials in both arms; once it is flagged, up to that day.
    public let days: Int
    /// Change of the difference per day, weighted by the days' users.
    public internal(set) var slope, pValue: Double?
    /// Differences of the earlier and the later half of those days.
    public internal(set) var firstHalf, secondHalf: Estimate?
    /// Of the last two weeks of finished days by now, for one look: what a fading effect has come to.
    public internal(set) var recent: Estimate?
    /// |z| of the slope of at least 3.25, against the sign of the difference: rare by chance, at whatever look.
    public internal(set) var isFading: Bool
    /// Why there is no trend; nil if there is one.
    public internal(set) var refused: NoveltyRefusal?
  }

  /// Why there is no trend over the days.
  public enum NoveltyRefusal: Sendable, Hashable {
    /// An arm has no users.
    case nobody
    /// The calculation is refused, for lack of days or of variance.
    case declined(StatisticsError)
  }

  static func series(_ days: [SettledDay], _ looks: [Look], _ sequence: AsymptoticConfidenceSequence) -> [SeriesPoint] {
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

  /// A day of exposure on which all users are settled, and its arms.
  private typealias ExposureDay = (day: DayNumber, arms: (a: Tally, b: Tally))

  /// Whether the difference shrinks with the days of exposure: on the first day from the crossing on on which it does, for an
  /// effect that is gone shows less and less of a trend; else by all days.
  static func novelty(
    _ tallies: ComparisonTallies, _ pair: Pair, _ a: BinomialSample, _ b: BinomialSample, crossing: DayNumber?
  ) -> Novelty {
    let days = tallies.finishedDays.map { (day: $0.day, arms: tallies.counted($0.arms, pair)) }.filter {
      $0.arms.a.trials > 0 && $0.arms.b.trials > 0
    }
    let recent = halfDifference(days.filter { $0.day + recentDays > days.last?.day ?? 0 }.map(\.arms))
    func novelty(_ days: [ExposureDay], _ a: BinomialSample, _ b: BinomialSample) -> Novelty {
      var found = trend(days, a, b)
      found.recent = recent
      return found
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

  package static let recentDays: DayNumber = 14

  /// A day's weight comes from its users and the arms' overall rates, so a day's luck does not set its own weight.
  private static func trend(_ days: [ExposureDay], _ a: BinomialSample, _ b: BinomialSample) -> Novelty {
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
      return NoveltyTrend.Day(day: Int(point.day), difference: dayB - dayA, standardError: variance.squareRoot())
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
