// The journal's records: length and CRC32C, each in four bytes with the lowest first, and the event as a line of JSON.

import Foundation

enum Record {
  static let headLength = 8
  /// Longer than any event, so that damaged lengths are seen as such.
  static let longest = 16_384

  static func framed(_ line: some Collection<UInt8>) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian, Array.init) }
    return bytes(UInt32(line.count)) + bytes(CRC32C.of(line)) + line
  }

  /// What is in a file.
  struct Contents {
    /// The lines of whole records.
    var lines: [ArraySlice<UInt8>] = []
    /// Where bytes begin at the end that are no record: an event whose call never returned.
    var end = 0
    /// Indices of lines that follow bytes which are no record.
    var damaged: [Int] = []
  }

  /// - Parameter longest: of a line.
  static func contents(of bytes: [UInt8], longest: Int = longest) -> Contents {
    var found = Contents()
    var (position, isDamaged) = (0, false)
    while let line = record(in: bytes, at: position, longest) {
      found.lines.append(line)
      (position, found.end) = (line.endIndex, line.endIndex)
    }
    // After damage: whatever is whole further on.
    while position < bytes.count {
      guard let line = record(in: bytes, at: position, longest) else {
        (position, isDamaged) = (position + 1, true)
        continue
      }
      if isDamaged { found.damaged.append(found.lines.count) }
      found.lines.append(line)
      (position, found.end, isDamaged) = (line.endIndex, line.endIndex, false)
    }
    return found
  }

  private static func record(in bytes: [UInt8], at start: Int, _ longest: Int) -> ArraySlice<UInt8>? {
    guard bytes.count - start > headLength else { return nil }
    func number(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) } }
    let (length, begin) = (Int(number(start)), start + headLength)
    guard (2...longest).contains(length), length <= bytes.count - begin, bytes[begin] == UInt8(ascii: "{") else {
      return nil
    }
    let line = bytes[begin..<begin + length]
    return CRC32C.of(line) == number(start + 4) ? line : nil
  }

  /// A text member of a line of ours. Inside of texts its quotes are escaped, so that nothing else looks like it.
  static func member(_ name: String, of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let begin = Array("\"\(name)\":\"".utf8)
    guard let range = line.firstRange(of: begin), let end = line[range.upperBound...].firstIndex(of: UInt8(ascii: "\""))
    else { return nil }
    return line[range.upperBound..<end]
  }

  static func kind(of line: ArraySlice<UInt8>) -> EventKind? {
    // As it is: a line has a bound.
    member("event", of: line).flatMap { EventKind(rawValue: String(decoding: $0, as: UTF8.self)) }
  }

  static func number(of line: ArraySlice<UInt8>) -> UInt64? {
    member("event_id", of: line).flatMap { JournalState.number(ofEventID: $0) }
  }
}

/// The checksum of iSCSI and ext4 (RFC 3720, B.4).
enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
  }

  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~table.withUnsafeBufferPointer { table in
      bytes.reduce(~0) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
    }
  }
}
