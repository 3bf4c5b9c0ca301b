// Counts by code and calendar day, if no table that is laid out for all days and codes has room.

import Buffers
import PermissionEvents

/// Counts by a code and a day, in open addressing. Owned by one thread.
struct DayCells: ~Copyable {
  /// Code and day of each place; 0 if it is free, as code 0 is of no name.
  private var keys = Buffer<UInt64>(repeating: 0, count: 1024)
  private var counts = Buffer<Int64>(repeating: 0, count: 1024)
  private var used = 0
  /// Codes and days that sums keep.
  private let most: Int
  /// There are more: they are no longer counted.
  private(set) var areTooMany = false

  init(most: Int) { self.most = most }

  /// - Parameter code: 0 is not counted.
  @inline(__always)
  mutating func add(code: UInt32, day: DayNumber) {
    guard code != 0, !areTooMany else { return }
    let key = UInt64(code) << 32 | UInt64(UInt32(truncatingIfNeeded: day))
    var place = Self.place(of: key, in: keys)
    if keys[place] == 0 {
      guard take(key, place) else { return }
      place = Self.place(of: key, in: keys)
    }
    counts[place] += 1
  }

  /// False if there is no room for one more.
  @inline(never)
  private mutating func take(_ key: UInt64, _ place: Int) -> Bool {
    guard used < most else {
      areTooMany = true
      return false
    }
    keys[place] = key
    used += 1
    if used * 2 > keys.count { grow() }
    return true
  }

  /// Of this process: nobody can make up a log whose names all want one place.
  private static let seed = UInt64.random(in: 0...(.max)) | 1

  @inline(__always)
  private static func place(of key: UInt64, in keys: borrowing Buffer<UInt64>) -> Int {
    let mask = keys.count - 1
    var place = Int(truncatingIfNeeded: (key &* seed) >> 32) & mask
    while keys[place] != 0, keys[place] != key { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let newKeys = Buffer<UInt64>(repeating: 0, count: keys.count * 2)
    let newCounts = Buffer<Int64>(repeating: 0, count: keys.count * 2)
    for old in 0..<keys.count where keys[old] != 0 {
      let place = Self.place(of: keys[old], in: newKeys)
      newKeys[place] = keys[old]
      newCounts[place] = counts[old]
    }
    keys = newKeys
    counts = newCounts
  }

  /// Adds what was counted to sums, under names.
  func add(to sums: inout DaySums, names: [[UInt8]]) {
    if areTooMany { sums.giveUp() }
    for place in 0..<keys.count where keys[place] != 0 {
      let day = DayNumber(Int32(truncatingIfNeeded: keys[place]))
      // A walk does not count to 2^62.
      try? sums.add(counts[place], names[Int(keys[place] >> 32)], on: day)
    }
  }
}
