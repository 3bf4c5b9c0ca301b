// The integers of groups of journeys, under names: what a report's rows are made of.

import Folding
import PermissionEvents

/// Integers and times by permission, week and value of a property, or the values of two. A few groups are flat, one
/// after the other; many are packed.
struct GroupedSums: Sendable {
  /// The integers of a group: `Counter`, then `JourneySum`.
  static let width = Counter.places + JourneySum.places

  /// Names that keys refer to by index; values are encoded by `ValueName`. The first is a missing name.
  private(set) var permissions: [[UInt8]] = [[]]
  private(set) var values: [[UInt8]] = [[]]
  private var flatKeys: [GroupKey] = []
  private var integers: [Int64] = []
  /// Counts of times, by group and `TimeSeries`.
  private var times: [BucketCounts] = []
  /// All groups, if there are too many to be flat.
  private var packed: PackedGroups?
  private(set) var limit = SumsLimit()

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
    (flatKeys, self.integers, self.times) = (keys, integers, times)
    limit.room = room
  }

  /// - Parameter failure: why that is not all.
  init(permissions: [[UInt8]], values: [[UInt8]], _ packed: PackedGroups, failure: SumsError? = nil, room: GroupRoom) {
    self.init(permissions: permissions, values: values, keys: [], integers: [], times: [], room: room)
    self.packed = packed
    limit.failure = failure
  }

  var keys: [GroupKey] { packed?.keys ?? flatKeys }

  func integers(of slot: Int) -> [Int64] {
    var integers = [Int64](repeating: 0, count: Self.width)
    forEachInteger(of: slot) { integers[$0] = $1 }
    return integers
  }

  func integer(_ slot: Int, _ place: Int) -> Int64 {
    guard let packed else { return integers[slot * Self.width + place] }
    return packed.cells(of: slot).first { $0.place >= place }.flatMap { $0.place == place ? $0.value : nil } ?? 0
  }

  /// The integers of a group. Zeros may be left out.
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

  mutating func add(_ other: GroupedSums) throws(SumsError) {
    try limit.checkSize(for: other.limit)
    if keys.isEmpty {
      self = other
      return
    }
    let permissionPlaces = Self.adopt(other.permissions, into: &permissions)
    let valuePlaces = Self.adopt(other.values, into: &values)
    func ours(_ key: GroupKey) -> GroupKey {
      GroupKey(week: key.week, permission: permissionPlaces[Int(key.permission)], value: valuePlaces[Int(key.value)])
    }
    guard packed == nil, other.packed == nil, flatKeys.count + other.flatKeys.count <= limit.room.groups else {
      let sum = try PackedGroups.merged(packedGroups(), try other.packedGroups().renamed(ours))
      try limit.room.checkSize(sum.size)
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

  /// Returns the same groups under other values. Groups that get the same value are joined.
  func renamed(values: [[UInt8]], _ rename: (UInt32) -> UInt32) throws(SumsError) -> GroupedSums {
    let groups = try packedGroups().renamed { key in
      GroupKey(week: key.week, permission: key.permission, value: rename(key.value))
    }
    return GroupedSums(permissions: permissions, values: values, groups, room: limit.room)
  }

  /// All groups packed, under the codes that they have here.
  private func packedGroups() -> PackedGroups {
    if let packed { return packed }
    return Self.packed(flatKeys, times) { slot, packed in forEachInteger(of: slot) { packed.append($0, $1) } }
  }

  /// Returns the indices here of another list's names; new ones are appended.
  private static func adopt(_ names: [[UInt8]], into list: inout [[UInt8]]) -> [UInt32] {
    if names == list { return list.indices.map { UInt32(truncatingIfNeeded: $0) } }
    var table = CodeTable(list)
    let places = names.map { table.code($0) }
    list = table.values
    return places
  }
}

// MARK: Tables

extension GroupedSums: SumsPart {
  private static let keyNames = ["permission", "week", "value", "value_2"]
  private static let groups = TableShape(
    "groups", keys: keyNames, columns: .named(CounterNames.all), bound: CheckedSum.limit)
  private static let times = TableShape("times", keys: keyNames + ["series"], columns: .numbered(TimeHistogram.size))

  var tables: [SumTable] {
    var groups: [(key: SumTable.Key, row: SumTable.Row)] = []
    var times: [(key: SumTable.Key, row: SumTable.Row)] = []
    groups.reserveCapacity(keys.count)
    let scratch = TimeHistogram()
    for (slot, key) in keys.enumerated() {
      let name = name(of: key)
      var row = SumTable.Row()
      row.reserveCapacity(Self.width / 4)
      forEachInteger(of: slot) { if $1 != 0 { row.append($0, $1) } }
      groups.append((name, row))
      let series = self.times(of: slot)
      for number in TimeSeries.byName {
        let counts = series[series.startIndex + number]
        if counts.cells == 0 { continue }
        times.append((name + [TimeSeries.names[number]], counts.row(countedIn: scratch)))
      }
    }
    return [Self.groups.empty.filled(groups), Self.times.empty.filled(times)]
  }

  private func name(of key: GroupKey) -> SumTable.Key {
    [permissions[Int(key.permission)], CalendarWeek(index: key.week).bytes]
      + ValueName.values(values[Int(key.value)]).map { $0.isEmpty ? nil : $0 }
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    let rows = try Self.groups.rows(in: tables)
    var permissions = CodeTable<[UInt8]>([[]])
    var values = permissions
    var slots: [GroupKey: Int] = [:]
    var last: (key: ArraySlice<[UInt8]?>, group: GroupKey)?
    func group(_ key: SumTable.Key, _ shape: TableShape) throws(SumsError) -> GroupKey {
      // Rows of one group follow each other.
      if let last, last.key == key[..<4] { return last.group }
      guard let permission = key[0].name, let week = key[1].week, let value = key[2].nameOrNone,
        let second = key[3].nameOrNone
      else { throw shape.otherKey }
      let group = GroupKey(
        week: week, permission: permissions.code(permission), value: values.code(ValueName.of([value, second])))
      last = (key[..<4], group)
      return group
    }
    let isFlat = rows.count <= limit.room.groups
    var keys: [GroupKey] = []
    var integers: [Int64] = []
    for (key, row) in rows {
      let group = try group(key, Self.groups)
      slots[group] = keys.count
      keys.append(group)
      guard isFlat else { continue }
      let start = integers.count
      integers += repeatElement(0, count: Self.width)
      for (column, value) in zip(row.columns, row.values) { integers[start + column] = value }
    }
    var counts = [BucketCounts](repeating: BucketCounts(), count: keys.count * TimeSeries.count)
    for (key, row) in try Self.times.rows(in: tables) {
      guard let slot = slots[try group(key, Self.times)],
        let series = TimeSeries.names.firstIndex(where: { key[4] == $0 })
      else {
        throw Self.times.damaged("has a row that belongs to no group")
      }
      counts[slot * TimeSeries.count + series] = try BucketCounts(columns: row.columns, values: row.values)
    }
    if isFlat {
      self = GroupedSums(
        permissions: permissions.values, values: values.values, keys: keys, integers: integers, times: counts,
        room: limit.room)
    } else {
      let packed = Self.packed(keys, counts) { slot, packed in
        for (column, value) in zip(rows[slot].row.columns, rows[slot].row.values) { packed.append(column, value) }
      }
      try limit.room.checkSize(packed.size)
      self = GroupedSums(permissions: permissions.values, values: values.values, packed, room: limit.room)
    }
    try checkFigures()
  }

  /// - Parameters:
  ///   - times: one for each key and series.
  ///   - append: appends the integers of a group, by its slot.
  private static func packed(
    _ keys: [GroupKey], _ times: [BucketCounts], _ append: (_ slot: Int, inout PackedGroups) -> Void
  ) -> PackedGroups {
    var packed = PackedGroups()
    for slot in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
      append(slot, &packed)
      packed.append(times[(slot * TimeSeries.count)...])
      packed.end(keys[slot])
    }
    return packed
  }
}

