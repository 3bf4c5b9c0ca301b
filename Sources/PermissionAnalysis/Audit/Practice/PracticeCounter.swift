// What an audit counts of the journeys of one permission.

import PermissionEvents

/// Each counts journeys. Their names are part of files of sums.
enum PracticeCounter: Int, CaseIterable {
  // Of the whole log.
  case exposed, unexposed, granted, denied
  /// With a prompt, a grant or a denial, exposed or not.
  case asked
  // Of the exposures that the question chooses, without pending ones.
  case journeys
  case cold, coldBase, coldGranted, explainedBase, explainedGranted
  /// With a known first use of the app.
  case firstUse
  case atOnce, atOnceBase, atOnceGranted, laterBase, laterGranted
  case skipped, askedAfterSkip
  case off, askedAfterOff
  case pestered
  /// Denied, and followed for a week.
  case deniedFollowed, noWayBack
  /// Denied, with a Settings prompt that was followed for half an hour.
  case settingsPrompted, settingsIgnored
  /// Answered before the user's latest change of version, and followed for a day after it.
  case updated, notRechecked
  /// Granted in part, and followed for 28 days.
  case partial, partialLeft
  /// Denied, and followed for a minute.
  case deniedKnown, contradicted

  static let count = allCases.count
  static let names = allCases.map { CounterNames.snakeCase("\($0)") }

  /// Counts that are never above another.
  static let parts: [(part: PracticeCounter, whole: PracticeCounter)] =
    [(.journeys, .exposed), (.granted, .exposed), (.denied, .exposed)]
    + AuditCheck.countedChecks.flatMap { _, counted -> [(part: PracticeCounter, whole: PracticeCounter)] in
      let costs = counted.costs.map { costs in
        [
          (costs.with.base, counted.part), (costs.with.granted, costs.with.base), (costs.without.base, counted.whole),
          (costs.without.granted, costs.without.base),
        ]
      }
      return [(counted.whole, .journeys), (counted.part, counted.whole)] + (costs ?? [])
    }
}

/// Kinds that some checks need to be logged at all: users with an event of each, whatever the question chooses.
enum PracticeEvidence: Int, CaseIterable {
  case explanationShown, settingsPromptShown, settingsOpened, statusChecked

  static let names = allCases.map { CounterNames.snakeCase("\($0)") }

  /// The kind's number.
  var kind: UInt8 {
    switch self {
    case .explanationShown: KindCode.explanationShown
    case .settingsPromptShown: KindCode.settingsPromptShown
    case .settingsOpened: KindCode.settingsOpened
    case .statusChecked: KindCode.statusChecked
    }
  }
}

/// The durations of an audit, which no option moves.
enum AuditDuration {
  /// Asked at once, and several at once.
  static let atOnce: Milliseconds = 60_000
  /// In which what is found on contradicts a denial: nobody goes to Settings and back so fast.
  static let contradiction: Milliseconds = 60_000
  /// In which "not now" is forgotten, and a Settings prompt ignored.
  static let sitting: Milliseconds = 30 * 60_000
  /// In which a new version looks again.
  static let recheck = millisecondsPerDay
  /// Of pestering, and of a way back after a denial.
  static let week = 7 * millisecondsPerDay
  /// In which partial access is asked about again; also how long a log has to go back for a first event to be a first use.
  static let followUp = 28 * millisecondsPerDay
}
