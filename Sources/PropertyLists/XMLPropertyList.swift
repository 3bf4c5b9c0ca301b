// Property lists as XML: a small part of XML, and nothing of the rest. Entities of a file's own are refused, not read.

import PermissionEvents

struct XMLPropertyListReader {
  let bytes: [UInt8]
  /// Whether a mark at the start gave the encoding, whatever a declaration says.
  private let isDecoded: Bool
  var position = 0

  private struct Tag {
    var name: String
    /// `<dict/>`.
    var isEmpty: Bool
  }

  init(_ bytes: [UInt8], isDecoded: Bool) {
    self.bytes = bytes
    self.isDecoded = isDecoded
  }

  mutating func document() throws(PropertyListError) -> PropertyList {
    try skipProlog()
    let root = try startTag()
    guard root.name == "plist" else {
      let value = try value(root, depth: 0)
      try finish()
      return value
    }
    guard !root.isEmpty else { throw failure("the property list is empty") }
    try skipBlank()
    let tag = try startTag()
    let value = try value(tag, depth: 0)
    try skipBlank()
    try endTag("plist")
    try finish()
    return value
  }

  func failure(_ problem: String) -> PropertyListError { PropertyListError(problem, bytes, at: position) }

  func isNext(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    return text.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + count]) }
  }

  /// Goes past the next occurrence of a text.
  mutating func skip(past text: StaticString, _ problem: String) throws(PropertyListError) {
    let start = position
    while position < bytes.count {
      if isNext(text) {
        position += text.utf8CodeUnitCount
        return
      }
      position += 1
    }
    position = start
    throw failure(problem)
  }

  /// Whitespace and comments.
  private mutating func skipBlank() throws(PropertyListError) {
    while position < bytes.count {
      if PropertyListEncoding.isBlank(bytes[position]) {
        position += 1
      } else if isNext("<!--") {
        position += 4
        try skip(past: "-->", "a comment does not end")
      } else {
        return
      }
    }
  }

  private mutating func skipProlog() throws(PropertyListError) {
    while true {
      try skipBlank()
      if isNext("<?") {
        let start = position
        try skip(past: "?>", "a declaration does not end")
        try checkEncoding(bytes[start..<position])
      } else if isNext("<!DOCTYPE") {
        try skipDocumentType()
      } else {
        return
      }
    }
  }

  /// Bytes that are not ASCII have other meanings in encodings other than UTF-8.
  private func checkEncoding(_ declaration: ArraySlice<UInt8>) throws(PropertyListError) {
    let words = declaration.split { PropertyListEncoding.isBlank($0) || "='\"?".utf8.contains($0) }
      .map { String(bounded: $0) }
    guard !isDecoded, let index = words.firstIndex(of: "encoding"), index + 1 < words.count else { return }
    let name = words[index + 1]
    guard !["utf-8", "utf8"].contains(name.lowercased()), bytes.contains(where: { $0 >= 0x80 }) else { return }
    throw PropertyListEncoding.refusal(name)
  }

  private mutating func skipDocumentType() throws(PropertyListError) {
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        throw failure("it defines entities of its own, which no Info.plist needs")
      } else if byte == UInt8(ascii: ">") {
        position += 1
        return
      }
      position += 1
    }
    throw failure("the document type does not end")
  }

  private mutating func startTag() throws(PropertyListError) -> Tag {
    guard position < bytes.count else { throw failure("it ends early") }
    guard bytes[position] == UInt8(ascii: "<") else { throw failure("there is text between the values") }
    let start = position + 1
    position = start
    while position < bytes.count, Self.isLetter(bytes[position]) { position += 1 }
    let name = String(bounded: bytes[start..<position])
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "<") {
        break
      } else if byte == UInt8(ascii: ">") {
        return Tag(name: name, isEmpty: bytes[position - 2] == UInt8(ascii: "/"))
      }
    }
    throw failure("a tag does not end")
  }

  mutating func endTag(_ name: String) throws(PropertyListError) {
    let start = position
    guard isNext("</") else { throw failure(position < bytes.count ? "</\(name)> is missing" : "it ends early") }
    position += 2
    let isRight = bytes[position...].starts(with: name.utf8)
    if isRight { position += name.utf8.count }
    while position < bytes.count, PropertyListEncoding.isBlank(bytes[position]) { position += 1 }
    guard isRight, position < bytes.count, bytes[position] == UInt8(ascii: ">") else {
      position = start
      throw failure("</\(name)> is missing")
    }
    position += 1
  }

  private mutating func finish() throws(PropertyListError) {
    try skipBlank()
    guard position == bytes.count else { throw failure("something follows the end of the property list") }
  }

  private mutating func value(_ tag: Tag, depth: Int) throws(PropertyListError) -> PropertyList {
    guard depth < PropertyList.mostDepth else { throw failure(PropertyListError.isTooDeep) }
    switch tag.name {
    case "dict": return .dictionary(tag.isEmpty ? [:] : try pairs(depth: depth))
    case "array": return .list(tag.isEmpty ? [] : try items(depth: depth))
    case "string": return .text(tag.isEmpty ? "" : try content("string"))
    case "integer", "real":
      let digits = tag.isEmpty ? "" : try content(tag.name)
      return .number(String(digits.drop(while: \.isWhitespace)))
    case "true", "false":
      if !tag.isEmpty { _ = try content(tag.name) }
      return .boolean(tag.name == "true")
    case "date", "data":
      if !tag.isEmpty { _ = try content(tag.name) }
      return .other
    default:
      throw failure(
        tag.name.isEmpty
          ? "a value is missing" : "<\(PropertyListError.shown(tag.name))> is not a value of a property list")
    }
  }

  private mutating func pairs(depth: Int) throws(PropertyListError) -> [String: PropertyList] {
    var pairs: [String: PropertyList] = [:]
    while true {
      try skipBlank()
      if isNext("</") {
        try endTag("dict")
        return pairs
      }
      let tag = try startTag()
      guard tag.name == "key" else { throw failure("a key is missing before <\(PropertyListError.shown(tag.name))>") }
      let key = tag.isEmpty ? "" : try content("key")
      try skipBlank()
      guard !isNext("</") else { throw failure("the key \(PropertyListError.shown(key)) has no value") }
      let value = try value(try startTag(), depth: depth + 1)
      // Below the top there are real files with such keys, as of icons, and Xcode builds them.
      guard pairs.add(key, value) || depth > 0 else { throw failure(PropertyListError.isTwice(key)) }
    }
  }

  private mutating func items(depth: Int) throws(PropertyListError) -> [PropertyList] {
    var items: [PropertyList] = []
    while true {
      try skipBlank()
      if isNext("</") {
        try endTag("array")
        return items
      }
      items.append(try value(try startTag(), depth: depth + 1))
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 97 && byte | 0x20 <= 122 }
}
