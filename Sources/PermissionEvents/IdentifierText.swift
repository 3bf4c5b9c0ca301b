// User and event ids are byte strings. Most are UUIDs in text, which are packed into 16 bytes; the text
// comes back unchanged, so upper and lower case are two forms. The forms' codes are stored in the log.

/// How an id is kept.
public enum IdentifierForm: UInt8, Sendable {
  /// Any bytes.
  case text = 0
  /// 36 characters, hexadecimal digits in lower case.
  case lowercaseUUID = 1
  /// 36 characters, hexadecimal digits in upper case.
  case uppercaseUUID = 2
}

public enum IdentifierText {
  /// The nibble of a hexadecimal digit; 0x10 for a letter in lower case, 0x20 in upper case, 0x80 for no digit.
  static let nibbles: [UInt8] = (0..<256).map { byte in
    switch byte {
    case 48...57: UInt8(byte - 48)
    case 97...102: UInt8(byte - 87) | 0x10
    case 65...70: UInt8(byte - 55) | 0x20
    default: 0x80
    }
  }

  /// The two words of a UUID in text and its form; nil if the text is not a UUID in one case.
  /// A UUID of digits alone is lower case.
  public static func packUUID(
    _ bytes: UnsafeRawBufferPointer
  ) -> (form: IdentifierForm, high: UInt64, low: UInt64)? {
    guard bytes.count == 36, let base = bytes.baseAddress else { return nil }
    let p = base.assumingMemoryBound(to: UInt8.self)
    guard p[8] == 0x2D, p[13] == 0x2D, p[18] == 0x2D, p[23] == 0x2D else { return nil }
    return nibbles.withUnsafeBufferPointer { table in
      var seen: UInt8 = 0
      @inline(__always) func take(_ from: Int, _ count: Int, _ word: inout UInt64) {
        for i in from..<from + count {
          let nibble = table[Int(p[i])]
          seen |= nibble
          word = word << 4 | UInt64(nibble & 15)
        }
      }
      var high: UInt64 = 0
      var low: UInt64 = 0
      take(0, 8, &high)
      take(9, 4, &high)
      take(14, 4, &high)
      take(19, 4, &low)
      take(24, 12, &low)
      if seen & 0x80 != 0 || seen & 0x30 == 0x30 { return nil }
      return (seen & 0x20 != 0 ? .uppercaseUUID : .lowercaseUUID, high, low)
    }
  }

  /// Appends the 36 characters of a packed UUID.
  public static func writeUUID(form: IdentifierForm, high: UInt64, low: UInt64, into out: inout [UInt8]) {
    let letter: UInt8 = form == .uppercaseUUID ? 55 : 87
    func digits(_ word: UInt64, _ from: Int, _ count: Int) {
      for i in 0..<count {
        let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (from + i))) & 15
        out.append(nibble < 10 ? 48 + nibble : letter + nibble)
      }
    }
    digits(high, 0, 8)
    out.append(0x2D)
    digits(high, 8, 4)
    out.append(0x2D)
    digits(high, 12, 4)
    out.append(0x2D)
    digits(low, 0, 4)
    out.append(0x2D)
    digits(low, 4, 12)
  }

  /// True for the form that pseudonyms have: a UUID of version 8 in small letters.
  public static func isPseudonym(_ id: [UInt8]) -> Bool {
    id.withUnsafeBytes { isPseudonym($0) }
  }

  /// The same of a text in place.
  public static func isPseudonym(_ id: UnsafeRawBufferPointer) -> Bool {
    guard id.count == 36, let (form, high, low) = packUUID(id), form == .lowercaseUUID else { return false }
    return isPseudonym(high: high, low: low)
  }

  /// The same of a UUID's words.
  public static func isPseudonym(high: UInt64, low: UInt64) -> Bool { high & 0xF000 == 0x8000 && low >> 62 == 0b10 }

  private static let placeholders: Set<String> = [
    "", "null", "nil", "undefined", "none", "unknown", "anonymous", "anon", "0", "-0", "-1", "nan", "[]", "{}",
    "00000000-0000-0000-0000-000000000000", "\\n", "n/a", "na", "#n/a", "<null>", "(null)", "(not set)", "guest", "-",
  ]

  /// An id without the blanks at its ends: spaces, tabs, line ends, and the no-break space and byte-order mark of pages and
  /// spreadsheets.
  public static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    func isBlank(_ b: UInt8) -> Bool { b == 0x20 || (b >= 0x09 && b <= 0x0D) }
    let wide: [[UInt8]] = [[0xC2, 0xA0], [0xEF, 0xBB, 0xBF]]
    var slice = bytes[...]
    while true {
      if let first = slice.first, isBlank(first) {
        slice = slice.dropFirst()
      } else if let last = slice.last, isBlank(last) {
        slice = slice.dropLast()
      } else if slice.first.map({ $0 >= 0x80 }) == true, let blank = wide.first(where: { slice.starts(with: $0) }) {
        slice = slice.dropFirst(blank.count)
      } else if slice.last.map({ $0 >= 0x80 }) == true,
        let blank = wide.first(where: { slice.suffix($0.count).elementsEqual($0) })
      {
        slice = slice.dropLast(blank.count)
      } else {
        return UnsafeRawBufferPointer(rebasing: slice)
      }
    }
  }

  /// True for a number as spreadsheets round them, `1.77245E+15`: many ids become one, and so many people one person.
  public static func isRounded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard (5...32).contains(bytes.count), let first = bytes.first, first &- 48 <= 9,
      let mark = bytes.firstIndex(where: { $0 | 0x20 == 0x65 }), mark + 2 < bytes.count, bytes[mark + 1] == 0x2B
    else { return false }
    let exponent = bytes[(mark + 2)...]
    guard exponent.count <= 3, exponent.allSatisfy({ $0 &- 48 <= 9 }) else { return false }
    // One digit, then perhaps a point, or a comma as some countries write it, and more digits.
    let mantissa = bytes[1..<mark]
    guard let point = mantissa.first else { return true }
    return (point == 0x2E || point == 0x2C) && mantissa.dropFirst().allSatisfy { $0 &- 48 <= 9 }
  }

  /// True for a user id that stands for nobody, whatever its case and the blanks around it. One such
  /// "user" would swallow everybody.
  public static func standsForNobody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let slice = trimmed(bytes)
    guard slice.count <= 36 else { return false }
    let folded = slice.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
    return placeholders.contains(String(decoding: folded, as: UTF8.self))
  }
}
