// What a journey shows of how the app asks. docs/metrics.md defines each.

import PermissionEvents

/// The checks that one journey is counted in.
struct PracticeFindings {
  /// The parts of checks that it is counted in, by their numbers.
  private var parts: UInt64 = 0

  var isEmpty: Bool { parts == 0 }

  func contains(_ counted: AuditCheck.Counted) -> Bool { parts >> UInt64(counted.part.rawValue) & 1 != 0 }

  /// Counts the journey in the part of a check.
  @inline(__always)
  private mutating func add(_ part: PracticeCounter, _ holds: Bool = true, to row: PracticeRow) {
    row.add(part, holds)
    parts |= (holds ? 1 : 0) &<< UInt64(part.rawValue)
  }

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
    add(.askedAfterSkip, asking.isAskedAfterSkip, to: row)
    row.add(.off, asking.wasOff)
    add(.askedAfterOff, asking.isAskedAfterOff, to: row)
    add(.pestered, asking.isPestered, to: row)
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
      add(.cold, to: row)
      row.add(.coldBase, isInBase)
      row.add(.coldGranted, isGranted)
    }
    guard let firstUse else { return }
    row.add(.firstUse)
    if journey.start - firstUse <= AuditDuration.atOnce {
      add(.atOnce, to: row)
      row.add(.atOnceBase, isInBase)
      row.add(.atOnceGranted, isGranted)
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
      add(.noWayBack, !isPrompted, to: row)
    }
    guard isPrompted, events.time(prompt) + AuditDuration.sitting <= windows.asOf else { return }
    let shown = events.time(prompt)
    let isOpened = events.contains(1 << UInt32(KindCode.settingsOpened), in: shown...shown + AuditDuration.sitting)
    row.add(.settingsPrompted)
    add(.settingsIgnored, !isOpened, to: row)
  }

  private mutating func addContradiction(_ journey: JourneyFacts, _ windows: AnalysisWindows, _ row: PracticeRow) {
    let end = journey.answerTime + AuditDuration.contradiction
    guard end <= windows.asOf, !journey.isByStatus else { return }
    let isContradicted = journey.enabledTime <= end
    row.add(.deniedKnown)
    add(.contradicted, isContradicted, to: row)
  }

  private mutating func addUpdated(
    _ events: EventList, _ change: Milliseconds, _ windows: AnalysisWindows, _ row: PracticeRow
  ) {
    guard change + AuditDuration.recheck <= windows.asOf else { return }
    let isChecked = events.contains(KindSet.checks.bits, in: change...change + AuditDuration.recheck)
    row.add(.updated)
    add(.notRechecked, !isChecked, to: row)
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
    add(.partialLeft, isLeft, to: row)
  }
}
