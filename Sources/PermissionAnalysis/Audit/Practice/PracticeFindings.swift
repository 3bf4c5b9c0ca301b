// What a journey shows of how the app asks. docs/metrics.md defines each.

import PermissionEvents

/// The findings that one journey is counted in.
struct PracticeFindings {
  /// Those of one journey, in the order of their bits.
  static let checks: [AuditCheck] = [
    .coldAsk, .askedAtOnce, .askedAfterNotNow, .askedAfterDenial, .pestering, .noWayBack, .settingsPromptIgnored,
    .notRechecked, .partialLeft, .contradictedAnswers,
  ]

  private enum Bit: Int {
    case coldAsk, askedAtOnce, askedAfterNotNow, askedAfterDenial, pestering, noWayBack, settingsPromptIgnored
    case notRechecked, partialLeft, contradictedAnswers
  }

  private var bits: UInt32 = 0

  var isEmpty: Bool { bits == 0 }

  func contains(_ check: AuditCheck) -> Bool {
    Self.checks.firstIndex(of: check).map { bits >> UInt32($0) & 1 != 0 } ?? false
  }

  @inline(__always)
  private mutating func set(_ bit: Bit, _ holds: Bool) { bits |= (holds ? 1 : 0) &<< UInt32(bit.rawValue) }

  /// Counts a journey that is not pending.
  /// - Parameters:
  ///   - firstUse: of the app by the user, at or before the exposure; nil if it is not known.
  ///   - versionChange: the user's latest; `Milliseconds.min` if there is none.
  @inline(__always)
  init(
    _ journey: JourneyFacts, _ events: EventList, _ permission: PermissionCode, _ windows: AnalysisWindows,
    _ installs: borrowing UserInstalls, firstUse: Milliseconds?, versionChange: Milliseconds, _ row: PracticeRow
  ) {
    addFirstAsk(journey, firstUse: firstUse, row)
    let asking = AskingFacts(events, installs)
    row.add(.skipped, asking.hasSkip)
    row.add(.askedAfterSkip, asking.isAskedAfterSkip)
    row.add(.off, asking.wasOff)
    row.add(.askedAfterOff, asking.isAskedAfterOff)
    row.add(.pestered, asking.isPestered)
    set(.askedAfterNotNow, asking.isAskedAfterSkip)
    set(.askedAfterDenial, asking.isAskedAfterOff)
    set(.pestering, asking.isPestered)
    if journey.outcome == .denied {
      addDenied(journey, events, windows, row)
      addContradiction(journey, windows, row)
    }
    if journey.isAnswered, journey.answerTime < versionChange {
      addUpdated(events, versionChange, windows, row)
    }
    if journey.outcome == .granted, journey.isPartial, journey.isFollowedFromAnswer(windows) {
      addPartial(journey, events, permission, windows, row)
    }
  }

  @inline(__always)
  private mutating func addFirstAsk(_ journey: JourneyFacts, firstUse: Milliseconds?, _ row: PracticeRow) {
    let (isInBase, isGranted) = (journey.isInBase, journey.outcome == .granted)
    if journey.beginsWithExplanation {
      row.add(.explainedBase, isInBase)
      row.add(.explainedGranted, isGranted)
    } else if journey.beginsWithPrompt {
      row.add(.cold)
      row.add(.coldBase, isInBase)
      row.add(.coldGranted, isGranted)
      set(.coldAsk, true)
    }
    guard let firstUse else { return }
    row.add(.firstUse)
    if journey.start - firstUse <= AuditDuration.atOnce {
      row.add(.atOnce)
      row.add(.atOnceBase, isInBase)
      row.add(.atOnceGranted, isGranted)
      set(.askedAtOnce, true)
    } else {
      row.add(.laterBase, isInBase)
      row.add(.laterGranted, isGranted)
    }
  }

  private mutating func addDenied(
    _ journey: JourneyFacts, _ events: EventList, _ windows: AnalysisWindows, _ row: PracticeRow
  ) {
    let prompt = events.next(.settingsPrompts, from: journey.answer + 1, after: journey.answerTime)
    let isPrompted = prompt < events.end
    if journey.answerTime + AuditDuration.week <= windows.asOf {
      row.add(.deniedFollowed)
      row.add(.noWayBack, !isPrompted)
      set(.noWayBack, !isPrompted)
    }
    guard isPrompted, events.time(prompt) + AuditDuration.sitting <= windows.asOf else { return }
    let shown = events.time(prompt)
    let isOpened = events.contains(1 << UInt32(KindCode.settingsOpened), in: shown...shown + AuditDuration.sitting)
    row.add(.settingsPrompted)
    row.add(.settingsIgnored, !isOpened)
    set(.settingsPromptIgnored, !isOpened)
  }

  private mutating func addContradiction(_ journey: JourneyFacts, _ windows: AnalysisWindows, _ row: PracticeRow) {
    let end = journey.answerTime + AuditDuration.contradiction
    guard end <= windows.asOf, !journey.isByStatus else { return }
    let isContradicted = journey.enabledTime <= end
    row.add(.deniedKnown)
    row.add(.contradicted, isContradicted)
    set(.contradictedAnswers, isContradicted)
  }

  private mutating func addUpdated(
    _ events: EventList, _ change: Milliseconds, _ windows: AnalysisWindows, _ row: PracticeRow
  ) {
    guard change + AuditDuration.recheck <= windows.asOf else { return }
    let isChecked = events.contains(KindSet.checks.bits, in: change...change + AuditDuration.recheck)
    row.add(.updated)
    row.add(.notRechecked, !isChecked)
    set(.notRechecked, !isChecked)
  }

  private mutating func addPartial(
    _ journey: JourneyFacts, _ events: EventList, _ permission: PermissionCode, _ windows: AnalysisWindows,
    _ row: PracticeRow
  ) {
    let end = journey.answerTime + AuditDuration.followUp
    let screens: UInt32 =
      1 << UInt32(KindCode.explanationShown) | 1 << UInt32(KindCode.promptShown)
      | 1 << UInt32(KindCode.settingsPromptShown)
    let isAsked = events.contains(screens, in: journey.answerTime + 1...end)
    let isLeft = !isAsked && AfterGrant.upgrade(journey, events, permission, until: end) > end
    row.add(.partial)
    row.add(.partialLeft, isLeft)
    set(.partialLeft, isLeft)
  }
}
