// A sequence of bytes from any source: a file, a pipe, a decompressor, a member of an archive.

import Buffers
import CGzip

/// A sequence of bytes, read by one thread at a time.
protocol ByteSource: AnyObject {
  /// Reads some bytes; 0 only at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int
  /// Bytes taken so far from the file that is underneath, as stored.
  var storedBytes: Int { get }
}

extension ByteSource {
  /// Fills the buffer; fewer bytes only at the end.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// The first bytes of the source, enough to recognise its format.
  func readHead() throws(ImportError) -> [UInt8] {
    try FileHead.read { memory throws(ImportError) in try fill(memory) }
  }
}

final class FileSource: ByteSource {
  private let file: InputFile
  private(set) var storedBytes = 0

  init(_ file: InputFile) { self.file = file }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = try file.read(into: buffer)
    storedBytes += count
    return count
  }
}

/// Bytes that are in memory, then the rest of the source that they were read ahead from, if there is one.
final class ResumedSource: ByteSource {
  private let head: [UInt8]
  private var taken = 0
  private let rest: (any ByteSource)?

  init(head: [UInt8], rest: (any ByteSource)? = nil) {
    self.head = head
    self.rest = rest
  }

  var storedBytes: Int { rest?.storedBytes ?? taken }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if taken == head.count, let rest { return try rest.read(into: buffer) }
    let count = min(buffer.count, head.count - taken)
    buffer.copyBytes(from: head[taken..<taken + count])
    taken += count
    return count
  }
}

/// Bytes that the caller has in memory, read where they are.
final class MemorySource<Bytes: BytesInMemory>: ByteSource {
  private let bytes: Bytes
  private var next: Bytes.Index
  private(set) var storedBytes = 0

  init(_ bytes: Bytes) {
    self.bytes = bytes
    next = bytes.startIndex
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let end = bytes.index(next, offsetBy: buffer.count, limitedBy: bytes.endIndex) ?? bytes.endIndex
    let count = bytes.distance(from: next, to: end)
    buffer.copyBytes(from: bytes[next..<end])
    next = end
    storedBytes += count
    return count
  }
}

extension BytesInMemory {
  func source() -> any ByteSource { MemorySource(self) }
}

/// A file's first bytes, by which its format is recognised: `ImportLimit.head` of them, or more in steps of that size
/// if they have no whole line.
enum FileHead {
  /// - Parameter fill: fills memory with the next bytes; fewer only at the end.
  static func read(
    _ fill: (UnsafeMutableRawBufferPointer) throws(ImportError) -> Int
  ) throws(ImportError) -> [UInt8] {
    let memory = PaddedBuffer(capacity: ImportLimit.head)
    var head: [UInt8] = []
    repeat {
      let count = try fill(memory.room)
      head += memory.room[..<count]
      if count < memory.capacity { break }
    } while wantsMore(head)
    return head
  }

  static func isCut(_ head: [UInt8]) -> Bool {
    head.count >= ImportLimit.head && head.count.isMultiple(of: ImportLimit.head)
  }

  /// Whether the first line continues, but is not yet longer than the longest allowed line.
  private static func wantsMore(_ head: [UInt8]) -> Bool {
    guard isCut(head), head.count <= ImportLimit.line else { return false }
    guard let first = head[start(head)...].firstIndex(where: { !ByteSearch.isSpace($0) }) else { return false }
    // A header of CSV is no longer than the head; a document around records need not be seen whole.
    guard head[first] == 0x7B || head[first...].prefix(ImportLimit.head).contains(0x09) else { return false }
    return head.withUnsafeBytes { ByteSearch.firstNewline($0, first..<head.count) == nil }
  }

  /// Where the text begins: after the byte-order mark, if there is one.
  static func start(_ head: [UInt8]) -> Int { head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// The first byte of the text that is not whitespace.
  static func first(_ head: [UInt8]) -> UInt8? { head.first { !ByteSearch.isSpace($0) } }
}

/// Ends where its source fails, and keeps the error: gives the readable part of a damaged file, if the user wants to keep it.
final class PartialSource: ByteSource {
  private let source: any ByteSource
  /// The one that its source reads from in turn.
  private let beneath: PartialSource?
  private var ownFailure: ImportError?

  init(_ source: any ByteSource, beneath: PartialSource? = nil) {
    self.source = source
    self.beneath = beneath
  }

