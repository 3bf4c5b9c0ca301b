// The integers of one group (a permission, a week, a property value), as places in a flat array. All
// figures are made of these and of the times; two groups add up place by place.

/// A place in a group's counters. What a journey adds to lies together, by outcome, so that it touches few cache lines.
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

  /// Sum of the times in milliseconds and number of them, by `TimeSeries`.
  static let times = 24

  static let afterGrantEligible = 34
  static let revoked = 35
  static let partialEligible = 36
  static let upgraded = 37

  static let settingsShown = 40
  static let settingsOpened = 41
  static let settingsEligible = 42
  static let settingsEnabled = 43
  static let exposedMilliseconds = 44
  static let exposedDays = 45
  static let exposedEnabled = 46
  static let unexposedMilliseconds = 47
  static let unexposedDays = 48
  static let unexposedEnabled = 49

  /// Granted, then not granted: users, sum and sum of squares of active days, of feature events.
  static let engagement = 50
  static let engagementStride = 5

  /// By `Outcome` of the base, then by day (1, 7, 30): eligible, retained.
  static let retention = 60
  static let retentionStride = 6

  /// By returning outcome (denied, skipped, dropped off): eligible, enabled.
  static let returning = 84
  /// By returning outcome: 28 days of enablings, 28 of censorings, and those followed longer.
  static let survival = 90
  static let survivalDays = 28
  static let survivalStride = 2 * survivalDays + 1

  static let count = survival + 3 * survivalStride
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
