// From the integers of a group to the figures of a row. Doubles begin here.

import PermissionEvents
import Statistics

/// The integers of one row: those of one group, or of several together.
struct GroupSums {
  private var counters = [Int64](repeating: 0, count: Counter.count)
  private var sums = [Int64](repeating: 0, count: JourneySum.count)

  mutating func add(_ table: borrowing GroupTable, slot: Int) {
    for i in counters.indices { counters[i] += table.total(of: slot, i) }
    for i in sums.indices { sums[i] += table.sum(of: slot, i) }
  }

  /// A place of `Counter`.
  subscript(_ counter: Int) -> Int { Int(counters[counter]) }

  /// A place of `JourneySum`.
  func sum(_ place: Int) -> Int { Int(sums[place]) }
}

extension ReportRow {
  /// - Parameter sums: integers of the row's journeys.
  /// - Parameter times: of the same journeys.
  /// - Parameter isForCharts: whether what only charts need is wanted too.
  init(
    permission: String, week: ISOWeek?, isComplete: Bool?, by: PropertyValue?, _ sums: GroupSums,
    _ times: RowTimes, isForCharts: Bool
  ) {
    func outcome(_ outcome: Outcome) -> Int { sums[Counter.outcome + outcome.rawValue] }
    let exposed = sums[Counter.exposed]
    let base = exposed - sums[Counter.pending] - sums[Counter.restricted]
    func explained(_ outcome: Outcome) -> Int { sums[Counter.explainedOutcome + outcome.rawValue] }
    func continued(_ outcome: Outcome) -> Int { sums[Counter.continuedOutcome + outcome.rawValue] }
    func prompted(_ outcome: Outcome) -> Int { sums[Counter.promptOutcome + outcome.rawValue] }
    let allExplained = (base: Outcome.base.reduce(0) { $0 + explained($1) }, granted: explained(.granted))
    func summary(_ series: TimeSeries) -> TimeSummary { TimeSummary(sums, times, [series]) }
    let cold = (base: base - allExplained.base, granted: outcome(.granted) - allExplained.granted)
    self.init(
      permission: permission, week: week, isComplete: isComplete, by: by, exposed: exposed,
      pending: sums[Counter.pending], restricted: sums[Counter.restricted], base: base, granted: outcome(.granted),
      partial: sums[Counter.partial], denied: outcome(.denied), skipped: outcome(.skipped),
      droppedOff: outcome(.droppedOff), grantRate: .rate(outcome(.granted), base),
      denyRate: .rate(outcome(.denied), base), skipRate: .rate(outcome(.skipped), base),
      dropOffRate: .rate(outcome(.droppedOff), base),
      promptGrantRate: .rate(outcome(.granted), outcome(.granted) + outcome(.denied)),
      grantedByFollowUp: Share(sums[Counter.followUpEligible], sums[Counter.followUpGranted]),
      explanationStep: ExplanationStep(
        shown: allExplained.base, continued: Outcome.base.reduce(0) { $0 + continued($1) },
        skipped: explained(.skipped) - continued(.skipped),
        answered: explained(.granted) - continued(.granted) + explained(.denied) - continued(.denied),
        dropped: explained(.droppedOff) - continued(.droppedOff)),
      promptStep: PromptStep(
        shown: Outcome.base.reduce(0) { $0 + prompted($1) }, granted: prompted(.granted), denied: prompted(.denied),
        skipped: prompted(.skipped), dropped: prompted(.droppedOff)),
      explained: allExplained, cold: cold,
      explainedAgainstCold: .difference((allExplained.granted, allExplained.base), (cold.granted, cold.base)),
      timeToAnswer: TimeSummary(sums, times, RowTimes.answers), explanationTime: summary(.explanation),
      promptTime: summary(.prompt), timeByOutcome: RowTimes.answers.map(summary),
      revoked: Share(sums[Counter.afterGrantEligible], sums[Counter.revoked]),
      upgraded: Share(sums[Counter.partialEligible], sums[Counter.upgraded]),
      enabledLater: (0..<3).map { EnabledLater(sums, returning: $0, hasCurve: isForCharts && week == nil) },
      settings: SettingsEffect(sums),
      engagement: Engagement(sums), retention: retentionDays.indices.map { Retention(sums, number: $0) }, trend: nil)
    if isForCharts { timeDistributions = RowTimes.answers.map { TimeDistribution(times[$0]) } }
  }
}

