// What somebody with the rows of journeys alone counts of them, as a person with a data frame would: the counts of a report.

import Foundation

/// A row by column; an empty text is null.
public typealias JourneyCells = [String: String]

/// The counts of the rows of a report, all weeks and by week, under the keys of its JSON.
/// - Parameters:
///   - rows: of all permissions.
///   - options: zone, windows and breakdown that the rows were asked for with.
///   - report: whose lists of missing evidence say what is not known.
public func sums(ofJourneys rows: [JourneyCells], _ options: OracleOptions, like report: OracleJSON) -> [OracleJSON] {
  let calendar = OracleCalendar(options.timeZone, weeksFrom: options.weekStart)
  let journeys = rows.map { RowJourney($0, options, calendar) }
  let frames = names(journeys.map(\.permission)).flatMap { permission in
    let own = journeys.filter { Bytes($0.permission) == Bytes(permission) }
    guard let by = options.by else { return weeks(of: own, permission, nil) }
    let values = names(own.map { $0[by] ?? "" })
    return values.flatMap { value in
      weeks(of: own.filter { Bytes($0[by] ?? "") == Bytes(value) }, permission, (by, value))
    }
  }
  guard case .array(let reported)? = report["rows"] else { return frames }
  return frames.map { frame in
    let twin = reported.first { $0["permission"] == frame["permission"] }
    guard case .array(let missing)? = twin?["no_evidence"] else { return frame }
    return frame.withoutTimes.without(
      OracleEvidence(missing: missing.compactMap { if case .string(let name) = $0 { name } else { nil } }))
  }
}

extension OracleJSON {
  /// A row does not say whether the status told the answer, or whether it had a screen: such journeys are in no times.
  fileprivate var withoutTimes: OracleJSON {
    guard case .object(let members) = self else { return self }
    let times = ["time_to_answer_ms", "explanation_time_ms", "prompt_time_ms"]
    return .object(members.filter { !times.contains($0.key) })
  }
}

private func weeks(of journeys: [RowJourney], _ permission: String, _ by: (String, String)?) -> [OracleJSON] {
  let weeks = Set(journeys.map(\.week)).sorted { $0.firstDay < $1.firstDay }
  return [sum(of: journeys, permission, nil, by)]
    + weeks.map { week in sum(of: journeys.filter { $0.week == week }, permission, week, by) }
}

extension OracleEvidence {
  init(missing: [String]) { self.missing = missing }
}

/// One row, its times as milliseconds.
private struct RowJourney {
  let cells: JourneyCells
  let permission: String
  let t0, asOf, followUp, responseWindow: Int
  let week: OracleWeek
  let day: Int
  let calendar: OracleCalendar

  init(_ cells: JourneyCells, _ options: OracleOptions, _ calendar: OracleCalendar) {
    self.cells = cells
    self.calendar = calendar
    permission = cells["permission"] ?? ""
    t0 = Self.milliseconds(cells["t0"], calendar) ?? 0
    asOf = Self.milliseconds(cells["as_of"], calendar) ?? 0
    (followUp, responseWindow) = (options.followUp, options.responseWindow)
    day = calendar.day(of: t0)
    week = calendar.week(ofDay: day)
  }

  subscript(column: String) -> String? { cells[column] == "" ? nil : cells[column] }
  func time(_ column: String) -> Int? { Self.milliseconds(self[column], calendar) }
  func isTrue(_ column: String) -> Bool { self[column] == "true" }

  /// `2026-04-01T00:00:00.000Z`.
  private static func milliseconds(_ text: String?, _ calendar: OracleCalendar) -> Int? {
    guard let text, text.count == 24, let day = calendar.day(named: String(text.prefix(10))) else { return nil }
    let clock = text.dropFirst(11).dropLast().split { ":.".contains($0) }.compactMap { Int($0) }
    return day * millisecondsPerDay + clock[0] * 3_600_000 + clock[1] * 60_000 + clock[2] * 1000 + clock[3]
  }

