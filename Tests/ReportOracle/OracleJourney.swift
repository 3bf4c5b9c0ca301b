// One journey that begins with a screen: exposure, answer, outcome and what came later.

/// How a journey ended within the response window.
enum OracleOutcome {
  case pending, granted, denied, skipped, restricted, droppedOff
}

/// "All that happened between one user and one permission, in time order", if there was a screen.
struct OracleJourney {
  let permission: String
  /// In the journey's order, up to as_of, without engagement.
  let events: [OracleEvent]
  let exposure: OracleEvent
  /// Time of the exposure.
  let t0: Int
  let day0: Int
  let week: OracleWeek
  let answer: OracleEvent?
  let outcome: OracleOutcome
  /// The first prompt after the exposure, up to the answer or t0 + W; nil if there was none.
  let continuedPrompt: OracleEvent?
  /// What the user did with the app, on which calendar day after the day of t0.
  let engagement: [OracleEngagement]

  /// - Parameters:
  ///   - events: all events of one user and one permission, sorted, without engagement.
  ///   - engagement: the user's `feature_used` and `app_active`, for whatever permission.
  /// - Returns: nil for a journey without a screen.
  init?(permission: String, events: [OracleEvent], engagement: [OracleEvent], terms: Terms) {
    // "Exposure t0 is the first one" of the screen events.
    guard let exposureIndex = events.firstIndex(where: \.isScreen) else { return nil }
    let exposure = events[exposureIndex]
    let t0 = exposure.timestamp
    let later = events[(exposureIndex + 1)...]
    let windowEnd = t0 + terms.responseWindow

    // "The first `granted`, `re_enabled`, `denied` or `skipped` behind the exposure in the journey's order, no later
    // than t0 + W."
    let answer = later.first { $0.isAnswer && $0.timestamp <= windowEnd }

    // Reading: "continued" is a prompt after the exposure, at or before the answer, or t0 + W if there is none.
    // The kinds' order puts a prompt before an answer of the same millisecond.
    let spanEnd = answer?.timestamp ?? windowEnd
    continuedPrompt = later.first { $0.event == "prompt_shown" && $0.timestamp <= spanEnd }

    self.permission = permission
    self.events = events
    self.exposure = exposure
    self.t0 = t0
    self.answer = answer
    outcome = Self.outcome(answer: answer, windowEnd: windowEnd, asOf: terms.asOf)
    let day0 = terms.calendar.day(of: t0)
    self.day0 = day0
    week = terms.calendar.week(ofDay: day0)
    self.engagement = engagement.map {
      OracleEngagement(
        dayAfterExposure: terms.calendar.day(of: $0.timestamp) - day0, isFeature: $0.event == "feature_used")
    }
  }

  private static func outcome(answer: OracleEvent?, windowEnd: Int, asOf: Int) -> OracleOutcome {
    // "`pending` when t0 + W > as_of, whatever has happened so far."
    if windowEnd > asOf { return .pending }
    guard let answer else { return .droppedOff }
    if answer.isGrant { return .granted }
    if answer.event == "skipped" { return .skipped }
    // "`restricted` (a denial whose status is `restricted`: the user had no say)."
    return answer.status == "restricted" ? .restricted : .denied
  }
}

/// One engagement event, by its calendar day counted from the day of t0.
struct OracleEngagement {
  let dayAfterExposure: Int
  let isFeature: Bool
}

extension OracleJourney {
  /// "Base = exposed − pending − restricted."
  var isInBase: Bool { outcome != .pending && outcome != .restricted }

  var beginsWithExplanation: Bool { exposure.event == "explanation_shown" }
  var beginsWithPrompt: Bool { exposure.event == "prompt_shown" }

  /// The first prompt up to the answer: the exposure itself if it is one.
  var firstPrompt: OracleEvent? { beginsWithPrompt ? exposure : continuedPrompt }

  /// Partial access by the status of the grant that answered.
  var isPartialGrant: Bool {
    outcome == .granted && isPartial(status: answer?.status, permission: permission)
  }

  /// "tr = t1 (t0 + W for `dropped_off`)."
  func tr(_ terms: Terms) -> Int { answer?.timestamp ?? t0 + terms.responseWindow }

  /// "te: the first event that finds it on after tr: timestamp strictly greater."
  func enabling(_ terms: Terms) -> OracleEvent? { events.first { $0.findsOn && $0.timestamp > tr(terms) } }
  func te(_ terms: Terms) -> Int? { enabling(terms)?.timestamp }

  /// Whether what found it on at te found it on in part.
  func isEnabledInPart(_ terms: Terms) -> Bool {
    enabling(terms).map { isPartial(status: $0.status, permission: permission) } ?? false
  }

  /// The first event that finds it on in [t0, t0 + H].
  func foundOnByFollowUp(_ terms: Terms) -> OracleEvent? {
    events.first { $0.findsOn && $0.timestamp >= t0 && $0.timestamp <= t0 + terms.followUp }
  }
}

extension [OracleJourney] {
  func of(_ outcome: OracleOutcome) -> [OracleJourney] { filter { $0.outcome == outcome } }
  func count(of outcome: OracleOutcome) -> Int { of(outcome).count }
}
