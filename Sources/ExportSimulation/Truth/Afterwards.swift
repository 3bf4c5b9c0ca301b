// What becomes of a first asking, for one level of engagement.

import PermissionEvents

/// How a journey begins: the screen, and the message on it.
enum Beginning: Int, CaseIterable {
  case cold, explained, messageA, messageB

  /// Share of the askings that begin so.
  func share(_ model: PermissionModel) -> Double {
    switch self {
    case .cold: 1 - model.explained
    case .explained: model.experiment == nil ? model.explained : 0
    case .messageA, .messageB: model.experiment == nil ? 0 : model.explained / 2
    }
  }

  var isB: Bool { self == .messageB }
}

/// Probabilities that add up to one.
struct AnswerProbabilities {
  let granted: Double
  let denied: Double
  let skipped: Double
  let droppedOff: Double
  let restricted: Double

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

/// What happens after a first asking, for one level of engagement and day of the week: visits, and what they bring.
///
/// Probabilities and means over the days after an exposure, given that the user was there on its day.
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

    /// Probability that, on days 1 to `last` but not on the day when the follow-up ends, the wanted thing happens,
    /// if each visit brings it or one of the others, and at most one of all.
    func happens(_ wanted: Double, others: Double, upTo last: Int = followUp - 1) -> [Double] {
      var sums = [0.0]
      // Still there and nothing has happened.
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
    deniedEnabled = withinFollowUp(
      throughSettings + model.enabledAlone, others: model.settingsPrompt - throughSettings)
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
