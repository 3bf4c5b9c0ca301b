// The integers of groups of journeys, under names: what a report's rows are made of.

import Folding

/// Integers and times by permission, week and value of a property. They lie flat, group after group.
struct GroupedSums: Sendable {
  /// Integers of a group: those of `Counter`, then those of `JourneySum`.
  static let width = Counter.places + JourneySum.places

  /// Names that keys refer to by their place. The first is that of none.
  private(set) var permissions: [[UInt8]] = [[]]
  private(set) var values: [[UInt8]] = [[]]
  private(set) var keys: [GroupKey] = []
  private var integers: [Int64] = []
  /// Counts of times, by group and `TimeSeries`.
  private var times: [BucketCounts] = []

  init() {}

  /// What one walk counted.
  /// - Parameters:
  ///   - permissions: names by code, and so for values.
  ///   - integers: `width` of them for each key.
  ///   - times: one for each key and series.
  init(permissions: [[UInt8]], values: [[UInt8]], keys: [GroupKey], integers: [Int64], times: [BucketCounts]) {
    self.permissions = permissions
    self.values = values.isEmpty ? [[]] : values
    self.keys = keys
    self.integers = integers
    self.times = times
  }

  func integer(_ slot: Int, _ place: Int) -> Int64 { integers[slot * Self.width + place] }
  func integers(of slot: Int) -> ArraySlice<Int64> { integers[slot * Self.width..<(slot + 1) * Self.width] }
  func times(_ slot: Int, _ series: TimeSeries) -> BucketCounts { times[slot * TimeSeries.count + series.rawValue] }

  mutating func add(_ other: GroupedSums) throws(SumsError) {
    if keys.isEmpty {
      self = other
      return
    }
    let permissionPlaces = Self.adopt(other.permissions, into: &permissions)
    let valuePlaces = Self.adopt(other.values, into: &values)
    var slots = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    for (theirs, key) in other.keys.enumerated() {
      let ours = GroupKey(
        permission: permissionPlaces[Int(key.permission)], week: key.week, value: valuePlaces[Int(key.value)])
      let integers = other.integers[theirs * Self.width..<(theirs + 1) * Self.width]
      let times = other.times[theirs * TimeSeries.count..<(theirs + 1) * TimeSeries.count]
      guard let slot = slots[ours] else {
        slots[ours] = keys.count
        keys.append(ours)
        self.integers += integers
        self.times += times
        continue
      }
      for (place, value) in integers.enumerated() where value != 0 {
        let sum = slot * Self.width + place
        self.integers[sum] = try CheckedSum.add(self.integers[sum], value)
      }
      for (place, counts) in times.enumerated() { try self.times[slot * TimeSeries.count + place].add(counts) }
    }
  }

  /// Places here of another list's names; new ones are appended.
  private static func adopt(_ names: [[UInt8]], into list: inout [[UInt8]]) -> [UInt32] {
    if names == list { return list.indices.map { UInt32(truncatingIfNeeded: $0) } }
    var places = Dictionary(uniqueKeysWithValues: zip(list, list.indices))
    return names.map { name in
      if let place = places[name] { return UInt32(truncatingIfNeeded: place) }
      places[name] = list.count
      list.append(name)
      return UInt32(truncatingIfNeeded: list.count - 1)
    }
  }
}

extension GroupedSums {
  private static let keyNames = ["permission", "week", "value"]
  private static let emptyGroups = SumTable("groups", keys: keyNames, columns: CounterNames.all)
  private static let emptyTimes = SumTable(
    "times", keys: keyNames + ["series"], columns: .numbered(TimeHistogram.size))

  /// The tables `groups` and `times`.
  func tables() -> [SumTable] {
    var groups = Self.emptyGroups
    var times = Self.emptyTimes
    for (slot, key) in keys.enumerated() {
      let name = name(of: key)
      var row = SumTable.Row()
      for place in 0..<Self.width { row.append(place, integer(slot, place)) }
      groups.setRow(name, row)
      for series in TimeSeries.allCases {
        var row = SumTable.Row()
        self.times(slot, series).forEachBucket { row.append($0, $1) }
        times.setRow(name + [Array("\(series)".utf8)], row)
      }
    }
    return [groups, times]
  }

