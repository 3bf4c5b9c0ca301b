// An id in whichever of its forms it is kept, for comparisons: ids are ordered by their bytes.

import PermissionEvents

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

  /// The id's text.
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

  /// A hash for tables of ids.
  var hash: UInt64 { isText ? UserHash.text(text) : Self.hash(high: high, low: low) }

  @inline(__always)
  static func hash(high: UInt64, low: UInt64) -> UInt64 {
    (high ^ low &* 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
  }

  /// The bit of this id in a filter of 64: an id whose bit is not there is not in the set.
  @inline(__always)
  var filterBit: UInt64 { Self.filterBit(hash) }

  /// - Parameter hash: of an id.
  @inline(__always)
  static func filterBit(_ hash: UInt64) -> UInt64 { 1 << (hash >> 58) }
}
