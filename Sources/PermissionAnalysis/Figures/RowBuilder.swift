// The rows of a report in their order, each made from its groups when it is wanted.

import Folding
import PermissionEvents
import Statistics
import Threads

struct RowBuilder: Sendable {
  private let groups: GroupedSums
  private let question: ReportQuestion
  private let isForCharts: Bool
  /// By index of the permission.
  private let missingOfPermissions: [[Evidence]]
  /// The index of the joined value of all values without their own row.
  private let other: UInt32?
  /// Slots of the groups: by permission, by value, week by week.
  private let order: [Int]
  let places: [RowSpan]
  /// By row.
  private var trends: [TrendTest] = []

  /// A row to be made: a span of the ordered slots.
  struct RowSpan: Sendable {
    fileprivate var first, count: UInt32
    var isAllWeeks: Bool
    fileprivate var slots: Range<Int> { Int(first)..<Int(first) + Int(count) }
  }

  /// p-values of a row's trend, NaN without one.
  private struct TrendTest {
    var pValue = Double.nan, adjusted = Double.nan
    var isThere = false
  }

  init(
    _ limited: GroupedSums.Limited, missing: ([UInt8]) -> [Evidence], _ question: ReportQuestion, isForCharts: Bool,
    threads: Int
  ) throws(SumsError) {
    groups = limited.groups
    other = limited.other
    self.question = question
    self.isForCharts = isForCharts
    missingOfPermissions = groups.permissions.map(missing)
    order = Self.order(groups, other: limited.other)
    places = Self.places(groups, order)
    trends = try self.trends(threads: threads)
  }

  // MARK: Which rows there are

  /// By permission, by value (none first, the others together last), week by week.
  private static func order(_ groups: GroupedSums, other: UInt32?) -> [Int] {
    let keys = groups.keys
    func ranks(_ names: [[UInt8]]) -> [Int] {
      var ranks = [Int](repeating: 0, count: names.count)
      let sorted = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
      for (rank, name) in sorted.enumerated() { ranks[name] = rank }
      return ranks
    }
    let permissions = ranks(groups.permissions)
    var values = ranks(groups.values)
    // The name of a missing value is empty, so it comes first. The name of the joined others is empty, too, but they come last.
    values[0] = -1
    if let other { values[Int(other)] = .max }
    return keys.indices.sorted { a, b in
      let (left, right) = (keys[a], keys[b])
      if left.permission != right.permission {
        return permissions[Int(left.permission)] < permissions[Int(right.permission)]
      }
      if left.value != right.value { return values[Int(left.value)] < values[Int(right.value)] }
      return left.week < right.week
    }
  }

  /// All weeks of a permission and value first, then week by week; a row exists if anybody was exposed.
  private static func places(_ groups: GroupedSums, _ order: [Int]) -> [RowSpan] {
    let keys = groups.keys
    var places: [RowSpan] = []
    for rows in order.stretches({ keys[$0].isBeside(keys[$1]) }) {
      let weeks = rows.filter { groups.integer(order[$0], Counter.exposed.rawValue) > 0 }
      if !weeks.isEmpty { places.append(RowSpan(rows.lowerBound, rows.count, isAllWeeks: true)) }
      for week in weeks { places.append(RowSpan(week, 1, isAllWeeks: false)) }
    }
    return places
  }

  private func key(_ place: RowSpan) -> GroupKey { groups.keys[order[Int(place.first)]] }

  /// The permission of a row, as an index among the names.
  func permission(_ row: Int) -> UInt32 { key(places[row]).permission }

  func week(_ row: Int) -> CalendarWeek? { places[row].isAllWeeks ? nil : CalendarWeek(index: key(places[row]).week) }

  func isOther(_ row: Int) -> Bool { key(places[row]).value == other }

  /// Whether the row is of exposures without any of the properties.
  func isNone(_ row: Int) -> Bool { key(places[row]).value == 0 }

