// Which events of a journey show the messages that are compared: screens, or the Settings prompts after a denial.

import PermissionEvents

/// The events of one journey that show messages. Everything else of a comparison is the same for both screens.
struct MessageEvents {
  /// The kinds that show a message, one bit each.
  private let kinds: UInt32
  /// The event that exposes the journey, whatever its kind: an answer may stand for its screen. -1 for Settings prompts.
  private let exposing: Int
  /// The first event that can expose to a message. Settings prompts before the denial do not.
  let start: Int
  /// The denied journey, if the messages are those of Settings prompts. Its own window may still be open.
  let denied: JourneyFacts?

  /// - Parameter isAlone: the log has no screens of the permission.
  @inline(__always)
  init(
    _ screen: MessageScreen, _ events: EventList, isAlone: Bool, permission: PermissionCode, _ windows: AnalysisWindows
  ) {
    let first = events.exposure(isAlone: isAlone)
    guard screen == .settings else {
      (kinds, exposing, start, denied) = (isAlone ? 0 : KindSet.screens.bits, first, 0, nil)
      return
    }
    (kinds, exposing) = (KindSet.settingsPrompts.bits, -1)
    denied = first < events.end ? Self.denied(events, exposure: first, permission: permission, windows) : nil
    start = denied.map { SettingsFacts.first(of: $0, events) } ?? events.end
  }

  /// The journey if its answer so far is a denial. A prompt that follows it shows the message at once, so it counts at once, as
  /// pending.
  private static func denied(
    _ events: EventList, exposure: Int, permission: PermissionCode, _ windows: AnalysisWindows
  ) -> JourneyFacts? {
    var windows = windows
    windows.asOf = .max
    let journey = JourneyFacts(events, exposure: exposure, permission: permission, windows: windows)
    return journey.outcome == .denied ? journey : nil
  }

  @inline(__always)
  func contains(_ i: Int, _ events: EventList) -> Bool { i == exposing || kinds >> (events.code(i) & 15) & 1 != 0 }
}

/// A journey from the event on that showed the message.
struct ExposedJourney {
  let journey: JourneyFacts
  /// What followed the Settings prompt that showed the message; nil if a screen showed it.
  let settings: SettingsFacts?
  /// Of the exposure.
  let start: Milliseconds
  /// At as_of. After a Settings prompt it is a denial from the end of the prompt's response window on.
  let outcome: Outcome
  /// Granted, and not found off within the follow-up. It is known when the journey has been followed that long.
  let isKept: Bool

  @inline(__always)
  init(
    _ events: EventList, _ messages: MessageEvents, exposure: Int, permission: PermissionCode,
    _ windows: AnalysisWindows
  ) {
    guard let denied = messages.denied else {
      self.init(JourneyFacts(events, exposure: exposure, permission: permission, windows: windows), events, windows)
      return
    }
    let shown = events.time(exposure)
    self.init(
      denied, SettingsFacts(denied, events, windows, prompt: exposure), start: shown,
      outcome: shown + windows.response > windows.asOf ? .pending : .denied, isKept: false)
  }

  /// A journey from its own first screen on.
  @inline(__always)
  init(_ journey: JourneyFacts, _ events: EventList, _ windows: AnalysisWindows) {
    self.init(
      journey, nil, start: journey.start, outcome: journey.outcome,
      isKept: journey.outcome == .granted && AfterGrant.isKept(journey, events, windows))
  }

  @inline(__always)
  private init(
    _ journey: JourneyFacts, _ settings: SettingsFacts?, start: Milliseconds, outcome: Outcome, isKept: Bool
  ) {
    (self.journey, self.settings, self.start, self.outcome) = (journey, settings, start, outcome)
    self.isKept = isKept
  }

  @inline(__always) var isInBase: Bool { outcome.rawValue <= Outcome.droppedOff.rawValue }

  /// When it is known whether the Settings prompt brought the user back: the settings window is over, and the journey's own.
  @inline(__always)
  func settled(_ windows: AnalysisWindows) -> Milliseconds {
    max(start &+ windows.settings, journey.start &+ windows.response)
  }
}
