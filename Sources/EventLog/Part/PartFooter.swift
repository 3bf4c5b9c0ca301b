// The footer of a part: its dictionary and the index of its blocks, compressed, under one checksum.

import PermissionEvents

/// One block's entry in the footer.
struct BlockEntry: Sendable {
  /// Bound into the block's checksums.
  var number: UInt32 = 0
  var offset: UInt64 = 0
  /// Bytes up to the end of the streams that a report needs, up to the users' keys, up to the event ids, and all.
  var historyLength: UInt32 = 0
  var keyLength: UInt32 = 0
  var detailLength: UInt32 = 0
  var length: UInt64 = 0
  var rows: UInt32 = 0
  var users: UInt32 = 0
  var firstHash: UInt64 = 0
  var lastHash: UInt64 = 0
  var minimumTime: Int64 = 0
  var maximumTime: Int64 = 0
}

/// The content of a part, and the places of its blocks.
struct PartFooter: Sendable {
  var rows: UInt64
  var users: UInt64
  var minimumTime: Int64
  var maximumTime: Int64
  var dictionary: PartDictionary
  /// In order of their first hash. Blocks tile the file between header and footer, in another order.
  var blocks: [BlockEntry]
  /// What the ingests of the events found out; nil if they kept nothing of it, as those of before.
  var tally: IngestTally?
  /// Sections that a later permlog added: this one reads past them, and does not rewrite such a part.
  var extensions: [Extension] = []

  struct Extension: Sendable, Equatable {
    var id: UInt64
    var bytes: [UInt8]
  }

  /// A footer whose rows, users and times are those of its blocks.
  init(_ dictionary: PartDictionary, blocks: [BlockEntry]) {
    rows = blocks.reduce(0) { $0 + UInt64($1.rows) }
    users = blocks.reduce(0) { $0 + UInt64($1.users) }
    minimumTime = blocks.reduce(.max) { min($0, $1.minimumTime) }
    maximumTime = blocks.reduce(.min) { max($0, $1.maximumTime) }
    self.dictionary = dictionary
    self.blocks = blocks
  }

  /// The footer in the newest version.
  func encode() -> [UInt8] {
    var w = ByteWriter()
    encodeSums(into: &w)
    dictionary.encode(into: &w)
    encodeBlocks(into: &w)
    return w.bytes
  }

  func encodeSums(into w: inout ByteWriter) {
    for word in [rows, users, UInt64(bitPattern: minimumTime), UInt64(bitPattern: maximumTime)] { w.u64(word) }
  }

  /// The index of the blocks and the sections, which are the same in every version of the format.
  func encodeBlocks(into w: inout ByteWriter) {
    w.varint(UInt64(blocks.count))
    for b in blocks {
      w.u32(b.number)
      w.u64(b.offset)
      for length in [b.historyLength, b.keyLength, b.detailLength] { w.u32(length) }
      w.u64(b.length)
      w.u32(b.rows)
      w.u32(b.users)
      for word in [b.firstHash, b.lastHash, UInt64(bitPattern: b.minimumTime), UInt64(bitPattern: b.maximumTime)] {
        w.u64(word)
      }
    }
    let own = tally.map { [Extension(id: IngestTally.section, bytes: $0.encoded)] } ?? []
    for section in own + extensions {
      w.varint(section.id)
      w.text(section.bytes)
    }
  }

  /// Reads a footer, checking every count, code, length and name; nil if anything is off.
  /// - Parameters:
  ///   - version: that the part's header has.
  ///   - fileLength: of the part up to the footer.
  init?(_ bytes: UnsafeRawBufferPointer, version: PartVersion, fileLength: Int) {
    var allowance = Int.max
    self.init(bytes, version: version, fileLength: fileLength, allowance: &allowance)
  }

  /// The same with a bound of the memory.
  /// - Parameter allowance: bytes that the footer may take; what is left of them afterwards, and negative if they did not do.
  init?(_ bytes: UnsafeRawBufferPointer, version: PartVersion, fileLength: Int, allowance: inout Int) {
    var r = ByteReader(bytes, allowance: allowance)
    defer { allowance = r.allowance }
    guard let rows = r.u64(), let users = r.u64(), let low = r.u64(), let high = r.u64(),
      let dictionary = PartDictionary(&r, version), let blocks = Self.blocks(&r, fileLength: fileLength)
    else { return nil }
    self.init(dictionary, blocks: blocks)
    while r.remaining > 0 {
      guard extensions.count < PartFormat.maximumExtensions, let id = r.varint(),
        let bytes = r.text(maximum: PartFormat.maximumFooterLength)
      else { return nil }
      if id == IngestTally.section {
        guard tally == nil, let found = IngestTally(encoded: bytes) else { return nil }
        tally = found
      } else {
        extensions.append(Extension(id: id, bytes: bytes))
      }
    }
    guard self.rows == rows, self.users == users, minimumTime == Int64(bitPattern: low),
      maximumTime == Int64(bitPattern: high),
      // No ingest keeps older ones, and the analysis counts days from 1970 on in every zone.
      minimumTime >= Timestamp.earliest, maximumTime < 1 << 42, rows > 0
    else { return nil }
  }

  private static func blocks(_ r: inout ByteReader, fileLength: Int) -> [BlockEntry]? {
    guard let count = r.count(unit: 72), count >= 1, count <= fileLength / BlockAssembly.shortest else { return nil }
    guard r.spend(count * MemoryLayout<BlockEntry>.stride) else { return nil }
    var blocks: [BlockEntry] = []
    blocks.reserveCapacity(count)
    for _ in 0..<count {
      guard let number = r.u32(), let offset = r.u64(), let history = r.u32(), let keys = r.u32(),
        let details = r.u32(), let length = r.u64(), let rows = r.u32(), let users = r.u32(), let first = r.u64(),
        let last = r.u64(), let low = r.u64(), let high = r.u64()
      else { return nil }
      let block = BlockEntry(
        number: number, offset: offset, historyLength: history, keyLength: keys, detailLength: details,
        length: length, rows: rows, users: users, firstHash: first, lastHash: last,
        minimumTime: Int64(bitPattern: low), maximumTime: Int64(bitPattern: high))
      guard offset >= UInt64(PartFormat.headerLength), length <= UInt64(fileLength),
        offset <= UInt64(fileLength) - length, history <= keys, keys <= details, UInt64(details) <= length,
        rows >= users, users >= 1, rows <= PartFormat.maximumRows, first <= last,
        block.minimumTime <= block.maximumTime, blocks.last?.lastHash ?? 0 <= first
      else { return nil }
      blocks.append(block)
    }
    // The blocks tile the file: no byte is outside a checksum.
    var next = UInt64(PartFormat.headerLength)
    for block in blocks.sorted(by: { $0.offset < $1.offset }) {
      guard block.offset == next else { return nil }
      next += block.length
    }
    return next == UInt64(fileLength) ? blocks : nil
  }
}
