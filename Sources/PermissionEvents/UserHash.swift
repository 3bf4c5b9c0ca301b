// The hash of a user id: the log's first order and the space that work is divided by. The function is
// part of the log's format and of the order of an export, so it can never change.

import CXXHash

public enum UserHash {
  /// An invertible mixer of 64 bits (the finaliser of SplitMix64; Steele, Lea & Flood 2014).
  @inlinable
  @inline(__always)
  public static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The inverse of `mix`.
  static func unmix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 31) ^ (z >> 62)) &* 0x3196_42B2_D24D_8EC3
    z = (z ^ (z >> 27) ^ (z >> 54)) &* 0x96DE_1B17_3F11_9089
    return z ^ (z >> 30) ^ (z >> 60)
  }

  /// The hash of a packed UUID. With the low word it gives back the high one, so a log keeps (hash, low)
  /// and needs no other copy of the id.
  @inline(__always)
  public static func uuid(high: UInt64, low: UInt64) -> UInt64 { mix(high ^ mix(low)) }

  /// The high word of the UUID with that hash and low word.
  public static func highWord(hash: UInt64, low: UInt64) -> UInt64 { unmix(hash) ^ mix(low) }

  /// The hash of an id that is not a UUID in text: XXH3, 64 bits, no seed.
  public static func text(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }

  /// The hash of any id.
  public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if let id = IdentifierText.packUUID(bytes) { return uuid(high: id.high, low: id.low) }
    return text(bytes)
  }
}
