// Checksums: XXH3, 64 bits, seeded with what the bytes are, so that right bytes in a wrong place are
// found too. The function and the seeds are part of the format and cannot change.

import CXXHash

enum Checksum {
  /// The checksum of some bytes with a seed.
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }

  static func of(_ bytes: [UInt8], seed: UInt64) -> UInt64 { bytes.withUnsafeBytes { of($0, seed: seed) } }

  /// The seed for a piece of a part: a block's header or stream, the footer.
  static func seed(part: UInt64, block: UInt32, stream: UInt32) -> UInt64 {
    part &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(block) << 32 ^ UInt64(stream)
  }
}
