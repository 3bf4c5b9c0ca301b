// JSON texts as trees, to examine the head of a file of unknown format. Unlike simdjson, which reads
// everything else, it accepts broken texts: a text that ends early or is invalid gives the members before that point.

package enum JSONTree: Equatable, Sendable {
  package struct Member: Equatable, Sendable {
    package var key: String
    package var value: JSONTree
  }

  case text(String)
  /// As it is spelled.
  case number(String)
  case boolean(Bool)
  case null
  case list([JSONTree])
  case object([Member])

  var isObject: Bool { if case .object = self { true } else { false } }

  package subscript(_ key: String) -> JSONTree? {
    if case .object(let members) = self { members.first { $0.key == key }?.value } else { nil }
  }
}

struct JSONTreeReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  /// The text ended inside of the last value.
  private(set) var isCut = false
  /// Whether the last value is not valid JSON from some byte on.
  private(set) var isBroken = false
  private let maximumDepth: Int

  init(_ bytes: ArraySlice<UInt8>, maximumDepth: Int = 32) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    position = bytes.startIndex
  }

  private var hasEnded: Bool { position >= bytes.endIndex }

  /// The next byte that is not whitespace; nil at the end.
  mutating func peek() -> UInt8? {
    while !hasEnded, ByteSearch.isSpace(bytes[position]) { position += 1 }
    return hasEnded ? nil : bytes[position]
  }

  /// Skips to the line after the next line end, where the reader continues after invalid JSON.
  mutating func skipLine() {
    while !hasEnded, bytes[position] != ByteSearch.newline { position += 1 }
    skipByte()
  }

  mutating func skipByte() { if !hasEnded { position += 1 } }

  /// The next value, or the readable part of it; nil if no value begins here.
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
    guard depth < maximumDepth else {
      isBroken = true
      return nil
    }
    switch first {
    case 0x7B:
      var members: [JSONTree.Member] = []
      readItems(until: 0x7D) { reader in
        guard reader.peek() == ByteSearch.quote, let key = reader.string(), reader.peek() == 0x3A else {
          if reader.hasEnded { reader.isCut = true } else { reader.isBroken = true }
          return
        }
        reader.position += 1
        if let value = reader.value(depth: depth + 1) { members.append(.init(key: key, value: value)) }
      }
      return .object(members)
    case 0x5B:
      var items: [JSONTree] = []
      readItems(until: 0x5D) { reader in
        if let item = reader.value(depth: depth + 1) { items.append(item) }
      }
      return .list(items)
    case ByteSearch.quote: return string().map { .text($0) }
    default: return word()
    }
  }

  /// Reads the items between two brackets, without commas, up to the end or the first fault of the text.
  private mutating func readItems(until close: UInt8, _ item: (inout JSONTreeReader) -> Void) {
    position += 1
    while !isCut, !isBroken {
      switch peek() {
      case nil: isCut = true
      case close:
        position += 1
        return
      case 0x2C: position += 1
      default: item(&self)
      }
    }
  }

  /// A string; nil if it does not end.
  private mutating func string() -> String? {
    position += 1
    var text: [UInt8] = []
    while !hasEnded {
      let byte = bytes[position]
      position += 1
      if byte == ByteSearch.quote { return String(bounded: text) }
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

  /// The character after `\u`, with its second half if it is one of a pair.
  private mutating func unicode() -> [UInt8] {
    guard let first = hex() else { return [] }
    if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
    if first < 0xDC00, bytes[position...].starts(with: [0x5C, 0x75]) {
      position += 2
      if let second = hex(), (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
      {
        return Array(String(scalar).utf8)
      }
    }
    return Array("\u{FFFD}".utf8)
  }

  private mutating func hex() -> UInt32? {
    guard bytes.endIndex - position >= 4,
      let value = UInt32(String(bounded: bytes[position..<position + 4]), radix: 16)
    else { return nil }
    position += 4
    return value
  }

  private mutating func word() -> JSONTree? {
    let start = position
    while !hasEnded, Self.isWord(bytes[position]) { position += 1 }
    switch String(bounded: bytes[start..<position]) {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    case let text where text.utf8.first.map { $0 == 0x2D || $0 &- 48 <= 9 } ?? false: return .number(text)
    default:
      if hasEnded { isCut = true } else { isBroken = true }
      return nil
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte &- 48 <= 9 || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }
}
