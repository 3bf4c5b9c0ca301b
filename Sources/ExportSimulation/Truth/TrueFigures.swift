// Expected counts as the figures of a report.

/// A report's figures, each as the ratio of what its numerator and its denominator are on average; nil if no journey can
/// count. Rates are shares of 1.
package struct TrueFigures: Sendable {
  /// Expected numbers of journeys.
  package let exposed: Double
  package let restricted: Double
  package let base: Double

  package let grantRate: Double?
  package let denyRate: Double?
  package let skipRate: Double?
  package let dropOffRate: Double?
  package let promptGrantRate: Double?
  package let grantedByFollowUp: Double?
  package let explained: Double?
  package let cold: Double?
  /// Turned on within the follow-up: after a denial, a skip, a drop-off.
  package let enabledLater: [Double?]
  package let revoked: Double?
  package let upgraded: Double?
  /// Of the Settings prompts: opened, and turned on within the settings window.
  package let settingsOpened: Double?
  package let settingsEnabled: Double?
  /// Means of granted and of not granted journeys.
  package let activeDays: [Double?]
  package let featureEvents: [Double?]
  package let retention: [Retention]

  package struct Retention: Sendable {
    package let day: Int
    /// Granted, denied, skipped, dropped off.
    package let byOutcome: [Double?]
    /// Of denied, skipped and dropped off together.
    package let notGranted: Double?
    package let all: Double?
  }

  package var retentionDay7: Double? { retention.first { $0.day == 7 }?.all }

  init(_ counts: ExpectedCounts) {
    func share(_ part: ExpectedCounts.Item, _ whole: ExpectedCounts.Item) -> Double? {
      Self.share(counts[part], counts[whole])
    }
    let base = counts.base
    exposed = counts[.exposed]
    restricted = counts[.restricted]
    self.base = base
    grantRate = Self.share(counts[.granted], base)
    denyRate = Self.share(counts[.denied], base)
    skipRate = Self.share(counts[.skipped], base)
    dropOffRate = Self.share(counts[.droppedOff], base)
    promptGrantRate = Self.share(counts[.granted], counts[.granted] + counts[.denied])
    grantedByFollowUp = share(.grantedByFollowUp, .followed)
    explained = share(.explainedGranted, .explainedBase)
    cold = share(.coldGranted, .coldBase)
    enabledLater = [
      share(.deniedEnabled, .followedDenied), share(.skippedEnabled, .followedSkipped),
      share(.droppedOffEnabled, .followedDroppedOff),
    ]
    revoked = share(.revoked, .followedGranted)
    upgraded = share(.upgraded, .followedPartial)
    settingsOpened = share(.settingsOpened, .settingsShown)
    settingsEnabled = share(.settingsEnabled, .settingsEligible)
    activeDays = [share(.activeDaysGranted, .engagedGranted), share(.activeDaysOther, .engagedOther)]
    featureEvents = [share(.featuresGranted, .engagedGranted), share(.featuresOther, .engagedOther)]
    retention = ExpectedCounts.retentionDays.enumerated().map { index, day in
      let numbers = (0..<ExpectedCounts.outcomes).map { outcome in
        [false, true].map { counts[retention: index, outcome: outcome, retained: $0] }
      }
      func together(_ numbers: some Sequence<[Double]>) -> Double? {
        Self.share(numbers.reduce(0) { $0 + $1[1] }, numbers.reduce(0) { $0 + $1[0] })
      }
      return Retention(
        day: day, byOutcome: numbers.map { Self.share($0[1], $0[0]) }, notGranted: together(numbers.dropFirst()),
        all: together(numbers))
    }
  }

  private static func share(_ part: Double, _ whole: Double) -> Double? { whole > 0 ? part / whole : nil }
}

extension TrueFigures {
  /// B minus A, or one group minus another; nil if one is unknown. What sums leave by rounding is 0.
  package static func difference(_ first: Double?, _ second: Double?) -> Double? {
    first.flatMap { first in second.map { abs(first - $0) < 1e-12 ? 0 : first - $0 } }
  }
}
