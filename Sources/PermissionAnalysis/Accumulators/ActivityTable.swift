// What a walk counts by permission alone, under its own codes: events of each kind by week, and how far the active users
// have access.

import Buffers
import PermissionEvents

/// Counts of kinds. Owned by one thread.
struct ActivityTable: ~Copyable {
  struct PermissionWeek: Hashable, Sendable {
    /// Code of the permission.
    var permission: Int
    var week: Int64
  }

  private static let kinds = Int(KindCode.count)
  private static let directLimit = 1 << 16
  /// Kinds of engagement, in the order of their codes: `feature_used`, `app_active`.
  private static let engagementKinds = 2
  private let weeks: ClosedRange<Int64>
  private let weekNumbers: WeekNumbers
  private let permissions: Int
  /// False if there are too many weeks or permissions for tables.
  private let hasTables: Bool
  /// By week, permission and kind, for the weeks that were announced, one before and one after: if clocks are set back
  /// over midnight, days are not in the order of time.
  private var events = WideningCounts()
  /// By day and kind, for the days of those weeks.
  private var engagement = WideningCounts()
  private var others: [PermissionWeek: [Int64]] = [:]

  init(permissions: Int, weeks: ClosedRange<Int64>, _ weekNumbers: WeekNumbers) {
    self.permissions = permissions
    self.weekNumbers = weekNumbers
    self.weeks = weeks
    let count = Int(weeks.upperBound - weeks.lowerBound) + 1
    hasTables = count <= Self.directLimit / max(1, permissions)
    events.extend(to: hasTables ? (count + 2) * permissions * Self.kinds : 1)
    engagement.extend(to: hasTables ? (count + 2) * 7 * Self.engagementKinds : 1)
  }

  private var firstWeek: Int64 { weeks.lowerBound - 1 }

  /// Where events of permissions of a user whose first and last weeks these are can be counted, and the week that the
  /// table begins with. Nil if they were not announced: then they are for `addElsewhere`. Valid as long as the table.
  @inline(__always)
  func eventCounts(from first: Int64, to last: Int64) -> (UnsafeMutablePointer<UInt32>, firstWeek: Int64)? {
    guard hasTables, first >= weeks.lowerBound, last <= weeks.upperBound else { return nil }
    return (events.new.unsafeAddress, firstWeek)
  }

  /// - Parameter week: from the table's first on.
  @inline(__always)
  static func place(permission: Int, kind: Int, week: Int64, permissions: Int) -> Int {
    (Int(truncatingIfNeeded: week) &* permissions &+ permission) &* kinds &+ kind
  }

  /// The same for engagement, by day: feature and activity counts of one day are adjacent.
  @inline(__always)
  func engagementCounts(
    from first: DayNumber, to last: DayNumber
  ) -> (UnsafeMutablePointer<UInt32>, firstDay: DayNumber)? {
    guard eventCounts(from: weekNumbers.week(of: first), to: weekNumbers.week(of: last)) != nil else { return nil }
    return (engagement.new.unsafeAddress, CalendarWeek(index: firstWeek).firstDay)
  }

  @inline(never)
  mutating func addElsewhere(permission: Int, kind: Int, week: Int64) {
    others[PermissionWeek(permission: permission, week: week), default: [Int64](repeating: 0, count: Self.kinds)][
      kind] += 1
  }

  /// Moves the new counts. Must run at least once every 2^32 events.
  func flush() {
    events.flush()
    engagement.flush()
  }

  /// Counts by `EventKind` of each permission and week that has any. Engagement is under permission 0.
  func counts() -> [PermissionWeek: [Int64]] {
    flush()
    var all = others
    func add(_ key: PermissionWeek, _ kind: Int, _ count: Int64) {
      if count != 0 { all[key, default: [Int64](repeating: 0, count: Self.kinds)][kind] += count }
    }
    guard hasTables else { return all }
    for place in 0..<events.total.count {
      let (group, kind) = (place / Self.kinds, place % Self.kinds)
      add(
        PermissionWeek(permission: group % permissions, week: firstWeek + Int64(group / permissions)), kind,
        events.total[place])
    }
    for place in 0..<engagement.total.count {
      let week = firstWeek + Int64(place / (7 * Self.engagementKinds))
      let kind = Int(KindCode.featureUsed) + place % Self.engagementKinds
      add(PermissionWeek(permission: 0, week: week), kind, engagement.total[place])
    }
    return all
  }
}

