// What a comparison is asked for.

import PermissionEvents
import Statistics

/// How users who saw several variants are counted.
public enum ContaminationPolicy: String, CaseIterable, Sendable {
  /// They count for the variant that they saw first.
  case first
  /// They are left out.
  case exclude
}

/// The screens whose messages are compared.
public enum MessageScreen: String, CaseIterable, Sendable {
  /// The app's explanation and the system's prompt.
  case permission
  /// The alert that leads to Settings, after a denial.
  case settings

  /// The metric of a comparison that names none.
  public var usualMetric: ComparisonMetric {
    switch self {
    case .permission: .grantRate
    case .settings: .settingsEnabled
    }
  }

  public var metrics: [ComparisonMetric] { ComparisonMetric.allCases.filter { $0.screens.contains(self) } }
}

/// The event that has a user's message.
public enum MessageSource: String, CaseIterable, Sendable {
  case screen, answer
}

/// A metric that must not become worse by more than a margin, a share of 1.
public struct GuardrailQuestion: Sendable, Hashable {
  public var metric: ComparisonMetric
  public var margin: Double

  public init(metric: ComparisonMetric, margin: Double) {
    self.metric = metric
    self.margin = margin
  }
}

package struct ComparisonQuestion: Sendable {
  package var windows: AnalysisWindows
  /// By which the sums were counted.
  package var reading = CallReading()
  package var zone: ZoneTable
  package var permission: String
  /// The property whose values are compared. Users were assigned at random only to the values of the message shown.
  package var comparedProperty = StringField.variant
  /// Its values, the control first, then the others; nil is one arm of all journeys, whatever was shown.
  package var variants: [String]?
  package var experiment: String?
  /// With `answer` only journeys with an answer count, as the others have no message.
  package var source = MessageSource.screen
  package var screen = MessageScreen.permission
  package var metric: ComparisonMetric = .grantRate
  /// The declared shares of the arms, of a plan or of the request, any positive numbers; nil if none were declared.
  package var declaredSplit: MessageSplit?
  /// Exposures from `from` on and before `to` count; nil is without that end. Users who were exposed to a message of the test before
  /// `from` are left out.
  package var from, to: Milliseconds?
  package var policy: ContaminationPolicy = .first
  /// Smallest difference that matters, as a share of 1.
  package var minimumEffect = 0.01
  /// Users of a pair of arms together, at an even split, at which a decision is expected. A plan has its own number; nil
  /// without one is by the users of the first week (`UnplannedRule`).
  package var plannedUsers: Int?
  package var rule = Comparison.Rule.daily
  /// The choices fixed before the first exposure. Nil without a plan.
  package var plan: PlanFacts?
  /// Looks as they were when they were made, one for each treatment; nil if no record was kept.
  package var recorded: [RecordedArm]?
  /// Without what no decision rests on: Bayes, other metrics, the outlook.
  package var isBrief = false
  package var guardrails: [GuardrailQuestion] = []
  /// Conditions on the exposure, in the order in which they were given: journeys of the comparison meet all.
  package var conditions: [ExposureCondition] = []
  /// The property whose values are compared separately.
  package var by: StringField?
  /// Properties of `adjustable` that the decision is adjusted for: users are compared within each combination of their
  /// values at the exposure.
  package var adjust: [StringField] = []

  package static let mostVariants = 16
  /// The largest share of users without a message, as a share of 1, at which the others can be compared.
  package static let mostWithoutMessage = 0.05
  /// Attributes of the exposure within which every comparison is checked.
  package static let checkedAttributes: [StringField] = [.platform, .osVersion, .appVersion]
  /// The properties that a comparison can be adjusted for: attributes of the device and the app.
  package static let adjustable: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]

  package init(
    windows: AnalysisWindows, zone: ZoneTable, permission: String, variants: [String]?, experiment: String?
  ) {
    self.windows = windows
    self.zone = zone
    self.permission = permission
    self.variants = variants
    self.experiment = experiment
  }

  /// The expected shares of the arms: the declared ones, else even ones as an assumption.
  package var split: MessageSplit { declaredSplit ?? MessageSplit([Double](repeating: 1, count: arms)) }

  var arms: Int { variants?.count ?? 1 }

  /// The division changes on a day, or properties are adjusted for: users are compared within strata.
  var isStratified: Bool { !adjust.isEmpty || !split.changes.isEmpty }

  /// The first moments of the periods of the division, without the first period.
  var periodStarts: [Milliseconds] { split.changes.map { zone.firstMoment(of: $0.from) } }

  /// Whether a moment is within the dates of the test.
  var dates: Range<Milliseconds> {
    let start = from ?? .min
    return start..<max(start, to ?? .max)
  }

  /// Names of the arms; nil is one of all variants.
  var armNames: [[UInt8]?] { variants?.map { Array($0.utf8) } ?? [nil] }

  /// The properties in `adjust` that a comparison can be adjusted for, in a fixed order.
  var adjusted: [StringField] { Self.adjustable.filter { adjust.contains($0) } }

  package var selection: HistorySelection {
    var selection = HistorySelection(variants: true, attributes: Self.checkedAttributes)
    selection.add(adjusted + (by.map { [$0] } ?? []) + conditions.map(\.field) + [comparedProperty])
    return selection
  }

  package var isOfMessages: Bool { comparedProperty == .variant }

  /// Whether users may count by the variants that they were given, or the experiments in which they were are noted.
  var looksAtAssignments: Bool { isOfMessages && source == .screen }

  /// The property whose values are counted in addition to the checked properties, if any.
  var countedProperty: StringField? { by.flatMap { Self.checkedAttributes.contains($0) ? nil : $0 } }

  /// When journeys may be settled, and users be found to have seen several variants, of events between two moments.
  func settlingMoments(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Milliseconds> {
    let last = times.upperBound + max(windows.keeping, windows.settings, 9 * millisecondsPerDay)
    return times.lowerBound...max(times.lowerBound, min(last, windows.asOf))
  }

  /// The calendar days of events between two moments.
  func days(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Int> {
    Int(zone.day(of: times.lowerBound)) - 1...Int(zone.day(of: times.upperBound)) + 1
  }
}

/// How users are divided among the arms, control first: always in the same way, or in another from a day on.
///
/// For example `[1, 1]`, or nine to one until a day and even from it on:
/// `MessageSplit([90, 10], changes: [.init(from: day, parts: [50, 50])])`.
public struct MessageSplit: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// From the first moment of a day on, in the zone of the question.
  public struct Change: Sendable, Hashable {
    public var from: DayNumber
    public var parts: [Double]

    public init(from: DayNumber, parts: [Double]) { (self.from, self.parts) = (from, parts) }
  }

  /// Any positive numbers, of the first period.
  public var parts: [Double]
  /// The later ones, by rising days.
  public var changes: [Change]

  public init(_ parts: [Double], changes: [Change] = []) { (self.parts, self.changes) = (parts, changes) }
  public init(arrayLiteral parts: Double...) { self.init(parts) }

  /// More changes are no plan.
  package static let mostPeriods = 100

  /// By period.
  package var periods: [[Double]] { [parts] + changes.map(\.parts) }

  /// The parts of each period as shares of the largest, so that their sums are finite.
  package var shares: MessageSplit {
    func shares(_ parts: [Double]) -> [Double] {
      let largest = parts.max() ?? 1
      return parts.map { $0 / largest }
    }
    return MessageSplit(shares(parts), changes: changes.map { Change(from: $0.from, parts: shares($0.parts)) })
  }

  func period(of day: DayNumber) -> Int { changes.count { $0.from <= day } }

  func parts(on day: DayNumber) -> [Double] { periods[period(of: day)] }

  /// How users are divided now.
  package var latest: [Double] { changes.last?.parts ?? parts }
}

