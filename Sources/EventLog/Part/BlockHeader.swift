// The header of a block: rows, users and a table of the streams, under a checksum of its own.

/// Rows, users and the table of streams of a block.
struct BlockHeader {
  struct Stream {
    var id: UInt8
    var encoding: UInt8
    var rawLength: Int
    /// Place in the block; counted from the end of the header in one that is being put together.
    var offset: Int
    var storedLength: Int
    var checksum: UInt64
  }

  var rows: UInt32 = 0
  var users: UInt32 = 0
  var base: Int64 = 0
  var firstHash: UInt64 = 0
  var streams: [Stream] = []
  /// The end of the last stream: the block's length.
  var end = 0

  private static let fixedLength = 26
  private static let entryLength = 18
  private static let checksumLength = 8
  /// The checksum's stream number for the header itself.
  private static let checksumStream: UInt32 = 0xFFFF

  /// Bytes of a header with so many streams.
  static func length(streams count: Int) -> Int { fixedLength + count * entryLength + checksumLength }

  func encode(part: UInt64, block: UInt32) -> [UInt8] {
    var w = ByteWriter()
    w.u32(rows)
    w.u32(users)
    w.u64(UInt64(bitPattern: base))
    w.u64(firstHash)
    w.u16(UInt16(streams.count))
    for stream in streams {
      w.u8(stream.id)
      w.u8(stream.encoding)
      w.u32(UInt32(truncatingIfNeeded: stream.rawLength))
      w.u32(UInt32(truncatingIfNeeded: stream.storedLength))
      w.u64(stream.checksum)
    }
    w.u64(Checksum.of(w.bytes, seed: Checksum.seed(part: part, block: block, stream: Self.checksumStream)))
    return w.bytes
  }
}

extension BlockHeader {
  /// Reads the header at the beginning of a block; nil if it does not have its checksum.
  init?(_ bytes: UnsafeRawBufferPointer, part: UInt64, block: UInt32) {
    var reader = ByteReader(bytes)
    guard let rows = reader.u32(), let users = reader.u32(), let base = reader.u64(), let firstHash = reader.u64(),
      let count = reader.u16(), bytes.count >= Self.length(streams: Int(count))
    else { return nil }
    self.init(rows: rows, users: users, base: Int64(bitPattern: base), firstHash: firstHash)
    end = Self.length(streams: Int(count))
    let checked = bytes.prefix(end - Self.checksumLength)
    for _ in 0..<count {
      guard let id = reader.u8(), let encoding = reader.u8(), let rawLength = reader.u32(),
        let storedLength = reader.u32(), let checksum = reader.u64()
      else { return nil }
      streams.append(
        Stream(
          id: id, encoding: encoding, rawLength: Int(rawLength), offset: end, storedLength: Int(storedLength),
          checksum: checksum))
      end += Int(storedLength)
    }
    let seed = Checksum.seed(part: part, block: block, stream: Self.checksumStream)
    guard reader.u64() == Checksum.of(.init(rebasing: checked), seed: seed) else { return nil }
  }
}
