// Texts in JSON: quoted, with what has to be escaped. The one place that knows how, for documents and for lines of events.

import Buffers

public enum JSONText {
  /// Appends a text in quotation marks.
  /// - Parameter text: UTF-8.
  public static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout Buffer<UInt8>) {
    bytes.append(0x22)
    var written = 0
    for (i, byte) in text.enumerated() where mayNeedEscape(byte) {
      guard let (code, length) = escaped(UnsafeBufferPointer(rebasing: text[i...])) else { continue }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written..<i]))
      written = i + length
      bytes.append(0x5C)
      switch code {
      case 0x22, 0x5C: bytes.append(UInt8(code))
      case 0x0A: bytes.append(0x6E)
      case 0x0D: bytes.append(0x72)
      case 0x09: bytes.append(0x74)
      default:
        let digits: StaticString = "0123456789abcdef"
        bytes.append(0x75)
        for shift in [12, 8, 4, 0] as [UInt16] { bytes.append(digits.utf8Start[Int(code >> shift & 15)]) }
      }
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written...]))
    bytes.append(0x22)
  }

  @inline(__always)
  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xC2 || byte == 0xE2
  }

  /// The character that a text begins with and its bytes, if it is one that is escaped: those that JSON asks for, and those that a
  /// terminal or an old reader takes for a command or the end of a line (U+007F to U+009F, U+2028, U+2029).
  private static func escaped(_ text: UnsafeBufferPointer<UInt8>) -> (code: UInt16, length: Int)? {
    switch text[0] {
    case 0xC2:
      guard text.count > 1, (0x80...0x9F).contains(text[1]) else { return nil }
      return (UInt16(text[1]), 2)
    case 0xE2:
      guard text.count > 2, text[1] == 0x80, text[2] | 1 == 0xA9 else { return nil }
      return (0x2000 | UInt16(text[2] & 0x3F), 3)
    default: return (UInt16(text[0]), 1)
    }
  }
}
