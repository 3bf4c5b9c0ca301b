// The integers of groups of journeys, under names: what a report's rows are made of.

import Folding

/// Integers and times by permission, week and value of a property. A few groups lie flat, one after the other; many are packed.
struct GroupedSums: Sendable {
  /// Integers of a group: those of `Counter`, then those of `JourneySum`.
  static let width = Counter.places + JourneySum.places

  /// Names that keys refer to by their place. The first is that of none.
  private(set) var permissions: [[UInt8]] = [[]]
  private(set) var values: [[UInt8]] = [[]]
  private var flatKeys: [GroupKey] = []
  private var integers: [Int64] = []
  /// Counts of times, by group and `TimeSeries`.
  private var times: [BucketCounts] = []
  /// All groups, if they are too many to lie flat.
  private var packed: PackedGroups?
  private var room = GroupRoom()
  /// Why they could not be counted.
  private var failure: SumsError?

  init() {}

  /// What one walk counted.
  /// - Parameters:
  ///   - permissions: names by code, and so for values.
  ///   - integers: `width` of them for each key.
  ///   - times: one for each key and series.
  init(
    permissions: [[UInt8]], values: [[UInt8]], keys: [GroupKey], integers: [Int64], times: [BucketCounts],
    room: GroupRoom = GroupRoom()
  ) {
    self.permissions = permissions
    self.values = values.isEmpty ? [[]] : values
    flatKeys = keys
    self.integers = integers
    self.times = times
    self.room = room
  }

  /// What one walk packed.
  /// - Parameter failure: why that is not all.
  init(
    permissions: [[UInt8]], values: [[UInt8]], _ packed: PackedGroups, failure: SumsError? = nil, room: GroupRoom
  ) {
    self.permissions = permissions
    self.values = values.isEmpty ? [[]] : values
    self.packed = packed
    self.failure = failure
    self.room = room
  }

  var keys: [GroupKey] { packed?.keys ?? flatKeys }

  /// The integers of a group.
  func integers(of slot: Int) -> [Int64] {
    var integers = [Int64](repeating: 0, count: Self.width)
    forEachInteger(of: slot) { integers[$0] = $1 }
    return integers
  }

  func integer(_ slot: Int, _ place: Int) -> Int64 {
    guard let packed else { return integers[slot * Self.width + place] }
    return packed.cells(of: slot).first { $0.place >= place }.flatMap { $0.place == place ? $0.value : nil } ?? 0
  }

  /// The integers of a group; those that are 0 may be left out.
  @inline(__always)
  func forEachInteger(of slot: Int, _ body: (_ place: Int, _ value: Int64) -> Void) {
    guard let packed else {
      for (place, value) in integers[slot * Self.width..<(slot + 1) * Self.width].enumerated() { body(place, value) }
      return
    }
    for cell in packed.cells(of: slot) {
      if cell.place >= Self.width { return }
      body(cell.place, cell.value)
    }
  }

  /// The times of a group, by series.
  func times(of slot: Int) -> ArraySlice<BucketCounts> {
    guard let packed else { return times[slot * TimeSeries.count..<(slot + 1) * TimeSeries.count] }
    var times = [BucketCounts](repeating: BucketCounts(), count: TimeSeries.count)
    for cell in packed.cells(of: slot) where cell.place >= Self.width {
      let place = cell.place - Self.width
      times[place / TimeHistogram.size].append(place % TimeHistogram.size, cell.value)
    }
    return times[...]
  }

  /// Throws if the groups could not be counted.
  func check(for other: GroupedSums? = nil) throws(SumsError) {
    if let failure = failure ?? other?.failure { throw failure }
  }

