// Searches for single bytes in memory.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ByteSearch {
  static let newline: UInt8 = 0x0A
  static let quote: UInt8 = 0x22

  /// Index of the first newline in a range of some bytes.
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

  /// Index of the last newline in a range of some bytes.
  static func lastNewline(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    bytes[range].lastIndex(of: newline)
  }

  /// How often a byte occurs.
  static func count(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var total = 0
    for value in UnsafeRawBufferPointer(rebasing: bytes[range]) { total &+= value == byte ? 1 : 0 }
    return total
  }

  /// True for bytes that alone make no line: spaces, tabs and carriage returns.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  /// The same, and line feeds.
  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == newline }
}
