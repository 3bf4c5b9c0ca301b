// Times, kept so that quantiles come out to within 0.1 %: logarithmic buckets of 1/512 of an octave, each
// read as its middle. Exact below 1024 ms.

import PermissionEvents

enum TimeBucket {
  private static let bits: UInt64 = 9

  /// The bucket of a time that is not negative.
  @inline(__always)
  static func index(_ milliseconds: Milliseconds) -> UInt32 {
    let value = UInt64(max(0, milliseconds))
    if value < 512 { return UInt32(truncatingIfNeeded: value) }
    let shift = 63 - UInt64(value.leadingZeroBitCount) - bits
    return UInt32(truncatingIfNeeded: (shift + 1) << bits | (value >> shift) & 511)
  }

  /// The middle of a bucket: at most 0.1 % from any time in it.
  static func middle(_ index: UInt32) -> Double {
    if index < 512 { return Double(index) }
    let shift = UInt64(index >> 9) - 1
    let low = UInt64(512 | index & 511) << shift
    return Double(low) + Double((UInt64(1) << shift) - 1) / 2
  }
}
