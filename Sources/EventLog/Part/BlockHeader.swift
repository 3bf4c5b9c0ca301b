// The header of a block as read from a file.

/// Rows, users and the table of streams of a block.
struct BlockHeader {
  struct Stream {
    var id: UInt8
    var encoding: UInt8
    var rawLength: Int
    /// Place in the block.
    var offset: Int
    var storedLength: Int
    var checksum: UInt64
  }

  var rows: UInt32
  var users: UInt32
  var base: Int64
  var firstHash: UInt64
  var streams: [Stream]
  /// The end of the last stream: the block's length.
  var end: Int

  static let empty = BlockHeader(rows: 0, users: 0, base: 0, firstHash: 0, streams: [], end: 0)
}

extension BlockHeader {
  /// Reads the header at the beginning of a block; nil where it does not have its checksum.
  init?(_ bytes: UnsafeRawBufferPointer, part: UInt64, block: UInt32) {
    var reader = ByteReader(bytes)
    guard let rows = reader.u32(), let users = reader.u32(), let base = reader.u64(), let firstHash = reader.u64(),
      let count = reader.u16(),
      reader.remaining >= Int(count) * BlockAssembly.entryLength + BlockAssembly.checksumLength
    else { return nil }
    let headerEnd = BlockAssembly.fixedHeaderLength + Int(count) * BlockAssembly.entryLength
    var streams: [Stream] = []
    var offset = headerEnd + BlockAssembly.checksumLength
    for _ in 0..<count {
      guard let id = reader.u8(), let encoding = reader.u8(), let rawLength = reader.u32(),
        let storedLength = reader.u32(), let checksum = reader.u64()
      else { return nil }
      streams.append(
        Stream(
          id: id, encoding: encoding, rawLength: Int(rawLength), offset: offset, storedLength: Int(storedLength),
          checksum: checksum))
      offset += Int(storedLength)
    }
    let seed = Checksum.seed(part: part, block: block, stream: BlockAssembly.headerStream)
    guard reader.u64() == Checksum.of(.init(rebasing: bytes.prefix(headerEnd)), seed: seed) else { return nil }
    self.init(
      rows: rows, users: users, base: Int64(bitPattern: base), firstHash: firstHash, streams: streams, end: offset)
  }
}
