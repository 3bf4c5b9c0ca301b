// UUIDs of one version and the usual variant: 6 of their 128 bits are known, and 122 are kept, as 15
// bytes a row, addressable by row, and 2 bits a row apart. This packing is part of the format.

enum UUIDPacking {
  /// - Parameter words: high and low word of each row.
  static func pack(_ words: UnsafePointer<UInt64>, rows: Int) -> (words: [UInt8], bits: [UInt8]) {
    let bytes = [UInt8](unsafeUninitializedCapacity: rows * 15 + 1) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      let out = UnsafeMutableRawPointer(base)
      for row in 0..<rows {
        let high = words[row * 2]
        let low = words[row * 2 + 1]
        let high60 = (high >> 16) << 12 | high & 0xFFF
        let first = high60 | (low & 15) << 60
        let second = low >> 4 & (1 << 56 - 1)
        out.storeBytes(of: first.littleEndian, toByteOffset: row * 15, as: UInt64.self)
        // One byte past the row, which the next row (or the cut at the end) takes back.
        out.storeBytes(of: second.littleEndian, toByteOffset: row * 15 + 8, as: UInt64.self)
      }
      count = rows * 15
    }
    var bits = [UInt8](repeating: 0, count: (rows + 3) / 4)
    for row in 0..<rows {
      bits[row >> 2] |= UInt8(truncatingIfNeeded: words[row * 2 + 1] >> 60 & 3) << UInt8(2 * (row & 3))
    }
    return (bytes, bits)
  }

  /// The UUID of a row. Eight bytes before the end of `words` are read at most.
  @inline(__always)
  static func unpack(
    row: Int, words: UnsafeRawPointer, bits: UnsafeRawPointer, version: UInt64
  ) -> (high: UInt64, low: UInt64) {
    let first = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: row * 15, as: UInt64.self))
    // The seven bytes behind, read as the upper part of the word that ends with the row.
    let second = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: row * 15 + 7, as: UInt64.self)) >> 8
    let pair = UInt64(bits.load(fromByteOffset: row >> 2, as: UInt8.self) >> UInt8(2 * (row & 3)) & 3)
    let high60 = first & (1 << 60 - 1)
    let high = (high60 >> 12) << 16 | version << 12 | high60 & 0xFFF
    let low = 0x8000_0000_0000_0000 | pair << 60 | second << 4 | first >> 60
    return (high, low)
  }
}
