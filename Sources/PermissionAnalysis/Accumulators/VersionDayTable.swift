// Exposures by version of the app and calendar day, under the codes of one walk.

import Buffers
import PermissionEvents

/// Owned by one thread. Keys are in a table of their own, for a version may have exposures on any day of any year.
struct VersionDayTable: ~Copyable {
  /// By code of an exposure's attributes that of its version, 0 for none; empty if versions are not counted.
  private var versionOfCode = Buffer<UInt32>()
  /// Version and day of each place, in open addressing; 0 if it is free.
  private var keys: Buffer<UInt64>
  private var counts: Buffer<Int64>
  private var used = 0
  /// There are more versions and days than are kept: they are no longer counted.
  private var areTooMany = false

  private static let firstPlaces = 1024

  /// - Parameters:
  ///   - isWanted: false for a table that counts nothing.
  ///   - selection: with which the walk was begun.
  init(isWanted: Bool, _ selection: HistorySelection, _ contexts: HistoryContexts) {
    keys = Buffer(repeating: 0, count: Self.firstPlaces)
    counts = Buffer(repeating: 0, count: Self.firstPlaces)
    guard isWanted, let place = selection.attributes.firstIndex(of: .appVersion) else { return }
    for values in contexts.attributes { versionOfCode.append(place < values.count ? values[place] : 0) }
  }

  /// False if nothing is counted: then attributes need not be looked up.
  var isCounting: Bool { @inline(__always) get { versionOfCode.count > 0 } }

  /// - Parameter code: of the exposure's attributes.
  @inline(__always)
  mutating func add(code: Int, day: DayNumber) {
    let version = versionOfCode[code]
    guard version != 0, !areTooMany else { return }
    let key = UInt64(version) << 32 | UInt64(UInt32(truncatingIfNeeded: day))
    var place = Self.place(of: key, in: keys)
    if keys[place] == 0 {
      guard take(key, place) else { return }
      place = Self.place(of: key, in: keys)
    }
    counts[place] += 1
  }

  /// The place that a key has, or would have.
  @inline(__always)
  private static func place(of key: UInt64, in keys: borrowing Buffer<UInt64>) -> Int {
    let mask = keys.count - 1
    var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while keys[place] != 0, keys[place] != key { place = (place + 1) & mask }
    return place
  }

  /// False if there is no room for one more.
  @inline(never)
  private mutating func take(_ key: UInt64, _ place: Int) -> Bool {
    guard used < VersionSums.mostCells else {
      areTooMany = true
      return false
    }
    keys[place] = key
    used += 1
    if used * 2 > keys.count { grow() }
    return true
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

  /// What was counted, under the names of the versions.
  func sums(_ selection: HistorySelection, _ contexts: HistoryContexts) -> VersionSums {
    var sums = VersionSums()
    guard let place = selection.attributes.firstIndex(of: .appVersion) else { return sums }
    if areTooMany { sums.giveUp() }
    for slot in 0..<keys.count where keys[slot] != 0 {
      let day = DayNumber(Int32(truncatingIfNeeded: keys[slot]))
      sums.add(counts[slot], contexts.attributeValues[place][Int(keys[slot] >> 32)], on: day)
    }
    return sums
  }
}
