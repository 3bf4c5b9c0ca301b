// The integers of one group (a permission, a week, a property value), as places in a flat array. All
// figures are made of these and of the times; two groups add up place by place.

/// A place in a group's counters.
enum Counter {
  static let exposed = 0
  static let pending = 1
  static let restricted = 2
  /// By `Outcome` of the base: granted, denied, skipped, dropped off.
  static let outcome = 3
  static let partial = 7
  static let followUpEligible = 8
  static let followUpGranted = 9

  static let explanationShown = 10
  static let explanationContinued = 11
  static let explanationSkipped = 12
  static let explanationAnswered = 13
  static let explanationDropped = 14
  static let promptShown = 15
  /// By `Outcome` of the base.
  static let promptOutcome = 16
  static let explainedBase = 20
  static let explainedGranted = 21

  /// Sums of times in milliseconds, by `TimeSeries`; their numbers come from the histograms.
  static let timeSum = 22
  static let timeCount = 27

  static let afterGrantEligible = 32
  static let revoked = 33
  static let partialEligible = 34
  static let upgraded = 35

  static let settingsShown = 36
  static let settingsOpened = 37
  static let settingsEligible = 38
  static let settingsEnabled = 39
  static let exposedMilliseconds = 40
  static let exposedDays = 41
  static let exposedEnabled = 42
  static let unexposedMilliseconds = 43
  static let unexposedDays = 44
  static let unexposedEnabled = 45

  /// Granted, then not granted: users, sum and sum of squares of active days, of feature events.
  static let engagement = 46
  static let engagementStride = 5

  /// By day (1, 7, 30), then by `Outcome` of the base: eligible, retained.
  static let retention = 56

  /// Journeys of the base outside the report's interval, for the trend alone.
  static let outsideBase = 80
  static let outsideGranted = 81

  /// By returning outcome (denied, skipped, dropped off): eligible, enabled.
  static let returning = 82
  /// By returning outcome: 28 days of enablings, 28 of censorings, and those followed longer.
  static let survival = 88
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
