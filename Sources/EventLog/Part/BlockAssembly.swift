// The bytes of a block: a header with a table of streams, then the streams. Every byte is under a
// checksum that is bound to the part, the block and the stream.

import Buffers

/// Puts the streams of one block together. Owned by one thread and reused from block to block.
final class BlockAssembly {
  /// Bytes of a block without streams.
  static let shortest = BlockHeader.length(streams: 0)
  /// A stream's number is a byte, so that there are at most 256.
  private static let headerRoom = BlockHeader.length(streams: 256)

  private let compressor: Compressor
  private var part: UInt64 = 0
  private var block: UInt32 = 0
  private var streams: [BlockHeader.Stream] = []
  /// The block's bytes: room for the longest header, then the streams. The header is put right before them at the end.
  // Unchecked: one thread owns the assembly, and an access lasts no longer than a call.
  @exclusivity(unchecked) private var buffer = Buffer<UInt8>(capacity: headerRoom)

  init() throws { compressor = try Compressor() }

  /// Begins a new block and discards the old one.
  func begin(part: UInt64, block: UInt32) {
    self.part = part
    self.block = block
    streams.removeAll(keepingCapacity: true)
    buffer.resizeDiscarding(to: Self.headerRoom)
  }

  var bodyLength: Int { buffer.count - Self.headerRoom }

  /// Adds a stream; an empty one is left out.
  func add(_ stream: BlockStream, _ bytes: [UInt8], compressed: Bool) throws {
    try bytes.withUnsafeBytes { try add(stream.rawValue, $0, compressed: compressed) }
  }

  func add(_ stream: BlockStream, _ bytes: UnsafeRawBufferPointer, compressed: Bool) throws {
    try add(stream.rawValue, bytes, compressed: compressed)
  }

  /// Adds a stream by its number, which need not be one that this version knows.
  func add(_ stream: UInt8, _ bytes: UnsafeRawBufferPointer, compressed: Bool) throws {
    guard !bytes.isEmpty else { return }
    if compressed {
      let start = buffer.count
      let n = try compressor.compress(bytes, into: buffer.unsafeAppend(Compressor.bound(bytes.count)))
      let isWorth = n < bytes.count && PartFormat.mayUnpack(n, to: bytes.count)
      buffer.resize(to: isWorth ? start + n : start)
      if isWorth { return try register(stream, encoding: StreamEncoding.zstd, rawLength: bytes.count, from: start) }
    }
    try add(stream, bytes, encoding: StreamEncoding.raw)
  }

  func add(_ stream: UInt8, _ bytes: UnsafeRawBufferPointer, encoding: UInt8) throws {
    try add(stream, count: bytes.count, encoding: encoding) { out in
      out.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(out), byteCount: bytes.count)
    }
  }

  /// Adds a stream of `count` bytes that `fill` writes where they belong; it may write 8 bytes more.
  func add(_ stream: UInt8, count: Int, encoding: UInt8, fill: (UnsafeMutableRawPointer) -> Void) throws {
    guard count > 0 else { return }
    let start = buffer.count
    fill(buffer.unsafeAppend(count + 8))
    buffer.resize(to: start + count)
    try register(stream, encoding: encoding, rawLength: count, from: start)
  }

  private func register(_ stream: UInt8, encoding: UInt8, rawLength: Int, from start: Int) throws {
    let storedLength = buffer.count - start
    guard max(rawLength, storedLength) <= UInt32.max else {
      throw LogError(.limit, "one user has more bytes of event ids than a block can hold")
    }
    let seed = Checksum.seed(part: part, block: block, stream: UInt32(stream))
    let stored = UnsafeRawBufferPointer(start: buffer.unsafeAddress + start, count: storedLength)
    streams.append(
      BlockHeader.Stream(
        id: stream, encoding: encoding, rawLength: rawLength, offset: start - Self.headerRoom,
        storedLength: storedLength, checksum: Checksum.of(stored, seed: seed)))
  }

  /// The length of the block up to an offset in its body.
  func length(upTo place: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: BlockHeader.length(streams: streams.count) + place)
  }

  /// Header and body; valid until the next block is begun.
  func finish(rows: Int, users: Int, base: Int64, firstHash: UInt64) -> UnsafeRawBufferPointer {
    let header = BlockHeader(
      rows: UInt32(truncatingIfNeeded: rows), users: UInt32(truncatingIfNeeded: users), base: base,
      firstHash: firstHash, streams: streams
    ).encode(part: part, block: block)
    let start = UnsafeMutableRawPointer(buffer.unsafeAddress + (Self.headerRoom - header.count))
    header.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: start, count: $0.count).copyMemory(from: $0) }
    return UnsafeRawBufferPointer(start: start, count: header.count + bodyLength)
  }
}
