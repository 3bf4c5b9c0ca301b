// Searches for single bytes in memory.

import SystemCalls

enum ByteSearch {
  static let newline: UInt8 = 0x0A
  static let quote: UInt8 = 0x22

  static func firstNewline(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    first(newline, bytes, range)
  }

  /// Index of the first byte of a value in a range of some bytes.
  static func first(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, let memory = bytes.baseAddress,
      let found = memchr(memory + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return UnsafeRawPointer(found) - memory
  }

  static func lastNewline(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    bytes[range].lastIndex(of: newline)
  }

  static func count(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var total = 0
    for value in UnsafeRawBufferPointer(rebasing: bytes[range]) { total &+= value == byte ? 1 : 0 }
    return total
  }

  /// Whether a byte alone does not make a line: spaces, tabs and carriage returns.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  /// The same, and line feeds.
  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == newline }
}

// MARK: Numbers as zip writes them

/// Numbers in little-endian bytes; 0 outside them, -1 for a value larger than any file.
struct LittleEndian {
  let bytes: [UInt8]

  func has(_ offset: Int, _ count: Int) -> Bool {
    offset >= 0 && offset <= bytes.count && count <= bytes.count - offset
  }

  func begins(_ signature: Int, at offset: Int) -> Bool { has(offset, 4) && self[offset, 4] == signature }

  subscript(_ offset: Int, _ count: Int) -> Int {
    guard has(offset, count) else { return 0 }
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + count].reversed() { value = value << 8 | UInt64(byte) }
    return Int(exactly: value) ?? -1
  }
}

// MARK: The compression or archive format of a file, by its first bytes and never by its name

enum Packing {
  case none, gzip, zstandard, zip, xz, tar

  init(head: some Collection<UInt8>) {
    let bytes = Array(head.prefix(6))
    func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
    if begins([0x1F, 0x8B]) {
      self = .gzip
    } else if begins([0x28, 0xB5, 0x2F, 0xFD]) || Self.isSkippableFrame(bytes) {
      self = .zstandard
    } else if begins([0x50, 0x4B, 0x03, 0x04]) || begins([0x50, 0x4B, 0x05, 0x06]) {
      // The second is an archive without members.
      self = .zip
    } else if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
      self = .xz
    } else if head.count > Self.tarMagic + 5, head.dropFirst(Self.tarMagic).prefix(5).elementsEqual("ustar".utf8) {
      self = .tar
    } else {
      self = .none
    }
  }

  /// Where a tar archive says in its first header that it is one (POSIX.1-2017, pax).
  private static let tarMagic = 257

  var isArchive: Bool { self == .zip || self == .tar }

  /// Whether its first four bytes identify it.
  var isStream: Bool { self != .none && self != .tar }

  /// A frame of metadata, which may come before Zstandard's data (RFC 8878, section 3.1.2).
  private static func isSkippableFrame(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 4 && bytes[0] & 0xF0 == 0x50 && bytes[1] == 0x2A && bytes[2] == 0x4D && bytes[3] == 0x18
  }
}

// MARK: Recognises a directory as a log of this tool by the head of its manifest, because an import knows nothing else about logs

package enum LogMark {
  package static let fileName = "manifest"
  /// How to open it: a pipe of that name must not stop anybody who does.
  package static let openFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
  private static let head = Array("permlog-manifest".utf8)

  /// True for a manifest.
  /// - Parameter descriptor: of a file of that name; closed here. Negative if the file does not exist.
  package static func isManifest(closing descriptor: Int32) -> Bool {
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    var start = [UInt8](repeating: 0, count: head.count)
    return read(descriptor, &start, head.count) == head.count && start == head
  }
}
