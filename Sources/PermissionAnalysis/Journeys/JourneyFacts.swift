// The facts of a journey: all that happened between one user and one permission, read from that user's events of that
// permission in the log's order. Every fold takes them from here, so an outcome, or a later opt-in, means the same
// everywhere. docs/metrics.md defines them.

import PermissionEvents

/// The outcome of a journey within its response window.
package enum Outcome: Int, CaseIterable, Sendable {
  case granted = 0
  case denied = 1
  case skipped = 2
  case droppedOff = 3
  /// A denial in which the user had no choice.
  case restricted = 4
  /// The response window is still open.
  case pending = 5

  package static let base: [Outcome] = [.granted, .denied, .skipped, .droppedOff]
}

/// What all figures need of an exposed journey. Times are UTC milliseconds.
struct JourneyFacts {
  /// Number of the exposure among the journey's events.
  var exposure: Int
  var start: Milliseconds
  /// It began with an explanation, or with a "Not now", which one must have been before.
  var beginsWithExplanation: Bool
  var beginsWithPrompt: Bool
  var outcome: Outcome
  /// Of the answer; for `droppedOff` the end of the response window (`tr`).
  var answerTime: Milliseconds
  /// Number of the answer; -1 without one.
  var answer: Int
  /// The answer is a look at the status after the prompt.
  var isByStatus: Bool
  /// It is known how long it took: screen and answer are both there.
  var isTimed: Bool
  var isPartial: Bool
  /// The first prompt in the span from the exposure to the answer (or the window's end); `Milliseconds.min` if none.
  var promptTime: Milliseconds
  /// When it was first found on after the exposure, by whatever path; `Milliseconds.max` if never.
  var foundOnTime: Milliseconds
  var isFoundOnInPart: Bool
  /// When it was first found on after `answerTime`; `Milliseconds.max` if never.
  var enabledTime: Milliseconds
  var isEnabledInPart: Bool

  var hasPrompt: Bool { promptTime != .min }
  var isAnswered: Bool { answer >= 0 }
}

extension JourneyEvents {
  /// The event that exposes the journey; `end` if none does: the first screen, or a "Not now" before it, which must
  /// have followed an explanation.
  /// - Parameter isAlone: the log has no screens of the permission at all, so that the first answer exposes.
  @inline(__always)
  func exposure(isAlone: Bool) -> Int { next(isAlone ? .results : .exposing, from: 0) }
}

extension JourneyFacts {
  /// Reads the journey whose exposure is the event number `exposure`, a screen or an answer without one.
  @inline(__always)
  init(_ events: some JourneyEvents, exposure: Int, permission: PermissionCode, windows: AnalysisWindows) {
    self.exposure = exposure
    let end = events.end
    let next = exposure + 1
    start = events.time(exposure)
    let firstKind = events.kind(exposure)
    beginsWithPrompt = firstKind == KindCode.promptShown
    beginsWithExplanation =
      firstKind == KindCode.explanationShown || CheckedStatus.isRefusal(events.code(exposure))
    let hasScreen = firstKind <= KindCode.promptShown
    let windowEnd = start + windows.response
    // The answer: the first one after the exposure, no later than t0 + W.
    let firstAnswer = hasScreen ? events.next(.answers, from: next) : exposure
    var answer = firstAnswer < end && events.time(firstAnswer) <= windowEnd ? firstAnswer : -1
    // The first prompt up to it.
    var promptTime = beginsWithPrompt ? start : .min
    if firstKind == KindCode.explanationShown {
      let prompt = events.next(.prompts, from: next)
      let isInSpan = prompt < end && prompt < firstAnswer && events.time(prompt) <= windowEnd
      promptTime = isInSpan ? events.time(prompt) : .min
    }
    isPartial = false
    isByStatus = false
    var wasNotAsked = false
    if answer < 0 {
      if promptTime != .min {
        answer = Self.answeringStatus(events, from: next, in: promptTime + windows.shortestAnswer, windowEnd)
        isByStatus = answer >= 0
      }
      wasNotAsked = answer < 0 && !beginsWithPrompt && Self.firstPromptIsUnseen(events, from: next, until: windowEnd)
    }
    (self.answer, self.promptTime) = (answer, promptTime)
    answerTime = answer >= 0 ? events.time(answer) : windowEnd
    isTimed = hasScreen && !isByStatus
    if windowEnd > windows.asOf {
      outcome = .pending
    } else if answer < 0 {
      outcome = wasNotAsked ? .restricted : .droppedOff
    } else {
      let kind = events.kind(answer)
      if isByStatus {
        switch events.status(answer).access(permission: permission) {
        case .off: outcome = .denied
        case .restricted: outcome = .restricted
        default:
          outcome = .granted
          isPartial = events.isPartial(answer, permission: permission)
        }
      } else if kind == KindCode.denied {
        outcome = events.status(answer) == .restricted ? .restricted : .denied
      } else if kind == KindCode.skipped {
        outcome = .skipped
      } else {
        outcome = .granted
        isPartial = events.isPartial(answer, permission: permission)
      }
    }
    // In [t0, …]: an answer that exposes is found on itself.
    let found = hasScreen ? events.next(.foundOn, from: next) : events.next(.foundOn, from: 0, after: start - 1)
    foundOnTime = found < end ? events.time(found) : .max
    isFoundOnInPart = found < end && events.isPartial(found, permission: permission)
    // Enabled later: found on at a time strictly after tr.
    let enabling = events.next(.foundOn, from: answer >= 0 ? answer + 1 : next, after: answerTime)
    enabledTime = enabling < end ? events.time(enabling) : .max
    isEnabledInPart = enabling < end && events.isPartial(enabling, permission: permission)
  }

