// Reads JSON strings that need no unescaping: printable ASCII without quote and backslash inside.

import CVectorBytes
import PermissionEvents

/// The value of a JSON string in plain form.
struct PlainString {
  let count: Int
  /// The first 16 bytes, zeros after the end.
  let low: UInt64
  let high: UInt64

  /// Longest value in bytes.
  static let longest = 256

  /// Reads the string whose text begins at `text`, after its quote; nil if it is not plain or too long. A control
  /// character is somewhere after the text, and 16 bytes after that are readable.
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

  /// The end of a text of 16 bytes or more; nil if it is too long.
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

/// Packs UUIDs sixteen digits at once. The results are those of `IdentifierText.packUUID`.
enum UUIDPacker {
  /// Packs the 36 bytes at `text`; nil if they are not a UUID in one case. The form is the raw value of
  /// `IdentifierForm`.
  @inline(__always)
  static func pack(_ text: UnsafeRawPointer) -> cvb_uuid? {
    let uuid = cvb_pack_lower_uuid(text)
    return uuid.form != 0 ? uuid : inAnyCase(text)
  }

  @inline(never)
  private static func inAnyCase(_ text: UnsafeRawPointer) -> cvb_uuid? {
    let uuid = cvb_pack_uuid(text)
    return uuid.form == 0 ? nil : uuid
  }
}
