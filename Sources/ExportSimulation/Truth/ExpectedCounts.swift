// Expected counts: what a report would count on average over all draws.

import PermissionEvents

/// Sums of expectations, by what is counted. Those from `followed` on only take in journeys whose follow-up is over.
struct ExpectedCounts {
  enum Item: Int, CaseIterable {
    case exposed, restricted, granted, denied, skipped, droppedOff, partial
    case explainedBase, explainedGranted, coldBase, coldGranted
    case settingsShown, settingsOpened, settingsEligible, settingsEnabled
    // Follow-up over.
    case followed, grantedByFollowUp
    case followedDenied, deniedEnabled, followedSkipped, skippedEnabled, followedDroppedOff, droppedOffEnabled
    case followedGranted, revoked, followedPartial, upgraded
    // The 28 days of engagement are over.
    case engagedGranted, engagedOther, activeDaysGranted, activeDaysOther, featuresGranted, featuresOther
    // By day of retention and outcome: eligible, retained.
    case retention
  }

  static let retentionDays = [1, 7, 30]
  static let outcomes = 4
  private static let length = Item.retention.rawValue + retentionDays.count * outcomes * 2

  private var values = [Double](repeating: 0, count: length)

  subscript(_ item: Item) -> Double {
    get { values[item.rawValue] }
    set { values[item.rawValue] = newValue }
  }

  /// Journeys of an outcome (granted, denied, skipped, dropped off) that are eligible for a day of retention, and retained.
  subscript(retention day: Int, outcome outcome: Int, retained isRetained: Bool) -> Double {
    get { values[Self.place(day, outcome, isRetained)] }
    set { values[Self.place(day, outcome, isRetained)] = newValue }
  }

  private static func place(_ day: Int, _ outcome: Int, _ isRetained: Bool) -> Int {
    Item.retention.rawValue + (day * outcomes + outcome) * 2 + (isRetained ? 1 : 0)
  }

  mutating func add(_ other: ExpectedCounts) {
    for i in values.indices { values[i] += other.values[i] }
  }

  var base: Double { self[.granted] + self[.denied] + self[.skipped] + self[.droppedOff] }
}

/// The expectation of every count, by permission, day of exposure and beginning: a sum over the levels of engagement,
/// carried from day to day with the users who are there and have not been asked.
struct TruthSweep {
  private let options: SimulationOptions
  private let calendar: JoinCalendar
  private let levels = EngagementLevel.all

  init(_ options: SimulationOptions) {
    self.options = options
    calendar = JoinCalendar(options)
  }

  /// Expected counts of a permission, by day of exposure, then by beginning.
  func counts(_ model: PermissionModel) -> [[ExpectedCounts]] {
    let beginnings = Beginning.allCases
    let days = options.days
    var result = [[ExpectedCounts]](
      repeating: [ExpectedCounts](repeating: ExpectedCounts(), count: beginnings.count), count: days)
    for level in levels {
      let answers = beginnings.map { AnswerProbabilities(model, level, $0) }
      let afterwards = (0..<7).map { Afterwards(model, level, weekday: $0, days: days) }
      // Expected number of users of this level who are there and unasked.
      var unasked = 0.0
      for day in 0..<days {
        let weekday = weekdayIndex(options.firstDay + Int64(day))
        let newcomers = Double(newcomers(on: day, model)) / Double(levels.count)
        let later = unasked * level.visiting[weekday] * model.askedLater
        let asked = newcomers * model.askedFirstDay + later
        unasked = (unasked - later + newcomers * (1 - model.askedFirstDay)) * level.staying
        for beginning in beginnings {
          let weight = asked * beginning.share(model)
          guard weight > 0 else { continue }
          add(
            weight, model, answers[beginning.rawValue], afterwards[weekday], beginning, day,
            to: &result[day][beginning.rawValue])
        }
      }
    }
    return result
  }

  /// Users who join on a day and have not decided.
  private func newcomers(on day: Int, _ model: PermissionModel) -> Int {
    let users = calendar.users(on: day)
    guard model.decidedGranted != nil else { return users.count }
    return users.count - options.decided(before: users.upperBound) + options.decided(before: users.lowerBound)
  }

  /// Adds what becomes of `weight` journeys that begin on a day.
  private func add(
    _ weight: Double, _ model: PermissionModel, _ answer: AnswerProbabilities, _ after: Afterwards,
    _ beginning: Beginning, _ day: Int, to counts: inout ExpectedCounts
  ) {
    let granted = weight * answer.granted
    let denied = weight * answer.denied
    let skipped = weight * answer.skipped
    let droppedOff = weight * answer.droppedOff
    let other = denied + skipped + droppedOff
    counts[.exposed] += weight
    counts[.restricted] += weight * answer.restricted
    counts[.granted] += granted
    counts[.denied] += denied
    counts[.skipped] += skipped
    counts[.droppedOff] += droppedOff
    counts[.partial] += granted * model.partial
    counts[beginning == .cold ? .coldBase : .explainedBase] += granted + other
    counts[beginning == .cold ? .coldGranted : .explainedGranted] += granted

    // The report looks from the end of the export, the first moment of day `days`.
    let left = options.days - day
    let shown = after.settingsShownBy
    counts[.settingsShown] += denied * shown[left - 1]
    counts[.settingsOpened] += denied * shown[left - 1] * model.settingsOpened
    if left >= 9 {
      counts[.settingsEligible] += denied * shown[left - 8]
      counts[.settingsEnabled] += denied * shown[left - 8] * model.settingsOpened * model.settingsEnabled
    }
    if left > PermissionState.followUpDays {
      let openEnabled = after.openEnabled[beginning.isB ? 1 : 0]
      counts[.followed] += granted + other
      counts[.grantedByFollowUp] += granted + denied * after.deniedEnabled + (skipped + droppedOff) * openEnabled
      counts[.followedDenied] += denied
      counts[.deniedEnabled] += denied * after.deniedEnabled
      counts[.followedSkipped] += skipped
      counts[.skippedEnabled] += skipped * openEnabled
      counts[.followedDroppedOff] += droppedOff
      counts[.droppedOffEnabled] += droppedOff * openEnabled
      let partial = granted * model.partial
      counts[.followedGranted] += granted
      counts[.revoked] += (granted - partial) * after.revokedFull + partial * after.revokedPartly
      counts[.followedPartial] += partial
      counts[.upgraded] += partial * after.upgraded
    }
    if left >= 28 {
      counts[.engagedGranted] += granted
      counts[.engagedOther] += other
      counts[.activeDaysGranted] += granted * after.activeDays
      counts[.activeDaysOther] += other * after.activeDays
      counts[.featuresGranted] += granted * after.features
      counts[.featuresOther] += other * after.features
    }
    for (i, retentionDay) in ExpectedCounts.retentionDays.enumerated() where left > retentionDay {
      for (outcome, number) in [granted, denied, skipped, droppedOff].enumerated() {
        counts[retention: i, outcome: outcome, retained: false] += number
        counts[retention: i, outcome: outcome, retained: true] += number * after.retained[i]
      }
    }
  }
}