  /// Why it ended before its end.
  var failure: ImportError? { ownFailure ?? beneath?.failure }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if ownFailure != nil { return 0 }
    do {
      return try source.read(into: buffer)
    } catch {
      ownFailure = error
      return 0
    }
  }
}

/// Gives one line feed for each carriage return, line feed, or pair of both, as old Macs and some spreadsheets end their
/// lines: everything else here knows line feeds alone.
final class LineEndSource: ByteSource {
  private let source: any ByteSource
  private var afterReturn = false

  init(_ source: any ByteSource) { self.source = source }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return 0 }
      var kept = 0
      for byte in buffer[..<count] {
        if byte == ByteSearch.newline, afterReturn {
          afterReturn = false
          continue
        }
        afterReturn = byte == 0x0D
        buffer[kept] = afterReturn ? ByteSearch.newline : byte
        kept += 1
      }
      if kept > 0 { return kept }
    }
  }

  /// Whether a carriage return ends a line in this head: one without a line feed, outside of quotes. In JSON, in which it may be
  /// between any two values, only if there is no line feed at all.
  static func isNeeded(_ head: [UInt8]) -> Bool {
    guard head.contains(0x0D) else { return false }
    let first = FileHead.first(head)
    if first == 0x7B || first == 0x5B { return !head.contains(ByteSearch.newline) }
    var isOpen = false
    for (i, byte) in head.enumerated() {
      if byte == ByteSearch.quote {
        isOpen = !isOpen && (i == 0 || beginsCell(after: head[i - 1]))
      } else if byte == 0x0D, !isOpen, i + 1 < head.count, head[i + 1] != 0x0D, head[i + 1] != ByteSearch.newline {
        return true
      }
    }
    return false
  }

  private static func beginsCell(after byte: UInt8) -> Bool {
    byte == ByteSearch.newline || byte == 0x0D || byte == ByteSearch.quote || CSVShape.delimiters.contains(byte)
  }
}

// MARK: Unpacks gzip by ISA-L, twice as fast as zlib, and not by libarchive, which passes over the checksum at its end: damage
// inside would come out as other lines, silently.

/// The bytes of a gzip file of one or more members (RFC 1952), each checked against its checksum and length.
final class GzipSource: ByteSource {
  private let source: any ByteSource
  private let name: String
  private let input = PaddedBuffer(capacity: 1 << 16)
  /// The bytes of `input` that were not taken yet.
  private var unread = UnsafeRawBufferPointer(start: nil, count: 0)
  private let member: OpaquePointer
  private var inMember = true
  private var sourceEnded = false

  init(_ source: any ByteSource, name: String) throws(ImportError) {
    self.source = source
    self.name = name
    guard let member = cgz_new() else { throw .outOfMemory(name) }
    self.member = member
  }

  deinit { cgz_free(member) }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    guard !buffer.isEmpty else { return 0 }
    while true {
      if unread.isEmpty { try refill() }
      if !inMember {
        if try !beginMember() { return 0 }
      }
      let step = cgz_unpack(
        member, unread.baseAddress?.assumingMemoryBound(to: UInt8.self), unread.count,
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
      unread = UnsafeRawBufferPointer(rebasing: unread[step.used...])
      if step.outcome == 1 { inMember = false }
      if step.made > 0 { return step.made }
      // What was unpacked before the damage has been given out.
      if step.outcome < 0 { throw damaged(String(cString: cgz_damage(step.outcome))) }
      if inMember, step.used == 0 { throw damaged("it ends in the middle") }
    }
  }

  private func damaged(_ cause: String) -> ImportError { .damaged(name, "the gzip data", cause: cause) }

  private func refill() throws(ImportError) {
    if sourceEnded { return }
    let count = try source.read(into: input.room)
    if count == 0 { sourceEnded = true }
    unread = UnsafeRawBufferPointer(rebasing: input.room[..<count])
  }

  /// Goes on to the next member; false at the end. Zeros after the last one are padding.
  private func beginMember() throws(ImportError) -> Bool {
    while true {
      unread = UnsafeRawBufferPointer(rebasing: unread.drop { $0 == 0 })
      if !unread.isEmpty { break }
      if sourceEnded { return false }
      try refill()
    }
    guard unread.first == 0x1F else { throw damaged("other data follows its end") }
    cgz_begin(member)
    inMember = true
    return true
  }
}
