// Little-endian numbers and variable-length integers in byte buffers, and their checksums. Reading is bounds-checked,
// because the bytes may come from a damaged or hostile file.

import CXXHash
import CZstd
import Threads

struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func u8(_ value: UInt8) { bytes.append(value) }
  mutating func u16(_ value: UInt16) { fixed(UInt64(value), 2) }
  mutating func u32(_ value: UInt32) { fixed(UInt64(value), 4) }
  mutating func u64(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }

  private mutating func fixed(_ value: UInt64, _ count: Int) {
    for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
  }

  /// LEB128: seven bits a byte, lowest first, the top bit set on all but the last.
  mutating func varint(_ value: UInt64) {
    var v = value
    while v >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: v) | 0x80)
      v >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: v))
  }

  mutating func text(_ value: [UInt8]) {
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }
}

/// Reads numbers from a byte buffer; nil past its end.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  var position = 0
  /// The bytes of memory that the decoded content may take; negative once it needed more.
  private(set) var allowance: Int

  init(_ bytes: UnsafeRawBufferPointer, allowance: Int = .max) {
    self.bytes = bytes
    self.allowance = allowance
  }

  var remaining: Int { bytes.count - position }

  mutating func fixed(_ count: Int) -> UInt64? {
    guard remaining >= count else { return nil }
    var value: UInt64 = 0
    for i in 0..<count { value |= UInt64(bytes[position + i]) << UInt64(8 * i) }
    position += count
    return value
  }

  mutating func u8() -> UInt8? { fixed(1).map { UInt8(truncatingIfNeeded: $0) } }
  mutating func u16() -> UInt16? { fixed(2).map { UInt16(truncatingIfNeeded: $0) } }
  mutating func u32() -> UInt32? { fixed(4).map { UInt32(truncatingIfNeeded: $0) } }
  mutating func u64() -> UInt64? {
    guard remaining >= 8 else { return nil }
    defer { position += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// A number that counts things of at least `unit` bytes each, so that it cannot exceed the remaining bytes.
  mutating func count(unit: Int = 1) -> Int? {
    guard let value = varint(), value <= UInt64(remaining / max(1, unit)) else { return nil }
    return Int(value)
  }

  /// False if this number of bytes exceeds the allowance.
  mutating func spend(_ bytes: Int) -> Bool {
    guard allowance >= 0 else { return false }
    allowance -= bytes
    return allowance >= 0
  }

  /// The overhead of an array of bytes: its header, and the space that is lost between allocations.
  private static let arrayOverhead = 48

  mutating func text(maximum: Int) -> [UInt8]? {
    guard let n = count(), n <= maximum, n == 0 || spend(n + Self.arrayOverhead) else { return nil }
    defer { position += n }
    return Array(bytes[position..<position + n])
  }
}

extension UnsafeRawBufferPointer {
  /// 0 without bytes. It takes many bytes at once, because the loop never ends early.
  var largestByte: UInt8 {
    var largest: UInt8 = 0
    for byte in self { largest = Swift.max(largest, byte) }
    return largest
  }
}

/// Checksums: XXH3, 64 bits, seeded with the role of the bytes, so that right bytes at a wrong offset are found too.
/// The function and the seeds are part of the format and cannot change.
package enum Checksum {
  package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }

  package static func of(_ bytes: [UInt8], seed: UInt64) -> UInt64 { bytes.withUnsafeBytes { of($0, seed: seed) } }

  /// The checksum of a piece of a part that is in no block.
  static func of(_ bytes: [UInt8], part: UInt64, stream: UInt32) -> UInt64 {
    of(bytes, seed: seed(part: part, block: .max, stream: stream))
  }

  /// The seed for a piece of a part: a block's header or stream, the footer.
  static func seed(part: UInt64, block: UInt32, stream: UInt32) -> UInt64 {
    part &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(block) << 32 ^ UInt64(stream)
  }
}

// MARK: zstd through libzstd, one context a thread

