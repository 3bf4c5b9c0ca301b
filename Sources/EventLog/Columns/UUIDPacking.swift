// UUIDs of one version and the usual variant: 6 of their 128 bits are known, and 122 are kept, as 15 bytes a row,
// addressable by row, and 2 separate bits a row. This packing is part of the format.

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

// MARK: An id in whichever of its forms it is kept, for comparisons: ids are ordered by their bytes

/// An id: the words of a UUID or a text.
struct IdentifierView {
  /// A raw value of `IdentifierForm`.
  var form: UInt8
  var high: UInt64 = 0
  var low: UInt64 = 0
  var text = UnsafeRawBufferPointer(start: nil, count: 0)

  private var isText: Bool { form == IdentifierForm.text.rawValue }

  static func == (a: Self, b: Self) -> Bool {
    guard a.form == b.form else { return false }
    if a.isText { return compareBytes(a.text, b.text) == 0 }
    return a.high == b.high && a.low == b.low
  }

  /// Bytewise order of the ids' texts: negative, zero or positive.
  static func compare(_ a: Self, _ b: Self) -> Int {
    if a.form == b.form && !a.isText {
      // Digits sort before letters in either case, so the order of the words is that of the texts.
      if a.high != b.high { return a.high < b.high ? -1 : 1 }
      return a.low == b.low ? 0 : a.low < b.low ? -1 : 1
    }
    if a.isText && b.isText { return compareBytes(a.text, b.text) }
    return a.bytes.withUnsafeBytes { left in b.bytes.withUnsafeBytes { compareBytes(left, $0) } }
  }

  var bytes: [UInt8] {
    guard let form = IdentifierForm(rawValue: form), form != .text else { return Array(text) }
    var out: [UInt8] = []
    IdentifierText.writeUUID(form: form, high: high, low: low, into: &out)
    return out
  }

  private static func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    for i in 0..<min(a.count, b.count) where a[i] != b[i] { return a[i] < b[i] ? -1 : 1 }
    return a.count - b.count
  }

  /// The same in each process. A table in memory takes an `IdentifierHash`.
  var hash: UInt64 {
    isText ? UserHash.text(text) : (high ^ low &* 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
  }
}

// MARK: Gaps between a user's events span ten orders of magnitude, and their low bits are noise A gap is one symbol
// (its exponent and two bits of mantissa), which compresses, and its remaining bits, which do not and are stored raw.
// This coding is part of the format and cannot change.

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