/// Counts of users by the last word of their journeys. Owned by one thread.
struct ReachTable: ~Copyable {
  /// By `Access`.
  static let states = ["on", "partial", "off", "restricted", "undecided"]
  /// The states, then the changes.
  static let columns = states + ["turned_on", "turned_off"]

  /// By code of the permission, then by column.
  private let counts: Buffer<Int64>

  init(permissions: Int) { counts = Buffer(repeating: 0, count: permissions * Self.columns.count) }

  /// - Parameter since: changes up to this moment are not counted.
  @inline(__always)
  func add(_ events: some JourneyEvents, _ code: PermissionCode, since: Milliseconds) {
    let first = Int(code.rawValue) * Self.columns.count
    let access = Self.access(events, permission: code)
    counts[first + access.rawValue] += 1
    guard access != .undecided, let isOn = Self.change(events, permission: code, since: since) else { return }
    counts[first + Self.states.count + (isOn ? 0 : 1)] += 1
  }

  /// The counts of a permission, by column.
  func counts(permission: Int) -> [Int64] { Self.columns.indices.map { counts[permission * Self.columns.count + $0] } }

  /// The last word of a journey: the state by its last event with one.
  @inline(__always)
  static func access(_ events: some JourneyEvents, permission: PermissionCode) -> Access {
    guard let last = events.last(.telling) else { return .undecided }
    return access(events, last, permission: permission)
  }

  /// The state by one event.
  @inline(__always)
  private static func access(_ events: some JourneyEvents, _ i: Int, permission: PermissionCode) -> Access {
    switch events.kind(i) {
    case KindCode.granted, KindCode.reEnabled: events.isPartial(i, permission: permission) ? .partial : .on
    case KindCode.denied, KindCode.revoked: events.status(i) == .restricted ? .restricted : .off
    default: events.status(i).access(permission: permission)
    }
  }

  /// Whether the permission was turned on (also in part), or off, as the app learned after a moment: the state before was the
  /// opposite. Nil if neither. What says no state is passed over.
  @inline(__always)
  private static func change(
    _ events: some JourneyEvents, permission: PermissionCode, since: Milliseconds
  ) -> Bool? {
    var isOn: Bool?
    var i = events.last(.telling)
    // The first event with the last state; all later ones have it.
    var first = 0
    while let place = i {
      let state: Bool? =
        switch access(events, place, permission: permission) {
        case .on, .partial: true
        case .off, .restricted: false
        case .undecided: nil
        }
      if let state {
        if isOn == nil { isOn = state }
        if state != isOn { return events.time(first) > since ? isOn : nil }
        if events.time(place) <= since { return nil }
        first = place
      }
      i = events.last(.telling, before: place)
    }
    return nil
  }
}

// MARK: Exposures by version of the app and calendar day, under the codes of one walk

/// Owned by one thread.
struct VersionDayTable: ~Copyable {
  /// By code of an exposure's attributes that of its version, 0 for none; empty if versions are not counted.
  private var versionOfCode = Buffer<UInt32>()
  private var cells = DayCells(most: DaySums.mostVersions)

  /// - Parameter isWanted: false for a table that counts nothing.
  init(isWanted: Bool, _ selection: HistorySelection, _ contexts: HistoryContexts) {
    guard isWanted, let place = selection.attributes.firstIndex(of: .appVersion) else { return }
    for values in contexts.attributes { versionOfCode.append(place < values.count ? values[place] : 0) }
  }

  /// False if nothing is counted: then attributes need not be looked up.
  var isCounting: Bool { @inline(__always) get { versionOfCode.count > 0 } }

  @inline(__always)
  mutating func add(code: Int, day: DayNumber) { cells.add(code: versionOfCode[code], day: day) }

  func sums(_ selection: HistorySelection, _ contexts: HistoryContexts) -> DaySums {
    var sums = DaySums.versions
    guard let place = selection.attributes.firstIndex(of: .appVersion) else { return sums }
    cells.add(to: &sums, names: contexts.attributeValues[place])
    return sums
  }
}

/// Counts by a code and a day, in open addressing. Owned by one thread.
struct DayCells: ~Copyable {
  /// Code and day of each slot; 0 if it is free, because code 0 has no name.
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

  /// Random for each process, so no log can be made up whose names all hash to one slot.
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

  func add(to sums: inout DaySums, names: [[UInt8]]) {
    if areTooMany { sums.giveUp() }
    for place in 0..<keys.count where keys[place] != 0 {
      let day = DayNumber(Int32(truncatingIfNeeded: keys[place]))
      // A walk does not count to 2^62.
      try? sums.add(counts[place], names[Int(keys[place] >> 32)], on: day)
    }
  }
}
