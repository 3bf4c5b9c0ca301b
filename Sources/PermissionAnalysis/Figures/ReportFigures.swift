// From a finished fold to a report: rows in their order, trends, reach and activity.

import PermissionEvents
import Statistics

extension Report {
  /// The report of a log without events.
  package static func empty(timeZone: String, responseWindow: Milliseconds, followUp: Milliseconds) -> Report {
    Report(
      asOf: nil, timeZone: timeZone, windows: nil, responseWindow: responseWindow, followUp: followUp, from: nil,
      to: nil, events: 0, users: 0, unexposed: 0, property: nil, rows: [], reach: [], activity: [])
  }

  /// - Parameter fold: of all users.
  /// - Parameter threads: that work on the rows.
  /// - Parameter isForCharts: whether rows get what only charts need: times as distributions, and whole curves.
  package init(_ fold: ReportFold, threads: Int, isForCharts: Bool = false) {
    let question = fold.question
    let names = Names(fold.contexts)
    self.init(
      asOf: question.windows.asOf, timeZone: question.zone.name, windows: question.windows,
      responseWindow: question.windows.response, followUp: question.windows.followUp, from: question.from,
      to: question.to, events: Int(fold.events), users: Int(fold.users), unexposed: Int(fold.unexposed),
      property: question.property, rows: Self.rows(fold, names, threads, isForCharts), reach: Self.reach(fold, names),
      activity: Self.activity(fold, names), zone: question.zone)
  }

  /// Names of codes, and the bytewise order of them.
  private struct Names: Sendable {
    let permissions: [String]
    let properties: [String]

    init(_ contexts: HistoryContexts) {
      permissions = contexts.permissions.map { String(decoding: $0, as: UTF8.self) }
      properties = contexts.properties.map { String(decoding: $0, as: UTF8.self) }
    }

    func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
  }

  private struct RowGroup: Hashable, Sendable {
    var permission: UInt32
    var value: UInt32
  }

  private static func rows(
    _ fold: ReportFold, _ names: Names, _ threads: Int, _ isForCharts: Bool
  ) -> [ReportRow] {
    var groups: [RowGroup: [(week: Int64, slot: Int)]] = [:]
    for (slot, key) in fold.groups.keys.enumerated() where fold.groups.total(of: slot, Counter.exposed) > 0 {
      groups[RowGroup(permission: key.permission, value: key.value), default: []].append((key.week, slot))
    }
    let ordered = groups.keys.sorted { a, b in
      let (nameA, nameB) = (names.permissions[Int(a.permission)], names.permissions[Int(b.permission)])
      if a.permission != b.permission { return names.precedes(nameA, nameB) }
      if a.value == 0 || b.value == 0 { return a.value == 0 && b.value != 0 }
      return names.precedes(names.properties[Int(a.value)], names.properties[Int(b.value)])
    }
    let places = ordered.flatMap { group -> [RowPlace] in
      let weeks = (groups[group] ?? []).sorted { $0.week < $1.week }
      let all = RowPlace(group: group, week: nil, slots: weeks.map(\.slot))
      return [all] + weeks.map { RowPlace(group: group, week: ISOWeek(index: $0.week), slots: [$0.slot]) }
    }
    let made = Mutex([ReportRow?](repeating: nil, count: places.count))
    let tasks = Workers.Tasks(count: places.count)
    WorkerThreads.run(min(threads, places.count)) {
      let times = RowTimes()
      while let task = tasks.claim() {
        let row = Self.row(places[task], fold, names, times, isForCharts)
        made.withLock { $0[task] = row }
      }
    }
    var rows = made.withLock { $0 }.compactMap { $0 }
    adjust(&rows)
    return rows
  }

  /// One row to be made: all weeks of a group, or one.
  private struct RowPlace: Sendable {
    var group: RowGroup
    var week: ISOWeek?
    var slots: [Int]
  }

  private static func row(
    _ place: RowPlace, _ fold: ReportFold, _ names: Names, _ times: RowTimes, _ isForCharts: Bool
  ) -> ReportRow {
    let by = fold.question.property.map {
      PropertyValue(property: $0, value: place.group.value == 0 ? nil : names.properties[Int(place.group.value)])
    }
    var sums = GroupSums()
    for slot in place.slots { sums.add(fold.groups, slot: slot) }
    times.fill(fold.times, slots: place.slots)
    var row = ReportRow(
      permission: names.permissions[Int(place.group.permission)], week: place.week,
      isComplete: place.week.map { isComplete($0, fold.question) }, by: by, sums, times, isForCharts: isForCharts)
    if let week = place.week { row.trend = trend(row, place.group, week, fold) }
    return row
  }

