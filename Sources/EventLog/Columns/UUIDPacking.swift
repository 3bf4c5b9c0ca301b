// UUIDs of one version and the usual variant: 6 of their 128 bits are known, and 122 are kept, as 15
// bytes a row, addressable by row, and 2 bits a row apart. This packing is part of the format.

import PermissionEvents

enum UUIDPacking {
  /// Bytes of the rows' words.
  static func wordsLength(rows: Int) -> Int { rows * 15 }
  /// Bytes of the rows' pairs of bits.
  static func bitsLength(rows: Int) -> Int { (rows + 3) / 4 }

  /// Packs 15 bytes a row.
  /// - Parameters:
  ///   - words: high and low word of each row.
  ///   - out: room for `wordsLength` bytes and one more.
  static func packWords(_ words: UnsafePointer<UInt64>, rows: Int, into out: UnsafeMutableRawPointer) {
    for row in 0..<rows {
      let high = words[row * 2]
      let low = words[row * 2 + 1]
      let high60 = (high >> 16) << 12 | high & 0xFFF
      let first = high60 | (low & 15) << 60
      let second = low >> 4 & (1 << 56 - 1)
      out.storeBytes(of: first.littleEndian, toByteOffset: row * 15, as: UInt64.self)
      // One byte past the row, which the next row (or what follows the last) takes back.
      out.storeBytes(of: second.littleEndian, toByteOffset: row * 15 + 8, as: UInt64.self)
    }
  }

  /// Packs 2 bits a row into `bitsLength` bytes.
  static func packBits(_ words: UnsafePointer<UInt64>, rows: Int, into out: UnsafeMutableRawPointer) {
    let bytes = out.assumingMemoryBound(to: UInt8.self)
    bytes.update(repeating: 0, count: bitsLength(rows: rows))
    for row in 0..<rows {
      bytes[row >> 2] |= UInt8(truncatingIfNeeded: words[row * 2 + 1] >> 60 & 3) << UInt8(2 * (row & 3))
    }
  }

  /// The UUID of a row. Eight bytes before the end of `words` are read at most.
  @inline(__always)
  static func unpack(
    row: Int, words: UnsafeRawPointer, bits: UnsafeRawPointer, version: UInt64
  ) -> (high: UInt64, low: UInt64) {
    let first = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: row * 15, as: UInt64.self))
    // The seven bytes after, read as the upper part of the word that ends with the row.
    let second = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: row * 15 + 7, as: UInt64.self)) >> 8
    let pair = UInt64(bits.load(fromByteOffset: row >> 2, as: UInt8.self) >> UInt8(2 * (row & 3)) & 3)
    let high60 = first & (1 << 60 - 1)
    let high = (high60 >> 12) << 16 | version << 12 | high60 & 0xFFF
    let low = 0x8000_0000_0000_0000 | pair << 60 | second << 4 | first >> 60
    return (high, low)
  }
}

/// The event ids of an open block, all of them UUIDs, for who needs a few of them; valid until the next block is opened.
struct PackedEventIDs {
  let words: UnsafeRawPointer
  /// Nil if each row has both words whole.
  var bits: UnsafeRawPointer?
  var version: UInt64 = 0
  /// Of each row; nil if all are in lower case.
  var forms: UnsafePointer<UInt8>?

  /// The id of a row of the block.
  @inline(__always)
  subscript(row: Int) -> IdentifierView {
    guard let bits else {
      let (high, low) = words.loadUnaligned(fromByteOffset: row * 16, as: (UInt64, UInt64).self)
      let form = forms.map { $0[row] } ?? IdentifierForm.lowercaseUUID.rawValue
      return IdentifierView(form: form, high: UInt64(littleEndian: high), low: UInt64(littleEndian: low))
    }
    let id = UUIDPacking.unpack(row: row, words: words, bits: bits, version: version)
    return IdentifierView(form: IdentifierForm.lowercaseUUID.rawValue, high: id.high, low: id.low)
  }
}