  /// The state that the app found after the prompt, if it logged no answer. A dialog is answered before the app goes on.
  /// - Returns: the number of the first status check between two moments that means on or off, or -1.
  @inline(never)
  private static func answeringStatus(
    _ events: some JourneyEvents, from next: Int, in first: Milliseconds, _ last: Milliseconds
  ) -> Int {
    var check = events.next(.checks, from: next)
    while check < events.end, events.time(check) <= last {
      if events.time(check) >= first, CheckedStatus.isDetermined(events.code(check)) { return check }
      check = events.next(.checks, from: check + 1)
    }
    return -1
  }

  /// Whether the first prompt of the window was the call of a permission that had been decided before.
  @inline(never)
  private static func firstPromptIsUnseen(_ events: some JourneyEvents, from next: Int, until end: Milliseconds) -> Bool
  {
    let unseen = events.next(.unseenPrompts, from: next)
    guard unseen < events.end, events.time(unseen) <= end else { return false }
    return unseen < events.next(.prompts, from: next)
  }

  @inline(__always)
  var isInBase: Bool { outcome.rawValue <= Outcome.droppedOff.rawValue }

  /// Whether the journey has been followed for H from its exposure.
  @inline(__always)
  func isFollowed(_ windows: AnalysisWindows) -> Bool { start + windows.followUp <= windows.asOf }

  /// Whether it was found on within H of the exposure, by whatever path.
  @inline(__always)
  func isGrantedByFollowUp(_ windows: AnalysisWindows) -> Bool {
    foundOnTime != .max && foundOnTime <= start + windows.followUp
  }

  /// Whether it has been followed for H from the answer.
  @inline(__always)
  func isFollowedFromAnswer(_ windows: AnalysisWindows) -> Bool { answerTime + windows.followUp <= windows.asOf }

  /// Whether it was enabled within H of the answer.
  @inline(__always)
  func isEnabledByFollowUp(_ windows: AnalysisWindows) -> Bool {
    enabledTime != .max && enabledTime <= answerTime + windows.followUp
  }

  /// Whether it was enabled in (moment, moment + span].
  @inline(__always)
  func isEnabled(after moment: Milliseconds, within span: Milliseconds) -> Bool {
    enabledTime > moment && enabledTime <= moment + span
  }

  /// Enabled later, as a survival: whole days from the answer to the enabling, or to as_of.
  @inline(__always)
  func timeToReturn(_ windows: AnalysisWindows) -> (day: Int, isEnabled: Bool) {
    let isEnabled = enabledTime != .max
    return (Int(((isEnabled ? enabledTime : windows.asOf) - answerTime) / millisecondsPerDay), isEnabled)
  }