/// Compresses streams; owned by one thread.
final class Compressor {
  private let context: OpaquePointer

  /// Level 1: on columns that are already transformed higher levels cost much and gain little.
  static let level: Int32 = 1

  init() throws {
    guard let context = ZSTD_createCCtx() else { throw LogError(.inputOutput, "no memory for a compressor") }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// The most bytes that this number of bytes can take when compressed.
  static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  /// Compresses into `out`, which has `bound` bytes of room; returns how many were written.
  func compress(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawPointer) throws -> Int {
    let n = ZSTD_compressCCtx(context, out, Self.bound(bytes.count), bytes.baseAddress, bytes.count, Self.level)
    guard ZSTD_isError(n) == 0 else {
      throw LogError(.inputOutput, "cannot compress: \(String(cString: ZSTD_getErrorName(n)))")
    }
    return n
  }

  func compress(_ bytes: [UInt8]) throws -> [UInt8] {
    let bound = Self.bound(bytes.count)
    return try [UInt8](unsafeUninitializedCapacity: bound) { out, count in
      guard let base = out.baseAddress else { return }
      count = try bytes.withUnsafeBytes { try compress($0, into: base) }
    }
  }
}

/// Decompresses streams; owned by one thread.
final class Decompressor {
  private let context: OpaquePointer

  init() throws {
    guard let context = ZSTD_createDCtx() else { throw LogError(.inputOutput, "no memory for a decompressor") }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Whether the bytes are a frame of exactly `out.count` bytes, which are then in `out`.
  func decompress(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) -> Bool {
    let n = ZSTD_decompressDCtx(context, out.baseAddress, out.count, bytes.baseAddress, bytes.count)
    return ZSTD_isError(n) == 0 && n == out.count
  }
}

// MARK: A file of a log that is open, with all that can be done with it

/// An open file, closed with its last owner. Safe to use from several threads. Every call may throw a `FileError`.
final class OpenFile: Sendable {
  let path: String
  private let files: any FileSystem
  private let descriptor: Int32
  private let isOpen = Mutex(true)
  private let isLocked = Mutex(false)

  init(_ path: String, _ mode: OpenMode, _ files: any FileSystem) throws {
    self.path = path
    self.files = files
    descriptor = try files.open(path, mode)
  }

  deinit { try? close() }

  /// Closes it now, and once: afterwards its descriptor's number may be another file's.
  func close() throws {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    guard wasOpen else { return }
    if isLocked.withLock({ $0 }) { files.unlock(descriptor) }
    try files.close(descriptor)
  }

  func size() throws -> Int { try files.size(descriptor, path: path) }

  /// Reads until the buffer is full or the file ends; the number of bytes read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    try files.read(descriptor, into: buffer, at: offset, path: path)
  }

  /// Reads up to `count` bytes; fewer if the file ends earlier.
  func read(_ count: Int, at offset: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { bytes, n in
      n = try read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try files.write(descriptor, bytes, at: offset, path: path)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws { try bytes.withUnsafeBytes { try write($0, at: offset) } }

  func truncate(to size: Int) throws { try files.truncate(descriptor, to: size, path: path) }

  /// Returns when data and size have reached the disk.
  func synchronize() throws { try files.synchronize(descriptor, path: path) }

  /// False if the file was removed or replaced after it had been opened.
  func isNamed() throws -> Bool { try files.isNamed(descriptor, path: path) }

  /// Whether it has a second name, perhaps elsewhere.
  func isShared() throws -> Bool { try files.isShared(descriptor, path: path) }

  /// Closes it and removes its name, unless the name leads to another file by now. In doubt the name stays, and the
  /// next writer removes it.
  func discard() {
    if isOpen.withLock({ $0 }), (try? isNamed()) == true { try? files.remove(path) }
    try? close()
  }

  /// Takes the file's lock for this process; false if another has it.
  func lock() throws -> Bool {
    let isTaken = try files.lock(descriptor, path: path)
    if isTaken { isLocked.withLock { $0 = true } }
    return isTaken
  }
}
