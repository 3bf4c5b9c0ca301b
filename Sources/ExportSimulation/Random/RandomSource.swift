// Seeded random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), whose every output is a mix of a counter. The same
// seed and stream give the same numbers on every platform.

import PermissionEvents

struct RandomSource {
  private var state: UInt64

  /// A source for one purpose: `stream` keeps, say, one user's numbers apart from another's.
  init(seed: UInt64, stream: UInt64) {
    state = UserHash.mix(seed &+ Self.step) ^ UserHash.mix(stream &* 0xD1B5_4A32_D192_ED03 &+ 0x632B_E59B_D9B4_E019)
  }

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// 64 random bits.
  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= Self.step
    return UserHash.mix(state)
  }

  /// Uniform in [0, 1), in steps of 2⁻⁵³.
  @inline(__always)
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True with probability `p`.
  @inline(__always)
  mutating func chance(_ p: Double) -> Bool { uniform() < p }

  /// Uniform in 0 ..< `bound`; 0 where `bound` is below 1.
  @inline(__always)
  mutating func below(_ bound: Int) -> Int {
    guard bound > 0 else { return 0 }
    return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Exponential with the given mean.
  mutating func exponential(mean: Double) -> Double { -ElementaryFunctions.log(1 - uniform()) * mean }
}
