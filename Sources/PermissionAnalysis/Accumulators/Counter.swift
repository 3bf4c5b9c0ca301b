// The integers of one group (a permission, a week, a property value). Each is declared once, in these lists, and numbered by
// them; its name in files of sums is that of the case. All figures are made of these and of the times; two groups add up
// integer by integer.

import Buffers

/// The counters to which a journey adds 0 or 1. Counters of one journey are adjacent, so it touches few cache lines.
enum Counter: Int, CaseIterable {
  case exposed, pending, restricted, partial
  // By `Outcome` of the base.
  case granted, denied, skipped, droppedOff
  case followUpEligible, followUpGranted, followUpPartial, followUpGrantedFirst
  /// Journeys of the base outside the report's interval, for the trend alone.
  case outsideBase, outsideGranted
  // Journeys that had a prompt, by `Outcome` of the base.
  case promptedGranted, promptedDenied, promptedSkipped, promptedDroppedOff
  // Journeys that began with an explanation, and the ones with a prompt, by `Outcome` of the base.
  case explainedGranted, explainedDenied, explainedSkipped, explainedDroppedOff
  case continuedGranted, continuedDenied, continuedSkipped, continuedDroppedOff
  case afterGrantEligible, revoked, partialEligible, upgraded
  case settingsShown, settingsOpened, settingsEligible, settingsEnabled, settingsPartial
  /// Users whose engagement counts.
  case engagedGranted, engagedNotGranted
  /// Journeys of the base answered by a status check.
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

  /// Of denied journeys, by `TrialCount` and day; then the trials that were prompted later.
  static let trials = survival + 3 * Survival.stride
  static let trialsPromptedLater = trials + TrialCount.allCases.count * SettingsTrials.days

  /// Of all: the counters and their families.
  static let places = trialsPromptedLater + 1
}

/// What is counted of the trials of one day.
enum TrialCount: Int, CaseIterable {
  case prompted, promptedEnabled, notPrompted, notPromptedEnabled

  @inline(__always)
  func place(day: Int) -> Int { Counter.trials + rawValue * SettingsTrials.days + day }

  static let names: [String] =
    allCases.flatMap { count in
      (0..<SettingsTrials.days).map { "trials_\(CounterNames.snakeCase("\(count)"))_on_day_\($0)" }
    } + ["trials_prompted_later"]
}

/// Enabled later as a survival in whole days, in consecutive integers: enabled on each day, followed no longer than each day,
/// followed longer than all.
enum Survival {
  static let days = 28
  static let stride = 2 * days + 1

  @inline(__always)
  static func place(day: Int, isEnabled: Bool) -> Int { day >= days ? 2 * days : (isEnabled ? 0 : days) + day }

  static func names(_ first: String) -> [String] {
    (0..<days).map { "\(first)_enabled_on_day_\($0)" } + (0..<days).map { "\(first)_followed_to_day_\($0)" }
      + ["\(first)_followed_longer"]
  }
}

enum JourneySum: Int, CaseIterable {
  /// Squares of each journey's trials without a prompt that ended enabled.
  case squaredTrialsNotPromptedEnabled
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

enum TimeSeries: Int, CaseIterable, Sendable {
  case granted, denied, skipped, explanation, prompt

  static let count = prompt.rawValue + 1
  /// Of the answers: together they are the time to answer.
  static let answers: [TimeSeries] = [.granted, .denied, .skipped]
  /// The names of all, by number. A file of sums has thousands of them, so they are made once.
  static let names: [[UInt8]] = allCases.map { Array("\($0)".utf8) }
  /// The numbers of all in the order of their names, which is that of the rows of a file.
  static let byName: [Int] = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
}

let retentionDays: [Int64] = [1, 7, 30]

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
      + returning.flatMap { Survival.names($0) } + TrialCount.names
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

/// Counts of `EvidenceSums`, by permission code. Counts without a permission have code 0.
struct EvidenceTable: ~Copyable {
  private let counts: Buffer<Int64>

  init(permissions: Int) { counts = Buffer(repeating: 0, count: permissions * EvidenceColumn.count) }

  @inline(__always)
  func add(_ place: EvidenceColumn, _ isThere: Bool = true, permission: UInt32 = 0) {
    counts[Int(permission) * EvidenceColumn.count + place.rawValue] &+= isThere ? 1 : 0
  }

