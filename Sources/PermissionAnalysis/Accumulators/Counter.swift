// The integers of one group (a permission, a week, a property value), as places in flat arrays. All figures are made of
// these and of the times; two groups add up place by place.

/// A place in a group's counters, to each of which a journey adds 0 or 1. What one journey adds to lies together, so that
/// it touches few cache lines.
enum Counter {
  static let exposed = 0
  static let pending = 1
  static let restricted = 2
  static let partial = 3
  /// By `Outcome` of the base: granted, denied, skipped, dropped off.
  static let outcome = 4

  static let followUpEligible = 8
  static let followUpGranted = 9
  /// Journeys of the base outside the report's interval, for the trend alone.
  static let outsideBase = 10
  static let outsideGranted = 11
  /// Journeys that had a prompt, by `Outcome` of the base.
  static let promptOutcome = 12
  /// Journeys that began with an explanation, and those of them that had a prompt, by `Outcome` of the base.
  static let explainedOutcome = 16
  static let continuedOutcome = 20

  /// Number of the times, by `TimeSeries`.
  static let timeCount = 24

  static let afterGrantEligible = 29
  static let revoked = 30
  static let partialEligible = 31
  static let upgraded = 32

  static let settingsShown = 33
  static let settingsOpened = 34
  static let settingsEligible = 35
  static let settingsEnabled = 36
  static let exposedEnabled = 37
  static let unexposedEnabled = 38

  /// Users whose engagement counts: granted, then not granted.
  static let engaged = 39

  /// By `Outcome` of the base, then by day (1, 7, 30): eligible, retained.
  static let retention = 41
  static let retentionStride = 6

  /// By returning outcome (denied, skipped, dropped off): eligible, enabled.
  static let returning = 65
  /// By returning outcome: 28 days of enablings, 28 of censorings, and those followed longer.
  static let survival = 71
  static let survivalDays = 28
  static let survivalStride = 2 * survivalDays + 1

  static let count = survival + 3 * survivalStride
}

/// A place in a group's sums, to each of which a journey adds a number.
enum JourneySum {
  /// Milliseconds, by `TimeSeries`.
  static let times = 0
  static let exposedMilliseconds = 5
  static let exposedDays = 6
  static let unexposedMilliseconds = 7
  /// Granted, then not granted: sum and sum of squares of active days, of feature events.
  static let engagement = 8
  static let engagementStride = 4
  static let unexposedDays = 16

  static let count = 17
}

/// The times that are summarised.
enum TimeSeries: Int, CaseIterable {
  case granted = 0
  case denied = 1
  case skipped = 2
  case explanation = 3
  case prompt = 4
}

let retentionDays: [Int64] = [1, 7, 30]
