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
}
