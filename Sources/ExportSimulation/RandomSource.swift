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

  /// Uniform in 0 ..< `bound`; 0 if `bound` is below 1.
  @inline(__always)
  mutating func below(_ bound: Int) -> Int {
    guard bound > 0 else { return 0 }
    return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Exponential with the given mean.
  mutating func exponential(mean: Double) -> Double { -ElementaryFunctions.log(1 - uniform()) * mean }
}

/// exp and log from the basic operations of IEEE 754 alone. The C libraries of Linux and macOS differ in the last bit of
/// theirs, and one different bit can move a timestamp: the same seed must give the same bytes everywhere.
enum ElementaryFunctions {
  private static let ln2 = 0.693_147_180_559_945_3

  /// e to the power of `x`, by argument reduction and a Taylor series of 16 terms; for |x| below 700.
  static func exp(_ x: Double) -> Double {
    let k = (x / ln2).rounded()
    let r = x - k * ln2
    var term = 1.0
    var sum = 1.0
    for n in 1...16 {
      term *= r / Double(n)
      sum += term
    }
    return Double(sign: .plus, exponent: Int(k), significand: sum)
  }

  /// Natural logarithm of `x` > 0, by 2·artanh((m − 1) / (m + 1)) of the significand m in [1, 2).
  static func log(_ x: Double) -> Double {
    let m = x.significand
    let s = (m - 1) / (m + 1)
    let square = s * s
    var power = s
    var sum = 0.0
    var odd = 1.0
    while odd < 36 {
      sum += power / odd
      power *= square
      odd += 2
    }
    return 2 * sum + Double(x.exponent) * ln2
  }
}

/// Log-normal draws from a table, so that a draw costs one random number and no exponential.
///
/// exp(σ·x) for x near enough to standard normal: the sum of four uniforms (Irwin–Hall), standardised, within ± 3.46.
struct LogNormalTable {
  /// exp(σ·√3·(i/256 − 2)) for i from 0 to 1024.
  private let values: [Double]

  init(sigma: Double) {
    values = (0...1024).map { ElementaryFunctions.exp(sigma * 3.0.squareRoot() * (Double($0) / 256 - 2)) }
  }

  /// A draw with the given median.
  func draw(median: Double, _ random: inout RandomSource) -> Double {
    let bits = random.next()
    // Four uniforms of 16 bits each; their sum has 18 bits, of which the upper ten choose the place in the table.
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    let place = Int(sum >> 8)
    let fraction = Double(sum & 0xFF) / 256
    return median * (values[place] + (values[place + 1] - values[place]) * fraction)
  }
}