// MARK: What arms are compared by, and the counts of an arm that metrics are made of

/// A metric of a comparison: a share of the journeys of one arm. Raw values are the names in JSON.
public enum ComparisonMetric: String, CaseIterable, Sendable {
  case grantRate = "grant_rate"
  case grantedByDay28 = "granted_by_day_28"
  case denyRate = "deny_rate"
  case skipRate = "skip_rate"
  case dropOffRate = "drop_off_rate"
  case promptGrantRate = "prompt_grant_rate"
  case retentionDay7 = "retention_day_7"
  /// Granted, and not found off within the follow-up after the answer.
  case keptByDay28 = "kept_by_day_28"
  /// Found on within 7 days after a Settings prompt.
  case settingsEnabled = "settings_enabled"
  /// Went to Settings within the response window of a Settings prompt.
  case settingsOpened = "settings_opened"

  /// The screens whose messages it compares.
  public var screens: [MessageScreen] {
    switch self {
    case .retentionDay7: MessageScreen.allCases
    case .settingsEnabled, .settingsOpened: [.settings]
    default: [.permission]
    }
  }

  /// Whether more is better.
  public var isGoodWhenHigh: Bool {
    switch self {
    case .grantRate, .grantedByDay28, .keptByDay28, .promptGrantRate, .retentionDay7, .settingsEnabled,
      .settingsOpened:
      true
    case .denyRate, .skipRate, .dropOffRate: false
    }
  }

