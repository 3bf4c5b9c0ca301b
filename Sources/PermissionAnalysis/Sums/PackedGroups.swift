// Many groups in little memory: most counters of a group of few journeys are 0, and those are left out.

import Folding

/// The nonzero integers of some groups, as bytes, in the order of their keys.
///
/// A group is a list of cells by ascending index: its integers, then the buckets of its times, series after series.
/// A group of one
/// journey takes some 60 bytes, while its plain integers take 2 KB.
struct PackedGroups: Sendable {
  private(set) var keys: [GroupKey] = []
  private(set) var bytes: [UInt8] = []
  /// Where each group's bytes end.
  private var ends: [Int] = []
  /// The last index of the group that is being written.
  private var last = -1

  /// The number of indices: the integers, then the buckets of each series.
  static let places = GroupedSums.width + TimeSeries.count * TimeHistogram.size

  var size: Int { bytes.count + keys.count * (MemoryLayout<GroupKey>.stride + MemoryLayout<Int>.stride) }

  func cells(of slot: Int) -> Cells { Cells(bytes, slot == 0 ? 0 : ends[slot - 1], ends[slot]) }

  struct Cells: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int
    private var place = -1

    fileprivate init(_ bytes: [UInt8], _ start: Int, _ end: Int) {
      (self.bytes, position, self.end) = (bytes, start, end)
    }

    mutating func next() -> (place: Int, value: Int64)? {
      guard position < end else { return nil }
      place += Int(truncatingIfNeeded: number()) + 1
      return (place, Int64(bitPattern: number()))
    }

    private mutating func number() -> UInt64 {
      var number: UInt64 = 0
      var shift: UInt64 = 0
      while true {
        let byte = bytes[position]
        position += 1
        number |= UInt64(byte & 127) << shift
        if byte < 128 { return number }
        shift += 7
      }
    }
  }

  // MARK: Writing

  /// Ends the group whose cells were appended since the last. Keys ascend.
  mutating func end(_ key: GroupKey) {
    keys.append(key)
    ends.append(bytes.count)
    last = -1
  }

  /// Appends a cell. Indices must ascend; zeros are left out.
  mutating func append(_ place: Int, _ value: Int64) {
    guard value != 0 else { return }
    append(number: UInt64(truncatingIfNeeded: place - last - 1))
    append(number: UInt64(bitPattern: value))
    last = place
  }

  /// Appends the times of a group, after its integers.
  mutating func append(_ times: some Sequence<BucketCounts>) {
    for (series, counts) in zip(TimeSeries.allCases, times) {
      counts.forEachBucket { append(GroupedSums.width + series.rawValue * TimeHistogram.size + $0, $1) }
    }
  }

  private mutating func append(number: UInt64) {
    var left = number
    while left >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: left) | 128)
      left >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: left))
  }

  mutating func append(_ other: PackedGroups, _ slot: Int, as key: GroupKey) {
    bytes += other.bytes[(slot == 0 ? 0 : other.ends[slot - 1])..<other.ends[slot]]
    end(key)
  }

  private mutating func append(_ a: Cells, _ b: Cells, as key: GroupKey) throws(SumsError) {
    var (a, b) = (a, b)
    var (left, right) = (a.next(), b.next())
    while true {
      switch (left, right) {
      case (nil, nil): return end(key)
      case (let cell?, nil):
        append(cell.place, cell.value)
        left = a.next()
      case (nil, let cell?):
        append(cell.place, cell.value)
        right = b.next()
      case (let one?, let other?):
        if one.place < other.place {
          append(one.place, one.value)
          left = a.next()
        } else if other.place < one.place {
          append(other.place, other.value)
          right = b.next()
        } else {
          append(one.place, try Self.sum(one.place, one.value, other.value))
          (left, right) = (a.next(), b.next())
        }
      }
    }
  }

  /// The sum of two cells with the same index.
  static func sum(_ place: Int, _ a: Int64, _ b: Int64) throws(SumsError) -> Int64 {
    let sum = try CheckedSum.add(a, b)
    guard place < GroupedSums.width || sum <= SumKeys.mostUsers else {
      throw SumsError(.overflow, "more than 2^40 times fall in one bucket")
    }
    return sum
  }

  // MARK: Adding up

  /// The sums of two lists, whose keys have the same names.
  static func merged(_ a: PackedGroups, _ b: PackedGroups) throws(SumsError) -> PackedGroups {
    if a.keys.isEmpty { return b }
    if b.keys.isEmpty { return a }
    var merged = PackedGroups()
    let most = max(a.keys.count, b.keys.count)
    merged.keys.reserveCapacity(most)
    merged.ends.reserveCapacity(most)
    merged.bytes.reserveCapacity(max(a.bytes.count, b.bytes.count))
    var (i, j) = (0, 0)
    while i < a.keys.count || j < b.keys.count {
      if j == b.keys.count || i < a.keys.count && a.keys[i] < b.keys[j] {
        merged.append(a, i, as: a.keys[i])
        i += 1
      } else if i == a.keys.count || b.keys[j] < a.keys[i] {
        merged.append(b, j, as: b.keys[j])
        j += 1
      } else {
        try merged.append(a.cells(of: i), b.cells(of: j), as: a.keys[i])
        i += 1
        j += 1
      }
    }
    return merged
  }
}

