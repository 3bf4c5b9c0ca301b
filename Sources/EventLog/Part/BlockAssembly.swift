// The bytes of a block: a header with a table of streams, then the streams. Every byte is under a
// checksum that is bound to the part, the block and the stream.

/// Puts the streams of one block together. Owned by one thread and reused from block to block.
final class BlockAssembly {
  private struct Entry {
    var stream: UInt8
    var encoding: UInt8
    var rawLength: Int
    var storedLength: Int
    var checksum: UInt64
  }

  static let fixedHeaderLength = 26
  static let entryLength = 18
  static let checksumLength = 8
  /// Bytes of a block without streams.
  static let shortest = fixedHeaderLength + checksumLength
  /// The checksum's stream number for the header itself.
  static let headerStream: UInt32 = 0xFFFF

  private let compressor: Compressor
  private var part: UInt64 = 0
  private var block: UInt32 = 0
  private var entries: [Entry] = []
  /// The block's bytes: room for the longest header, then the streams. The header is put right before them at the end.
  private let buffer = GrowingBuffer<UInt8>(capacity: headerRoom)
  private var end = headerRoom
  private(set) var historyEnd = 0
  private(set) var keyEnd = 0
  private(set) var detailEnd = 0

  /// A stream's number is a byte, so that there are at most 256.
  private static let headerRoom = fixedHeaderLength + 256 * entryLength + checksumLength

  init() throws { compressor = try Compressor() }

  /// Begins a block; what was there is gone.
  func begin(part: UInt64, block: UInt32) {
    self.part = part
    self.block = block
    entries.removeAll(keepingCapacity: true)
    end = Self.headerRoom
  }

  private var bodyLength: Int { end - Self.headerRoom }

  func markHistory() { historyEnd = bodyLength }
  func markKeys() { keyEnd = bodyLength }
  func markDetails() { detailEnd = bodyLength }

  /// Adds a stream; an empty one is left out.
  func add(_ stream: BlockStream, _ bytes: [UInt8], compressed: Bool) throws {
    try bytes.withUnsafeBytes { try add(stream, $0, compressed: compressed) }
  }

  func add(_ stream: BlockStream, _ bytes: UnsafeRawBufferPointer, compressed: Bool) throws {
    try add(stream.rawValue, bytes, compressed: compressed)
  }

  /// Adds a stream by its number, which need not be one that this version knows.
  func add(_ stream: UInt8, _ bytes: UnsafeRawBufferPointer, compressed: Bool) throws {
    guard !bytes.isEmpty else { return }
    if compressed {
      let n = try compressor.compress(bytes, into: room(Compressor.bound(bytes.count)))
      if n < bytes.count, PartFormat.mayUnpack(n, to: bytes.count) {
        try register(stream, encoding: StreamEncoding.zstd, rawLength: bytes.count, storedLength: n)
        return
      }
    }
    try add(stream, bytes, encoding: StreamEncoding.raw)
  }

  /// Adds a stream by its number, which need not be one of this version.
  func add(_ stream: UInt8, _ bytes: [UInt8], encoding: UInt8) throws {
    try bytes.withUnsafeBytes { try add(stream, $0, encoding: encoding) }
  }

  private func add(_ stream: UInt8, _ bytes: UnsafeRawBufferPointer, encoding: UInt8) throws {
    try add(stream, count: bytes.count, encoding: encoding) { out in
      out.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(out), byteCount: bytes.count)
    }
  }

  /// Adds a stream of `count` bytes that `fill` writes where they belong; it may write 8 bytes more.
  func add(_ stream: UInt8, count: Int, encoding: UInt8, fill: (UnsafeMutableRawPointer) -> Void) throws {
    guard count > 0 else { return }
    fill(room(count + 8))
    try register(stream, encoding: encoding, rawLength: count, storedLength: count)
  }

  /// Room behind the streams so far.
  private func room(_ count: Int) -> UnsafeMutableRawPointer {
    buffer.grow(end + count, keeping: end)
    return UnsafeMutableRawPointer(buffer.pointer + end)
  }

  private func register(_ stream: UInt8, encoding: UInt8, rawLength: Int, storedLength: Int) throws {
    guard max(rawLength, storedLength) <= UInt32.max else {
      throw LogError(.limit, "one user has more bytes of event ids than a block can hold")
    }
    let seed = Checksum.seed(part: part, block: block, stream: UInt32(stream))
    let checksum = Checksum.of(UnsafeRawBufferPointer(start: buffer.pointer + end, count: storedLength), seed: seed)
    entries.append(
      Entry(
        stream: stream, encoding: encoding, rawLength: rawLength, storedLength: storedLength, checksum: checksum))
    end += storedLength
  }

  private var headerLength: Int {
    Self.fixedHeaderLength + entries.count * Self.entryLength + Self.checksumLength
  }

  /// The length of the block up to a mark in its body.
  func length(_ mark: Int) -> UInt32 { UInt32(truncatingIfNeeded: headerLength + mark) }

  /// Header and body; valid until the next block is begun.
  func finish(rows: Int, users: Int, base: Int64, firstHash: UInt64) -> UnsafeRawBufferPointer {
    var header = ByteWriter()
    header.u32(UInt32(truncatingIfNeeded: rows))
    header.u32(UInt32(truncatingIfNeeded: users))
    header.u64(UInt64(bitPattern: base))
    header.u64(firstHash)
    header.u16(UInt16(entries.count))
    for entry in entries {
      header.u8(entry.stream)
      header.u8(entry.encoding)
      header.u32(UInt32(truncatingIfNeeded: entry.rawLength))
      header.u32(UInt32(truncatingIfNeeded: entry.storedLength))
      header.u64(entry.checksum)
    }
    let seed = Checksum.seed(part: part, block: block, stream: Self.headerStream)
    header.u64(Checksum.of(header.bytes, seed: seed))
    let start = buffer.pointer + (Self.headerRoom - header.bytes.count)
    header.bytes.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyMemory(from: bytes)
    }
    return UnsafeRawBufferPointer(start: start, count: header.bytes.count + bodyLength)
  }
}
