// The footer of a part: its dictionary and the index of its blocks, compressed, under one checksum.

import PermissionEvents

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

struct PartFooter: Sendable {
  var rows: UInt64
  var users: UInt64
  var minimumTime: Int64
  var maximumTime: Int64
  var dictionary: PartDictionary
  /// In order of their first hash. Blocks tile the file between header and footer, in another order.
  var blocks: [BlockEntry]
  /// The counts of the events' ingests; nil if they stored none, as older versions did.
  var tally: IngestTally?
  /// Sections that a later permlog added: this one reads past them, and does not rewrite such a part.
  var extensions: [Extension] = []

  struct Extension: Sendable, Equatable {
    var id: UInt64
    var bytes: [UInt8]
  }

  /// A footer with the rows, users and times of its blocks.
  init(_ dictionary: PartDictionary, blocks: [BlockEntry]) {
    rows = blocks.reduce(0) { $0 + UInt64($1.rows) }
    users = blocks.reduce(0) { $0 + UInt64($1.users) }
    minimumTime = blocks.reduce(.max) { min($0, $1.minimumTime) }
    maximumTime = blocks.reduce(.min) { max($0, $1.maximumTime) }
    self.dictionary = dictionary
    self.blocks = blocks
  }

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
  ///   - allowance: the bytes that the footer may take; afterwards the rest, negative if they were too few.
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
        number: number, offset: offset, historyLength: history, keyLength: keys, detailLength: details, length: length,
        rows: rows, users: users, firstHash: first, lastHash: last, minimumTime: Int64(bitPattern: low),
        maximumTime: Int64(bitPattern: high))
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

// MARK: The fixed-length pieces at both ends of a part: the header, and the tail that finds the footer

/// The first bytes of a part: magic, version, zeros, id, checksum.
enum PartHeader {
  static func encode(part: UInt64, version: PartVersion) -> [UInt8] {
    var w = ByteWriter()
    w.u64(PartFormat.magic)
    w.u16(version.rawValue)
    w.u16(0)
    w.u32(0)
    w.u64(part)
    w.u64(checksum(w.bytes, part: part))
    return w.bytes
  }

  private static func checksum(_ bytes: [UInt8], part: UInt64) -> UInt64 {
    Checksum.of(bytes, part: part, stream: PartFormat.headerStream)
  }

  /// The version of a part; throws if the bytes are not the header of that part.
  static func version(_ bytes: [UInt8], part: UInt64, file: String) throws -> PartVersion {
    let (magic, found) = bytes.withUnsafeBytes { buffer -> (UInt64?, UInt16?) in
      var reader = ByteReader(buffer)
      return (reader.u64(), reader.u16())
    }
    guard magic == PartFormat.magic, let number = found else {
      throw LogError.damaged(file, "offset 0", "this is not a part of a permlog log")
    }
    // The header's length and checksum are the same in every version, so a newer version is distinguished from damage.
    let end = PartFormat.headerLength - 8
    var sum = ByteWriter()
    sum.u64(checksum(Array(bytes[..<end]), part: part))
    guard sum.bytes == Array(bytes[end...]) else {
      throw LogError.damaged(file, "offset 0", "the header's checksum does not match")
    }
    guard number <= PartVersion.newest.rawValue else {
      throw LogError(
        .newerFormat,
        """
        \(file): written in format \(number), but this permlog reads formats up to \(PartVersion.newest.rawValue). \
        Use a newer permlog.
        """)
    }
    guard let version = PartVersion(rawValue: number), bytes == encode(part: part, version: version) else {
      throw LogError.damaged(file, "offset 0", "the header is not as permlog writes it")
    }
    return version
  }
}

struct PartTail {
  var footerOffset: UInt64
  var storedLength: UInt32
  var rawLength: UInt32
  var footerChecksum: UInt64

  func encode(part: UInt64) -> [UInt8] {
    var w = ByteWriter()
    w.u64(footerOffset)
    w.u32(storedLength)
    w.u32(rawLength)
    w.u64(footerChecksum)
    w.u64(Checksum.of(w.bytes, part: part, stream: PartFormat.tailStream))
    w.u64(PartFormat.magic)
    return w.bytes
  }
}

extension PartTail {
  /// Nil if the bytes are not a tail of that part.
  init?(_ bytes: [UInt8], part: UInt64) {
    let tail: PartTail? = bytes.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      guard let offset = r.u64(), let stored = r.u32(), let raw = r.u32(), let checksum = r.u64() else { return nil }
      return PartTail(footerOffset: offset, storedLength: stored, rawLength: raw, footerChecksum: checksum)
    }
    guard let tail, tail.encode(part: part) == bytes else { return nil }
    self = tail
  }
}

// MARK: Kinds of events have the codes of their part
// A row has a code of four bits, and the footer has its name and class.

struct PartKind: Hashable, Sendable {
  /// Empty for a code that no row has.
  var name: [UInt8]
  /// A raw value of `EventKind.Class`, or one of a later version.
  var eventClass: UInt8

  /// Most kinds of a part: a row has four bits for its kind.
  static let maximumCount = 16

  /// Engagement is one class for the coding of contexts, all else the other.
  var isEngagement: Bool { eventClass == EventKind.Class.engagement.rawValue }

  private static let byName = Dictionary(uniqueKeysWithValues: EventKind.allCases.map { (Array($0.name.utf8), $0) })

  var known: EventKind? { Self.byName[name] }

  static let program = EventKind.allCases.map {
    PartKind(name: Array($0.name.utf8), eventClass: $0.eventClass.rawValue)
  }
  static let version1 = Array(program.prefix(EventKind.firstRelease))
}

/// Translates the codes of kinds in one part to codes that all parts share: those of `LogVocabulary.allKinds`.
struct KindCodes: Sendable {
  let count: Int
  /// By the part's code the shared one.
  let shared: [UInt8]
  /// A bit for each of the part's codes that a row may have.
  let used: UInt32
  /// A bit for each shared code that is of the class of engagement in the part.
  let engagement: UInt32
  /// Whether the part's codes are the program's: then no row is touched.
  let isPlain: Bool
  /// Whether the order of the part's codes is that of the shared ones.
  let isInOrder: Bool

  /// Whether rows of `picker_used` have a code for themselves.
  let hasPickers: Bool

  /// - Parameter vocabulary: of all parts that share the codes. If it has too many kinds, the last ones share a code.
  init(_ kinds: [PartKind], _ vocabulary: LogVocabulary) {
    let names = vocabulary.allKinds.map(\.name)
    let codes = kinds.map { kind in
      UInt8(min(names.firstIndex(of: kind.name) ?? vocabulary.program.count, PartKind.maximumCount - 1))
    }
    hasPickers = vocabulary.kinds.isEmpty
    let named = kinds.indices.filter { !kinds[$0].name.isEmpty }
    let inUse = named.map { codes[$0] }
    count = kinds.count
    shared = codes
    used = named.reduce(0) { $0 | 1 << UInt32($1) }
    engagement = named.filter { kinds[$0].isEngagement }.reduce(0) { $0 | 1 << UInt32(codes[$1]) }
    isPlain = vocabulary.kinds.isEmpty && inUse == Array(0..<UInt8(kinds.count))
    isInOrder = zip(inUse, inUse.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Whether all kinds are from the first release: then one comparison identifies engagement.
  var areOfFirstRelease: Bool { isPlain && count <= EventKind.firstRelease }

  /// Bits of the program's kinds of engagement.
  static let engagement = EventKind.allCases.filter(\.isEngagement).reduce(UInt32(0)) { $0 | 1 << UInt32($1.rawValue) }
}