  private func name(of key: GroupKey) -> SumTable.Key {
    [
      permissions[Int(key.permission)], SumKeys.week(key.week),
      key.value == 0 ? nil : values[Int(key.value)],
    ]
  }

  init(tables: [SumTable]) throws(SumsError) {
    let groups = try tables.table(like: Self.emptyGroups)
    let times = try tables.table(like: Self.emptyTimes)
    var permissions = NameList()
    var values = NameList()
    var slots: [GroupKey: Int] = [:]
    func group(_ key: SumTable.Key) throws(SumsError) -> GroupKey {
      GroupKey(
        permission: try permissions.place(of: SumKeys.present(key[0])), week: try SumKeys.week(key[1]),
        value: key[2] == nil ? 0 : try values.place(of: SumKeys.present(key[2])))
    }
    for (key, row) in groups.orderedRows {
      let group = try group(key)
      slots[group] = keys.count
      keys.append(group)
      let start = integers.count
      integers += repeatElement(0, count: Self.width)
      for (column, value) in zip(row.columns, row.values) { integers[start + column] = try SumKeys.count(value) }
    }
    self.times = [BucketCounts](repeating: BucketCounts(), count: keys.count * TimeSeries.count)
    for (key, row) in times.orderedRows {
      let group = try group(key)
      guard let slot = slots[group], let series = TimeSeries.allCases.first(where: { key[3] == Array("\($0)".utf8) })
      else { throw SumsError(.damaged, "table times has a row of no group") }
      self.times[slot * TimeSeries.count + series.rawValue] = try BucketCounts(
        columns: row.columns, values: row.values)
    }
    self.permissions = permissions.names
    self.values = values.names
    try check()
  }

  /// What figures take for granted of sums that a fold made, of sums that a file brought.
  private func check() throws(SumsError) {
    func damaged(_ what: String) -> SumsError { SumsError(.damaged, "table groups contradicts itself: \(what)") }
    for slot in keys.indices {
      func count(_ counter: Counter) -> Int64 { integer(slot, counter.rawValue) }
      func all(_ granted: Counter) -> Int64 { (0..<4).reduce(0) { $0 &+ integer(slot, granted.rawValue + $1) } }
      for place in 0..<Counter.places where integer(slot, place) > SumKeys.mostUsers { throw damaged("too many") }
      guard all(.granted) == count(.exposed) - count(.pending) - count(.restricted) else { throw damaged("outcomes") }
      for place in 0..<4 {
        let outcome = integer(slot, Counter.granted.rawValue + place)
        let explained = integer(slot, Counter.explainedGranted.rawValue + place)
        let continued = integer(slot, Counter.continuedGranted.rawValue + place)
        let prompted = integer(slot, Counter.promptedGranted.rawValue + place)
        guard explained <= outcome, prompted <= outcome, continued <= explained, continued <= prompted else {
          throw damaged("steps")
        }
      }
      let shares: [(Int, Int)] =
        [
          (.partial, .granted), (.followUpGranted, .followUpEligible), (.followUpPartial, .followUpGranted),
          (.outsideGranted, .outsideBase),
          (.afterGrantEligible, .granted), (.revoked, .afterGrantEligible), (.partialEligible, .afterGrantEligible),
          (.upgraded, .partialEligible), (.settingsShown, .denied), (.settingsOpened, .settingsShown),
          (.settingsEligible, .settingsShown), (.settingsEnabled, .settingsEligible),
          (.settingsPartial, .settingsEnabled), (.engagedGranted, .granted),
        ].map { (part: Counter, whole: Counter) in (part.rawValue, whole.rawValue) }
        + (0..<4 * retentionDays.count).map { (Counter.retention + 2 * $0 + 1, Counter.retention + 2 * $0) }
        + (0..<3).flatMap { number -> [(Int, Int)] in
          let returning = Counter.returning + number * Counter.returningStride
          return [(returning + 1, returning), (returning + 2, returning + 1)]
        }
      for (part, whole) in shares where integer(slot, part) > integer(slot, whole) { throw damaged("shares") }
      for series in TimeSeries.allCases
      where times(slot, series).total != integer(slot, Counter.timeCount + series.rawValue) {
        throw damaged("times")
      }
    }
  }
}
