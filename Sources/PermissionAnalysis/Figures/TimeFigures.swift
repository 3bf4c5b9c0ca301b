// How long people take, to the answer and on each step, and how their times are spread.

import PermissionEvents
import Statistics

/// Times in milliseconds; mean exact, quantiles to within 0.1 %.
public struct TimeSummary: Sendable {
  public let count: Int
  /// nil without any.
  public package(set) var mean, p50, p90, p99: Double?
}

/// The times of a row. Only those who answered have a time, so they describe.
public struct TimeFigures: Sendable {
  public package(set) var toAnswer, explanation, prompt: TimeSummary
  /// To the answer, by answer: granted, denied, skipped.
  public let byOutcome: [TimeSummary]
  /// The distributions of these times. Empty if not requested.
  public let distributions: [TimeDistribution]

  init(_ sums: RowSums, _ times: RowTimes, missing: [Evidence], isForCharts: Bool) {
    let isKnown = missing.hasTimes
    func summary(_ series: [TimeSeries], _ isKnown: Bool) -> TimeSummary {
      isKnown ? TimeSummary(sums, times, series) : TimeSummary(count: 0)
    }
    toAnswer = summary(TimeSeries.answers, isKnown)
    explanation = summary([.explanation], !missing.contains(.screens))
    prompt = summary([.prompt], isKnown)
    byOutcome = TimeSeries.answers.map { summary([$0], isKnown) }
    distributions = isForCharts && isKnown ? TimeSeries.answers.map { TimeDistribution(times[$0]) } : []
  }

  static let figures: [FigureNode<ReportRow>] = [
    .times("time_to_answer_ms", "from the first screen to the answer") {
      $0.noEvidence.hasTimes ? $0.times.toAnswer : nil
    },
    .times("explanation_time_ms", "from the explanation to the prompt, or to the answer") {
      $0.noEvidence.contains(.screens) ? nil : $0.times.explanation
    },
    .times("prompt_time_ms", "from the prompt to the answer") { $0.noEvidence.hasTimes ? $0.times.prompt : nil },
    .knowable(
      "time_by_outcome_ms", isKnown: { $0.noEvidence.hasTimes },
      [
        .times("granted", "to the answer granted") { $0.times.byOutcome[0] },
        .times("denied", "to the answer denied") { $0.times.byOutcome[1] },
        .times("skipped", "to the answer skipped") { $0.times.byOutcome[2] },
      ]),
  ]
}

extension TimeSummary {
  init(_ sums: RowSums, _ times: RowTimes, _ series: [TimeSeries]) {
    self.init(
      series.reduce(0) { $0 + sums[place: Counter.timeCount + $1.rawValue] },
      sum: series.reduce(0) { $0 + sums.sum(place: JourneySum.times + $1.rawValue) }, series.map { times[$0] })
  }

  /// - Parameter sum: of all times, in milliseconds.
  init(_ count: Int, sum: Int, _ histograms: [TimeHistogram]) {
    self.init(count: count)
    guard count > 0 else { return }
    mean = Double(sum) / Double(count)
    let quantiles = TimeHistogram.quantiles([50, 90, 99], of: count, in: histograms)
    (p50, p90, p99) = (quantiles[0], quantiles[1], quantiles[2])
  }
}

/// Counts of times in bins whose edges grow by the square root of two, so both seconds and minutes have room.
public struct TimeDistribution: Sendable, Hashable {
  public struct Bin: Sendable, Hashable {
    /// The bin begins at 1 s × 2^(half/2) and ends half an octave higher.
    public internal(set) var half: Int
    public internal(set) var count: Int

    /// In milliseconds.
    public var start: Double { TimeDistribution.edge(half) }
    public var end: Double { TimeDistribution.edge(half + 1) }
  }

  /// Ascending, without empty bins.
  public private(set) var bins: [Bin]

  /// The lowest bin also has all shorter times: no user reads a screen in 1/16 s.
  public static let lowest = -8

  /// The start of a bin in milliseconds.
  public static func edge(_ half: Int) -> Double {
    var edge = half.isMultiple(of: 2) ? 1000 : 1000 * 2.0.squareRoot()
    let octaves = half >> 1
    for _ in 0..<abs(octaves) { edge = octaves < 0 ? edge / 2 : edge * 2 }
    return edge
  }

