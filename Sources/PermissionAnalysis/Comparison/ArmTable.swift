// The counters of all arms, of users who saw one message and of those who saw several. Integers only.

/// Counters by arm and by whether the user saw several messages. Owned by one thread.
struct ArmTable: ~Copyable, @unchecked Sendable {
  private let counters: FlatBuffer<Int64>

  init(arms: Int) { counters = FlatBuffer(repeating: 0, count: arms * 2 * ArmCounter.count) }

  /// The counters of an arm's users.
  @inline(__always)
  func counters(of arm: Int, contaminated: Bool) -> UnsafeMutablePointer<Int64> {
    counters.pointer + (arm * 2 + (contaminated ? 1 : 0)) * ArmCounter.count
  }

  mutating func merge(_ other: borrowing ArmTable) {
    for i in 0..<counters.count { counters[i] += other.counters[i] }
  }
}
