// Encodings of text besides UTF-8, recognised only by proof: a byte-order mark or zero bytes for UTF-16, bytes that are
// not UTF-8 for Windows-1252. Spreadsheets write both.

import Buffers
import SystemCalls

/// An encoding that is converted to UTF-8 before any other check. The value is iconv's name.
enum TextEncoding: String, Sendable {
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case windows1252 = "WINDOWS-1252"

  var name: String { self == .windows1252 ? "Windows-1252" : "UTF-16" }

  /// - Parameter head: the first bytes of a file as unpacked.
  /// - Returns: nil for UTF-8, and for bytes that are not text.
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

  /// Whether in each pair of bytes the one at `place` is zero, and the other is not.
  private static func hasZeros(_ head: [UInt8], at place: Int) -> Bool {
    let pairs = min(head.count / 2, provenCharacters)
    guard pairs >= 4 else { return false }
    return (0..<pairs).allSatisfy { head[2 * $0 + place] == 0 && head[2 * $0 + 1 - place] != 0 }
  }

  /// Whether the cells have bytes beyond ASCII that are all characters of Windows-1252 and begin no character of UTF-8.
  /// JSON is UTF-8 by its definition (RFC 8259), and control bytes are not text.
  private static func isWindows1252(_ head: [UInt8]) -> Bool {
    var union: UInt8 = 0
    for byte in head { union |= byte }
    if union < 0x80 { return false }
    let first = FileHead.first(head)
    if first == 0x7B || first == 0x5B { return false }
    var seen = false
    for (i, byte) in head.enumerated() {
      if byte < 0x80 {
        if byte < 0x20, !ByteSearch.isSpace(byte) { return false }
        continue
      }
      // Bytes without a character in Windows-1252.
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

  /// The kind of sequence that a byte beyond ASCII begins.
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

/// Converts the bytes of its source to UTF-8, by iconv of the C library, a piece at a time. Invalid text is an error,
/// never left out.
final class EncodedSource: ByteSource {
  private static let inputSize = 1 << 16
  /// A byte becomes at most three bytes, and a pair of bytes at most four.
  private static let outputSize = 3 * inputSize + 16

  private let source: any ByteSource
  private let encoding: TextEncoding
  private let name: String
  private let descriptor: iconv_t
  private let input = PaddedBuffer(capacity: EncodedSource.inputSize)
  private let output = PaddedBuffer(capacity: EncodedSource.outputSize)
  /// The beginning of an incomplete character, at the input's front.
  private var carried = 0
  /// Bytes of the source that became text.
  private var converted = 0
  private var given = 0
  private var available = 0
  /// An error after text that is given out first.
  private var failure: ImportError?

  init(_ source: any ByteSource, encoding: TextEncoding, name: String) throws(ImportError) {
    let opened = iconv_open("UTF-8", encoding.rawValue)
    guard let opened, Int(bitPattern: opened) != -1 else { throw .noConversion(name, encoding) }
    descriptor = opened
    self.source = source
    self.encoding = encoding
    self.name = name
  }

  deinit { iconv_close(descriptor) }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while given == available {
      if let failure { throw failure }
      if try !refill() { return 0 }
    }
    let count = min(buffer.count, available - given)
    buffer.copyMemory(from: output[given..<given + count].bytes)
    given += count
    return count
  }

  /// A later character of UTF-8: a file that looked like Windows-1252 at its head is not, and its ids would change.
  private func hasUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // An accented letter of UTF-8 begins with 0xC3; in Windows-1252 that is `Ã` before a sign, which no word has.
    bytes.indices.dropLast().contains { bytes[$0] == 0xC3 && bytes[$0 + 1] & 0xC0 == 0x80 }
  }

  /// Converts the next piece; false at the end.
  private func refill() throws(ImportError) -> Bool {
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: input.room[carried...]))
    if count == 0 {
      if carried > 0 { throw .notText(name, encoding, offset: converted + carried, isTorn: true) }
      return false
    }
    if encoding == .windows1252, hasUTF8(input[0..<(carried + count)].bytes) {
      failure = .mixedText(name)
      carried = 0
      (given, available) = (0, 0)
      return true
    }
    var left = carried + count
    let total = left
    var free = output.capacity
    var from = input.room.baseAddress?.assumingMemoryBound(to: CChar.self)
    var to = output.room.baseAddress?.assumingMemoryBound(to: CChar.self)
    // The C library's size -1 says that it stopped before the end.
    let result = iconv(descriptor, &from, &left, &to, &free)
    let error = errno
    given = 0
    available = output.capacity - free
    converted += total - left
    if result == -1, error != EINVAL {
      failure = .notText(name, encoding, offset: converted + 1, isTorn: false)
      carried = 0
      return true
    }
    carried = left
    input.room.copyMemory(from: input[(total - left)..<total].bytes)
    return true
  }
}
