// The rows of a report in their order, each with its trend.

import Threads
import Folding
import PermissionEvents
import Statistics

/// Makes rows from groups, several at once.
struct RowBuilder: Sendable {
  private let groups: GroupedSums
  private let question: ReportQuestion
  private let isForCharts: Bool
  private let slots: [GroupKey: Int]
  /// By place of the permission.
  private let missing: [[Evidence]]

  init(_ groups: GroupedSums, _ evidence: EvidenceSums, _ question: ReportQuestion, isForCharts: Bool) {
    self.groups = groups
    self.question = question
    self.isForCharts = isForCharts
    missing = groups.permissions.map(evidence.missing)
    slots = Dictionary(uniqueKeysWithValues: zip(groups.keys, groups.keys.indices))
  }

  /// A permission, and a value of the property.
  private struct Subject: Hashable {
    var permission: UInt32
    var value: UInt32
  }

  /// One row to be made: all weeks of a subject, or one.
  private struct Place {
    var subject: Subject
    var week: ISOWeek?
    var slots: [Int]
  }

  /// By permission, by value (none first), all weeks first, then week by week.
  func rows(threads: Int) throws(SumsError) -> [ReportRow] {
    let places = self.places()
    let made = Mutex([ReportRow?](repeating: nil, count: places.count))
    let tasks = Workers.Tasks(count: places.count)
    try Workers.run(threads: min(threads, places.count)) { _ throws(SumsError) in
      let times = RowTimes()
      while let task = tasks.claim() {
        let row = try self.row(places[task], times)
        made.withLock { $0[task] = row }
      }
    }
    var rows = made.withLock { $0 }.compactMap { $0 }
    Self.adjust(&rows)
    return rows
  }

  private func places() -> [Place] {
    var weeks: [Subject: [(week: Int64, slot: Int)]] = [:]
    for (slot, key) in groups.keys.enumerated() where groups.integer(slot, Counter.exposed.rawValue) > 0 {
      weeks[Subject(permission: key.permission, value: key.value), default: []].append((key.week, slot))
    }
    let ordered = weeks.keys.sorted { a, b in
      if a.permission != b.permission {
        return groups.permissions[Int(a.permission)].lexicographicallyPrecedes(groups.permissions[Int(b.permission)])
      }
      if a.value == 0 || b.value == 0 { return a.value == 0 && b.value != 0 }
      return groups.values[Int(a.value)].lexicographicallyPrecedes(groups.values[Int(b.value)])
    }
    return ordered.flatMap { subject -> [Place] in
      let weeks = (weeks[subject] ?? []).sorted { $0.week < $1.week }
      let all = Place(subject: subject, week: nil, slots: weeks.map(\.slot))
      return [all] + weeks.map { Place(subject: subject, week: ISOWeek(index: $0.week), slots: [$0.slot]) }
    }
  }

  private func row(_ place: Place, _ times: RowTimes) throws(SumsError) -> ReportRow {
    let value = place.subject.value
    let by = question.property.map {
      PropertyValue(property: $0, value: value == 0 ? nil : String(decoding: groups.values[Int(value)], as: UTF8.self))
    }
    times.fill(groups, slots: place.slots)
    var row = ReportRow(
      permission: String(decoding: groups.permissions[Int(place.subject.permission)], as: UTF8.self), week: place.week,
      isComplete: place.week.map(isComplete), by: by, try RowSums(groups, slots: place.slots), times,
      missing: missing[Int(place.subject.permission)], isForCharts: isForCharts)
    if let week = place.week { row.trend = try trend(row, place.subject, week) }
    return row
  }

  /// True if a week's end is not after as_of.
  private func isComplete(_ week: ISOWeek) -> Bool {
    question.zone.firstMoment(of: week.firstDay + 7) <= question.windows.asOf
  }

  /// The row against the whole week before, whatever the report's interval cuts off.
  private func trend(_ row: ReportRow, _ subject: Subject, _ week: ISOWeek) throws(SumsError) -> Trend? {
    let previous = ISOWeek(index: week.index - 1)
    let key = GroupKey(permission: subject.permission, week: previous.index, value: subject.value)
    guard row.isComplete == true, row.grants.base > 0, let slot = slots[key] else { return nil }
    let sums = try RowSums(groups, slots: [slot])
    let base = sums[.exposed] - sums[.pending] - sums[.restricted] + sums[.outsideBase]
    let granted = sums[.granted] + sums[.outsideGranted]
    guard base > 0, isComplete(previous),
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
}
