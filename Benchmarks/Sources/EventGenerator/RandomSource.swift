// A small seeded random source: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), whose every output is a mix of a counter.

/// A seeded stream of random numbers. Equal seeds and streams give equal numbers on every platform.
struct RandomSource {
  private var state: UInt64

  /// A source for one purpose: `stream` keeps, say, one user's numbers apart from another's.
  init(seed: UInt64, stream: UInt64) {
    state = Self.mix(seed &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mix(stream &* 0xD1B5_4A32_D192_ED03 &+ 0x632B_E59B_D9B4_E019)
  }

  /// The output function of SplitMix64: a bijection of 64-bit words.
  static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 64 random bits.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Uniform in [0, 1).
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True with probability `p`.
  mutating func chance(_ p: Double) -> Bool { uniform() < p }

  /// Uniform in 0 ..< `bound`; 0 if `bound` is below 1.
  mutating func below(_ bound: Int) -> Int {
    guard bound > 0 else { return 0 }
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Exponential with the given mean.
  mutating func exponential(mean: Double) -> Double { -ElementaryFunctions.log(1 - uniform()) * mean }

  /// Mean 0, variance 1, by the sum of four uniforms (Irwin–Hall): near enough to normal, and never beyond ± 3.5.
  mutating func normal() -> Double { (uniform() + uniform() + uniform() + uniform() - 2) * 1.732_050_807_568_877_2 }

  /// Log-normal with the given median.
  mutating func logNormal(median: Double, sigma: Double) -> Double {
    median * ElementaryFunctions.exp(sigma * normal())
  }
}
