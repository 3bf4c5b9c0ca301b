// What a comparison is asked for.

import PermissionEvents

/// What is done with users who saw several variants.
public enum ContaminationPolicy: String, CaseIterable, Sendable {
  /// They count for the variant that they saw first.
  case first
  /// They are left out.
  case exclude
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
  /// The property whose values are compared. Nobody was assigned at random to a value of any other than the message shown.
  package var comparedProperty = StringField.variant
  /// Its values, the control first, then the others; nil is one arm of all journeys, whatever was shown.
  package var variants: [String]?
  package var experiment: String?
  package var metric: ComparisonMetric = .grantRate
  /// Shares of the arms as they were meant to be; any positive numbers.
  package var split: [Double]
  package var policy: ContaminationPolicy = .first
  /// Smallest difference that matters, as a share of 1.
  package var minimumEffect = 0.01
  /// Users of a pair of arms together, at an even split, at which a decision is expected. A plan has its own number.
  package var plannedUsers = 5000
  package var rule = Comparison.Rule.daily
  /// What was fixed before the first exposure; nil without a plan.
  package var plan: PlanFacts?
  /// Looks as they were when they were made, one for each treatment; nil if no record was kept.
  package var recorded: [RecordedArm]?
  package var guardrails: [GuardrailQuestion] = []
  /// Conditions on the exposure, in the order in which they were given: journeys of the comparison meet all.
  package var conditions: [ExposureCondition] = []
  /// The property whose values are compared apart.
  package var by: StringField?
  /// Properties of `adjustable` that the decision is adjusted for: users are compared within each combination of their
  /// values at the exposure.
  package var adjust: [StringField] = []

  /// Most arms of one comparison.
  package static let mostVariants = 16
  /// Attributes of the exposure within which every comparison is checked.
  package static let checkedAttributes: [StringField] = [.platform, .osVersion, .appVersion]
  /// What a comparison can be adjusted for: attributes of the device and the app.
  package static let adjustable: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]

  package init(
    windows: AnalysisWindows, zone: ZoneTable, permission: String, variants: [String]?, experiment: String?
  ) {
    self.windows = windows
    self.zone = zone
    self.permission = permission
    self.variants = variants
    self.experiment = experiment
    split = [Double](repeating: 1, count: variants?.count ?? 1)
  }

  var arms: Int { variants?.count ?? 1 }

  /// Names of the arms; nil is one of all variants.
  var armNames: [[UInt8]?] { variants?.map { Array($0.utf8) } ?? [nil] }

  /// Those of `adjust` that a comparison can be adjusted for, in one order, whatever the one they were given in.
  var adjusted: [StringField] { Self.adjustable.filter { adjust.contains($0) } }

  /// What the log is asked to hand over.
  package var selection: HistorySelection {
    Self.selection(comparing: comparedProperty, by: by, adjust: adjust, where: conditions)
  }

  package static func selection(
    comparing compared: StringField = .variant, by property: StringField?, adjust: [StringField] = [],
    where conditions: [ExposureCondition] = []
  ) -> HistorySelection {
    var selection = HistorySelection(variants: true, attributes: checkedAttributes)
    selection.add(adjustable.filter { adjust.contains($0) } + (property.map { [$0] } ?? []) + conditions.map(\.field))
    selection.add([compared])
    return selection
  }

  package var isOfMessages: Bool { comparedProperty == .variant }

  /// The property whose values are counted apart beside those of the checked ones; nil if there is none.
  var countedProperty: StringField? { by.flatMap { Self.checkedAttributes.contains($0) ? nil : $0 } }

  /// When journeys may be settled, and users be found to have seen several variants, of events between two moments.
  func settlingMoments(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Milliseconds> {
    let last = times.upperBound + max(windows.response, windows.followUp, 9 * millisecondsPerDay)
    return times.lowerBound...max(times.lowerBound, min(last, windows.asOf))
  }

  /// Calendar days that events between two moments lie on.
  func days(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Int> {
    Int(zone.day(of: times.lowerBound)) - 1...Int(zone.day(of: times.upperBound)) + 1
  }
}
