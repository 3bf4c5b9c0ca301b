// Gaps between a user's events span ten orders of magnitude, and their low bits are noise. A gap is one
// symbol (its exponent and two bits of mantissa), which compresses, and its remaining bits, which do not
// and are stored as they are. This coding is part of the format and cannot change.

/// Gap coding: values 0 to 2^42 - 1.
enum TimeCoding {
  /// Symbols 0 to 3 are the values themselves; then four symbols for each exponent 2 to 41.
  static let symbolCount = 164

  /// Number of bits after each symbol; 255 past the last symbol.
  static let restBits: [UInt8] = (0..<256).map { symbol in
    symbol < 4 ? 0 : symbol < symbolCount ? UInt8(symbol / 4 - 1) : 255
  }

  /// The smallest value of each symbol.
  static let bases: [UInt64] = (0..<256).map { symbol in
    symbol < 4
      ? UInt64(symbol) : symbol < symbolCount ? UInt64(4 + symbol % 4) << UInt64(symbol / 4 - 1) : 0
  }

  /// By symbol its smallest value above eight bits for the number of bits after it: one look-up instead of two.
  static let symbols: [UInt64] = (0..<256).map { bases[$0] << 8 | UInt64(restBits[$0]) }

  @inline(__always)
  static func split(_ value: UInt64) -> (symbol: UInt8, rest: UInt64, bits: UInt64) {
    if value < 4 { return (UInt8(truncatingIfNeeded: value), 0, 0) }
    let exponent = UInt64(63 - value.leadingZeroBitCount)
    let bits = exponent - 2
    let mantissa = value >> bits & 3
    return (UInt8(truncatingIfNeeded: (exponent - 1) * 4 + mantissa), value & (1 << bits - 1), bits)
  }
}