  mutating func add(_ other: GroupedSums) throws(SumsError) {
    try check(for: other)
    if keys.isEmpty {
      self = other
      return
    }
    let permissionPlaces = Self.adopt(other.permissions, into: &permissions)
    let valuePlaces = Self.adopt(other.values, into: &values)
    func ours(_ key: GroupKey) -> GroupKey {
      GroupKey(
        permission: permissionPlaces[Int(key.permission)], week: key.week, value: valuePlaces[Int(key.value)])
    }
    guard packed == nil, other.packed == nil, flatKeys.count + other.flatKeys.count <= room.groups else {
      let sum = try PackedGroups.merged(try packedGroups(), try other.packedGroups().renamed(ours))
      try room.check(sum.size)
      packed = sum
      (flatKeys, integers, times) = ([], [], [])
      return
    }
    var slots = Dictionary(uniqueKeysWithValues: zip(flatKeys, flatKeys.indices))
    for (theirs, key) in other.flatKeys.enumerated() {
      let ours = ours(key)
      let integers = other.integers[theirs * Self.width..<(theirs + 1) * Self.width]
      let times = other.times[theirs * TimeSeries.count..<(theirs + 1) * TimeSeries.count]
      guard let slot = slots[ours] else {
        slots[ours] = flatKeys.count
        flatKeys.append(ours)
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

  /// The same groups under other values; those that get one value become one.
  func renamed(values: [[UInt8]], _ rename: (UInt32) -> UInt32) throws(SumsError) -> GroupedSums {
    let groups = try packedGroups().renamed { key in
      GroupKey(permission: key.permission, week: key.week, value: rename(key.value))
    }
    return GroupedSums(permissions: permissions, values: values, groups, room: room)
  }

  /// All groups packed, under the codes that they have here.
  private func packedGroups() throws(SumsError) -> PackedGroups {
    if let packed { return packed }
    var packed = PackedGroups()
    for slot in flatKeys.indices.sorted(by: { flatKeys[$0] < flatKeys[$1] }) {
      forEachInteger(of: slot) { packed.append($0, $1) }
      for (series, counts) in zip(TimeSeries.allCases, times(of: slot)) {
        counts.forEachBucket { packed.append(PackedGroups.place(series, bucket: $0), $1) }
      }
      packed.end(flatKeys[slot])
    }
    return packed
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
      forEachInteger(of: slot) { row.append($0, $1) }
      groups.setRow(name, row)
      for (series, counts) in zip(TimeSeries.allCases, self.times(of: slot)) {
        var row = SumTable.Row()
        counts.forEachBucket { row.append($0, $1) }
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
    let rows = groups.orderedRows
    let isFlat = rows.count <= room.groups
    for (key, row) in rows {
      let group = try group(key)
      slots[group] = flatKeys.count
      flatKeys.append(group)
      guard isFlat else {
        for value in row.values { _ = try SumKeys.count(value) }
        continue
      }
      let start = integers.count
      integers += repeatElement(0, count: Self.width)
      for (column, value) in zip(row.columns, row.values) { integers[start + column] = try SumKeys.count(value) }
    }
    self.times = [BucketCounts](repeating: BucketCounts(), count: flatKeys.count * TimeSeries.count)
    for (key, row) in times.orderedRows {
      let group = try group(key)
      guard let slot = slots[group], let series = TimeSeries.allCases.first(where: { key[3] == Array("\($0)".utf8) })
      else { throw SumsError(.damaged, "table times has a row of no group") }
      self.times[slot * TimeSeries.count + series.rawValue] = try BucketCounts(
        columns: row.columns, values: row.values)
    }
    self.permissions = permissions.names
    self.values = values.names
    if !isFlat {
      try pack(rows.map(\.row))
      try room.check(packed?.size ?? 0)
    }
    try check()
  }

  /// Packs groups of a file, whose times lie flat.
  private mutating func pack(_ rows: [SumTable.Row]) throws(SumsError) {
    var packed = PackedGroups()
    for slot in flatKeys.indices.sorted(by: { flatKeys[$0] < flatKeys[$1] }) {
      for (column, value) in zip(rows[slot].columns, rows[slot].values) { packed.append(column, value) }
      for (series, counts) in zip(TimeSeries.allCases, times(of: slot)) {
        counts.forEachBucket { packed.append(PackedGroups.place(series, bucket: $0), $1) }
      }
      packed.end(flatKeys[slot])
    }
    self.packed = packed
    (flatKeys, times) = ([], [])
  }

  /// What figures take for granted of sums that a fold made, of sums that a file brought.
  private func check() throws(SumsError) {
    func damaged(_ what: String) -> SumsError { SumsError(.damaged, "table groups contradicts itself: \(what)") }
    let shares = Self.shares
    for slot in keys.indices {
      let integers = integers(of: slot)
      let times = times(of: slot)
      func count(_ counter: Counter) -> Int64 { integers[counter.rawValue] }
      func all(_ granted: Counter) -> Int64 { (0..<4).reduce(0) { $0 &+ integers[granted.rawValue + $1] } }
      for place in 0..<Counter.places where integers[place] > SumKeys.mostUsers { throw damaged("too many") }
      guard all(.granted) == count(.exposed) - count(.pending) - count(.restricted) else { throw damaged("outcomes") }
      for place in 0..<4 {
        let outcome = integers[Counter.granted.rawValue + place]
        let explained = integers[Counter.explainedGranted.rawValue + place]
        let continued = integers[Counter.continuedGranted.rawValue + place]
        let prompted = integers[Counter.promptedGranted.rawValue + place]
        guard explained <= outcome, prompted <= outcome, continued <= explained, continued <= prompted else {
          throw damaged("steps")
        }
      }
      for (part, whole) in shares where integers[part] > integers[whole] { throw damaged("shares") }
      for (series, counts) in zip(TimeSeries.allCases, times)
      where counts.total != integers[Counter.timeCount + series.rawValue] {
        throw damaged("times")
      }
    }
  }

  /// Places of integers of which the one is a part of the other.
  private static let shares: [(Int, Int)] =
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
}
