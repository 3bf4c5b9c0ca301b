// What is kept of a request until it is in the log: its body as it came, and how it was addressed. The same form keeps what could not
// be read, so that it can be read again.
//
// file   := magic 8, record*
// record := head length 4, body length 4, CRC-32C of both lengths, head and body 4, head, body      (numbers are little-endian)
// head   := JSON
//
// A record that was not written whole ends the file: its request was not answered.

import Foundation

struct SpoolRecord: Sendable {
  struct Head: Codable, Sendable, Hashable {
    /// Each once for a server.
    var id: UInt64
    var endpoint: Endpoint
    /// The key that the request's head named; nil if only its body can.
    var key: String?
    /// When it came, in milliseconds since 1970.
    var received: Int64
    /// Why it is in quarantine, and a text of the event's reason.
    var reason: String?
    var detail: String?
    /// The one line of an event that was read already, and is in its final form.
    var isLine: Bool?
    /// Whether its sender waits for the outcome.
    var isAwaited: Bool?
  }

  var head: Head
  var body: [UInt8]

  static let magic: [UInt8] = Array("PRMSPL01".utf8)
  static let longestHead = 1 << 16

  /// Appends the record as a file has it.
  func append(to bytes: inout [UInt8]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let head = (try? encoder.encode(head)).map(Array.init) ?? []
    let start = bytes.count
    for length in [head.count, body.count, 0] {
      withUnsafeBytes(of: UInt32(length).littleEndian) { bytes.append(contentsOf: $0) }
    }
    bytes += head
    bytes += body
    let crc = bytes.withUnsafeBytes { all in
      let lengths = CRC32C.of(UnsafeRawBufferPointer(rebasing: all[start..<start + 8]))
      return CRC32C.of(UnsafeRawBufferPointer(rebasing: all[(start + 12)...]), after: lengths)
    }
    withUnsafeBytes(of: crc.littleEndian) { crc in for i in 0..<4 { bytes[start + 8 + i] = crc[i] } }
  }
}

/// The records of a file that is there.
struct SpoolFile {
  let path: String

  /// What was read of a file.
  struct Content {
    var records: [SpoolRecord] = []
    /// Bytes after the last whole record: 0, or those of a request that was not answered.
    var torn = 0
    /// What cannot be read: damaged records, and the torn end.
    var unreadable: [UInt8] = []
  }

  /// - Throws: if the system does not let it be read.
  func read() throws -> Content {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var content = Content()
    guard bytes.starts(with: SpoolRecord.magic) else {
      (content.torn, content.unreadable) = (bytes.count, bytes)
      return content
    }
    var i = SpoolRecord.magic.count
    bytes.withUnsafeBytes { all in
      while i < all.count {
        if let (record, next) = Self.record(all, i) {
          content.records.append(record)
          i = next
        } else if let next = Self.end(all, i) {
          // The lengths lead to the next record.
          content.unreadable += all[i..<next]
          i = next
        } else {
          break
        }
      }
    }
    content.torn = bytes.count - i
    content.unreadable += bytes[i...]
    return content
  }

  /// The place after a record that cannot be read, if another one begins there.
  private static func end(_ all: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    guard start + 12 <= all.count else { return nil }
    func number(_ offset: Int) -> Int {
      Int(UInt32(littleEndian: all.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    let end = start + 12 + number(start) + number(start + 4)
    return end < all.count && record(all, end) != nil ? end : nil
  }

  private static func record(_ all: UnsafeRawBufferPointer, _ start: Int) -> (SpoolRecord, Int)? {
    guard start + 12 <= all.count else { return nil }
    func number(_ offset: Int) -> Int {
      Int(UInt32(littleEndian: all.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    let (head, body, crc) = (number(start), number(start + 4), UInt32(number(start + 8)))
    let end = start + 12 + head + body
    guard head <= SpoolRecord.longestHead, end <= all.count else { return nil }
    let lengths = CRC32C.of(UnsafeRawBufferPointer(rebasing: all[start..<start + 8]))
    guard CRC32C.of(UnsafeRawBufferPointer(rebasing: all[start + 12..<end]), after: lengths) == crc,
      let decoded = try? JSONDecoder().decode(SpoolRecord.Head.self, from: Data(all[start + 12..<start + 12 + head]))
    else { return nil }
    return (SpoolRecord(head: decoded, body: Array(all[start + 12 + head..<end])), end)
  }
}