  /// The builder has already refused sums that are too large.
  func sums(_ row: Int) -> RowSums { RowSums(checked: groups, slots: order[places[row].slots]) }

  func values(_ row: Int) -> [PropertyValue] {
    question.properties.values(groups.values[Int(key(places[row]).value)], isOther: isOther(row))
  }

  func missing(_ row: Int) -> [Evidence] { missingOfPermissions[Int(permission(row))] }

  /// The week that a row's trend is compared with, and its p-value. Nil without a trend.
  func trend(_ row: Int) -> (previousWeek: CalendarWeek, adjustedPValue: Double?)? {
    guard trends[row].isThere else { return nil }
    return (CalendarWeek(index: key(places[row]).week - 1), Self.known(trends[row].adjusted))
  }

  private static func known(_ p: Double) -> Double? { p.isNaN ? nil : p }

  var permissions: [Range<Int>] { places.indices.stretches { permission($0) == permission($1) } }

  /// Of a row of all weeks, without making it.
  func exposures(_ row: Int) -> Int {
    order[places[row].slots].reduce(0) { $0 &+ Int(groups.integer($1, Counter.exposed.rawValue)) }
  }

  func permissionName(_ row: Int) -> String {
    String(bounded: groups.permissions[Int(permission(row))])
  }

  // MARK: Making them

  /// - Parameter times: reused from row to row.
  func row(_ number: Int, _ times: RowTimes) -> ReportRow {
    let place = places[number]
    times.fill(groups, slots: order[place.slots])
    let week = week(number)
    var row = ReportRow(
      permission: permissionName(number), week: week, isComplete: week.map(isComplete), by: values(number),
      sums(number), times, missing: missing(number), isForCharts: isForCharts)
    // What made the test can be added up once more.
    if trends[number].isThere, let change = change(place) {
      row.trend = change.trend(Self.known(trends[number].pValue), adjusted: Self.known(trends[number].adjusted))
    }
    row.usual = usual(number)
    return row
  }

  func rows(_ numbers: [Int], threads: Int) -> [ReportRow] {
    let made = Mutex([ReportRow?](repeating: nil, count: numbers.count))
    let tasks = Workers.Tasks(count: numbers.count)
    Workers.run(threads: min(threads, numbers.count)) { _ in
      let times = RowTimes()
      while let task = tasks.claim() {
        let row = self.row(numbers[task], times)
        made.withLock { $0[task] = row }
      }
    }
    return made.withLock { $0 }.compactMap { $0 }
  }

  /// A ranking for each permission, in the order of the rows; none unless the rows are split by a property.
  var rankings: [ValueRanking] {
    permissions.map { rows in
      let counts = rows.filter { places[$0].isAllWeeks && !isOther($0) }.map { row -> ValueRanking.Counts in
        let sums = self.sums(row)
        return (key(places[row]).value, sums[.exposed] - sums[.pending] - sums[.restricted], sums[.granted, .granted])
      }
      return ValueRanking(
        permission: permissionName(rows.lowerBound), properties: question.properties, names: groups.values, counts,
        isKnown: !missing(rows.lowerBound).contains(.answers))
    }
  }

  // MARK: Trends

  /// Whether a week's end is not after as_of.
  private func isComplete(_ week: CalendarWeek) -> Bool {
    question.zone.firstMoment(of: week.firstDay + 7) <= question.windows.asOf
  }

  /// A row against the whole week before, whatever the report's interval cuts off.
  private func change(_ place: RowSpan) -> GrantChange? {
    let position = Int(place.first)
    guard !place.isAllWeeks, position > 0, !missingOfPermissions[Int(key(place).permission)].contains(.answers) else {
      return nil
    }
    let (key, before) = (groups.keys[order[position]], groups.keys[order[position - 1]])
    let previous = CalendarWeek(index: before.week)
    guard key.isBeside(before), before.week == key.week - 1, isComplete(CalendarWeek(index: key.week)),
      isComplete(previous)
    else { return nil }
    return GrantChange(
      GrantCounts(groups, order[position]), since: previous, GrantCounts(groups, order[position - 1]))
  }

