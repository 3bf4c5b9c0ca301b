// Property lists in the old style, that of `.strings` files and Xcode projects: `"key" = "text";`, `{ … }`, `( … )`, `< … >`.

import PermissionEvents

struct OldStylePropertyListReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(PropertyListError) -> PropertyList {
    let value: PropertyList
    switch try next() {
    case UInt8(ascii: "{"), UInt8(ascii: "("): value = try self.value(depth: 0)
    default: return .dictionary(try pairs(until: nil, depth: 0))
    }
    guard try next() == nil else { throw failure("something follows the end of the property list") }
    return value
  }

  private func failure(_ problem: String) -> PropertyListError { PropertyListError(problem, bytes, at: position) }

  /// The next byte that is neither whitespace nor in a comment; nil at the end.
  private mutating func next() throws(PropertyListError) -> UInt8? {
    while position < bytes.count {
      let byte = bytes[position]
      let follower = position + 1 < bytes.count ? bytes[position + 1] : 0
      if PropertyListEncoding.isBlank(byte) {
        position += 1
      } else if byte == UInt8(ascii: "/"), follower == UInt8(ascii: "/") {
        while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      } else if byte == UInt8(ascii: "/"), follower == UInt8(ascii: "*") {
        try skipComment()
      } else {
        return byte
      }
    }
    return nil
  }

  private mutating func skipComment() throws(PropertyListError) {
    var end = position + 2
    while end + 1 < bytes.count {
      if bytes[end] == UInt8(ascii: "*"), bytes[end + 1] == UInt8(ascii: "/") {
        position = end + 2
        return
      }
      end += 1
    }
    throw failure("a comment does not end")
  }

  private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList {
    guard depth < PropertyList.mostDepth else { throw failure(PropertyListError.isTooDeep) }
    switch try next() {
    case nil: throw failure("it ends early")
    case UInt8(ascii: "{"):
      position += 1
      return .dictionary(try pairs(until: UInt8(ascii: "}"), depth: depth))
    case UInt8(ascii: "("):
      position += 1
      return .list(try items(depth: depth))
    case UInt8(ascii: "<"):
      guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else {
        throw failure("data does not end")
      }
      position = end + 1
      return .other
    default: return .text(try text())
    }
  }

  private mutating func pairs(until close: UInt8?, depth: Int) throws(PropertyListError) -> [String: PropertyList] {
    var pairs: [String: PropertyList] = [:]
    while true {
      let byte = try next()
      if byte == close {
        if close != nil { position += 1 }
        return pairs
      }
      guard byte != nil else { throw failure("it ends early") }
      let key = try text()
      // A key without a value is its own value.
      var value = PropertyList.text(key)
      if try next() == UInt8(ascii: "=") {
        position += 1
        value = try self.value(depth: depth + 1)
      }
      guard try next() == UInt8(ascii: ";") else {
        throw failure("a semicolon is missing after the key \(PropertyListError.shown(key))")
      }
      guard pairs.add(key, value) else { throw failure(PropertyListError.isTwice(key)) }
      position += 1
    }
  }

  private mutating func items(depth: Int) throws(PropertyListError) -> [PropertyList] {
    var items: [PropertyList] = []
    while true {
      if try next() == UInt8(ascii: ")") {
        position += 1
        return items
      }
      items.append(try value(depth: depth + 1))
      switch try next() {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: ")"): break
      default: throw failure("a comma is missing in a list")
      }
    }
  }

  /// A text in quotes, or a word without.
  private mutating func text() throws(PropertyListError) -> String {
    guard let first = try next() else { throw failure("it ends early") }
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return try quoted(first) }
    let start = position
    while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
    guard position > start else { throw failure("a text is missing") }
    return String(bounded: bytes[start..<position])
  }

  private mutating func quoted(_ quote: UInt8) throws(PropertyListError) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote { return String(bounded: text) }
      if byte == UInt8(ascii: "\\") { text += try escaped() } else { text.append(byte) }
    }
    position = start
    throw failure("a text does not end")
  }

  /// The character after a backslash.
  private mutating func escaped() throws(PropertyListError) -> [UInt8] {
    guard position < bytes.count else { throw failure("it ends early") }
    let code = bytes[position]
    position += 1
    switch code {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "a"): return [0x07]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "v"): return [0x0B]
    case UInt8(ascii: "U"), UInt8(ascii: "u"): return try unicode()
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      position -= 1
      return [try octal()]
    default: return [code]
    }
  }

  /// Four digits after `\U`, with a second half if it is one of a pair.
  private mutating func unicode() throws(PropertyListError) -> [UInt8] {
    let problem = "\\U is not followed by the four digits of a character"
    guard let first = hexadecimal() else { throw failure(problem) }
    var units = [first]
    if (0xD800...0xDBFF).contains(first), bytes.count - position >= 2, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] | 0x20 == UInt8(ascii: "u")
    {
      position += 2
      guard let second = hexadecimal() else { throw failure(problem) }
      units.append(second)
    }
    guard first != 0, let text = String(validating: units, as: UTF16.self)?.bounded else { throw failure(problem) }
    return Array(text.utf8)
  }

  private mutating func hexadecimal() -> UInt16? {
    guard bytes.count - position >= 4,
      let value = UInt16(String(bounded: bytes[position..<position + 4]), radix: 16)
    else { return nil }
    position += 4
    return value
  }

  /// Up to three octal digits. Above ASCII they mean characters of NeXTSTEP's encoding, which nothing has written for decades.
  private mutating func octal() throws(PropertyListError) -> UInt8 {
    var value = 0
    var count = 0
    while count < 3, position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[position]) {
      value = value * 8 + Int(bytes[position] - UInt8(ascii: "0"))
      position += 1
      count += 1
    }
    guard (1..<0x80).contains(value) else { throw failure("an octal number is not an ASCII character") }
    return UInt8(value)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte >= 48 && byte <= 57 || "_$/:.-+@".utf8.contains(byte)
  }
}
