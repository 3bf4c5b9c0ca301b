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
  /// Figures of the journeys that begin with message A, and with B. With assignments, figures of the journeys from the
  /// first screen after the assignment on, also of prompts without an explanation.
  package var a: TrueFigures
  package var b: TrueFigures
  /// The expected number of users of each message whose calls all return at once.
  package var notAsked: Double
  /// The exact numbers of assigned users; nil if screens carry the message.
  package var assigned: AssignedUsers?
}

/// A test of two messages on a permission's Settings prompt: shares of the users who saw one after a denial, of A and of B.
package struct TrueSettingsExperiment: Sendable {
  package var name: String
  package var permission: String
  package var opened: [Double]
  package var enabled: [Double]

  init(_ model: PermissionModel) {
    (name, permission) = (model.settingsExperiment, model.name)
    opened = [false, true].map { model.settingsOpened(isB: $0) }
    enabled = opened.map { $0 * model.settingsEnabled }
  }
}

package struct SimulationTruth: Sendable {
  package var options: SimulationOptions
  /// From which a report must look.
  package var asOf: Milliseconds
  package var rows: [TrueRow] = []
  package var experiments: [TrueExperiment] = []
  /// Empty if Settings prompts have no messages.
  package var settingsExperiments: [TrueSettingsExperiment] = []
  /// For each permission the exact number of users whose calls all return at once; permissions without such users are
  /// left out.
  package var notAsked: [(permission: String, users: Int)] = []

  package init(_ options: SimulationOptions) {
    self.options = options
    asOf = options.end
    let sweep = TruthSweep(options)
    let assigned = options.assignments ? AssignedUsers.byPermission(options) : []
    if options.settingsMessages { settingsExperiments = PermissionModel.all.map(TrueSettingsExperiment.init) }
    for (permission, one) in PermissionModel.all.enumerated() {
      let model = options.settingsMessages ? one.withSettingsMessages : one
      let decided = model.decidedGranted == nil ? 0 : options.decided(before: options.users)
      if decided > 0 { notAsked.append((model.name, decided)) }
      let days = sweep.counts(model)
      let first = CalendarWeek(day: options.firstDay).index
      let last = CalendarWeek(day: options.firstDay + Int64(options.days) - 1).index
      for week in first...last {
        let monday = Int(CalendarWeek(index: week).firstDay - options.firstDay)
        let own = days[max(0, monday)..<min(days.count, monday + 7)]
        rows.append(
          TrueRow(
            permission: model.name, week: CalendarWeek(index: week).text, figures: Self.figures(own, Beginning.reported)
          ))
      }
      rows.append(TrueRow(permission: model.name, week: nil, figures: Self.figures(days[...], Beginning.reported)))
      if let experiment = model.experiment {
        experiments.append(
          TrueExperiment(
            name: experiment.name, permission: model.name,
            a: Self.figures(days[...], Beginning.compared(.messageA, options)),
            b: Self.figures(days[...], Beginning.compared(.messageB, options)), notAsked: Double(decided) / 2,
            assigned: assigned.isEmpty ? nil : assigned[permission]))
      }
    }
  }

  /// - Parameter beginnings: each with the share of its journeys that counts.
  private static func figures(
    _ days: ArraySlice<[ExpectedCounts]>, _ beginnings: KeyValuePairs<Beginning, Double>
  ) -> TrueFigures {
    var sum = ExpectedCounts()
    for day in days {
      for (beginning, share) in beginnings { sum.add(day[beginning.rawValue], share: share) }
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

// MARK: The users who are assigned to the messages of an experiment, counted in the events of the export

package struct AssignedUsers: Equatable, Sendable {
  /// Of A and of B; of them, those with a screen of the permission at or after the assignment.
  package var users = [0, 0]
  package var exposed = [0, 0]
  /// Users whose first screen is before their assignment; of them, those without another screen after it.
  package var late = 0
  package var askedBefore = 0

  /// Simulates all users once more, without writing.
  static func byPermission(_ options: SimulationOptions) -> [AssignedUsers] {
    var all = PermissionModel.all.map { _ in AssignedUsers() }
    let calendar = JoinCalendar(options)
    let block = EventBlock()
    var simulation = UserSimulation(options)
    for day in 0..<options.days {
      for number in calendar.users(on: day) {
        _ = simulation.simulate(number: number, slot: 0, joins: day, into: block)
        for permission in all.indices { all[permission].add(block, simulation, permission) }
        block.removeAll()
      }
    }
    return all
  }

  /// - Parameter block: the events of one user.
  private mutating func add(_ block: EventBlock, _ simulation: UserSimulation, _ permission: Int) {
    var (assigned, first, last) = (Milliseconds.max, Milliseconds.max, Milliseconds.min)
    var message = SimulatedEvent.Message.none
    for i in 0..<block.count where Int(block[i].permission) == permission {
      let event = block[i]
      if event.kind == .assigned {
        (assigned, message) = (min(assigned, event.time), event.message)
      } else if event.kind.isScreen {
        (first, last) = (min(first, event.time), max(last, event.time))
      }
    }
    guard message != .none else { return }
    let arm = message == .b ? 1 : 0
    users[arm] += 1
    // Calls that return at once show no screen.
    guard first < .max, simulation.states[permission].phase != .decidedBefore else { return }
    exposed[arm] += last >= assigned ? 1 : 0
    late += first < assigned ? 1 : 0
    askedBefore += last < assigned ? 1 : 0
  }
}

// MARK: What becomes of a first asking, for one level of engagement

/// How a journey begins: the screen, and the message on it. The last three are of users whose variant is late: on the
/// first visit, with the default on the explanation, and when they are asked again with a variant.
enum Beginning: Int, CaseIterable {
  case cold, explained, messageA, messageB
  case lateCold, lateExplained, again

  /// The beginnings of the journeys of a report, all of which count.
  static let reported: KeyValuePairs<Beginning, Double> = [
    .cold: 1, .explained: 1, .messageA: 1, .messageB: 1, .lateCold: 1, .lateExplained: 1,
  ]

  /// The beginnings of the journeys of one message in a comparison. Half of the users without a message on the screen
  /// are assigned to it.
  static func compared(_ message: Beginning, _ options: SimulationOptions) -> KeyValuePairs<Beginning, Double> {
    options.assignments ? [message: 1, .cold: 0.5, .again: 0.5] : [message: 1]
  }

  /// The share of the askings that begin like this: of late users on the first visit, or of all others.
  func share(_ model: PermissionModel) -> Double {
    switch self {
    case .cold, .lateCold: 1 - model.explained
    case .explained: model.experiment == nil ? model.explained : 0
    case .messageA, .messageB: model.experiment == nil ? 0 : model.explained / 2
    case .lateExplained: model.explained
    case .again: 0
    }
  }

  var isExplained: Bool { self != .cold && self != .lateCold && self != .again }
  var isB: Bool { self == .messageB }
  var isLate: Bool { self == .lateCold || self == .lateExplained }
}

extension OutcomeShares {
  init(_ model: PermissionModel, _ level: EngagementLevel, _ beginning: Beginning) {
    let abandoned = beginning.isExplained ? model.abandoned : 0
    skipped = beginning.isExplained ? (1 - abandoned) * model.skip(level, isB: beginning.isB) : 0
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
  private let openEnabled: [Double]
  /// The same of a user who is asked only once more.
  private let openEnabledLate: Double
  /// Within the follow-up after a grant; the second of a partial grant.
  let revokedFull: Double
  let revokedPartly: Double
  let upgraded: Double
  /// The Settings prompt was shown by day n after a denial, for n from 0 to the length of the export.
  let settingsShownBy: [Double]
  /// Asked again by day n after a skip or a drop-off, likewise.
  let askedAgainBy: [Double]

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
    /// - Parameter over: the probability that a visit brings the question and its end.
    func enabledFromOpen(isB: Bool, over: Double) -> Double {
      let enabled = answered * (1 - model.restricted) * model.grant(level, isB: isB)
      return withinFollowUp(enabled, others: over - enabled)
    }
    openEnabled = [false, true].map { enabledFromOpen(isB: $0, over: answered) }
    openEnabledLate = enabledFromOpen(isB: false, over: model.askedAgain)
    revokedFull = withinFollowUp(model.revoked, others: 0)
    revokedPartly = withinFollowUp(model.revoked, others: model.upgraded)
    upgraded = withinFollowUp(model.upgraded, others: model.revoked)
    settingsShownBy = happens(model.settingsPrompt, others: model.enabledAlone, upTo: max(1, days))
    askedAgainBy = happens(model.askedAgain, others: 0, upTo: max(1, days))
  }

  /// Turned on within the follow-up after a skip or a drop-off.
  func openEnabled(_ beginning: Beginning) -> Double {
    beginning.isLate ? openEnabledLate : openEnabled[beginning.isB ? 1 : 0]
  }
}
