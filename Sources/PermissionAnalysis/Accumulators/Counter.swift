// The integers of one group (a permission, a week, a property value). Each is declared once, in these lists, and numbered by
// them; its name in files of sums is that of the case. All figures are made of these and of the times; two groups add up
// integer by integer.

/// What a journey adds 0 or 1 to. What one journey adds to lies together, so that it touches few cache lines.
enum Counter: Int, CaseIterable {
  case exposed, pending, restricted, partial
  // By `Outcome` of the base.
  case granted, denied, skipped, droppedOff
  case followUpEligible, followUpGranted, followUpPartial
  /// Journeys of the base outside the report's interval, for the trend alone.
  case outsideBase, outsideGranted
  // Journeys that had a prompt, by `Outcome` of the base.
  case promptedGranted, promptedDenied, promptedSkipped, promptedDroppedOff
  // Journeys that began with an explanation, and those of them that had a prompt, by `Outcome` of the base.
  case explainedGranted, explainedDenied, explainedSkipped, explainedDroppedOff
  case continuedGranted, continuedDenied, continuedSkipped, continuedDroppedOff
  case afterGrantEligible, revoked, partialEligible, upgraded
  case settingsShown, settingsOpened, settingsEligible, settingsEnabled, settingsPartial, exposedEnabled,
    unexposedEnabled
  /// Users whose engagement counts.
  case engagedGranted, engagedNotGranted
  /// Of the base, answered by a look at the status.
  case answeredByStatus

  static let count = answeredByStatus.rawValue + 1

  // Families, after the counters above: the same integer for each of several things.

  /// Number of the times, by `TimeSeries`.
  static let timeCount = count
  /// By `Outcome` of the base, then by `retentionDays`: eligible, retained.
  static let retention = timeCount + TimeSeries.count
  static let retentionStride = 2 * 3
  /// By returning outcome (denied, skipped, dropped off): eligible, enabled, enabled in part.
  static let returning = retention + 4 * retentionStride
  static let returningStride = 3
  /// By returning outcome: 28 days of enablings, 28 of censorings, and those followed longer.
  static let survival = returning + 3 * returningStride

  /// Of all: the counters and their families.
  static let places = survival + 3 * Survival.stride
}

/// Enabled later as a survival in whole days, in consecutive integers: enabled on each day, followed no longer than each day,
/// followed longer than all.
enum Survival {
  static let days = 28
  static let stride = 2 * days + 1

  @inline(__always)
  static func place(day: Int, isEnabled: Bool) -> Int { day >= days ? 2 * days : (isEnabled ? 0 : days) + day }

  /// Names of its integers, after a first word.
  static func names(_ first: String) -> [String] {
    (0..<days).map { "\(first)_enabled_on_day_\($0)" } + (0..<days).map { "\(first)_followed_to_day_\($0)" }
      + ["\(first)_followed_longer"]
  }
}

/// What a journey adds a number to.
enum JourneySum: Int, CaseIterable {
  case exposedMilliseconds, exposedDays, unexposedMilliseconds, unexposedDays
  // Granted, then not granted: sum and sum of squares of active days, of feature events.
  case activeDaysGranted, squaredActiveDaysGranted, featureEventsGranted, squaredFeatureEventsGranted
  case activeDaysNotGranted, squaredActiveDaysNotGranted, featureEventsNotGranted, squaredFeatureEventsNotGranted

  static let engagementStride = 4
  static let count = squaredFeatureEventsNotGranted.rawValue + 1
  /// Milliseconds, by `TimeSeries`.
  static let times = count
  /// Of all: the sums and the times.
  static let places = times + TimeSeries.count
}

/// The times that are summarised.
enum TimeSeries: Int, CaseIterable, Sendable {
  case granted, denied, skipped, explanation, prompt

  static let count = prompt.rawValue + 1
  /// Of the answers: together they are the time to answer.
  static let answers: [TimeSeries] = [.granted, .denied, .skipped]
  /// The names of all, by number. A file of sums has thousands of them, so that they are not made for each.
  static let names: [[UInt8]] = allCases.map { Array("\($0)".utf8) }
  /// The numbers of all in the order of their names, which is that of the rows of a file.
  static let byName: [Int] = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
}

let retentionDays: [Int64] = [1, 7, 30]

/// Names of all integers of a group, in their order: the columns of a file of sums.
enum CounterNames {
  static let all: [String] = counters + sums

  private static let counters: [String] = {
    let returning = ["denied", "skipped", "dropped_off"]
    return Counter.allCases.map { snakeCase("\($0)") }
      + TimeSeries.allCases.map { "times_\($0)" }
      + (["granted"] + returning).flatMap { outcome in
        retentionDays.flatMap { ["\(outcome)_day_\($0)_eligible", "\(outcome)_day_\($0)_retained"] }
      }
      + returning.flatMap { ["\($0)_followed", "\($0)_enabled", "\($0)_enabled_in_part"] }
      + returning.flatMap { Survival.names($0) }
  }()

  private static let sums: [String] =
    JourneySum.allCases.map { snakeCase("\($0)") } + TimeSeries.allCases.map { "milliseconds_\($0)" }

  /// `droppedOff` is `dropped_off`.
  static func snakeCase(_ name: String) -> String {
    var text = ""
    for letter in name {
      if letter.isUppercase { text += "_" }
      text += letter.lowercased()
    }
    return text
  }
}