  /// Whether the time that the user looked at the explanation is known: to the first prompt, else to the answer.
  @inline(__always)
  var explanationEnd: Milliseconds? {
    guard beginsWithExplanation, isTimed else { return nil }
    return hasPrompt ? promptTime : isAnswered ? answerTime : nil
  }
}

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
    isRevoked = !Self.isKept(journey, events, windows)
    guard journey.isPartial else { return }
    isUpgraded = Self.upgrade(journey, events, permission, until: end) <= end
  }

  /// Whether a grant was not found off within H of the answer, as far as the events go.
  @inline(__always)
  static func isKept(_ journey: JourneyFacts, _ events: some JourneyEvents, _ windows: AnalysisWindows) -> Bool {
    revocation(journey, events) > journey.answerTime + windows.followUp
  }

  /// When a grant was found off for the first time; `Milliseconds.max` if never.
  @inline(__always)
  static func revocation(_ journey: JourneyFacts, _ events: some JourneyEvents) -> Milliseconds {
    let found = events.next(.foundOff, from: journey.answer + 1, after: journey.answerTime)
    return found < events.end ? events.time(found) : .max
  }

  /// When a partial grant was found on in full for the first time; `Milliseconds.max` if never, or not until a moment.
  @inline(__always)
  static func upgrade(
    _ journey: JourneyFacts, _ events: some JourneyEvents, _ permission: PermissionCode, until end: Milliseconds
  ) -> Milliseconds {
    var found = events.next(.foundOn, from: journey.answer + 1, after: journey.answerTime)
    while found < events.end, events.time(found) <= end {
      // Without a status it is not known to be whole.
      if events.status(found).access(permission: permission) == .on { return events.time(found) }
      found = events.next(.foundOn, from: found + 1)
    }
    return .max
  }
}

/// A Settings prompt of a denied journey, the first unless another is named, and what followed it.
struct SettingsFacts {
  /// The prompt after the answer; `Milliseconds.max` without one.
  var shownTime = Milliseconds.max
  /// When it was followed, in time; `Milliseconds.max` if it was not.
  var openedTime = Milliseconds.max
  /// Followed for S after the prompt.
  var isEligible = false
  /// Enabled within S of the prompt.
  var isEnabledAfterPrompt = false

  @inline(__always) var isShown: Bool { shownTime != .max }
  @inline(__always) var isOpened: Bool { openedTime != .max }

  @inline(__always)
  init(
    _ journey: JourneyFacts, _ events: some JourneyEvents, _ windows: AnalysisWindows, prompt named: Int? = nil
  ) {
    let prompt = named ?? Self.first(of: journey, events)
    guard prompt < events.end else { return }
    let shown = events.time(prompt)
    shownTime = shown
    isEnabledAfterPrompt = journey.isEnabled(after: shown, within: windows.settings)
    let opened = events.next(.settingsOpened, from: journey.exposure, after: shown - 1)
    if opened < events.end, events.time(opened) <= shown + windows.response { openedTime = events.time(opened) }
    isEligible = shown + windows.settings <= windows.asOf
  }
}

extension SettingsFacts {
  /// The number of the first Settings prompt after the answer; `end` without one.
  @inline(__always)
  static func first(of journey: JourneyFacts, _ events: some JourneyEvents) -> Int {
    events.next(.settingsPrompts, from: journey.answer + 1, after: journey.answerTime)
  }
}

/// Whether Settings prompts bring users back, as a trial begun anew each day after a denial (a nested target trial, by
/// intention; Hernán and Robins 2016). Apps prompt the people who still open them, and only they can come back, so the
/// prompted are compared with users who opened the app on the same day.
enum SettingsTrials {
  /// Whole days since the denial, from 0.
  static let days = 28
  /// Who is found on so soon after opening the app was on before.
  private static let foundAtOpening: Milliseconds = 60_000

  struct Trial {
    var day: Int
    var isPrompted: Bool
    var isEnabled: Bool
    var isPromptedLater: Bool
  }