extension TimeSummary {
  init(_ sums: GroupSums, _ times: RowTimes, _ series: [TimeSeries]) {
    count = series.reduce(0) { $0 + sums[Counter.timeCount + $1.rawValue] }
    guard count > 0 else { return }
    mean = Double(series.reduce(0) { $0 + sums.sum(JourneySum.times + $1.rawValue) }) / Double(count)
    let quantiles = TimeHistogram.quantiles([50, 90, 99], of: count, in: series.map { times[$0] })
    (p50, p90, p99) = (quantiles[0], quantiles[1], quantiles[2])
  }
}

extension EnabledLater {
  /// The days by which the share is reported.
  private static let days = [1, 7, 28]

  init(_ sums: GroupSums, returning number: Int, hasCurve: Bool) {
    share = Share(sums[Counter.returning + 2 * number], sums[Counter.returning + 2 * number + 1])
    let base = Counter.survival + number * Counter.survivalStride
    let days = Counter.survivalDays
    let steps = KaplanMeier.steps(
      events: (0..<days).map { sums[base + $0] }, censored: (0..<days).map { sums[base + days + $0] },
      beyond: sums[base + 2 * days], intervalDays: hasCurve ? nil : Self.days.map { $0 - 1 })
    // Within the first n days 0 ... n - 1: the step of the last of them.
    func point(_ day: Int) -> Point {
      let step = steps[day - 1]
      return Point(
        day: day, atRisk: step.atRisk, value: step.eventProbability, low: step.interval?.low,
        high: step.interval?.high)
    }
    kaplanMeier = Self.days.map(point)
    curve = hasCurve ? (1...days).map(point) : []
  }
}

extension SettingsEffect {
  init(_ sums: GroupSums) {
    func side(_ days: Int, _ milliseconds: Int, _ enabled: Int) -> Side {
      let personDays = Double(sums.sum(days)) + Double(sums.sum(milliseconds)) / Double(millisecondsPerDay)
      let rate = personDays > 0 ? Double(sums[enabled]) / personDays * 100 : nil
      return Side(personDays: personDays, enabled: sums[enabled], per100PersonDays: rate)
    }
    shown = sums[Counter.settingsShown]
    opened = sums[Counter.settingsOpened]
    eligible = sums[Counter.settingsEligible]
    enabled = sums[Counter.settingsEnabled]
    exposed = side(JourneySum.exposedDays, JourneySum.exposedMilliseconds, Counter.exposedEnabled)
    unexposed = side(JourneySum.unexposedDays, JourneySum.unexposedMilliseconds, Counter.unexposedEnabled)
    rateRatio = RateRatio.logNormal(
      firstEvents: exposed.enabled, firstExposure: exposed.personDays, secondEvents: unexposed.enabled,
      secondExposure: unexposed.personDays
    ).map { Estimate($0.ratio, $0.interval) }
  }
}

extension Engagement {
  init(_ sums: GroupSums) {
    func moments(_ side: Int, _ offset: Int) -> IntegerMoments {
      let base = JourneySum.engagement + side * JourneySum.engagementStride + offset
      return IntegerMoments(
        count: sums[Counter.engaged + side], sum: sums.sum(base), sumOfSquares: sums.sum(base + 1))
    }
    let days = (moments(0, 0), moments(1, 0))
    let features = (moments(0, 2), moments(1, 2))
    func difference(_ pair: (IntegerMoments, IntegerMoments)) -> Estimate? {
      guard let a = pair.0.mean, let b = pair.1.mean else { return nil }
      return Estimate(a - b, Welch.differenceInterval(pair.0, pair.1))
    }
    func correlation(_ pair: (IntegerMoments, IntegerMoments)) -> Estimate? {
      PointBiserial.correlation(pair.0, pair.1).map { Estimate($0.value, $0.interval) }
    }
    granted = Side(users: days.0.count, meanActiveDays: days.0.mean, meanFeatureEvents: features.0.mean)
    notGranted = Side(users: days.1.count, meanActiveDays: days.1.mean, meanFeatureEvents: features.1.mean)
    eligible = days.0.count + days.1.count
    activeDaysDifference = difference(days)
    featureEventsDifference = difference(features)
    activeDaysCorrelation = correlation(days)
    featureEventsCorrelation = correlation(features)
  }
}

extension Retention {
  init(_ sums: GroupSums, number: Int) {
    day = Int(retentionDays[number])
    let counts = Outcome.base.map { outcome -> (eligible: Int, retained: Int) in
      let base = Counter.retention + outcome.rawValue * Counter.retentionStride + number * 2
      return (sums[base], sums[base + 1])
    }
    outcomes = counts.map { Share($0.eligible, $0.retained) }
    let others = counts.dropFirst().reduce((0, 0)) { ($0.0 + $1.retained, $0.1 + $1.eligible) }
    difference = .difference((counts[0].retained, counts[0].eligible), others)
  }
}