  /// Whether the metric is a share of users that the variant itself has selected.
  public var isDescriptive: Bool { self == .promptGrantRate }

  /// The evidence that the log must have for the metric to be known.
  public var evidence: [Evidence] {
    switch self {
    case .retentionDay7: [.activity, .answers]
    case .keptByDay28: [.answers, .revoked]
    case .dropOffRate: [.answers, .screens]
    case .settingsEnabled: [.enabledLater]
    case .settingsOpened: [.settingsOpened]
    default: [.answers]
    }
  }
}

extension ComparisonMetric {
  func tally(exposed: Int = 0, _ count: (ArmCounter) -> Int) -> Comparison.Tally {
    let (success, trials): (ArmCounter, [ArmCounter]) =
      switch self {
      case .grantRate: (.granted, ArmCounter.base)
      case .denyRate: (.denied, ArmCounter.base)
      case .skipRate: (.skipped, ArmCounter.base)
      case .dropOffRate: (.droppedOff, ArmCounter.base)
      case .promptGrantRate: (.granted, [.granted, .denied])
      case .grantedByDay28: (.followUpGranted, [.followUpEligible])
      case .retentionDay7: (.retained, [.retentionEligible])
      case .keptByDay28: (.kept, [.keptEligible])
      case .settingsEnabled: (.settingsEnabled, [.settingsEligible])
      case .settingsOpened: (.settingsOpened, ArmCounter.base)
      }
    return Comparison.Tally(exposed: exposed, trials: trials.reduce(0) { $0 + count($1) }, successes: count(success))
  }
}

/// The counters to which a journey adds 0 or 1. All metrics are computed from these.
enum ArmCounter: Int, CaseIterable {
  case exposed, pending, restricted
  // By `Outcome` of the base.
  case granted, denied, skipped, droppedOff
  case followUpEligible, followUpGranted
  /// Known to be kept or not, with an answer or without one.
  case keptEligible, kept
  /// Day 7 after the exposure.
  case retentionEligible, retained
  /// After a Settings prompt: followed for the settings window, found on in it, and opened in the response window.
  case settingsEligible, settingsEnabled, settingsOpened

  static let base: [ArmCounter] = [.granted, .denied, .skipped, .droppedOff]
  static let count = settingsOpened.rawValue + 1
  /// By returning outcome (denied, skipped, dropped off); of whole arms alone.
  static let survival = count
  /// Of a whole arm: the counters and the survivals.
  static let places = survival + 3 * Survival.stride

  static let names = allCases.map { CounterNames.snakeCase("\($0)") }
  static let armNames = names + ["denied", "skipped", "dropped_off"].flatMap { Survival.names($0) }
}