  var outcome: String { self["outcome"] ?? "" }
  var isInBase: Bool { !["pending", "restricted"].contains(outcome) }
  var isExplained: Bool { self["begins_with"] == "explanation" }
  var answer: Int? { time("answer_at") }
  var prompt: Int? { time("first_prompt_at") }
  var tr: Int { answer ?? t0 + responseWindow }
  /// Enabled within some time of a moment.
  func isEnabled(within duration: Int, of moment: Int) -> Bool {
    time("enabled_at").map { $0 > moment && $0 <= moment + duration } ?? false
  }
  func isOver(day n: Int) -> Bool { calendar.firstMoment(ofDay: day + n + 1) <= asOf }
}

extension [RowJourney] {
  fileprivate func of(_ outcome: String) -> [RowJourney] { filter { $0.outcome == outcome } }
  fileprivate func counted(_ isCounted: (RowJourney) -> Bool) -> OracleJSON { .int(filter(isCounted).count) }
}

private func sum(
  of journeys: [RowJourney], _ permission: String, _ week: OracleWeek?, _ by: (String, String)?
) -> OracleJSON {
  let base = journeys.filter(\.isInBase)
  let explained = base.filter(\.isExplained)
  let cold = base.filter { $0["begins_with"] == "prompt" }
  let stopped = explained.filter { $0.prompt == nil }
  let prompted = base.filter { $0.prompt != nil }
  let followed = base.filter { $0.t0 + $0.followUp <= $0.asOf }
  let foundOn = followed.filter { journey in
    journey.time("found_on_at").map { $0 <= journey.t0 + journey.followUp } ?? false
  }
  let granted = base.of("granted").filter { $0.tr + $0.followUp <= $0.asOf }
  let partial = granted.filter { $0.isTrue("partial") }
  func isInFollowUp(_ column: String) -> (RowJourney) -> Bool {
    { journey in journey.time(column).map { $0 <= journey.tr + journey.followUp } ?? false }
  }
  return [
    "permission": .string(permission), "week": .text(week?.name),
    "by": by.map { ["property": .string($0.0), "value": $0.1 == "" ? .null : .string($0.1)] } ?? .null,
    "exposed": .int(journeys.count), "pending": .int(journeys.of("pending").count),
    "restricted": .int(journeys.of("restricted").count), "base": .int(base.count),
    "granted": .int(base.of("granted").count), "partial": base.counted { $0.isTrue("partial") },
    "denied": .int(base.of("denied").count), "skipped": .int(base.of("skipped").count),
    "dropped_off": .int(base.of("dropped_off").count),
    "granted_by_follow_up": [
      "eligible": .int(followed.count), "granted": .int(foundOn.count),
      "partial": foundOn.counted { $0.isTrue("found_on_partial") }, "granted_first": .int(followed.of("granted").count),
    ],
    "steps": [
      "explanation": [
        "shown": .int(explained.count), "continued": explained.counted { $0.prompt != nil },
        "skipped": .int(stopped.of("skipped").count),
        "answered": .int(stopped.of("granted").count + stopped.of("denied").count),
        "dropped": .int(stopped.of("dropped_off").count),
      ],
      "prompt": [
        "shown": .int(prompted.count), "granted": .int(prompted.of("granted").count),
        "denied": .int(prompted.of("denied").count), "skipped": .int(prompted.of("skipped").count),
        "dropped": .int(prompted.of("dropped_off").count),
      ],
    ],
    "explained_against_cold": [
      "explained": ["base": .int(explained.count), "granted": .int(explained.of("granted").count)],
      "cold": ["base": .int(cold.count), "granted": .int(cold.of("granted").count)],
    ],
    "time_to_answer_ms": summary(base.compactMap { journey in journey.answer.map { $0 - journey.t0 } }),
    "explanation_time_ms": summary(
      explained.compactMap { journey in (journey.prompt ?? journey.answer).map { $0 - journey.t0 } }),
    "prompt_time_ms": summary(
      base.compactMap { journey in journey.prompt.flatMap { prompt in journey.answer.map { $0 - prompt } } }),
    "after_grant": [
      "eligible": .int(granted.count), "revoked": granted.counted(isInFollowUp("revoked_at")),
      "partial_eligible": .int(partial.count), "upgraded": partial.counted(isInFollowUp("upgraded_at")),
    ],
    "enabled_later": [
      "denied": returning(base.of("denied")), "skipped": returning(base.of("skipped")),
      "dropped_off": returning(base.of("dropped_off")),
    ],
    "settings_prompt": settings(base.of("denied")),
    "engagement": engagement(base),
    "retention": .array(
      [1, 7, 30].map { day in
        func retained(_ outcome: String) -> OracleJSON {
          let eligible = base.of(outcome).filter { $0.isOver(day: day) }
          return ["eligible": .int(eligible.count), "retained": eligible.counted { $0.isTrue("retained_\(day)") }]
        }
        return [
          "day": .int(day), "granted": retained("granted"), "denied": retained("denied"),
          "skipped": retained("skipped"), "dropped_off": retained("dropped_off"),
        ]
      }),
  ]
}