// MARK: Checks

extension GroupedSums {
  /// What figures take for granted of sums that a fold made, of sums that a file brought.
  func checkFigures() throws(SumsError) {
    func damaged(_ what: String) -> SumsError { Self.groups.damaged("contradicts itself: \(what)") }
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

  /// Throws if sums from a file have values of properties that the question does not have.
  func checkCounts(properties: Int) throws(SumsError) {
    func has(_ name: [UInt8]) -> Bool { properties == 0 ? !name.isEmpty : !ValueName.values(name)[1].isEmpty }
    guard properties < 2, values.contains(where: has) else { return }
    throw Self.groups.damaged("has values of more properties than the question")
  }

  /// Pairs of indices: the first integer is a part of the second.
  private static let shares: [(Int, Int)] =
    [
      (.partial, .granted), (.answeredByStatus, .exposed), (.followUpGranted, .followUpEligible),
      (.followUpPartial, .followUpGranted), (.outsideGranted, .outsideBase),
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

// MARK: Limit

extension GroupedSums {
  /// The groups of some values, and of all others as one value.
  struct Limited {
    var groups: GroupedSums
    /// The index of the joined others among the names of values. Nil if there are none.
    var other: UInt32?
    /// The number of values with exposures, including the joined others.
    var values: Int
  }

  /// Keeps the values with the most exposures, in all permissions and weeks; of values with as many, the first in the order of their
  /// bytes. No value is not counted, and is kept.
  func limited(to rows: RowLimit) throws(SumsError) -> Limited {
    let most = max(1, rows.values)
    var exposures = [Int64](repeating: 0, count: values.count)
    for (slot, key) in keys.enumerated() where key.value > 0 {
      let sum = try CheckedSum.add(exposures[Int(key.value)], integer(slot, Counter.exposed.rawValue))
      exposures[Int(key.value)] = sum
    }
    let exposed = exposures.indices.filter { exposures[$0] > 0 }
    guard exposed.count > most else { return Limited(groups: self, other: nil, values: exposed.count) }
    let largest = exposed.sorted { a, b in
      if exposures[a] != exposures[b] { return exposures[a] > exposures[b] }
      return values[a].lexicographicallyPrecedes(values[b])
    }.prefix(most)
    let other = UInt32(truncatingIfNeeded: most + 1)
    var places = [UInt32](repeating: other, count: values.count)
    places[0] = 0
    for (place, code) in largest.enumerated() { places[code] = UInt32(truncatingIfNeeded: place + 1) }
    let groups = try renamed(values: [[]] + largest.map { values[$0] } + [[]]) { places[Int($0)] }
    return Limited(groups: groups, other: other, values: exposed.count)
  }
}

/// Limits how many values of the property, or combinations of two, get their own rows. The others are joined into
/// one row. Only figures use it: sums keep every value.
package struct RowLimit: Sendable {
  package static let usualValues = 1000

  /// The number of values with their own rows: the ones with the most exposures.
  package var values = RowLimit.usualValues

  package init() {}
}

/// The memory limit for the sums of all groups.
package struct GroupRoom: Sendable {
  /// Groups that are kept with all their integers, which is fastest. If there are more they are packed.
  package var groups = 1 << 13
  /// Bytes of packed groups, of all threads and folds together.
  package var bytes = 256 << 20
  /// The most rows kept in memory. If there are more, each row is made when it is written.
  package var rows = 1 << 14

  package init() {}

  /// Groups that each of several folds may keep with all their integers.
  private static let leastGroups = 1 << 11

  /// The room of one of the folds that count at the same time.
  func share(_ contexts: HistoryContexts) -> GroupRoom {
    var share = self
    share.groups = min(groups, max(groups / max(1, contexts.folds), Self.leastGroups))
    share.bytes /= max(1, contexts.threads) * max(1, contexts.folds)
    return share
  }

  func checkSize(_ size: Int) throws(SumsError) {
    guard size > bytes else { return }
    throw tooMany("the users divide into too many groups (permissions, weeks and values of the property)")
  }

  /// - Parameter what: there is too much of.
  func tooMany(_ what: String) -> SumsError {
    SumsError(.tooManyGroups, "\(what): their sums need more than the \(bytes >> 20) MB available")
  }
}

/// The name of one or two values of an exposure, empty ones being none. The name of one value is the value itself, unless it has a
/// byte 0. Names are in the order of their bytes if they are by the first value, then by the second, none first.
enum ValueName {
  // The byte after a 0 tells its meaning: within a value, or between two.
  private static let within: UInt8 = 0xFF
  private static let between: UInt8 = 0x01

  static func of(_ values: [[UInt8]]) -> [UInt8] {
    let (first, second) = (values.first ?? [], values.count > 1 ? values[1] : [])
    if second.isEmpty { return escaped(first) }
    return escaped(first) + [0, between] + escaped(second)
  }

  /// The two values; the second is empty if the name is of one. Any bytes are the name of something.
  static func values(_ name: [UInt8]) -> [[UInt8]] {
    guard name.contains(0) else { return [name, []] }
    var values: [[UInt8]] = [[], []]
    var place = 0
    var isMarked = false
    for byte in name {
      switch (isMarked, byte) {
      case (true, between): place = 1
      case (true, _): values[place].append(0)
      case (false, 0): break
      case (false, _): values[place].append(byte)
      }
      isMarked = !isMarked && byte == 0
    }
    return values
  }

  private static func escaped(_ value: [UInt8]) -> [UInt8] {
    value.contains(0) ? value.flatMap { $0 == 0 ? [0, within] : [$0] } : value
  }
}
