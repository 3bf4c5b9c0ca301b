// The integers of groups of journeys, under names: what a report's rows are made of.

import Folding

/// Integers and times by permission, week and value of a property, or the values of two. A few groups lie flat, one after the other; many are packed.
struct GroupedSums: Sendable {
  /// Integers of a group: those of `Counter`, then those of `JourneySum`.
  static let width = Counter.places + JourneySum.places

  /// Names that keys refer to by their place, those of values as `ValueName` has them. The first is that of none.
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