  @inline(__always)
  func add(_ events: some JourneyEvents, permission: UInt32) {
    add(.enabling, events.contains(.enablingEvidence), permission: permission)
    add(.revoking, events.contains(.revokingEvidence), permission: permission)
    add(.screens, events.contains(.screens) || events.contains(.unseenPrompts), permission: permission)
    add(.explanations, events.contains(.explanations), permission: permission)
    add(.answers, events.contains(.decisions), permission: permission)
  }

  func sums(permissions: [[UInt8]]) -> EvidenceSums {
    var sums = EvidenceSums()
    for (code, name) in permissions.enumerated() {
      for place in EvidenceColumn.allCases {
        sums.set(name, place, counts[code * EvidenceColumn.count + place.rawValue])
      }
    }
    return sums
  }
}

/// A scale of how early a user was asked. Each has classes, the earliest first. The last class is for users for whom
/// it is not known.
public enum TimingScale: Int, CaseIterable, Sendable {
  /// Time since the latest install.
  case install
  /// Days of use in the 27 days before that of the screen.
  case activeDays
  /// Uses of a feature in the 28 days before the screen.
  case featureUsed

  /// Names of the classes, as in JSON.
  public var classes: [StaticString] {
    switch self {
    case .install: ["under_1m", "1m_1h", "1h_1d", "1d_7d", "7d_up", "unknown"]
    case .activeDays: ["0", "1", "2_3", "4_7", "8_up", "unknown"]
    case .featureUsed: ["0", "1_2", "3_9", "10_up", "unknown"]
    }
  }
}

enum TimingCounter {
  static let count = 17
  static let first = [0, 6, 12]

  @inline(__always) private static func one(_ isReached: Bool) -> Int { isReached ? 1 : 0 }

  /// - Parameter elapsed: milliseconds since the install; below 0 without one.
  @inline(__always)
  static func install(_ elapsed: Int64) -> Int {
    let reached = one(elapsed >= 60_000) + one(elapsed >= 3_600_000) + one(elapsed >= 86_400_000)
    return elapsed < 0 ? 5 : reached + one(elapsed >= 7 * 86_400_000)
  }

  @inline(__always)
  static func activeDays(_ days: Int, isKnown: Bool) -> Int {
    6 + (isKnown ? one(days >= 1) + one(days >= 2) + one(days >= 4) + one(days >= 8) : 5)
  }

  /// Uses from here on are all the same.
  static let mostUses = 10

  @inline(__always)
  static func featureUsed(_ uses: Int, isKnown: Bool) -> Int {
    12 + (isKnown ? one(uses >= 1) + one(uses >= 3) + one(uses >= mostUses) : 4)
  }
}

/// Journeys of the base and those granted, by permission and class. Owned by one thread.
struct TimingTable: ~Copyable {
  /// By permission code the number of its row plus one; 0 without one.
  private let rows: Buffer<Int32>
  /// By row, then by column: base, granted.
  private var counts = Buffer<Int64>()
  static let width = 2 * TimingCounter.count

  init(permissions: Int) { rows = Buffer(repeating: 0, count: permissions) }

  @inline(__always)
  mutating func add(permission: UInt32, isGranted: Bool, _ install: Int, _ activeDays: Int, _ featureUsed: Int) {
    var row = Int(rows[Int(permission)])
    if row == 0 {
      row = counts.count / Self.width + 1
      rows[Int(permission)] = Int32(truncatingIfNeeded: row)
      counts.extend(to: row * Self.width, repeating: 0)
    }
    let base = (row - 1) * Self.width
    let granted: Int64 = isGranted ? 1 : 0
    counts[base + 2 * install] &+= 1
    counts[base + 2 * install + 1] &+= granted
    counts[base + 2 * activeDays] &+= 1
    counts[base + 2 * activeDays + 1] &+= granted
    counts[base + 2 * featureUsed] &+= 1
    counts[base + 2 * featureUsed + 1] &+= granted
  }

  /// The counts of a permission by class, base and granted. Nil without a journey.
  func counts(permission: Int) -> [Int64]? {
    let row = Int(rows[permission])
    return row == 0 ? nil : (0..<Self.width).map { counts[(row - 1) * Self.width + $0] }
  }
}