private func summary(_ times: [Int]) -> OracleJSON {
  [
    "count": .int(times.count), "mean": .real(mean(times.map(Double.init))),
    "p50": .whole(quantile(times, percent: 50)), "p90": .whole(quantile(times, percent: 90)),
    "p99": .whole(quantile(times, percent: 99)),
  ]
}

private func returning(_ journeys: [RowJourney]) -> OracleJSON {
  let eligible = journeys.filter { $0.tr + $0.followUp <= $0.asOf }
  let enabled = eligible.filter { $0.isEnabled(within: $0.followUp, of: $0.tr) }
  let lives = journeys.map { journey in
    (
      day: ((journey.time("enabled_at") ?? journey.asOf) - journey.tr) / millisecondsPerDay,
      enabled: journey["enabled_at"] != nil
    )
  }
  return [
    "eligible": .int(eligible.count), "enabled": .int(enabled.count),
    "partial": enabled.counted { $0.isTrue("enabled_partial") },
    "kaplan_meier": .array([1, 7, 28].map { kaplanMeier(lives, days: $0) }),
  ]
}

private func settings(_ denied: [RowJourney]) -> OracleJSON {
  let window = 7 * millisecondsPerDay
  func isEnabledAfterPrompt(_ journey: RowJourney) -> Bool {
    journey.time("settings_prompt_at").map { journey.isEnabled(within: window, of: $0) } ?? false
  }
  let eligible = denied.filter { journey in
    journey.time("settings_prompt_at").map { $0 + window <= journey.asOf } ?? false
  }
  let enabled = eligible.filter(isEnabledAfterPrompt)
  return [
    "shown": denied.counted { $0["settings_prompt_at"] != nil },
    "opened": denied.counted { $0["settings_opened_at"] != nil }, "eligible": .int(eligible.count),
    "enabled": .int(enabled.count), "partial": enabled.counted { $0.isTrue("enabled_partial") },
  ]
}

private func engagement(_ base: [RowJourney]) -> OracleJSON {
  let eligible = base.filter { $0.isOver(day: 27) }
  func group(_ journeys: [RowJourney]) -> OracleJSON {
    func average(of column: String) -> OracleJSON {
      .real(mean(journeys.compactMap { $0[column].flatMap(Double.init) }))
    }
    return [
      "n": .int(journeys.count), "mean_active_days": average(of: "active_days"),
      "mean_feature_events": average(of: "feature_events"),
    ]
  }
  return [
    "eligible": .int(eligible.count), "granted": group(eligible.of("granted")),
    "not_granted": group(eligible.filter { $0.outcome != "granted" }),
  ]
}
