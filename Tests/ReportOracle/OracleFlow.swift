// Flows as the contract has them (3.13), read in the plainest way: loops over all flows for every number.

import Foundation

/// What is asked about flows. Durations are milliseconds.
public struct OracleFlowOptions: Sendable {
  public var timeZone: TimeZone = .gmt
  /// `monday`, `sunday` or `saturday`.
  public internal(set) var weekStart = "monday"
  /// UTC milliseconds; nil: the newest timestamp in the log.
  public var asOf: Int?
  public var week: String?
  public var from: String?
  public var to: String?
  /// Conditions on the first exposure of a flow.
  public var conditions: [OracleCondition] = []
  public var steps: [String] = []
  public var permission: String?
  /// W.
  public var responseWindow = 1_800_000
  public var atOnce = 250

  public init() {}
}

/// "A user's exposures of all permissions …, cut where the next t0 is later than t0 + W of the one before: each piece is a flow."
private struct OracleFlowOfUser {
  var user: Bytes
  /// In order of t0.
  var steps: [OracleJourney]
  /// "The user's first flow up to as_of in the whole log."
  var isFirst: Bool

  /// "It is pending while its last t0 + W > as_of, else settled."
  func isPending(_ terms: Terms) -> Bool { steps[steps.count - 1].t0 + terms.responseWindow > terms.asOf }
  var permissions: [Bytes] { steps.map { Bytes($0.permission) } }
  /// "At most 8 steps."
  var list: [Bytes] { Array(permissions.prefix(8)) }
}

/// What `permlog flow --format json` has to print.
public func oracleFlow(_ events: [OracleEvent], _ options: OracleFlowOptions) -> OracleJSON {
  let stored = withoutDuplicates(events)
  let asOf = options.asOf ?? usualMoment(stored, OracleCalendar(options.timeZone, weeksFrom: options.weekStart))
  let calendar = OracleCalendar(options.timeZone, weeksFrom: options.weekStart)
  let terms = Terms(
    asOf: asOf ?? 0, responseWindow: options.responseWindow, followUp: 0, calendar: calendar, atOnce: options.atOnce)
  let seen = stored.filter { $0.timestamp <= terms.asOf }.sorted(by: isEarlier)
  var span = OracleOptions(timeZone: options.timeZone)
  (span.week, span.from, span.to) = (options.week, options.from, options.to)
  let interval = OracleInterval(span, calendar)
  // "Filters choose whole flows by their first exposure and never form them."
  let reading = OracleReading(seen, terms)
  let flows = allFlows(reading.read(seen), reading, terms).filter { flow in
    interval.contains(flow.steps[0].t0) && options.conditions.hold(flow.steps[0].exposure)
  }
  // "Everything of a flow belongs to the week of its first t0."
  let weeks = Dictionary(flows.map { ($0.steps[0].week.firstDay, $0.steps[0].week.name) }) { first, _ in first }
  let spans: [(name: String?, firstDay: Int?)] =
    [(nil, nil)] + weeks.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
  var entries: [OracleJSON] = []
  for span in spans {
    for which in ["all", "first", "later"] {
      let chosen = flows.filter { flow in
        (span.firstDay == nil || span.firstDay == flow.steps[0].week.firstDay)
          && (which == "all" || (which == "first") == flow.isFirst)
      }
      if chosen.isEmpty, span.firstDay != nil || which != "all" { continue }
      entries.append(entry(chosen, week: span.name, which: which, options, terms))
    }
  }
  return [
    "schema": .string("permlog.flow/1"),
    "as_of": .text(asOf.map(rfc3339)),
    "time_zone": .string(options.timeZone.identifier == "GMT" ? "UTC" : options.timeZone.identifier),
    "week_start": .string(options.weekStart),
    "response_window_ms": .int(options.responseWindow),
    "where": options.conditions.json, "left_out_users": .null,
    "flow": .array(entries),
  ]
}

