// Exposures, trials and successes of the primary metric by some key: a day, a property's value. Integers only: tables of
// two halves of the users add up, in any order.

/// Tallies by key, then by arm and by whether the user saw several messages. Owned by one thread.
struct TallyTable: ~Copyable, @unchecked Sendable {
  private static let fields = 3

  private(set) var keys: [Int] = []
  /// By key minus the first the slot plus one; 0 without one.
  private let slots: FlatBuffer<Int32>
  private var counters = FlatBuffer<Int64>()
  private let first: Int
  private let width: Int

  /// - Parameter keys: that may occur; others are not counted.
  init(keys: ClosedRange<Int>, arms: Int) {
    first = keys.lowerBound
    slots = FlatBuffer(repeating: 0, count: keys.count)
    width = arms * 2 * Self.fields
  }

  @inline(__always)
  mutating func add(_ key: Int, arm: Int, contaminated: Bool, trials: Int64, successes: Int64) {
    guard let slot = slot(key) else { return }
    let place = counters.pointer + slot * width + (arm * 2 + (contaminated ? 1 : 0)) * Self.fields
    place[0] += 1
    place[1] += trials
    place[2] += successes
  }

  private mutating func slot(_ key: Int) -> Int? {
    let place = key - first
    guard place >= 0, place < slots.count else { return nil }
    if slots[place] > 0 { return Int(slots[place]) - 1 }
    let slot = keys.count
    keys.append(key)
    slots[place] = Int32(truncatingIfNeeded: slot + 1)
    counters.extend(to: (slot + 1) * width, repeating: 0)
    return slot
  }

  mutating func merge(_ other: borrowing TallyTable) {
    for (theirs, key) in other.keys.enumerated() {
      guard let ours = slot(key) else { continue }
      for i in 0..<width { counters[ours * width + i] += other.counters[theirs * width + i] }
    }
  }

  /// The tally of a slot, which is the place of its key in `keys`.
  func tally(slot: Int, arm: Int, contaminated: Bool) -> Comparison.Tally {
    let place = counters.pointer + slot * width + (arm * 2 + (contaminated ? 1 : 0)) * Self.fields
    return Comparison.Tally(exposed: Int(place[0]), trials: Int(place[1]), successes: Int(place[2]))
  }
}
