// From the integers of a group to the figures of a row. Doubles begin here.

import PermissionEvents
import Statistics

extension ReportRow {
  /// - Parameter sums: integers of the row's journeys.
  /// - Parameter times: of the same journeys.
  /// - Parameter isForCharts: whether what only charts need is wanted too.
  init(
    permission: String, week: ISOWeek?, isComplete: Bool?, by: PropertyValue?, _ sums: GroupSums,
    _ times: RowTimes, isForCharts: Bool
  ) {
    func outcome(_ outcome: Outcome) -> Int { sums[.granted, outcome] }
    let exposed = sums[Counter.exposed]
    let base = exposed - sums[Counter.pending] - sums[Counter.restricted]
    func explained(_ outcome: Outcome) -> Int { sums[.explainedGranted, outcome] }
    func continued(_ outcome: Outcome) -> Int { sums[.continuedGranted, outcome] }
    func prompted(_ outcome: Outcome) -> Int { sums[.promptedGranted, outcome] }
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
    count = series.reduce(0) { $0 + sums[place: Counter.timeCount + $1.rawValue] }
    guard count > 0 else { return }
    mean = Double(series.reduce(0) { $0 + sums.sum(place: JourneySum.times + $1.rawValue) }) / Double(count)
    let quantiles = TimeHistogram.quantiles([50, 90, 99], of: count, in: series.map { times[$0] })
    (p50, p90, p99) = (quantiles[0], quantiles[1], quantiles[2])
  }
}

extension EnabledLater {
  /// The days by which the share is reported.
  private static let days = [1, 7, 28]

  init(_ sums: GroupSums, returning number: Int, hasCurve: Bool) {
    share = Share(sums[place: Counter.returning + 2 * number], sums[place: Counter.returning + 2 * number + 1])
    let base = Counter.survival + number * Survival.stride
    let days = Survival.days
    let steps = KaplanMeier.steps(
      events: (0..<days).map { sums[place: base + $0] }, censored: (0..<days).map { sums[place: base + days + $0] },
      beyond: sums[place: base + 2 * days], intervalDays: hasCurve ? nil : Self.days.map { $0 - 1 })
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
    func side(_ days: JourneySum, _ milliseconds: JourneySum, _ enabled: Counter) -> Side {
      let personDays = Double(sums[days]) + Double(sums[milliseconds]) / Double(millisecondsPerDay)
      let rate = personDays > 0 ? Double(sums[enabled]) / personDays * 100 : nil
      return Side(personDays: personDays, enabled: sums[enabled], per100PersonDays: rate)
    }
    shown = sums[Counter.settingsShown]
    opened = sums[Counter.settingsOpened]
    eligible = sums[Counter.settingsEligible]
    enabled = sums[Counter.settingsEnabled]
    exposed = side(.exposedDays, .exposedMilliseconds, .exposedEnabled)
    unexposed = side(.unexposedDays, .unexposedMilliseconds, .unexposedEnabled)
    rateRatio = RateRatio.logNormal(
      firstEvents: exposed.enabled, firstExposure: exposed.personDays, secondEvents: unexposed.enabled,
      secondExposure: unexposed.personDays
    ).map { Estimate($0.ratio, $0.interval) }
  }
}

extension Engagement {
  init(_ sums: GroupSums) {
    func moments(_ side: Int, _ offset: Int) -> IntegerMoments {
      let base = JourneySum.activeDaysGranted.rawValue + side * JourneySum.engagementStride + offset
      return IntegerMoments(
        count: sums[place: Counter.engagedGranted.rawValue + side], sum: sums.sum(place: base),
        sumOfSquares: sums.sum(place: base + 1))
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
      return (sums[place: base], sums[place: base + 1])
    }
    outcomes = counts.map { Share($0.eligible, $0.retained) }
    let others = counts.dropFirst().reduce((0, 0)) { ($0.0 + $1.retained, $0.1 + $1.eligible) }
    difference = .difference((counts[0].retained, counts[0].eligible), others)
  }
}
