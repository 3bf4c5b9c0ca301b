// A journey as a row: what is known of it at as_of, once for each user and permission.

import PermissionEvents

/// Times are UTC milliseconds; nil is what did not happen, or is not known.
package struct JourneyRecord {
  // Codes of the walk.
  package var permission: UInt32
  /// Of the exposure: its context, its attributes and its feature.
  package var context, attributes, feature: Int

  package var start: Milliseconds
  package var beginsWithExplanation: Bool
  package var beginsWithPrompt: Bool
  package var outcome: Outcome
  /// nil unless it was granted.
  package var isPartial: Bool?
  package var answer, firstPrompt: Milliseconds?
  /// The first time that it was found on after the exposure, by whatever path, and whether in part.
  package var foundOn: Milliseconds?
  package var isFoundOnInPart: Bool?
  /// The first time after an answer that was no grant, or after the response window.
  package var enabled: Milliseconds?
  package var isEnabledInPart: Bool?
  /// After a grant.
  package var revoked, upgraded: Milliseconds?
  /// After a denial.
  package var settingsPrompt, settingsOpened: Milliseconds?
  /// On days 0 to 27 after that of the exposure; nil until they are over.
  package var activeDays, featureEvents: Int?
  /// Active on day 1, 7 and 30; nil until the day is over.
  package var retained: (Bool?, Bool?, Bool?) = (nil, nil, nil)
}

extension JourneyRecord {
  /// All that does not depend on engagement.
  init(
    _ journey: JourneyFacts, _ events: some JourneyEvents, _ permission: PermissionCode, _ windows: AnalysisWindows
  ) {
    func known(_ time: Milliseconds) -> Milliseconds? { time == .max || time == .min ? nil : time }
    self.permission = permission.rawValue
    (context, attributes, feature) = (Int(events.code(journey.exposure) >> HistoryBatch.contextShift), 0, 0)
    start = journey.start
    (beginsWithExplanation, beginsWithPrompt) = (journey.beginsWithExplanation, journey.beginsWithPrompt)
    outcome = journey.outcome
    answer = journey.isAnswered ? journey.answerTime : nil
    firstPrompt = known(journey.promptTime)
    foundOn = known(journey.foundOnTime)
    isFoundOnInPart = foundOn == nil ? nil : journey.isFoundOnInPart
    switch outcome {
    case .granted:
      isPartial = journey.isPartial
      revoked = known(AfterGrant.revocation(journey, events))
      if journey.isPartial { upgraded = known(AfterGrant.upgrade(journey, events, permission, until: .max)) }
    case .pending: break
    case .denied, .skipped, .droppedOff, .restricted:
      enabled = known(journey.enabledTime)
      isEnabledInPart = enabled == nil ? nil : journey.isEnabledInPart
      guard outcome == .denied else { break }
      let settings = SettingsFacts(journey, events, windows)
      (settingsPrompt, settingsOpened) = (known(settings.shownTime), known(settings.openedTime))
    }
  }

  /// - Parameters:
  ///   - engagement: of the journey's user.
  ///   - day: of the exposure.
  ///   - asOfDay: the last day that has begun.
  ///   - missing: what the log does not hold.
  mutating func add(_ engagement: borrowing UserEngagement, day: DayNumber, asOfDay: DayNumber, missing: [Evidence]) {
    guard !missing.contains(.activity) else { return }
    let days = engagement.days(from: day)
    if DayAfter.isOver(27, after: day, asOfDay: asOfDay) {
      activeDays = (days & (1 << 28 - 1)).nonzeroBitCount
      if !missing.contains(.featureUsed) { featureEvents = Int(engagement.featureEvents(from: day)) }
    }
    func isActive(_ n: Int64) -> Bool? {
      DayAfter.isOver(n, after: day, asOfDay: asOfDay) ? days >> UInt64(n) & 1 == 1 : nil
    }
    retained = (isActive(1), isActive(7), isActive(30))
  }
}