private func allFlows(_ events: [OracleEvent], _ reading: OracleReading, _ terms: Terms) -> [OracleFlowOfUser] {
  var flows: [OracleFlowOfUser] = []
  for (user, own) in Dictionary(grouping: events, by: { Bytes($0.userID) }) {
    var journeys: [OracleJourney] = []
    let ofPermissions = own.filter { $0.isOfPermission && $0.permission != nil }
    for (name, ofOne) in Dictionary(grouping: ofPermissions, by: { Bytes($0.permission ?? "") }) {
      let permission = String(decoding: name.utf8, as: UTF8.self)
      if let journey = OracleJourney(permission: permission, events: ofOne, engagement: [], reading, terms: terms) {
        journeys.append(journey)
      }
    }
    // "By t0 (ties: by kind, then permission's name)."
    journeys.sort { left, right in
      if left.t0 != right.t0 { return left.t0 < right.t0 }
      let kinds = [left, right].map { oracleKinds.firstIndex(of: $0.exposure.event) ?? oracleKinds.count }
      if kinds[0] != kinds[1] { return kinds[0] < kinds[1] }
      return Bytes(left.permission) < Bytes(right.permission)
    }
    var open: [OracleJourney] = []
    var isFirst = true
    for journey in journeys {
      if let last = open.last, journey.t0 > last.t0 + terms.responseWindow {
        flows.append(OracleFlowOfUser(user: user, steps: open, isFirst: isFirst))
        isFirst = false
        open = []
      }
      open.append(journey)
    }
    if !open.isEmpty { flows.append(OracleFlowOfUser(user: user, steps: open, isFirst: isFirst)) }
  }
  return flows
}

private func entry(
  _ flows: [OracleFlowOfUser], week: String?, which: String, _ options: OracleFlowOptions, _ terms: Terms
) -> OracleJSON {
  let settled = flows.filter { !$0.isPending(terms) }
  return [
    "week": .text(week), "which": .string(which), "flows": .int(flows.count),
    "pending": .int(flows.count - settled.count), "settled": .int(settled.count),
    "users": .int(Set(settled.map(\.user)).count), "more": .int(settled.filter { $0.steps.count > 8 }.count),
    "lists": .array(
      ordered(settled.map(\.list)).map { list in
        ["permissions": text(list), "flows": .int(settled.filter { $0.list == list }.count)]
      }),
    "tree": .array(
      ordered(settled.flatMap { flow in (1...flow.list.count).map { Array(flow.list.prefix($0)) } }).map { prefix in
        node(prefix, settled)
      }),
    "by_position": .array(byPosition(settled, options.permission)),
    "by_outcome_before": .array(byOutcomeBefore(settled, options.permission)),
    "declared": options.steps.isEmpty ? .null : declared(options.steps.map(Bytes.init), settled),
  ]
}

/// "For each prefix reached the number of `flows`, outcomes, `ended` by outcome, `more`, went on."
private func node(_ prefix: [Bytes], _ settled: [OracleFlowOfUser]) -> OracleJSON {
  let here = settled.filter { Array($0.list.prefix(prefix.count)) == prefix }
  let ended = here.filter { $0.steps.count == prefix.count }
  let more = here.filter { prefix.count == 8 && $0.steps.count > 8 }
  func outcomes(_ flows: [OracleFlowOfUser]) -> OracleJSON {
    .object(
      outcomeNames.map { outcome, name in
        OracleMember(key: name, value: .int(flows.filter { $0.steps[prefix.count - 1].outcome == outcome }.count))
      })
  }
  return [
    "prefix": text(prefix), "flows": .int(here.count), "outcomes": outcomes(here), "ended": .int(ended.count),
    "ended_by_outcome": outcomes(ended), "more": .int(more.count),
    "went_on": .int(here.filter { $0.steps.count > prefix.count && prefix.count < 8 }.count),
  ]
}

private let outcomeNames: [(OracleOutcome, String)] = [
  (.granted, "granted"), (.denied, "denied"), (.skipped, "skipped"), (.droppedOff, "dropped_off"),
  (.restricted, "restricted"),
]

/// A step with where it stood.
private struct Placed {
  var journey: OracleJourney
  var position: String
  var before: String
}

