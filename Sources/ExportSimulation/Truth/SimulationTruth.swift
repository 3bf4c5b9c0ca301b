// The truths of a simulation: the expectation of the report's own figures under the model that generates the export.

import PermissionEvents

/// True figures of the journeys of one permission, in one week or in all.
package struct TrueRow: Sendable {
  package var permission: String
  /// The ISO week of the exposure, UTC; nil for all weeks.
  package var week: String?
  package var figures: TrueFigures
}

/// A test of two messages and what B truly changes.
package struct TrueExperiment: Sendable {
  package var name: String
  package var permission: String
  /// Figures of the journeys that begin with message A, and with B.
  package var a: TrueFigures
  package var b: TrueFigures
  /// The expected number of users of each message whose calls all return at once.
  package var notAsked: Double
}

package struct SimulationTruth: Sendable {
  package var options: SimulationOptions
  /// From which a report must look.
  package var asOf: Milliseconds
  package var rows: [TrueRow] = []
  package var experiments: [TrueExperiment] = []
  /// For each permission the exact number of users whose calls all return at once; permissions without such users are
  /// left out.
  package var notAsked: [(permission: String, users: Int)] = []

  package init(_ options: SimulationOptions) {
    self.options = options
    asOf = options.end
    let sweep = TruthSweep(options)
    for model in PermissionModel.all {
      let decided = model.decidedGranted == nil ? 0 : options.decided(before: options.users)
      if decided > 0 { notAsked.append((model.name, decided)) }
      let days = sweep.counts(model)
      let first = ISOWeek(day: options.firstDay).index
      let last = ISOWeek(day: options.firstDay + Int64(options.days) - 1).index
      for week in first...last {
        let monday = Int(ISOWeek(index: week).firstDay - options.firstDay)
        let own = days[max(0, monday)..<min(days.count, monday + 7)]
        rows.append(
          TrueRow(
            permission: model.name, week: ISOWeek(index: week).text, figures: Self.figures(own, Beginning.allCases)))
      }
      rows.append(TrueRow(permission: model.name, week: nil, figures: Self.figures(days[...], Beginning.allCases)))
      if let experiment = model.experiment {
        experiments.append(
          TrueExperiment(
            name: experiment.name, permission: model.name, a: Self.figures(days[...], [.messageA]),
            b: Self.figures(days[...], [.messageB]), notAsked: Double(decided) / 2))
      }
    }
  }

  private static func figures(_ days: ArraySlice<[ExpectedCounts]>, _ beginnings: [Beginning]) -> TrueFigures {
    var sum = ExpectedCounts()
    for day in days {
      for beginning in beginnings { sum.add(day[beginning.rawValue]) }
    }
    return TrueFigures(sum)
  }
}

// MARK: Expected counts as the figures of a report

/// A report's figures, each as the ratio of the average numerator and the average denominator; nil if there are no
/// journeys that can count. Rates are shares of 1.
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

  /// B minus A, or one group minus another; nil if one is unknown. A rounding error of the sums counts as 0.
  package static func difference(_ first: Double?, _ second: Double?) -> Double? {
    first.flatMap { first in second.map { abs(first - $0) < 1e-12 ? 0 : first - $0 } }
  }
}

// MARK: What becomes of a first asking, for one level of engagement

/// How a journey begins: the screen, and the message on it.
enum Beginning: Int, CaseIterable {
  case cold, explained, messageA, messageB

  func share(_ model: PermissionModel) -> Double {
    switch self {
    case .cold: 1 - model.explained
    case .explained: model.experiment == nil ? model.explained : 0
    case .messageA, .messageB: model.experiment == nil ? 0 : model.explained / 2
    }
  }

  var isB: Bool { self == .messageB }
}

extension OutcomeShares {
  init(_ model: PermissionModel, _ level: EngagementLevel, _ beginning: Beginning) {
    let abandoned = beginning == .cold ? 0 : model.abandoned
    skipped = beginning == .cold ? 0 : (1 - abandoned) * model.skip(level, isB: beginning.isB)
    let prompted = 1 - abandoned - skipped
    droppedOff = abandoned + prompted * model.lost
    let answered = prompted * (1 - model.lost)
    restricted = answered * model.restricted
    granted = answered * (1 - model.restricted) * model.grant(level, isB: beginning.isB)
    denied = answered * (1 - model.restricted) * (1 - model.grant(level, isB: beginning.isB))
  }
}

/// The time after a first question, for one level of engagement and day of the week: visits, and what happens in them.
///
/// Probabilities and means over the days after an exposure, if the user visited on its day.
struct Afterwards {
  /// Opened on day n after the exposure, for each day of retention.
  let retained: [Double]
  /// Means over the day of the exposure and the 27 after it.
  let activeDays: Double
  let features: Double
  /// Turned on within the follow-up after a denial; after a skip or a drop-off, by message (not B, B).
  let deniedEnabled: Double
  let openEnabled: [Double]
  /// Within the follow-up after a grant; the second of a partial grant.
  let revokedFull: Double
  let revokedPartly: Double
  let upgraded: Double
  /// The Settings prompt was shown by day n after a denial, for n from 0 to the length of the export.
  let settingsShownBy: [Double]

  /// - Parameters:
  ///   - weekday: of the exposure, 0 for Monday.
  ///   - days: the length of the export.
  init(_ model: PermissionModel, _ level: EngagementLevel, weekday: Int, days: Int) {
    let followUp = PermissionState.followUpDays
    /// The user is there and opens the app, by days since the exposure.
    var visits: [Double] = [1]
    var there = 1.0
    for n in 1...max(followUp, days, ExpectedCounts.retentionDays.max() ?? 0) {
      there *= level.staying
      visits.append(there * level.visiting[(weekday + n) % 7])
    }
    retained = ExpectedCounts.retentionDays.map { visits[$0] }
    activeDays = visits[..<followUp].reduce(0, +)
    features = activeDays * level.meanFeatures

    /// The probability that the wanted event happens on days 1 to `last`, except on the day on which the follow-up
    /// ends. Each visit may bring the wanted event or one of the others, and at most one of them happens in all.
    func happens(_ wanted: Double, others: Double, upTo last: Int = followUp - 1) -> [Double] {
      var sums = [0.0]
      // The chance that the user is still there and nothing has happened.
      var waiting = 1.0
      var sum = 0.0
      for n in 1...last {
        waiting *= level.staying
        if n != followUp {
          let visiting = waiting * level.visiting[(weekday + n) % 7]
          sum += visiting * wanted
          waiting -= visiting * (wanted + others)
        }
        sums.append(sum)
      }
      return sums
    }
    func withinFollowUp(_ wanted: Double, others: Double) -> Double { happens(wanted, others: others).last ?? 0 }

    let throughSettings = model.settingsPrompt * model.settingsOpened * model.settingsEnabled
    deniedEnabled = withinFollowUp(throughSettings + model.enabledAlone, others: model.settingsPrompt - throughSettings)
    let answered = model.askedAgain * (1 - model.lost)
    openEnabled = [false, true].map { isB in
      let enabled = answered * (1 - model.restricted) * model.grant(level, isB: isB)
      return withinFollowUp(enabled, others: answered - enabled)
    }
    revokedFull = withinFollowUp(model.revoked, others: 0)
    revokedPartly = withinFollowUp(model.revoked, others: model.upgraded)
    upgraded = withinFollowUp(model.upgraded, others: model.revoked)
    settingsShownBy = happens(model.settingsPrompt, others: model.enabledAlone, upTo: max(1, days))
  }
}
