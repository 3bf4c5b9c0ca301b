// A walk over the bytes of JSON without a tree: which members an object has, and where their values begin and end. Bodies come from
// phones, and may be torn anywhere.

/// Finds the ends of values. It checks brackets, strings and separators, not the spelling of numbers and words: each event is parsed
/// later.
struct JSONWalk {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Brackets inside one another that are followed.
  static let deepest = 512

  enum Failure: Error, Equatable {
    /// The bytes end inside a value.
    case torn
    case malformed
    case tooDeep
  }

  func skipSpace(_ start: Int) -> Int {
    var i = start
    while i < bytes.count, Self.isSpace(bytes[i]) { i += 1 }
    return i
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x0A, 0x0D, 0x09, 0x2C, 0x5D, 0x7D, 0x3A, 0x7B, 0x5B, 0x22: true
    default: false
    }
  }

  /// The place after the string that begins at a quote.
  func endOfString(_ start: Int) throws(Failure) -> Int {
    var i = start + 1
    while i < bytes.count {
      switch bytes[i] {
      case 0x22: return i + 1
      case 0x5C: i += 2
      default: i += 1
      }
    }
    throw .torn
  }

  /// The place after the value that begins here.
  func endOfValue(_ start: Int) throws(Failure) -> Int {
    guard start < bytes.count else { throw .torn }
    switch bytes[start] {
    case 0x22: return try endOfString(start)
    case 0x7B, 0x5B: return try endOfBrackets(start)
    case 0x2C, 0x3A, 0x5D, 0x7D: throw .malformed
    default:
      var i = start
      while i < bytes.count, !Self.endsWord(bytes[i]) { i += 1 }
      // A number at the end may go on.
      guard i < bytes.count else { throw .torn }
      return i
    }
  }

  private func endOfBrackets(_ start: Int) throws(Failure) -> Int {
    var closing: [UInt8] = []
    var i = start
    while i < bytes.count {
      let byte = bytes[i]
      switch byte {
      case 0x22:
        i = try endOfString(i)
        continue
      case 0x7B, 0x5B:
        guard closing.count < Self.deepest else { throw .tooDeep }
        closing.append(byte + 2)
      case 0x7D, 0x5D:
        guard closing.popLast() == byte else { throw .malformed }
        if closing.isEmpty { return i + 1 }
      default: break
      }
      i += 1
    }
    throw .torn
  }

  /// The members of the object that begins at a bracket.
  func members(_ start: Int) -> Members { Members(walk: self, place: start + 1) }

  /// Goes from member to member; whoever takes a value says where it ends.
  struct Members {
    let walk: JSONWalk
    /// Where the next member or the object's end is looked for; after the last one, the place after the object.
    private(set) var place: Int
    private var isFirst = true

    init(walk: JSONWalk, place: Int) { (self.walk, self.place) = (walk, place) }

    /// The next key, without its quotes, and where its value begins; nil at the object's end.
    mutating func next() throws(Failure) -> (name: UnsafeBufferPointer<UInt8>, value: Int)? {
      let bytes = walk.bytes
      var i = walk.skipSpace(place)
      guard i < bytes.count else { throw .torn }
      if bytes[i] == 0x7D {
        place = i + 1
        return nil
      }
      if !isFirst {
        guard bytes[i] == 0x2C else { throw .malformed }
        i = walk.skipSpace(i + 1)
        guard i < bytes.count else { throw .torn }
      }
      isFirst = false
      guard bytes[i] == 0x22 else { throw .malformed }
      let end = try walk.endOfString(i)
      let name = UnsafeBufferPointer(rebasing: bytes[i + 1..<end - 1])
      i = walk.skipSpace(end)
      guard i < bytes.count else { throw .torn }
      guard bytes[i] == 0x3A else { throw .malformed }
      place = walk.skipSpace(i + 1)
      return (name, place)
    }

    /// Passes over the value of the last member.
    mutating func skipValue() throws(Failure) { place = try walk.endOfValue(place) }

    mutating func goOn(after end: Int) { place = end }
  }

  /// The text of the string that begins here, if it is short and has no escapes; nil for any other value.
  func plainText(_ start: Int) -> String? {
    guard start < bytes.count, bytes[start] == 0x22, let end = try? endOfString(start) else { return nil }
    let text = bytes[start + 1..<end - 1]
    guard text.count <= RequestParts.longestKey else { return nil }
    return text.contains(0x5C) ? nil : String(decoding: text, as: UTF8.self)
  }
}

extension UnsafeBufferPointer<UInt8> {
  func equals(_ text: String) -> Bool { count == text.utf8.count && elementsEqual(text.utf8) }
}
