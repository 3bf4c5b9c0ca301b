// The bytes of a block: a header with a table of streams, then the streams. Every byte is under a
// checksum that is bound to the part, the block and the stream.

/// Puts the streams of one block together.
struct BlockAssembly {
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

  private let part: UInt64
  private let block: UInt32
  private let compressor: Compressor
  private var entries: [Entry] = []
  private var body: [UInt8] = []
  private(set) var historyEnd = 0
  private(set) var keyEnd = 0
  private(set) var detailEnd = 0

  init(part: UInt64, block: UInt32, compressor: Compressor) {
    self.part = part
    self.block = block
    self.compressor = compressor
  }

  mutating func markHistory() { historyEnd = body.count }
  mutating func markKeys() { keyEnd = body.count }
  mutating func markDetails() { detailEnd = body.count }

  /// Adds a stream; an empty one is left out.
  mutating func add(_ stream: BlockStream, _ bytes: [UInt8], compressed: Bool) throws {
    try bytes.withUnsafeBytes { try add(stream, $0, compressed: compressed) }
  }

  mutating func add(_ stream: BlockStream, _ bytes: UnsafeRawBufferPointer, compressed: Bool) throws {
    guard !bytes.isEmpty else { return }
    if compressed {
      let start = body.count
      let n = try compressor.compress(bytes, into: &body)
      if n < bytes.count, PartFormat.mayUnpack(n, to: bytes.count) {
        try register(stream.rawValue, encoding: StreamEncoding.zstd, rawLength: bytes.count, storedLength: n)
        return
      }
      body.removeSubrange(start...)
    }
    try add(stream.rawValue, bytes, encoding: StreamEncoding.raw)
  }

  mutating func add(_ stream: BlockStream, _ bytes: [UInt8], encoding: UInt8) throws {
    try add(stream.rawValue, bytes, encoding: encoding)
  }

  /// Adds a stream by its number, which need not be one of this version.
  mutating func add(_ stream: UInt8, _ bytes: [UInt8], encoding: UInt8) throws {
    try bytes.withUnsafeBytes { try add(stream, $0, encoding: encoding) }
  }

  private mutating func add(_ stream: UInt8, _ bytes: UnsafeRawBufferPointer, encoding: UInt8) throws {
    guard !bytes.isEmpty else { return }
    body.append(contentsOf: bytes)
    try register(stream, encoding: encoding, rawLength: bytes.count, storedLength: bytes.count)
  }

  private mutating func register(_ stream: UInt8, encoding: UInt8, rawLength: Int, storedLength: Int) throws {
    guard max(rawLength, storedLength) <= UInt32.max else {
      throw LogError(.limit, "one user has more bytes of event ids than a block can hold")
    }
    let seed = Checksum.seed(part: part, block: block, stream: UInt32(stream))
    let checksum = body.withUnsafeBytes { Checksum.of(.init(rebasing: $0.suffix(storedLength)), seed: seed) }
    entries.append(
      Entry(
        stream: stream, encoding: encoding, rawLength: rawLength, storedLength: storedLength, checksum: checksum))
  }

  private var headerLength: Int {
    Self.fixedHeaderLength + entries.count * Self.entryLength + Self.checksumLength
  }

  /// The length of the block up to a mark in its body.
  func length(_ mark: Int) -> UInt32 { UInt32(truncatingIfNeeded: headerLength + mark) }

  /// Header and body.
  func finish(rows: Int, users: Int, base: Int64, firstHash: UInt64) -> [UInt8] {
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
    return header.bytes + body
  }
}
