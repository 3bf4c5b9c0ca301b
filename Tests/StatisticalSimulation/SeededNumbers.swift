// Random numbers that can be had again, the same on every platform.

/// SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014).
public struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Successes of so many users, user by user.
  public mutating func successes(of users: Int, rate: Double) -> Int {
    let threshold = UInt64(rate * 0x1p53)
    var count = 0
    for _ in 0..<users where next() >> 11 < threshold { count += 1 }
    return count
  }
}
