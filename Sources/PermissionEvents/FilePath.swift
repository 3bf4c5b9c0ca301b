// A file's path as the system has it: bytes, which need not be text.

import Buffers

/// The path of a file. Systems but macOS allow names that are not UTF-8, and a `String` would repair them: the file would not be
/// found any more.
public struct FilePath: Sendable, Hashable {
  /// Without the zero at the end.
  public let bytes: [UInt8]

  public init(_ text: String) { bytes = Array(text.utf8) }

  /// - Parameter bytes: up to the first zero.
  public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

  /// - Parameter text: ends with a zero.
  public init(_ text: UnsafePointer<CChar>) {
    var bytes: [UInt8] = []
    var cursor = text
    while cursor.pointee != 0 {
      bytes.append(UInt8(bitPattern: cursor.pointee))
      cursor += 1
    }
    self.bytes = bytes
  }

  /// The path of an entry of the directory.
  public func appending(_ name: some Sequence<UInt8>) -> FilePath {
    FilePath(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
  }

  /// The path for messages: bytes that are not text are written as `\xE9`.
  public var shown: String {
    if let text = String(validating: bytes, as: UTF8.self) { return text.bounded }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      let count = Self.characterLength(rest)
      if count > 0 {
        text += String(bounded: rest.prefix(count))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "\\x" + (digits.count < 2 ? "0" : "") + digits
      }
      rest = rest.dropFirst(max(1, count))
    }
    return text.bounded
  }

  /// Bytes of the character that begins here; 0 if none does.
  private static func characterLength(_ bytes: ArraySlice<UInt8>) -> Int {
    (1...4).first { count in
      bytes.count >= count && String(validating: bytes.prefix(count), as: UTF8.self) != nil
    } ?? 0
  }

  public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { text in
      // An array of one element or more has an address.
      guard let start = text.baseAddress else { return try "".withCString(body) }
      return try body(start)
    }
  }
}

/// Size and time of a file: if one of them has changed, its bytes probably have.
package struct FileStamp: Sendable, Hashable {
  package var size: Int
  /// When it was last modified, in nanoseconds since 1970.
  package var modified: Int64

  package init(size: Int, modified: Int64) {
    self.size = size
    self.modified = modified
  }
}

// MARK: Texts in JSON: quoted and escaped. The only such code, for documents and for lines of events

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

  /// The character that a text begins with and its bytes, if it must be escaped: the characters that JSON requires, and
  /// those that a terminal or an old reader takes for a command or the end of a line (U+007F to U+009F, U+2028,
  /// U+2029).
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