  /// True where a week's end is not after as_of.
  private static func isComplete(_ week: ISOWeek, _ question: ReportQuestion) -> Bool {
    question.zone.firstMoment(of: week.firstDay + 7) <= question.windows.asOf
  }

  /// The row against the whole week before, whatever the report's interval cuts off.
  private static func trend(_ row: ReportRow, _ group: RowGroup, _ week: ISOWeek, _ fold: ReportFold) -> Trend? {
    let previous = ISOWeek(index: week.index - 1)
    let key = GroupKey(permission: group.permission, week: previous.index, value: group.value)
    guard row.isComplete == true, row.grants.base > 0, let slot = fold.groups.existingSlot(key) else { return nil }
    var sums = GroupSums()
    sums.add(fold.groups, slot: slot)
    let base =
      sums[Counter.exposed] - sums[Counter.pending] - sums[Counter.restricted] + sums[Counter.outsideBase]
    let granted = sums[Counter.outcome + Outcome.granted.rawValue] + sums[Counter.outsideGranted]
    guard base > 0, isComplete(previous, fold.question),
      let now = try? BinomialSample(successes: row.grants.granted, trials: row.grants.base),
      let before = try? BinomialSample(successes: granted, trials: base)
    else { return nil }
    return Trend(
      previousWeek: previous, change: .difference((row.grants.granted, row.grants.base), (granted, base)),
      pValue: EqualityTest.primary(now, before)?.pValue, adjustedPValue: nil)
  }

  /// Holm over the permissions of each week and property value.
  private static func adjust(_ rows: inout [ReportRow]) {
    // Values are byte strings: two that look alike to a person are two.
    struct Family: Hashable {
      var week: ISOWeek
      var value: [UInt8]?
    }
    var families: [Family: [Int]] = [:]
    for (i, row) in rows.enumerated() {
      guard let week = row.week, row.trend != nil else { continue }
      families[Family(week: week, value: row.by?.value.map { Array($0.utf8) }), default: []].append(i)
    }
    for members in families.values {
      let adjusted = MultipleTesting.holm(members.map { rows[$0].trend?.pValue })
      for (i, p) in zip(members, adjusted) { rows[i].trend?.adjustedPValue = p }
    }
  }

  private static func reach(_ fold: ReportFold, _ names: Names) -> [ReachRow] {
    let active = Int(fold.reach.activeUsers)
    var rows: [ReachRow] = []
    for code in names.permissions.indices where code > 0 {
      let counts = fold.reach.states(permission: code)
      let asked = counts.reduce(0, +)
      guard asked > 0 else { continue }
      rows.append(
        ReachRow(
          permission: names.permissions[code], activeUsers: active, neverAsked: active - asked, on: counts[0],
          partial: counts[1], off: counts[2], restricted: counts[3], undecided: counts[4]))
    }
    return rows.sorted { names.precedes($0.permission, $1.permission) }
  }

  private static func activity(_ fold: ReportFold, _ names: Names) -> [ActivityRow] {
    struct Key: Hashable {
      var permission: UInt32
      var week: Int64
    }
    let kinds = EventKind.allCases
    var sums: [Key: [Int]] = [:]
    for (key, counts) in fold.activity.counts() {
      for kind in kinds where counts[Int(kind.rawValue)] > 0 {
        // Engagement belongs to no permission, whatever it carries.
        let permission = kind.isEngagement ? 0 : fold.contexts.contexts[key.context].permission
        if let only = fold.question.permission, only != permission { continue }
        let row = Key(permission: permission, week: key.week)
        sums[row, default: [Int](repeating: 0, count: kinds.count)][Int(kind.rawValue)] +=
          Int(counts[Int(kind.rawValue)])
      }
    }
    let rows = sums.map { key, counts in
      let name = key.permission == 0 ? nil : names.permissions[Int(key.permission)]
      return ActivityRow(permission: name, week: ISOWeek(index: key.week), counts: counts)
    }
    return rows.sorted { a, b in
      let (nameA, nameB) = (a.permission ?? "", b.permission ?? "")
      return nameA.utf8.elementsEqual(nameB.utf8) ? a.week < b.week : names.precedes(nameA, nameB)
    }
  }
}
