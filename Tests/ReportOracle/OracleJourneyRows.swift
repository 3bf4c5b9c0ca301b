// Journeys as rows: one a user and permission with a screen up to as_of, every column from its definition.

import Foundation

/// The rows of `export --journeys` as NDJSON has them, by the bytes of the user's id and of the permission.
/// - Parameter holds: whether an exposure meets the conditions.
public func oracleJourneyRows(
  _ events: [OracleEvent], _ options: OracleOptions, where holds: (OracleEvent) -> Bool = { _ in true }
) -> [OracleJSON] {
  let stored = withoutDuplicates(events)
  let terms = Terms(
    asOf: options.asOf ?? usualMoment(stored, OracleCalendar(options.timeZone, weeksFrom: options.weekStart)) ?? 0,
    responseWindow: options.responseWindow,
    followUp: options.followUp, calendar: OracleCalendar(options.timeZone, weeksFrom: options.weekStart),
    atOnce: options.atOnce)
  let seen = stored.filter { $0.timestamp <= terms.asOf }.sorted(by: isEarlier)
  let interval = OracleInterval(options, terms.calendar)
  let reading = OracleReading(seen, terms)
  let journeys = journeys(reading.read(seen), reading, permission: options.permission, terms).exposed
    .filter { interval.contains($0.t0) && holds($0.exposure) }
  let hasActivity = seen.contains(where: \.isEngagement)
  let hasFeatures = seen.contains { $0.event == "feature_used" }
  return journeys.sorted {
    let (left, right) = (Bytes($0.exposure.userID), Bytes($1.exposure.userID))
    return left == right ? Bytes($0.permission) < Bytes($1.permission) : left < right
  }.map { row($0, hasActivity: hasActivity, hasFeatures: hasFeatures, terms) }
}

private func row(
  _ journey: OracleJourney, hasActivity: Bool, hasFeatures: Bool, _ terms: Terms
) -> OracleJSON {
  func time(_ time: Int?) -> OracleJSON { .text(time.map(rfc3339)) }
  func flag(_ flag: Bool?) -> OracleJSON { flag.map { .bool($0) } ?? .null }
  func property(_ name: String) -> OracleJSON { .text(journey.exposure.property(name)) }
  func isOver(day: Int) -> Bool { terms.calendar.firstMoment(ofDay: journey.day0 + day + 1) <= terms.asOf }
  func retained(_ day: Int) -> OracleJSON {
    hasActivity && isOver(day: day) ? .bool(journey.engagement.contains { $0.dayAfterExposure == day }) : .null
  }
  let outcome =
    switch journey.outcome {
    case .pending: "pending"
    case .granted: "granted"
    case .denied: "denied"
    case .skipped: "skipped"
    case .restricted: "restricted"
    case .droppedOff: "dropped_off"
    }
  let isGranted = journey.outcome == .granted
  let tr = journey.tr(terms)
  let after = journey.events.filter { $0.timestamp > tr }
  let foundOn = journey.events.first { $0.findsOn && $0.timestamp >= journey.t0 }
  // Whoever granted has nothing to enable, and what a pending one comes to is not known.
  let enabling = isGranted || journey.outcome == .pending ? nil : journey.enabling(terms)
  let revoked = after.first { $0.event == "revoked" || $0.event == "status_checked" && isDenial($0.status) }
  let upgraded = after.first {
    ["granted", "re_enabled", "status_checked"].contains($0.event)
      && isOn(status: $0.status, permission: journey.permission)
  }
  let prompted = journey.outcome == .denied ? after.first { $0.event == "settings_prompt_shown" } : nil
  let opened = prompted.flatMap { prompt in
    journey.events.first {
      $0.event == "settings_opened" && $0.timestamp >= prompt.timestamp
        && $0.timestamp <= prompt.timestamp + terms.responseWindow
    }
  }
  func partial(_ event: OracleEvent?) -> OracleJSON {
    flag(event.map { isPartial(status: $0.status, permission: journey.permission) })
  }
  let isMonthOver = isOver(day: 27)
  return [
    "user_id": .string(journey.exposure.userID), "permission": .string(journey.permission), "t0": time(journey.t0),
    "variant": property("variant"), "experiment": property("experiment"), "surface": property("surface"),
    "app_version": property("app_version"), "os_version": property("os_version"), "platform": property("platform"),
    "locale": property("locale"), "country": property("country"), "outcome": .string(outcome),
    "partial": flag(isGranted ? journey.isPartialGrant : nil), "answer_at": time(journey.answer?.timestamp),
    "first_prompt_at": time(journey.firstPrompt?.timestamp), "enabled_at": time(enabling?.timestamp),
    "revoked_at": time(isGranted ? revoked?.timestamp : nil), "settings_prompt_at": time(prompted?.timestamp),
    "settings_opened_at": time(opened?.timestamp),
    "active_days": .whole(hasActivity && isMonthOver ? activeDays(journey) : nil),
    "retained_1": retained(1), "retained_7": retained(7), "retained_30": retained(30),
    "begins_with": .text(journey.beginsWithExplanation ? "explanation" : journey.beginsWithPrompt ? "prompt" : nil),
    "feature": property("feature"),
    "found_on_at": time(foundOn?.timestamp), "found_on_partial": partial(foundOn),
    "enabled_partial": partial(enabling),
    "upgraded_at": time(isGranted && journey.isPartialGrant ? upgraded?.timestamp : nil),
    "feature_events": .whole(hasFeatures && isMonthOver ? featureEvents(journey) : nil), "as_of": time(terms.asOf),
  ]
}
