// Journeys by the day by whose end they are settled, under the codes of one walk.

import Buffers
import PermissionEvents

/// The counters of an arm from `ArmCounter.granted` on: of journeys that have their say on a metric.
typealias SettledCounts = SIMD8<Int64>

extension SettledCounts {
  static let counters = ArmCounter.allCases.dropFirst(ArmCounter.granted.rawValue)

  subscript(_ counter: ArmCounter) -> Int64 { self[counter.rawValue - ArmCounter.granted.rawValue] }

  /// Successes and trials of a metric.
  func tally(_ metric: ComparisonMetric) -> Comparison.Tally {
    func tally(_ successes: ArmCounter, of trials: ArmCounter...) -> Comparison.Tally {
      Comparison.Tally(trials: Int(trials.reduce(0) { $0 + self[$1] }), successes: Int(self[successes]))
    }
    return switch metric {
    case .grantRate: tally(.granted, of: .granted, .denied, .skipped, .droppedOff)
    case .denyRate: tally(.denied, of: .granted, .denied, .skipped, .droppedOff)
    case .skipRate: tally(.skipped, of: .granted, .denied, .skipped, .droppedOff)
    case .dropOffRate: tally(.droppedOff, of: .granted, .denied, .skipped, .droppedOff)
    case .promptGrantRate: tally(.granted, of: .granted, .denied)
    case .grantedByDay28: tally(.followUpGranted, of: .followUpEligible)
    case .retentionDay7: tally(.retained, of: .retentionEligible)
    }
  }
}

/// What is known of a journey at the ends of days, by arm.
enum SettledPlace: Int, CaseIterable {
  /// Journeys of users who saw one variant, and of those who were to see several, from the day that settles them.
  case one, several
  /// The latter again, from the day on by whose end it is also known that they saw several.
  case left

  static let count = left.rawValue + 1

  @inline(__always)
  func number(_ arm: Int) -> Int { arm * Self.count + rawValue }
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
  private let days: ClosedRange<DayNumber>
  private let places: Int

  private static let width = SettledCounts.scalarCount
  /// Most slots that are found without hashing: 16 MiB.
  private static let most = 1 << 22

  /// - Parameter days: that are looked up without hashing.
  init(days: ClosedRange<DayNumber>, arms: Int) {
    self.days = days
    places = arms * SettledPlace.count
  }

  /// Counts a user's journey on the day that settles it, and if the user saw several variants also as left.
  @inline(__always)
  mutating func count(_ counter: ArmCounter, on day: DayNumber, _ user: User) {
    let place = counter.rawValue - ArmCounter.granted.rawValue
    guard let leavingDay = user.leavingDay else {
      counters(Key(stratum: user.stratum, place: SettledPlace.one.number(user.arm), day: day))[place] += 1
      return
    }
    counters(Key(stratum: user.stratum, place: SettledPlace.several.number(user.arm), day: day))[place] += 1
    let left = SettledPlace.left.number(user.arm)
    counters(Key(stratum: user.stratum, place: left, day: max(day, leavingDay)))[place] += 1
  }

  /// The counters of a key; valid until the next key.
  @inline(__always)
  private mutating func counters(_ key: Key) -> UnsafeMutablePointer<Int64> {
    // First the slot: a new one may move the counters.
    let slot = slot(key)
    return counters.unsafeAddress + slot * Self.width
  }

  /// The place of a key in `slots`, which may be past its end; nil for a day that has none.
  @inline(__always)
  private func directPlace(_ key: Key) -> Int? {
    guard key.day >= days.lowerBound, key.day <= days.upperBound else { return nil }
    return (key.stratum &* places &+ key.place) &* days.count &+ Int(key.day &- days.lowerBound)
  }

  @inline(__always)
  private mutating func slot(_ key: Key) -> Int {
    if let place = directPlace(key), place < slots.count, slots[place] > 0 { return Int(slots[place]) - 1 }
    return newSlot(key)
  }

  @inline(never)
  private mutating func newSlot(_ key: Key) -> Int {
    if let slot = others[key] { return slot }
    let slot = keys.count
    keys.append(key)
    if let place = directPlace(key), place < Self.most {
      slots.extend(to: min((key.stratum + 1) * places * days.count, Self.most), repeating: 0)
      slots[place] = Int32(truncatingIfNeeded: slot + 1)
    } else {
      others[key] = slot
    }
    counters.extend(to: (slot + 1) * Self.width, repeating: 0)
    return slot
  }

  /// The counters of a slot, which is the place of its key in `keys`.
  func counts(slot: Int) -> SettledCounts {
    var counts = SettledCounts.zero
    for i in 0..<Self.width { counts[i] = counters[slot * Self.width + i] }
    return counts
  }
}
