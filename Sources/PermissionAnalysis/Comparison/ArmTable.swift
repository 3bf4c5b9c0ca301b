// The counters of all arms, of users who saw one message and of those who saw several.

/// Where the counters of an arm lie in a flat array of all arms.
enum ArmPlace {
  /// - Parameter isContaminated: of users who saw several messages.
  @inline(__always)
  static func number(_ arm: Int, isContaminated: Bool) -> Int { arm * 2 + (isContaminated ? 1 : 0) }
}

/// Counters by arm and by whether the user saw several messages. Owned by one thread.
struct ArmTable: ~Copyable {
  private let counters: FlatBuffer<Int64>

  init(arms: Int) { counters = FlatBuffer(repeating: 0, count: arms * 2 * ArmCounter.places) }

  @inline(__always)
  func counters(of arm: Int, isContaminated: Bool) -> UnsafeMutablePointer<Int64> {
    counters.pointer + ArmPlace.number(arm, isContaminated: isContaminated) * ArmCounter.places
  }

  func integers() -> [Int64] { Array(UnsafeBufferPointer(start: counters.pointer, count: counters.count)) }
}