  init(_ histogram: TimeHistogram) {
    bins = []
    var half = Self.lowest
    var end = Self.edge(half + 1)
    for (bucket, count) in histogram.bins {
      let middle = TimeBucket.middle(bucket)
      while middle >= end {
        half += 1
        end = Self.edge(half + 1)
      }
      if let last = bins.indices.last, bins[last].half == half {
        bins[last].count += Int(count)
      } else {
        bins.append(Bin(half: half, count: Int(count)))
      }
    }
  }
}

// MARK: Are people asked too early? The grant rate by when they were asked
// Users asked later are other users, so these are observations.

/// Grant rates of one permission, over all weeks of the report, by how early users were asked.
public struct TimingFigures: Sendable {
  public let permission: String
  /// By `TimingCounter`: base, granted.
  private let counts: [Int64]
  private let missing: [Evidence]

  init(_ permission: String, _ sums: ReportSums) {
    let name = Array(permission.utf8)
    self.permission = permission
    counts = TimingScale.allCases.flatMap { scale in
      scale.classes.indices.flatMap { sums.timing[.init(permission: name, scale: scale, number: $0)] ?? [0, 0] }
    }
    missing = sums.evidence.missing(for: name, sums.calls)
  }

  /// Journeys of one class.
  public struct Group: Sendable {
    /// As in JSON.
    public let name: String
    public let base, granted: Int
    /// Granted of the base, with Wilson's 95 % interval; nil without a base.
    public var rate: Estimate? { .rate(granted, base) }
  }

  /// Whether a scale is known. False if the log lacks the events for it.
  public func isKnown(_ scale: TimingScale) -> Bool { !missing.contains(scale.evidence) }

  private func group(_ scale: TimingScale, _ number: Int) -> Group {
    let place = 2 * (TimingCounter.first[scale.rawValue] + number)
    return Group(name: "\(scale.classes[number])", base: Int(counts[place]), granted: Int(counts[place + 1]))
  }

  /// All classes of a scale in their order, the unknown class last. Nil if the scale is not known.
  public func groups(_ scale: TimingScale) -> [Group]? {
    isKnown(scale) ? scale.classes.indices.map { group(scale, $0) } : nil
  }

  /// The trend of the grant rate along the known classes (Cochran and Armitage).
  package func trend(_ scale: TimingScale) -> CochranArmitage? {
    if missing.contains(.answers) { return nil }
    guard let known = groups(scale)?.dropLast() else { return nil }
    let samples = known.compactMap { try? BinomialSample(successes: $0.granted, trials: $0.base) }
    return samples.count == known.count ? CochranArmitage.trend(samples) : nil
  }

  /// The p-value of no such trend, two-sided; Nil below two known classes with a base, if none or all granted, and
  /// if the scale is not known.
  public func trendPValue(_ scale: TimingScale) -> Double? { trend(scale)?.pValue }

  /// All figures, in the order of the JSON.
  public static let figures = FigureTree<TimingFigures>([
    .knowable("by_install", isKnown: { $0.isKnown(.install) }, nodes(.install)),
    .knowable("by_active_days", isKnown: { $0.isKnown(.activeDays) }, nodes(.activeDays)),
    .knowable("by_feature_used", isKnown: { $0.isKnown(.featureUsed) }, nodes(.featureUsed)),
  ])

  private static func nodes(_ scale: TimingScale) -> [FigureNode<TimingFigures>] {
    let classes = scale.classes.indices.map { number -> (name: StaticString, nodes: [FigureNode<TimingFigures>]) in
      let over: FigureNode<TimingFigures>.Count = { $0.group(scale, number).base }
      return (
        scale.classes[number],
        [
          .count("base", "journeys of the base in the class") { over($0) },
          .count("granted", "granted among them", over: over) {
            $0.missing.known(.answers, $0.group(scale, number).granted)
          },
          .estimate("rate", "granted of that base", over: over) {
            $0.missing.known(.answers, $0.group(scale, number).rate)
          },
        ]
      )
    }
    return [
      .classes("classes", classes),
      .number("trend_p", "of no trend across the known classes", .pValue) { $0.trendPValue(scale) },
    ]
  }
}

extension TimingScale {
  package var evidence: Evidence {
    switch self {
    case .install: .appInstalled
    case .activeDays: .activity
    case .featureUsed: .featureUsed
    }
  }
}

// MARK: Use of the app after the exposure: how much in 28 days, and which users are back on a calendar day

/// Observations, not effects: keen users grant more and use more.
public struct EngagementFigures: Sendable {
  /// Users of one side, and means over them. Nil without users.
  public struct Group: Sendable {
    public let users: Int
    public let meanActiveDays, meanFeatureEvents: Double?
  }

