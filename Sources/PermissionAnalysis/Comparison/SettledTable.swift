// Journeys by the day by whose end they are settled, under the codes of one walk.

import Buffers
import PermissionEvents

/// What is known of a journey at the ends of days, by arm.
enum SettledPlace: Int, CaseIterable {
  /// Journeys of users who saw one variant, and of those who were to see several, from the day that settles them.
  case one, several
  /// The latter again, from the day on by whose end it is also known that they saw several.
  case left

  static let count = left.rawValue + 1

  @inline(__always)
  func number(_ arm: Int) -> Int { arm &* Self.count &+ rawValue }
}

/// Counters by stratum, place and day. Owned by one thread.
struct SettledTable: ~Copyable {
  struct Key: Hashable {
    var stratum: Int
    /// `SettledPlace.number`.
    var place: Int
    var day: DayNumber
  }

  /// A user, as the table asks for it.
  struct User {
    var stratum: Int
    var arm: Int
    /// The day by whose end it is known that the user saw several variants; nil for one who saw one.
    var leavingDay: DayNumber?
  }

  private(set) var keys: [Key] = []
  /// By stratum, place and day the slot plus one; 0 without one.
  private var slots = Buffer<Int32>()
  /// Slots of keys that lie outside of it.
  private var others: [Key: Int] = [:]
  private var counters = Buffer<Int64>()
  private let firstDay: DayNumber
  private let dayCount: Int
  private let places: Int

  /// Most slots that are found without hashing: 16 MiB.
  private static let most = 1 << 22

  /// - Parameter days: that are looked up without hashing.
  init(days: ClosedRange<DayNumber>, arms: Int) {
    firstDay = days.lowerBound
    dayCount = days.count
    places = arms * SettledPlace.count
  }

  /// Counts a user's journey on the day that settles it, and if the user saw several variants also as left.
  /// - Parameters:
  ///   - place: of the counter, among `SettledCounts`.
  ///   - success: the same of those that succeed among them; nil if the journey does not.
  @inline(__always)
  mutating func count(_ place: Int, _ success: Int? = nil, on day: DayNumber, _ user: User) {
    guard let leavingDay = user.leavingDay else {
      count(place, success, Key(stratum: user.stratum, place: SettledPlace.one.number(user.arm), day: day))
      return
    }
    count(place, success, Key(stratum: user.stratum, place: SettledPlace.several.number(user.arm), day: day))
    let left = SettledPlace.left.number(user.arm)
    count(place, success, Key(stratum: user.stratum, place: left, day: max(day, leavingDay)))
  }

  @inline(__always)
  private mutating func count(_ place: Int, _ success: Int?, _ key: Key) {
    let counters = counters(key)
    counters[place] &+= 1
    if let success { counters[success] &+= 1 }
  }

  /// The counters of a key; valid until the next key.
  @inline(__always)
  private mutating func counters(_ key: Key) -> UnsafeMutablePointer<Int64> {
    // First the slot: a new one may move the counters.
    let slot = slot(key)
    return counters.unsafeAddress + slot &* SettledCounts.count
  }

  /// The place of a key in `slots`, which may be past its end; nil for a day that has none.
  @inline(__always)
  private func directPlace(_ key: Key) -> Int? {
    let day = Int(truncatingIfNeeded: key.day &- firstDay)
    guard day >= 0, day < dayCount else { return nil }
    return (key.stratum &* places &+ key.place) &* dayCount &+ day
  }

  @inline(__always)
  private mutating func slot(_ key: Key) -> Int {
    if let place = directPlace(key), place < slots.count, slots[place] > 0 { return Int(slots[place]) &- 1 }
    return newSlot(key)
  }

  @inline(never)
  private mutating func newSlot(_ key: Key) -> Int {
    if let slot = others[key] { return slot }
    let slot = keys.count
    keys.append(key)
    if let place = directPlace(key), place < Self.most {
      slots.extend(to: min((key.stratum + 1) * places * dayCount, Self.most), repeating: 0)
      slots[place] = Int32(truncatingIfNeeded: slot + 1)
    } else {
      others[key] = slot
    }
    counters.extend(to: (slot + 1) * SettledCounts.count, repeating: 0)
    return slot
  }

  /// The counters of a slot, which is the place of its key in `keys`.
  func counts(slot: Int) -> SettledCounts {
    var counts = SettledCounts()
    for place in SettledCounts.places { counts[place] = counters[slot * SettledCounts.count + place] }
    return counts
  }
}