  /// Calls `body` with each trial that a denied journey has a part in.
  /// - Parameters:
  ///   - prompt: the time of its first Settings prompt; `Milliseconds.max` without one.
  ///   - use: times of the user's engagement, in order.
  @inline(__always)
  static func forEach(
    of journey: JourneyFacts, prompt: Milliseconds, _ windows: AnalysisWindows, useCount: Int,
    use: (Int) -> Milliseconds, _ body: (Trial) -> Void
  ) {
    let denied = journey.answerTime
    let followed = windows.asOf - windows.settings
    let isPrompted = prompt < denied + Milliseconds(days) * millisecondsPerDay
    // Whoever is prompted on a day is not compared on it, and on none after it.
    let promptDay = isPrompted ? Int((prompt - denied) / millisecondsPerDay) : days
    let end = denied + Milliseconds(promptDay) * millisecondsPerDay
    var i = firstIndex(0, useCount) { use($0) > denied }
    while i < useCount {
      let start = use(i)
      guard start < end, start <= followed, journey.enabledTime - foundAtOpening > start else { break }
      let day = (start - denied) / millisecondsPerDay
      body(
        Trial(
          day: Int(day), isPrompted: false, isEnabled: journey.isEnabled(after: start, within: windows.settings),
          isPromptedLater: prompt > start && prompt <= start + windows.settings))
      let next = denied + (day + 1) * millisecondsPerDay
      i += 1
      while i < useCount, use(i) < next { i += 1 }
    }
    guard isPrompted, prompt <= followed, journey.enabledTime > prompt else { return }
    body(
      Trial(
        day: promptDay, isPrompted: true, isEnabled: journey.isEnabled(after: prompt, within: windows.settings),
        isPromptedLater: false))
  }

  /// The first of a range of numbers for which something holds, if it holds for all later ones, too.
  @inline(__always)
  private static func firstIndex(_ first: Int, _ end: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (first, end)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

enum DayAfter {
  /// Whether day n after the exposure is over: a later day has begun at as_of.
  @inline(__always)
  static func isOver(_ n: Int64, after day: DayNumber, asOfDay: DayNumber) -> Bool { day + n + 1 <= asOfDay }
}

/// Durations in milliseconds.
package struct AnalysisWindows: Sendable, Hashable {
  /// W: how long after the exposure an answer counts.
  package var response: Milliseconds = 30 * 60_000
  /// H: how long a journey is followed.
  package var followUp: Milliseconds = 28 * millisecondsPerDay
  /// How long after the exposure it is known of every journey whether a grant was kept for H: the answer may come at the
  /// end of W.
  @inline(__always) package var keeping: Milliseconds { response + followUp }
  /// S: how long after a Settings prompt a later opt-in counts for it.
  package let settings = Self.settingsDays * millisecondsPerDay
  package static let settingsDays: Milliseconds = 7
  /// Answers faster than this after a prompt, or before it, do not come from a person. 0 counts all as answers.
  package var atOnce: Milliseconds = AnalysisWindows.usualAtOnce
  /// The `as_of`: later events are ignored.
  package var asOf: Milliseconds

  package init(asOf: Milliseconds) { self.asOf = asOf }

  /// How many of a user's events, which are in the order of their times, are looked at.
  @inline(__always)
  func events(_ times: UnsafePointer<Milliseconds>, _ count: Int) -> Int {
    var count = count
    while count > 0, times[count - 1] > asOf { count -= 1 }
    return count
  }

  /// The same of engagement, whose words are times doubled, and one more for a kind.
  @inline(__always)
  func uses(_ words: UnsafePointer<UInt64>, _ count: Int) -> Int {
    var count = count
    while count > 0, Milliseconds(truncatingIfNeeded: words[count - 1] >> 1) > asOf { count -= 1 }
    return count
  }

  package static let usualAtOnce: Milliseconds = 250
  /// The largest allowed value: a minute.
  package static let longestAtOnce: Milliseconds = 60_000

  /// How long after a prompt a status check can show the answer.
  package var shortestAnswer: Milliseconds { atOnce == 0 ? Self.usualAtOnce : atOnce }

  /// The longest allowed window: ten years.
  package static let longest: Milliseconds = 3660 * millisecondsPerDay
}
