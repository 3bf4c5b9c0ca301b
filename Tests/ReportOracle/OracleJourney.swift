// One journey that is exposed: exposure, answer, outcome and what came later.

/// How a journey ended within the response window.
enum OracleOutcome {
  case pending, granted, denied, skipped, restricted, droppedOff
}

/// "All that happened between one user and one permission, in time order", if there was a screen.
struct OracleJourney {
  let permission: String
  /// In the journey's order, up to as_of, without engagement.
  let events: [OracleEvent]
  private(set) var exposure: OracleEvent
  /// Time of the exposure.
  private(set) var t0: Int
  private(set) var day0: Int
  private(set) var week: OracleWeek
  let answer: OracleEvent?
  private(set) var outcome: OracleOutcome
  /// The answer is what the app found when it looked at the status.
  let isByStatus: Bool
  /// The first prompt up to the answer or t0 + W, the exposure itself if it is one; nil if there was none.
  let firstPrompt: OracleEvent?
  /// What the user did with the app, on which calendar day after the day of t0.
  private(set) var engagement: [OracleEngagement]
  /// The end of the journey's own response window, if a Settings prompt exposes.
  private(set) var ownWindowEnd: Int?

  /// - Parameters:
  ///   - events: all events of one user and one permission, as questions read them, without engagement.
  ///   - engagement: the user's `feature_used` and `app_active`, for whatever permission.
  ///   - place: of the exposure, if it is not the first event that exposes.
  /// - Returns: nil for a journey that nothing exposes.
  init?(
    permission: String, events: [OracleEvent], engagement: [OracleEvent], _ reading: OracleReading, terms: Terms,
    exposure place: Int? = nil
  ) {
    guard let exposureIndex = place ?? Self.exposure(events, isAlone: reading.isAnsweredAlone(permission)) else {
      return nil
    }
    let exposure = events[exposureIndex]
    let t0 = exposure.timestamp
    let windowEnd = t0 + terms.responseWindow
    let later = events[(exposureIndex + 1)...].filter { $0.timestamp <= windowEnd }

    // "The first `granted`, `re_enabled`, `denied` or `skipped` behind the exposure in the journey's order, no later
    // than t0 + W." An answer that exposes is its own: "t0 = t1".
    let answerPlace = later.firstIndex(where: \.isAnswer)
    var answer = exposure.isScreen ? answerPlace.map { later[$0] } : exposure
    let prompts =
      exposure.isScreen ? later.prefix(answerPlace ?? later.count).filter { $0.event == "prompt_shown" } : []
    firstPrompt = exposure.event == "prompt_shown" ? exposure : prompts.first

    // "If there is none, but a `prompt_shown` of the journey: the first `status_checked` from 250 ms after that prompt to t0 + W
    // whose status is given and not `not_determined`."
    let found = firstPrompt.flatMap { prompt in
      later.first { event in
        event.event == "status_checked" && !["", "not_determined"].contains(event.status ?? "")
          && event.timestamp >= prompt.timestamp + terms.shortestAnswer
      }
    }
    isByStatus = answer == nil && found != nil
    answer = answer ?? found

    self.permission = permission
    self.events = events
    self.exposure = exposure
    self.t0 = t0
    self.answer = answer
    // "A journey that begins with an explanation, has no answer and whose first prompt in [t0, t0 + W] returned at once is
    // `restricted`."
    let firstCall = later.first { $0.event == "prompt_shown" || $0.event == OracleEvent.unseenPrompt }
    let hadNoSay = exposure.event == "explanation_shown" && firstCall?.event == OracleEvent.unseenPrompt
    outcome = Self.outcome(answer: answer, hadNoSay: hadNoSay, windowEnd: windowEnd, asOf: terms.asOf)
    let day0 = terms.calendar.day(of: t0)
    self.day0 = day0
    week = terms.calendar.week(ofDay: day0)
    self.engagement = engagement.map {
      OracleEngagement(
        time: $0.timestamp, dayAfterExposure: terms.calendar.day(of: $0.timestamp) - day0,
        isFeature: $0.event == "feature_used")
    }
  }

  /// The same journey, "exposed at ts by the variant and properties of that `settings_prompt_shown`". Reading: pending is what
  /// comes of the prompt, until its response window is over.
  func exposed(by prompt: OracleEvent, _ terms: Terms) -> OracleJourney {
    var later = self
    later.ownWindowEnd = t0 + terms.responseWindow
    later.exposure = prompt
    later.t0 = prompt.timestamp
    later.day0 = terms.calendar.day(of: prompt.timestamp)
    later.week = terms.calendar.week(ofDay: later.day0)
    later.outcome = prompt.timestamp + terms.responseWindow > terms.asOf ? .pending : .denied
    later.engagement = engagement.map {
      OracleEngagement(
        time: $0.time, dayAfterExposure: terms.calendar.day(of: $0.time) - later.day0, isFeature: $0.isFeature)
    }
    return later
  }

  /// "Exposure t0 is the first one" of the screen events, or a "Not now" with no screen before it; "of a permission of which the log
  /// stores no screen event at all" the first answer.
  static func exposure(_ events: [OracleEvent], isAlone: Bool) -> Int? {
    events.firstIndex { event in
      isAlone ? ["granted", "denied", "skipped"].contains(event.event) : event.isScreen || event.isRefusal
    }
  }

  private static func outcome(answer: OracleEvent?, hadNoSay: Bool, windowEnd: Int, asOf: Int) -> OracleOutcome {
    // "`pending` when t0 + W > as_of, whatever has happened so far."
    if windowEnd > asOf { return .pending }
    guard let answer else { return hadNoSay ? .restricted : .droppedOff }
    if answer.isGrant { return .granted }
    if answer.event == "skipped" { return .skipped }
    // "It says granted, denied or restricted, at its time."
    if answer.event == "status_checked", answer.findsOn { return .granted }
    // "`restricted` (a denial whose status is `restricted`: the user had no say)."
    return answer.status == "restricted" ? .restricted : .denied
  }
}

/// One engagement event, by its calendar day counted from the day of t0.
struct OracleEngagement {
  let time: Int
  let dayAfterExposure: Int
  let isFeature: Bool
}

extension OracleJourney {
  /// "Base = exposed − pending − restricted."
  var isInBase: Bool { outcome != .pending && outcome != .restricted }

  /// With a "Not now" as well, which an explanation must have been before.
  var beginsWithExplanation: Bool { exposure.event == "explanation_shown" || exposure.isRefusal }
  var beginsWithPrompt: Bool { exposure.event == "prompt_shown" }

  /// The first prompt after an explanation.
  var continuedPrompt: OracleEvent? { beginsWithPrompt ? nil : firstPrompt }

  /// It is known how long it took: screen and answer are both there.
  var isTimed: Bool { exposure.isScreen && !isByStatus }

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
