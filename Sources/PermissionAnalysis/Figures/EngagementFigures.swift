// Use of the app after the exposure: how much in 28 days, and who is back on a calendar day.

import Statistics

/// Observations, not effects: keen users grant more and use more.
public struct EngagementFigures: Sendable {
  /// Users of one side, and means over them; nil without any.
  public struct Group: Sendable {
    public let users: Int
    public let meanActiveDays, meanFeatureEvents: Double?
  }

  /// Users seen for the whole 28 days.
  public let eligible: Int
  public let granted, notGranted: Group
  /// Of means, granted minus not granted.
  public let activeDaysDifference, featureEventsDifference: Estimate?
  /// With granting.
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
  /// Days after the exposure's.
  public let day: Int
  /// Granted, denied, skipped, dropped off.
  public let outcomes: [Share]
  /// Granted minus all others.
  public let difference: Estimate?

  /// - Parameter number: the place of the day among those that are reported.
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
