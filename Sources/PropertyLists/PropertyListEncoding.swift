// The bytes of text in a property list: UTF-8, or UTF-16 if it says so by its first bytes. Anything else is refused, not guessed.

enum PropertyListEncoding {
  /// The text as UTF-8, without a mark at its begin.
  /// - Returns: also whether the byte-order mark gave the encoding, so that a declaration is ignored.
  static func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> (bytes: [UInt8], isDecoded: Bool) {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { throw refusal("UTF-32") }
    if bytes.starts(with: [0xFF, 0xFE]) { return (try utf16(bytes, low: 0), true) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (try utf16(bytes, low: 1), true) }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let text = hasMark ? Array(bytes.dropFirst(3)) : bytes
    // UTF-16 without a mark is full of zeros, and else valid.
    guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else { throw refusal(nil) }
    return (text, hasMark)
  }

  /// - Parameter low: where in a pair of bytes the low one is.
  private static func utf16(_ bytes: [UInt8], low: Int) throws(PropertyListError) -> [UInt8] {
    guard bytes.count.isMultiple(of: 2) else {
      throw PropertyListError("it is cut off: UTF-16 has an even number of bytes")
    }
    let units = stride(from: 2, to: bytes.count, by: 2).map { offset in
      UInt16(bytes[offset + 1 - low]) << 8 | UInt16(bytes[offset + low])
    }
    // As it is: it goes on as bytes.
    guard let text = String(validating: units, as: UTF16.self), !units.contains(0) else { throw refusal(nil) }
    return Array(text.utf8)
  }

  static func refusal(_ name: String?) -> PropertyListError {
    PropertyListError(
      "its text is \(name.map { "in \($0)" } ?? "neither UTF-8 nor UTF-16 with a byte order mark"). Save it as UTF-8")
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