/// Journeys of one arm, in part or as a whole.
package struct ArmCounts: Sendable, Equatable {
  /// The integers of `ArmCounter`, with or without the survivals: a slice of the sums, not copied.
  private var integers: ArraySlice<Int64>

  package init() { integers = [Int64](repeating: 0, count: ArmCounter.places)[...] }

  init(_ integers: ArraySlice<Int64>) { self.integers = integers }

  package var exposed: Int { count(.exposed) }
  package var pending: Int { count(.pending) }
  package var restricted: Int { count(.restricted) }
  package var base: Int { exposed - pending - restricted }

  private func count(_ place: Int) -> Int { Int(integers[integers.startIndex + place]) }
  private func count(_ counter: ArmCounter) -> Int { count(counter.rawValue) }

  static func + (a: Self, b: Self) -> Self { Self(zip(a.integers, b.integers).map { $0 + $1 }[...]) }

  package subscript(_ outcome: Outcome) -> Int {
    Outcome.base.contains(outcome) ? count(ArmCounter.granted.rawValue + outcome.rawValue) : 0
  }

  /// Throws if sums that a file brought contradict themselves.
  func binomial(_ metric: ComparisonMetric) throws(StatisticsError) -> BinomialSample { try tally(metric).binomial() }

  func tally(_ metric: ComparisonMetric) -> Comparison.Tally { metric.tally(exposed: exposed, count) }

  /// Enabled later than a denied, skipped or unanswered screen: by whole day since, those who did and those no longer
  /// followed, and those followed longer than all days.
  func survival(_ outcome: Outcome) -> (events: [Int], censored: [Int], beyond: Int) {
    let start = ArmCounter.survival + (outcome.rawValue - Outcome.denied.rawValue) * Survival.stride
    let days = Survival.days
    return (
      (start..<start + days).map { count($0) }, (start + days..<start + 2 * days).map { count($0) },
      count(start + 2 * days)
    )
  }
}

// MARK: The rules by which a comparison is decided, and what may be fixed before it begins

extension Comparison {
  /// A rule of decision. Every rule looks at the ends of finished days, and its first crossing decides for good.
  public enum Rule: Sendable, Hashable {
    /// A look on every finished day, open-ended: the error is spent without an end.
    case daily
    /// The asymptotic confidence sequence.
    case alwaysValid
    /// A declared number of looks, evenly spaced up to the planned users (Lan and DeMets, O'Brien–Fleming spending).
    case looks(Int)

    /// Its name in JSON.
    public var name: String {
      switch self {
      case .daily: "daily"
      case .alwaysValid: "always_valid"
      case .looks: "looks"
      }
    }
  }
}

/// The facts of a plan made beforehand that a comparison needs.
public struct PlanFacts: Sendable, Hashable {
  public var savedAt: Milliseconds
  /// N*: users of a pair of messages together, at an even split, by which one look at the end would find the effect.
  public var plannedUsers: Int
  /// r of the spending function, steeper than without a plan: little error is spent before N* is near.
  public var exponent: Double

  public init(savedAt: Milliseconds, plannedUsers: Int, exponent: Double) {
    (self.savedAt, self.plannedUsers, self.exponent) = (savedAt, plannedUsers, exponent)
  }

}

/// The finished days of one message and the control, as they were when they were recorded.
public struct RecordedArm: Sendable, Hashable {
  public var variant: String
  /// The calendar day of the first exposure, and r of the spending, as they were: later corrections change neither. nil if no
  /// day was recorded.
  public var firstDay: DayNumber?
  public var exponent: Double?
  /// Oldest first.
  public var days: [RecordedDay]

  public init(variant: String, firstDay: DayNumber? = nil, exponent: Double? = nil, days: [RecordedDay]) {
    (self.variant, self.days) = (variant, days)
    (self.firstDay, self.exponent) = (firstDay, exponent)
  }
}

/// All users whose outcome was known by the end of a day.
public struct RecordedDay: Sendable, Hashable {
  public var day: DayNumber
  public var aUsers, aEvents, bUsers, bEvents: Int
  /// Information time and statistic of the look. Nil if the day had no look.
  public var time, z: Double?
  /// Of an adjusted look: the difference and its error; Nil if it was not adjusted, or is not known.
  public var difference, error: Double?

  public var isLook: Bool { time != nil }

  public init(
    day: DayNumber, aUsers: Int, aEvents: Int, bUsers: Int, bEvents: Int, time: Double? = nil, z: Double? = nil,
    difference: Double? = nil, error: Double? = nil
  ) {
    self.day = day
    (self.aUsers, self.aEvents, self.bUsers, self.bEvents) = (aUsers, aEvents, bUsers, bEvents)
    (self.time, self.z) = (time, z)
    (self.difference, self.error) = (difference, error)
  }
}