  /// Users seen for the whole 28 days.
  public let eligible: Int
  public let granted, notGranted: Group
  /// Differences of means, granted minus not granted.
  public let activeDaysDifference, featureEventsDifference: Estimate?
  /// Correlations with granting.
  public let activeDaysCorrelation, featureEventsCorrelation: Estimate?

  init(_ sums: RowSums, missing: [Evidence]) {
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
    func group(_ days: IntegerMoments, _ features: IntegerMoments) -> Group {
      Group(
        users: days.count, meanActiveDays: missing.knownOfAnswers(.activity, days.mean),
        meanFeatureEvents: missing.knownOfAnswers(.featureUsed, features.mean))
    }
    granted = group(days.0, features.0)
    notGranted = group(days.1, features.1)
    eligible = days.0.count + days.1.count
    activeDaysDifference = missing.knownOfAnswers(.activity, difference(days))
    featureEventsDifference = missing.knownOfAnswers(.featureUsed, difference(features))
    activeDaysCorrelation = missing.knownOfAnswers(.activity, correlation(days))
    featureEventsCorrelation = missing.knownOfAnswers(.featureUsed, correlation(features))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group(
      "engagement",
      [
        .count("eligible", "seen for 28 days", .users) { $0.engagement.eligible },
        side("granted") { $0.granted }, side("not_granted") { $0.notGranted },
        .estimate("active_days_difference", "of means, granted minus others", .mean, over: { $0.engagement.eligible }) {
          $0.engagement.activeDaysDifference
        },
        .estimate(
          "feature_events_difference", "of means, granted minus others", .mean, over: { $0.engagement.eligible }
        ) { $0.engagement.featureEventsDifference },
        .estimate("active_days_correlation", "with granting", .correlation, over: { $0.engagement.eligible }) {
          $0.engagement.activeDaysCorrelation
        },
        .estimate("feature_events_correlation", "with granting", .correlation, over: { $0.engagement.eligible }) {
          $0.engagement.featureEventsCorrelation
        },
      ])
  ]

  private static func side(
    _ name: StaticString, _ side: @escaping @Sendable (EngagementFigures) -> Group
  ) -> FigureNode<ReportRow> {
    .group(
      name,
      [
        .count("n", "eligible with that answer", .users) { side($0.engagement).users },
        .number("mean_active_days", "days with any use", .mean, over: { side($0.engagement).users }) {
          side($0.engagement).meanActiveDays
        },
        .number("mean_feature_events", "uses of a feature", .mean, over: { side($0.engagement).users }) {
          side($0.engagement).meanFeatureEvents
        },
      ])
  }
}

/// Retention on one day. Observations, not effects.
public struct RetentionFigures: Sendable {
  /// The number of days after the day of exposure.
  public let day: Int
  /// Granted, denied, skipped, dropped off.
  public let outcomes: [Share]
  /// Granted minus all others.
  public let difference: Estimate?

  /// - Parameter number: the index of the day among the reported days.
  init(_ sums: RowSums, number: Int, missing: [Evidence]) {
    day = Int(retentionDays[number])
    let counts = Outcome.base.map { outcome -> (eligible: Int, retained: Int) in
      let base = Counter.retention + outcome.rawValue * Counter.retentionStride + number * 2
      return (sums[place: base], sums[place: base + 1])
    }
    outcomes = zip(Outcome.base, counts).map { outcome, counts in
      let isKnown = outcome != .droppedOff || missing.hasDropOff
      return Share(counts.eligible, isKnown ? missing.knownOfAnswers(.activity, counts.retained) : nil)
    }
    let others = counts.dropFirst().reduce((0, 0)) { ($0.0 + $1.retained, $0.1 + $1.eligible) }
    difference = missing.knownOfAnswers(
      .activity, Estimate.difference((counts[0].retained, counts[0].eligible), others))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .days(
      "retention",
      retentionDays.indices.map { number in
        func outcome(_ name: StaticString, _ place: Int) -> FigureNode<ReportRow> {
          .share(name, count: "retained", "active on that day") { $0.retention[number].outcomes[place] }
        }
        return (
          Int(retentionDays[number]),
          [
            outcome("granted", 0), outcome("denied", 1), outcome("skipped", 2), outcome("dropped_off", 3),
            .estimate(
              "difference", "granted minus all others", .difference,
              over: { $0.retention[number].outcomes.reduce(0) { $0 + $1.eligible } }
            ) { $0.retention[number].difference },
          ]
        )
      })
  ]
}
