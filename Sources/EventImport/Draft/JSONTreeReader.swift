// Reads JSON texts as trees. It takes what is there: a text that ends early or goes wrong gives the members before that
// place.

/// Reads values one after another.
struct JSONTreeReader {
  let bytes: ArraySlice<UInt8>
  /// Index of the next byte.
  var position: Int
  /// The text ended inside of the last value.
  var isCut = false
  /// The last value is no JSON from some place on.
  var isBroken = false
  private static let maximumDepth = 32

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var hasEnded: Bool { position >= bytes.endIndex }
  private var stops: Bool { isCut || isBroken }

  mutating func skipBlanks() {
    while !hasEnded, ByteSearch.isBlank(bytes[position]) || bytes[position] == ByteSearch.newline { position += 1 }
  }

  /// The next byte that is not blank; nil at the end.
  mutating func peek() -> UInt8? {
    skipBlanks()
    return hasEnded ? nil : bytes[position]
  }

  /// Goes past the next line end; the reader goes on there after what is no JSON.
  mutating func skipLine() {
    while !hasEnded, bytes[position] != ByteSearch.newline { position += 1 }
    if !hasEnded { position += 1 }
  }

  mutating func skipByte() { if !hasEnded { position += 1 } }

  /// The next value, or what there is of it; nil where none begins here.
  mutating func value() -> JSONTree? {
    isCut = false
    isBroken = false
    return value(depth: 0)
  }

  private mutating func value(depth: Int) -> JSONTree? {
    guard let first = peek() else {
      isCut = true
      return nil
    }
    guard depth < Self.maximumDepth else {
      isBroken = true
      return nil
    }
    switch first {
    case 0x7B: return object(depth)
    case 0x5B: return list(depth)
    case ByteSearch.quote: return string().map { .text($0) }
    default: return word()
    }
  }

  private mutating func object(_ depth: Int) -> JSONTree {
    position += 1
    var members: [JSONTree.Member] = []
    while true {
      guard let next = peek() else {
        isCut = true
        return .object(members)
      }
      if next == 0x7D {
        position += 1
        return .object(members)
      }
      if next == 0x2C {
        position += 1
        continue
      }
      guard next == ByteSearch.quote, let key = string(), peek() == 0x3A else {
        if hasEnded { isCut = true } else { isBroken = true }
        return .object(members)
      }
      position += 1
      if let value = value(depth: depth + 1) { members.append(.init(key: key, value: value)) }
      if stops { return .object(members) }
    }
  }

  private mutating func list(_ depth: Int) -> JSONTree {
    position += 1
    var items: [JSONTree] = []
    while true {
      guard let next = peek() else {
        isCut = true
        return .list(items)
      }
      if next == 0x5D || next == 0x2C {
        position += 1
        if next == 0x5D { return .list(items) }
        continue
      }
      if let item = value(depth: depth + 1) { items.append(item) }
      if stops { return .list(items) }
    }
  }

  // MARK: The values of JSON that hold no others.

  /// A string; nil where it does not end.
  mutating func string() -> String? {
    position += 1
    var text: [UInt8] = []
    while !hasEnded {
      let byte = bytes[position]
      position += 1
      if byte == ByteSearch.quote { return String(decoding: text, as: UTF8.self) }
      guard byte == 0x5C else {
        text.append(byte)
        continue
      }
      guard !hasEnded else { break }
      let code = bytes[position]
      position += 1
      switch code {
      case 0x6E: text.append(0x0A)
      case 0x74: text.append(0x09)
      case 0x72: text.append(0x0D)
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x75: text += unicode()
      default: text.append(code)
      }
    }
    isCut = true
    return nil
  }

  /// What follows `\u`, with its second half where it is one of a pair.
  private mutating func unicode() -> [UInt8] {
    guard let first = hex() else { return [] }
    if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
    guard first < 0xDC00, position + 1 < bytes.endIndex, bytes[position] == 0x5C, bytes[position + 1] == 0x75 else {
      return Array("\u{FFFD}".utf8)
    }
    position += 2
    guard let second = hex(), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
    else { return Array("\u{FFFD}".utf8) }
    return Array(String(scalar).utf8)
  }

  private mutating func hex() -> UInt32? {
    guard bytes.endIndex - position >= 4 else { return nil }
    let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
    guard let value = UInt32(digits, radix: 16) else { return nil }
    position += 4
    return value
  }

  /// A number, `true`, `false` or `null`.
  mutating func word() -> JSONTree? {
    let start = position
    while !hasEnded {
      let byte = bytes[position]
      guard byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte >= 48 && byte <= 57 || [0x2B, 0x2D, 0x2E].contains(byte)
      else {
        break
      }
      position += 1
    }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    case let text where text.utf8.first.map { $0 == 0x2D || $0 >= 48 && $0 <= 57 } ?? false: return .number(text)
    default:
      if hasEnded { isCut = true } else { isBroken = true }
      return nil
    }
  }
}

// MARK: A JSON text as a tree, for a look at the head of a file whose form is not known.

/// A value, an object's members in their order.
package enum JSONTree: Equatable, Sendable {
  package struct Member: Equatable, Sendable {
    var key: String
    var value: JSONTree
  }

  case text(String)
  /// As it is spelled.
  case number(String)
  case boolean(Bool)
  case null
  case list([JSONTree])
  case object([Member])

  var isObject: Bool { if case .object = self { true } else { false } }
}