  /// A row of a complete week against all complete weeks before it that have a base, whatever the report's interval cuts off.
  func usual(_ number: Int) -> UsualWeek? {
    let place = places[number]
    let position = Int(place.first)
    let key = self.key(place)
    guard !place.isAllWeeks, isComplete(CalendarWeek(index: key.week)), !missing(number).contains(.answers) else {
      return nil
    }
    // Six integers a week, read without adding up all of them.
    guard let now = GrantCounts(groups, order[position]).inside else { return nil }
    var earlier: [BinomialSample] = []
    earlier.reserveCapacity(UsualRange.mostWeeks)
    var before = position - 1
    while before >= 0, earlier.count < UsualRange.mostWeeks, groups.keys[order[before]].isBeside(key) {
      if let all = GrantCounts(groups, order[before]).all { earlier.append(all) }
      before -= 1
    }
    return UsualWeek(now, after: earlier.reversed())
  }

  /// The tests of all trends, by Holm over the permissions of each week and property value.
  private func trends(threads: Int) throws(SumsError) -> [TrendTest] {
    let piece = 1 << 12
    let pieces = (places.count + piece - 1) / piece
    let made = Mutex([[TrendTest]](repeating: [], count: pieces))
    let tasks = Workers.Tasks(count: pieces)
    try Workers.run(threads: min(threads, pieces)) { _ throws(SumsError) in
      while let task = tasks.claim() {
        var tests: [TrendTest] = []
        for place in places[task * piece..<min(places.count, (task + 1) * piece)] {
          // Sums that are too large for figures are refused here, before any row is wanted.
          _ = try RowSums(groups, slots: order[place.slots])
          let change = change(place)
          tests.append(TrendTest(pValue: change?.pValue ?? .nan, isThere: change != nil))
        }
        let done = tests
        made.withLock { $0[task] = done }
      }
    }
    var tests = made.withLock { $0 }.flatMap { $0 }
    let keys = places.map(key)
    let families = tests.indices.filter { tests[$0].isThere }.sorted { a, b in
      (keys[a].week, keys[a].value, a) < (keys[b].week, keys[b].value, b)
    }
    for family in families.stretches({ keys[$0].week == keys[$1].week && keys[$0].value == keys[$1].value }) {
      let members = families[family]
      let adjusted = MultipleTesting.holm(members.map { tests[$0].pValue.isNaN ? nil : tests[$0].pValue })
      for (row, p) in zip(members, adjusted) { tests[row].adjusted = p ?? .nan }
    }
    return tests
  }
}

extension RowBuilder.RowSpan {
  fileprivate init(_ first: Int, _ count: Int, isAllWeeks: Bool) {
    (self.first, self.count) = (UInt32(truncatingIfNeeded: first), UInt32(truncatingIfNeeded: count))
    self.isAllWeeks = isAllWeeks
  }
}

extension RandomAccessCollection where Index == Int {
  /// Where elements that follow one another belong together, each with the first of them.
  func stretches(_ belongTogether: (_ first: Element, _ next: Element) -> Bool) -> [Range<Int>] {
    var stretches: [Range<Int>] = []
    var start = startIndex
    while start < endIndex {
      let first = self[start]
      let end = self[start...].firstIndex { !belongTogether(first, $0) } ?? endIndex
      stretches.append(start..<end)
      start = end
    }
    return stretches
  }
}

extension [Int] {
  /// The indices of the largest elements, ascending; of equal ones the first.
  package func places(ofLargest most: Int) -> [Int] {
    indices.sorted { (self[$1], $0) < (self[$0], $1) }.prefix(most).sorted()
  }
}