private func placed(_ settled: [OracleFlowOfUser], _ permission: String?) -> [Placed] {
  settled.flatMap { flow in
    flow.steps.indices.map { number in
      let before = number == 0 ? nil : outcomeNames.first { $0.0 == flow.steps[number - 1].outcome }?.1
      return Placed(
        journey: flow.steps[number], position: number < 3 ? "\(number + 1)" : "4_up", before: before ?? "none")
    }
  }.filter { step in
    step.journey.isInBase && (permission.map { Bytes($0) == Bytes(step.journey.permission) } ?? true)
  }
}

private func byPosition(_ settled: [OracleFlowOfUser], _ permission: String?) -> [OracleJSON] {
  let steps = placed(settled, permission)
  return rows(steps, ["1", "2", "3", "4_up"], "position") { $0.position }
}

private func byOutcomeBefore(_ settled: [OracleFlowOfUser], _ permission: String?) -> [OracleJSON] {
  rows(placed(settled, permission), ["none"] + outcomeNames.map(\.1), "before") { $0.before }
}

private func rows(
  _ steps: [Placed], _ groups: [String], _ key: String, _ group: (Placed) -> String
) -> [OracleJSON] {
  let names = Set(steps.map { Bytes($0.journey.permission) }).sorted()
  return names.flatMap { name in
    groups.compactMap { wanted -> OracleJSON? in
      let base = steps.filter { Bytes($0.journey.permission) == name && group($0) == wanted }
      // Reading: a row exists where there is a base.
      if base.isEmpty { return nil }
      let granted = base.filter { $0.journey.outcome == .granted }.count
      return .object([
        OracleMember(key: "permission", value: .string(String(decoding: name.utf8, as: UTF8.self))),
        OracleMember(key: key, value: .string(wanted)), OracleMember(key: "base", value: .int(base.count)),
        OracleMember(key: "granted", value: .int(granted)),
        OracleMember(key: "rate", value: OracleEstimate.json(wilson(granted, of: base.count))),
      ])
    }
  }
}

/// "Settled flows whose first permission is P1; reached Pi = P1 … Pi in this order, others between allowed."
private func declared(_ steps: [Bytes], _ settled: [OracleFlowOfUser]) -> OracleJSON {
  let started = settled.filter { $0.permissions[0] == steps[0] }
  /// The journeys of the first steps, in this order; nil if they are not all reached.
  func reached(_ flow: OracleFlowOfUser, _ count: Int) -> [OracleJourney]? {
    let places = steps.prefix(count).map { flow.permissions.firstIndex(of: $0) ?? -1 }
    let isInOrder = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
    return isInOrder && !places.contains(-1) ? places.map { flow.steps[$0] } : nil
  }
  let counts = 1...steps.count
  let completed = started.compactMap { reached($0, steps.count) }.filter { $0[$0.count - 1].answer != nil }
  let durations = completed.compactMap { journeys in
    journeys[journeys.count - 1].answer.map { $0.timestamp - journeys[0].t0 }
  }
  return [
    "permissions": text(steps), "started": .int(started.count),
    "reached": .array(counts.map { count in .int(started.filter { reached($0, count) != nil }.count) }),
    "answered": .array(
      counts.map { count in .int(started.filter { reached($0, count)?[count - 1].answer != nil }.count) }),
    "completed": .int(completed.count),
    "duration_ms": [
      "count": .int(durations.count), "mean": .real(mean(durations.map(Double.init))),
      "p50": .whole(quantile(durations, percent: 50)), "p90": .whole(quantile(durations, percent: 90)),
      "p99": .whole(quantile(durations, percent: 99)),
    ],
  ]
}

/// Each once, "in bytewise order": name by name, and a list before those that begin with it.
private func ordered(_ lists: [[Bytes]]) -> [[Bytes]] { Set(lists).sorted { $0.lexicographicallyPrecedes($1) } }

private func text(_ list: [Bytes]) -> OracleJSON {
  .array(list.map { .string(String(decoding: $0.utf8, as: UTF8.self)) })
}
