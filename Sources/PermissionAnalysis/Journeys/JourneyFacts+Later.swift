// The facts of what happened after the answer: within the follow-up, after a grant, after a Settings prompt.

import PermissionEvents

extension JourneyFacts {
  @inline(__always)
  var isInBase: Bool { outcome.rawValue <= Outcome.droppedOff.rawValue }

  /// True if the journey has been followed for H from its exposure.
  @inline(__always)
  func isFollowed(_ windows: AnalysisWindows) -> Bool { start + windows.followUp <= windows.asOf }

  /// True if it was granted within H of the exposure, by whatever path.
  @inline(__always)
  func isGrantedByFollowUp(_ windows: AnalysisWindows) -> Bool {
    grantTime != .max && grantTime <= start + windows.followUp
  }

  /// True if it has been followed for H from the answer.
  @inline(__always)
  func isFollowedFromAnswer(_ windows: AnalysisWindows) -> Bool { answerTime + windows.followUp <= windows.asOf }

  /// True if it was enabled within H of the answer.
  @inline(__always)
  func isEnabledByFollowUp(_ windows: AnalysisWindows) -> Bool {
    enabledTime != .max && enabledTime <= answerTime + windows.followUp
  }

  /// Enabled later, as a survival: whole days from the answer to the enabling, or to as_of.
  @inline(__always)
  func timeToReturn(_ windows: AnalysisWindows) -> (day: Int, isEnabled: Bool) {
    let isEnabled = enabledTime != .max
    return (Int(((isEnabled ? enabledTime : windows.asOf) - answerTime) / millisecondsPerDay), isEnabled)
  }

  /// True if the time that the user looked at the explanation is known: to the first prompt, else to the answer.
  @inline(__always)
  var explanationEnd: Milliseconds? {
    guard beginsWithExplanation else { return nil }
    return hasPrompt ? promptTime : isAnswered ? answerTime : nil
  }
}

/// What followed a grant.
struct AfterGrant {
  /// Followed for H after the grant; nothing else is known before.
  var isFollowed = false
  var isRevoked = false
  /// A partial grant that became a whole one.
  var isUpgraded = false

  @inline(__always)
  init(
    _ journey: JourneyFacts, _ events: some JourneyEvents, _ permission: PermissionCode, _ windows: AnalysisWindows
  ) {
    let end = journey.answerTime + windows.followUp
    guard end <= windows.asOf else { return }
    isFollowed = true
    let revocation = events.next(.revocations, from: journey.answer + 1, after: journey.answerTime)
    if revocation < events.end { isRevoked = events.time(revocation) <= end }
    guard journey.isPartial else { return }
    var grant = events.next(.fullGrants, from: journey.answer + 1, after: journey.answerTime)
    while grant < events.end, events.time(grant) <= end {
      if events.status(grant).access(permission: permission) == .on {
        isUpgraded = true
        return
      }
      grant = events.next(.fullGrants, from: grant + 1)
    }
  }
}

/// Settings prompts of a denied journey, and the time that it spent under their influence and outside it.
struct SettingsFacts {
  var isShown = false
  var isOpened = false
  /// Followed for S after the prompt.
  var isEligible = false
  /// Enabled within S of the prompt.
  var isEnabledAfterPrompt = false
  /// Enabled within H of the answer.
  var isEnabledInTime: Bool
  /// Milliseconds.
  var exposed: Milliseconds = 0
  var unexposed: Milliseconds

  @inline(__always)
  init(_ journey: JourneyFacts, _ events: some JourneyEvents, _ windows: AnalysisWindows) {
    let end = min(journey.enabledTime, journey.answerTime + windows.followUp, windows.asOf)
    isEnabledInTime =
      journey.enabledTime <= journey.answerTime + windows.followUp && journey.enabledTime <= windows.asOf
    let prompt = events.next(.settingsPrompts, from: journey.answer + 1, after: journey.answerTime)
    if prompt < events.end {
      let shown = events.time(prompt)
      isShown = true
      isEnabledAfterPrompt = journey.enabledTime > shown && journey.enabledTime <= shown + windows.settings
      let opened = events.next(.settingsOpened, from: journey.exposure, after: shown - 1)
      if opened < events.end { isOpened = events.time(opened) <= shown + windows.response }
      isEligible = shown + windows.settings <= windows.asOf
      exposed = max(0, min(end, shown + windows.settings) - shown)
    }
    unexposed = end - journey.answerTime - exposed
  }
}

/// Calendar days after the day of an exposure.
enum DayAfter {
  /// True if day n after the exposure is over: a later day has begun at as_of.
  @inline(__always)
  static func isOver(_ n: Int64, after day: DayNumber, asOfDay: DayNumber) -> Bool { day + n + 1 <= asOfDay }
}
