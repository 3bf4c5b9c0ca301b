// Reads JSON strings that need no unescaping: printable ASCII without quote and backslash inside.

import CVectorBytes

/// The value of a JSON string in plain form.
struct PlainString {
  let count: Int
  /// The first 16 bytes, zeros behind the end.
  let low: UInt64
  let high: UInt64

  /// Longest value in bytes.
  static let longest = 256

  /// Reads the string whose text begins at `text`, behind its quote; nil where it is not plain or too long. A
  /// control character stands behind the text, and 16 bytes behind that are readable.
  @inline(__always)
  init?(_ text: UnsafeRawPointer) {
    let first = cvb_plain_text(text)
    low = first.low
    high = first.high
    if first.count < 16 {
      count = Int(first.count)
    } else {
      guard let end = Self.end(text) else { return nil }
      count = end
    }
    guard text.load(fromByteOffset: count, as: UInt8.self) == 0x22 else { return nil }
  }

  /// The end of a text of 16 bytes or more; nil where it is too long.
  @inline(never)
  private static func end(_ text: UnsafeRawPointer) -> Int? {
    var i = 16
    while i <= longest {
      let next = Int(cvb_plain_text(text + i).count)
      i += next
      if next < 16 { return i <= longest ? i : nil }
    }
    return nil
  }
}