// MARK: Other keys

extension PackedGroups {
  /// Returns the same groups under other keys. Groups that get the same key are joined.
  func renamed(_ rename: (GroupKey) -> GroupKey) throws(SumsError) -> PackedGroups {
    let names = keys.map(rename)
    if names == keys { return self }
    let order = names.indices.sorted { names[$0] < names[$1] }
    var renamed = PackedGroups()
    let sums = CellSums()
    for slots in order.stretches({ names[$0] == names[$1] }) {
      let (first, key) = (order[slots.lowerBound], names[order[slots.lowerBound]])
      if slots.count == 1 {
        renamed.append(self, first, as: key)
      } else {
        for slot in order[slots] { try sums.add(cells(of: slot)) }
        sums.move(to: &renamed, as: key)
      }
    }
    return renamed
  }
}

private final class CellSums {
  private var values = [Int64](repeating: 0, count: PackedGroups.places)
  private var places: [Int] = []

  func add(_ cells: PackedGroups.Cells) throws(SumsError) {
    for cell in cells {
      if values[cell.place] == 0 { places.append(cell.place) }
      values[cell.place] = try PackedGroups.sum(cell.place, values[cell.place], cell.value)
    }
  }

  /// Appends the sums as one group, and begins anew.
  func move(to groups: inout PackedGroups, as key: GroupKey) {
    for place in places.sorted() {
      groups.append(place, values[place])
      values[place] = 0
    }
    places.removeAll(keepingCapacity: true)
    groups.end(key)
  }
}

/// Lists of groups that one walk packed one after the other. Lists of similar size are merged, so each cell is
/// rewritten only a few times, however long the walk.
struct PackedRuns {
  private var runs: [PackedGroups] = []

  var isEmpty: Bool { runs.isEmpty }
  var size: Int { runs.reduce(0) { $0 + $1.size } }

  mutating func append(_ run: PackedGroups) throws(SumsError) {
    runs.append(run)
    while runs.count > 1, runs[runs.count - 2].size < 2 * runs[runs.count - 1].size { try mergeLast() }
  }

  /// Throws if they have no room. A group in several runs counts once.
  mutating func checkSize(in room: GroupRoom) throws(SumsError) {
    if size > room.bytes { try mergeAll() }
    try room.checkSize(size)
  }

  /// Returns all of them as one, and empties the runs.
  mutating func take() throws(SumsError) -> PackedGroups {
    try mergeAll()
    return runs.popLast() ?? PackedGroups()
  }

  private mutating func mergeAll() throws(SumsError) { while runs.count > 1 { try mergeLast() } }

  private mutating func mergeLast() throws(SumsError) {
    guard let last = runs.popLast(), let before = runs.popLast() else { return }
    runs.append(try PackedGroups.merged(before, last))
  }
}
