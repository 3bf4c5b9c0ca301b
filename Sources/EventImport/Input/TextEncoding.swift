// Encodings of text besides UTF-8, told only by proof: a mark or zero bytes for UTF-16, bytes that are no UTF-8 for
// Windows-1252. Spreadsheets write both.

/// An encoding that is converted to UTF-8 before anything else is asked. The value is iconv's name.
enum TextEncoding: String, Sendable {
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case windows1252 = "WINDOWS-1252"

  /// The name for messages.
  var name: String { self == .windows1252 ? "Windows-1252" : "UTF-16" }

  /// - Parameter head: the first bytes of a file as unpacked.
  /// - Returns: nil for UTF-8, and for what is no text.
  init?(head: [UInt8]) {
    if head.starts(with: [0xFF, 0xFE]) || Self.hasZeros(head, at: 1) {
      self = .utf16LittleEndian
    } else if head.starts(with: [0xFE, 0xFF]) || Self.hasZeros(head, at: 0) {
      self = .utf16BigEndian
    } else if Self.isWindows1252(head) {
      self = .windows1252
    } else {
      return nil
    }
  }

  /// Characters that must be ASCII, in two bytes each, if there is no mark: the beginning of a heading or of JSON.
  private static let provenCharacters = 32

  /// True if of each pair of bytes the one at `place` is zero, and the other is not.
  private static func hasZeros(_ head: [UInt8], at place: Int) -> Bool {
    let pairs = min(head.count / 2, provenCharacters)
    guard pairs >= 4 else { return false }
    return (0..<pairs).allSatisfy { head[2 * $0 + place] == 0 && head[2 * $0 + 1 - place] != 0 }
  }

  /// True for cells with bytes beyond ASCII of which none begins a character of UTF-8, and all are characters of Windows-1252.
  /// JSON is UTF-8 by its definition (RFC 8259), and bytes of control are no text.
  private static func isWindows1252(_ head: [UInt8]) -> Bool {
    var union: UInt8 = 0
    for byte in head { union |= byte }
    if union < 0x80 { return false }
    let first = head.first { !ByteSearch.isBlank($0) && $0 != ByteSearch.newline }
    if first == 0x7B || first == 0x5B { return false }
    var seen = false
    for (i, byte) in head.enumerated() {
      if byte < 0x80 {
        if byte < 0x20, byte != ByteSearch.newline, !ByteSearch.isBlank(byte) { return false }
        continue
      }
      // What Windows-1252 has no character for.
      if byte == 0x81 || byte == 0x8D || byte == 0x8F || byte == 0x90 || byte == 0x9D { return false }
      switch utf8(head, i) {
      case .whole: return false
      // The head may end inside of a character.
      case .cut where FileHead.isCut(head): return seen
      case .cut, .none: seen = true
      }
    }
    return seen
  }

  private enum Sequence { case whole, cut, none }

  /// What a byte beyond ASCII begins.
  private static func utf8(_ head: [UInt8], _ i: Int) -> Sequence {
    let count =
      switch head[i] {
      case 0xC2...0xDF: 1
      case 0xE0...0xEF: 2
      case 0xF0...0xF4: 3
      default: 0
      }
    if count == 0 { return .none }
    let rest = head[(i + 1)...].prefix(count)
    guard rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return .none }
    return rest.count == count ? .whole : .cut
  }
}
