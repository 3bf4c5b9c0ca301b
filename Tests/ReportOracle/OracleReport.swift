// The whole report, from events to the JSON object that `report --format json` has to print.

import Foundation

/// A slow, literal reading of the report's contract, for tests.
///
/// - Parameters:
///   - events: in the order of ingestion, duplicates and all.
///   - options: what the report was asked for.
/// - Returns: the object with schema `permlog.report/3`, every key there.
public func oracleReport(_ events: [OracleEvent], _ options: OracleOptions) -> OracleJSON {
  let stored = withoutDuplicates(events)
  // "as_of: the moment that the report looks from (default: the newest timestamp in the log; later events are not
  // looked at)." An empty log without a moment has none.
  let asOf = options.asOf ?? usualMoment(stored, OracleCalendar(options.timeZone, weeksFrom: options.weekStart))
  let calendar = OracleCalendar(options.timeZone, weeksFrom: options.weekStart)
  let terms = Terms(
    asOf: asOf ?? 0, responseWindow: options.responseWindow, followUp: options.followUp, calendar: calendar,
    atOnce: options.atOnce)
  let seen = stored.filter { $0.timestamp <= terms.asOf }.sorted(by: isEarlier)
  let interval = OracleInterval(options, calendar)

  let reading = OracleReading(seen, terms)
  // Activity, `events` and `users` count what is stored.
  let read = reading.read(seen)
  let all = journeys(read, reading, permission: options.permission, terms)
  let ofPermissions = names(all.exposed.map(\.permission)).map { permission in
    (Bytes(permission), OracleEvidence(read, reading, all.exposed, permission, terms))
  }
  let evidences = Dictionary(uniqueKeysWithValues: ofPermissions)
  func evidence(_ permission: String) -> OracleEvidence { evidences[Bytes(permission)] ?? OracleEvidence(missing: []) }
  // "`--from`, `--to` and `--week` choose journeys by t0."
  // "Conditions on the exposure": they choose journeys, and evidence is looked at "whatever the filters".
  let chosen = all.exposed.filter { options.conditions.hold($0.exposure) }
  let shown = chosen.filter { interval.contains($0.t0) }
  let limit = options.byLimit ?? 1000
  let shownRows = rows(shown, by: options.properties, limit: limit)
  let values = options.by == nil ? nil : largestValues(shown, options.properties, .max).count
  let trends = trendJSON(shownRows, everyJourney: chosen, terms) { !evidence($0).missing.contains("answers") }
  let usuals = shownRows.map { usual($0, everyJourney: chosen, terms) }

  return [
    "schema": .string("permlog.report/3"),
    "as_of": .text(asOf.map(rfc3339)),
    "time_zone": .string(zoneName(options.timeZone)), "week_start": .string(options.weekStart),
    "from": .text(interval.from.map(rfc3339)),
    "to": .text(interval.to.map(rfc3339)),
    // "`--log-start M`, default the oldest timestamp in the log": an empty log has none.
    "log_start": .text(stored.map(\.timestamp).min().map { rfc3339(options.logStart ?? $0) }),
    "where": options.conditions.json,
    // Neither events that are gone nor ingests are in the rows that an oracle reads.
    "expired_before": .null, "unusual_ingests": .array([]),
    "by_limit": options.by == nil ? .null : .int(limit),
    "by_values": values.map { .int($0) } ?? .null,
    "response_window_ms": .int(options.responseWindow),
    "follow_up_days": days(options.followUp),
    "settings_window_days": days(terms.settingsWindow),
    "at_once_ms": .int(options.atOnce),
    "at_once": reading.json,
    // Events of an oracle have no numbers.
    "completeness": .null,
    // "as_of, `events`, `users` (those with an event up to as_of) and reach are not filtered by time", nor are the
    // first three by permission.
    "events": .int(seen.count),
    "users": .int(Set(seen.map { Bytes($0.userID) }).count),
    "unexposed": .int(all.unexposed), "left_out_users": .null,
    "rows": .array(
      shownRows.indices.map { number in
        json(shownRows[number], trend: trends[number], usual: usuals[number], terms)
          .without(evidence(shownRows[number].permission))
      }),
    "reach": reach(read, permission: options.permission, terms),
    "activity": activity(seen, in: interval, permission: options.permission, terms),
    "timing": options.by == nil
      ? timing(seen, shown, logStart: options.logStart ?? stored.map(\.timestamp).min() ?? 0, terms, evidence)
      : .array([]),
    "by_ranking": options.by2 == nil ? ranking(shownRows) { !evidence($0).missing.contains("answers") } : .array([]),
  ]
}

/// All journeys that are exposed, and the number of journeys "with answers and no screen", which have no t0 and so are not
/// limited by time (a reading).
///
/// - Parameter events: as questions read them.
func journeys(
  _ events: [OracleEvent], _ reading: OracleReading, permission only: String?, _ terms: Terms
) -> (exposed: [OracleJourney], unexposed: Int) {
  var exposed: [OracleJourney] = []
  var unexposed = 0
  for (_, ofUser) in Dictionary(grouping: events, by: { Bytes($0.userID) }).sorted(by: { $0.key < $1.key }) {
    let engagement = ofUser.filter(\.isEngagement)
    let others = ofUser.filter(\.isOfPermission)
    for permission in names(others.compactMap(\.permission))
    where only == nil || only.map(Bytes.init) == Bytes(permission) {
      let own = others.filter { $0.permission.map(Bytes.init) == Bytes(permission) }
      if let journey = OracleJourney(
        permission: permission, events: own, engagement: engagement, reading, terms: terms)
      {
        exposed.append(journey)
      } else if own.contains(where: \.isAnswer) {
        unexposed += 1
      }
    }
  }
  return (exposed, unexposed)
}

/// Foundation calls UTC "GMT".
private func zoneName(_ zone: TimeZone) -> String { zone.identifier == "GMT" ? "UTC" : zone.identifier }

/// Milliseconds in days, as a whole number if it is one.
private func days(_ milliseconds: Int) -> OracleJSON {
  milliseconds % millisecondsPerDay == 0
    ? .int(milliseconds / millisecondsPerDay) : .double(Double(milliseconds) / Double(millisecondsPerDay))
}
