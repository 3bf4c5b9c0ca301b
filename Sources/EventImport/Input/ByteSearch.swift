// Searches for single bytes in memory.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ByteSearch {
  static let newline: UInt8 = 0x0A
  static let quote: UInt8 = 0x22

  /// Index of the first newline in a range of memory.
  static func firstNewline(_ memory: UnsafeRawPointer, _ range: Range<Int>) -> Int? { first(newline, memory, range) }

  /// Index of the first byte of a value in a range of memory.
  static func first(_ byte: UInt8, _ memory: UnsafeRawPointer, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, let found = memchr(memory + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - memory
  }

  /// Index of the last newline in a range of memory.
  static func lastNewline(_ memory: UnsafeRawPointer, _ range: Range<Int>) -> Int? {
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var i = range.upperBound
    while i > range.lowerBound {
      i -= 1
      if bytes[i] == newline { return i }
    }
    return nil
  }

  /// How often a byte occurs.
  static func count(_ byte: UInt8, _ memory: UnsafeRawPointer, _ range: Range<Int>) -> Int {
    let bytes = UnsafeBufferPointer(
      start: (memory + range.lowerBound).assumingMemoryBound(to: UInt8.self), count: range.count)
    var total = 0
    for value in bytes { total &+= value == byte ? 1 : 0 }
    return total
  }

  /// True for bytes that alone make no line: spaces, tabs and carriage returns.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
