// A file's path as the system has it: bytes, which need not be text.

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
    var place = text
    while place.pointee != 0 {
      bytes.append(UInt8(bitPattern: place.pointee))
      place += 1
    }
    self.bytes = bytes
  }

  /// The path of what a directory holds.
  public func appending(_ name: some Sequence<UInt8>) -> FilePath {
    FilePath(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
  }

  /// The path for messages: bytes that are no text are written as `\xE9`.
  public var shown: String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      let count = Self.characterLength(rest)
      if count > 0 {
        text += String(decoding: rest.prefix(count), as: UTF8.self)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "\\x" + (digits.count < 2 ? "0" : "") + digits
      }
      rest = rest.dropFirst(max(1, count))
    }
    return text
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
