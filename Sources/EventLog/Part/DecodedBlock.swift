// A block read back into columns, group by group as they are asked for. Owned by one thread and reused
// from block to block. Everything read is checked before it is used: the file may be damaged or hostile.

import PermissionEvents

/// Columns of one block. Groups: history (runs, times, codes), lanes (the same for an analysis), keys (users), details
/// (attributes, features), event ids.
final class DecodedBlock {
  /// Bytes of the block as stored, and room to read past them.
  var stored = GrowingBuffer<UInt8>()
  private var storedCount = 0
  private var scratch = GrowingBuffer<UInt8>()
  private let decompressor: Decompressor
  let part: PartReader
  private(set) var index = -1
  /// How many blocks were taken up so far: what was made of one holds as long as this is the same.
  private(set) var openings = 0
  private(set) var entry = BlockEntry(
    offset: 0, historyLength: 0, keyLength: 0, detailLength: 0, length: 0, rows: 0, users: 0, firstHash: 0, lastHash: 0,
    minimumTime: 0, maximumTime: 0)
  private var header = BlockHeader.empty
  private var loaded: Set<Group> = []

  enum Group { case runs, kinds, history, lanes, keys, details, attributeChanges, columns, eventIDs }

  /// Rows of each user; the first row of each user, and the number of rows behind the last.
  let runLengths = GrowingBuffer<UInt32>()
  let firstRows = GrowingBuffer<UInt32>()
  let times = GrowingBuffer<Int64>()
  /// Kind, status << 4, context << 8 (context translated by the reader's projection).
  let codes = GrowingBuffer<UInt32>()
  let kinds = GrowingBuffer<UInt8>()
  let exceptions = GrowingBuffer<UInt32>()
  let contexts = GrowingBuffer<UInt32>()
  let statusBytes = GrowingBuffer<UInt8>()
  /// Events of permissions: by user the number of them and the first, and the number behind the last; then by event.
  let permissionCounts = GrowingBuffer<UInt32>()
  let firstPermissions = GrowingBuffer<UInt32>()
  let permissionTimes = GrowingBuffer<Int64>()
  let permissionCodes = GrowingBuffer<UInt32>()
  /// Counted from the user's first row.
  let permissionRows = GrowingBuffer<UInt32>()
  /// Engagement in the same way; see `HistoryBatch.engagement`.
  let engagementCounts = GrowingBuffer<UInt32>()
  let firstEngagements = GrowingBuffer<UInt32>()
  let engagement = GrowingBuffer<UInt64>()
  let hashes = GrowingBuffer<UInt64>()
  let userWords = GrowingBuffer<UInt64>()
  let userForms = GrowingBuffer<UInt8>()
  let userTextStarts = GrowingBuffer<UInt32>()
  let userTexts = GrowingBuffer<UInt8>()
  let attributes = GrowingBuffer<UInt32>()
  let features = GrowingBuffer<UInt32>()
  let eventWords = GrowingBuffer<UInt64>()
  let eventForms = GrowingBuffer<UInt8>()
  let eventTextStarts = GrowingBuffer<UInt32>()
  let eventTexts = GrowingBuffer<UInt8>()
  let attributeExceptions = GrowingBuffer<UInt32>()
  let featureExceptions = GrowingBuffer<UInt32>()
  let attributeChanges = GrowingBuffer<UInt32>()
  let firstAttributeChanges = GrowingBuffer<UInt32>()

  /// A code for each row, by column that the program does not know.
  let columns: [GrowingBuffer<UInt32>]

  /// Translates the part's kinds.
  var kindCodes: KindCodes
  /// Translates the part's context codes; empty for the codes themselves.
  var contextProjection: [UInt32] = [] {
    didSet { dropsContexts = contextProjection.contains(HistoryProjection.dropped) }
  }
  /// True if events of some contexts are left out of the lanes.
  private(set) var dropsContexts = false
  /// Translates the part's attribute codes of `attributeChanges`.
  var attributeProjection: [UInt32] = []

  init(part: PartReader) throws {
    self.part = part
    kindCodes = part.kindCodes
    columns = part.footer.dictionary.columns.map { _ in GrowingBuffer() }
    decompressor = try Decompressor()
  }

  var rows: Int { Int(entry.rows) }
  var users: Int { Int(entry.users) }

  /// Takes up a block; nothing of it is read yet.
  func open(_ index: Int) throws {
    self.index = index
    openings += 1
    entry = part.footer.blocks[index]
    header = .empty
    storedCount = 0
    loaded = []
  }

  func damaged(_ what: String) -> LogError {
    .damaged(part.name, "block \(entry.number) at offset \(entry.offset)", what)
  }

  /// Reads and decodes a group, if that has not been done.
  func load(_ group: Group) throws {
    guard !loaded.contains(group) else { return }
    switch group {
    case .runs:
      try read(upTo: Int(entry.historyLength))
      try decodeRuns()
    case .kinds:
      try load(.runs)
      try decodeKinds()
    case .history:
      try load(.kinds)
      try decodeTimes()
      decodeCodes()
    case .lanes:
      try load(.kinds)
      try decodeLanes()
    case .keys:
      try load(.runs)
      try read(upTo: Int(entry.keyLength))
      try decodeUsers()
    case .details:
      try load(.history)
      try read(upTo: Int(entry.detailLength))
      try decodeDetails()
    case .attributeChanges:
      try load(.kinds)
      try read(upTo: Int(entry.detailLength))
      try decodeAttributeChanges()
    case .columns:
      try read(upTo: Int(entry.length))
      try decodeColumns()
    case .eventIDs:
      try load(.runs)
      try decodeEventIDs()
    }
    loaded.insert(group)
  }

  /// Reads all of the block and checks every checksum and every value.
  func verify() throws {
    for group: Group in [.history, .keys, .details, .columns, .eventIDs] { try load(group) }
    for stream in header.streams { _ = try bytes(of: stream) }
  }

  // MARK: Reading

  /// Reads the block's bytes up to a length, where that has not been done.
  func read(upTo length: Int) throws {
    guard storedCount < length else { return }
    // Time bits are read in words that may reach past the end of the block's bytes: by 63 bits a row where
    // the symbols have no meaning.
    stored.grow(Int(entry.length) + rows * 8 + 64, keeping: storedCount)
    try part.read(
      UnsafeMutableRawBufferPointer(start: stored.pointer + storedCount, count: length - storedCount),
      at: Int(entry.offset) + storedCount)
    let isFirst = storedCount == 0
    storedCount = length
    if isFirst {
      let bytes = UnsafeRawBufferPointer(start: stored.pointer, count: length)
      guard let header = BlockHeader(bytes, part: part.id, block: entry.number) else {
        throw damaged("the block's header does not have its checksum")
      }
      guard header.rows == entry.rows, header.users == entry.users, header.firstHash == entry.firstHash,
        header.base == entry.minimumTime, header.end == Int(entry.length)
      else { throw damaged("the block's header contradicts the footer") }
      if part.footer.extensions.isEmpty,
        let other = header.streams.first(where: { !isKnown($0.id) })
      {
        throw damaged("stream \(other.id) is not known, and the footer says nothing of later columns")
      }
      self.header = header
    }
  }

  private func isKnown(_ stream: UInt8) -> Bool {
    BlockStream(rawValue: stream) != nil || part.footer.dictionary.columns.contains { $0.stream == stream }
  }

  func entry(_ stream: BlockStream) -> BlockHeader.Stream? { entry(stream.rawValue) }

  func entry(_ stream: UInt8) -> BlockHeader.Stream? { header.streams.first { $0.id == stream } }

  /// The checked bytes of a stream as stored.
  func bytes(of stream: BlockHeader.Stream) throws -> UnsafeRawBufferPointer {
    guard stream.offset + stream.storedLength <= storedCount else {
      throw damaged("stream \(stream.id) is not where it belongs")
    }
    let bytes = UnsafeRawBufferPointer(start: stored.pointer + stream.offset, count: stream.storedLength)
    let seed = Checksum.seed(part: part.id, block: entry.number, stream: UInt32(stream.id))
    guard Checksum.of(bytes, seed: seed) == stream.checksum else {
      throw damaged("stream \(stream.id) at offset \(Int(entry.offset) + stream.offset) does not have its checksum")
    }
    return bytes
  }

  /// The bytes of a stream, decompressed where they were compressed; empty where the block has none.
  /// Valid until the next call.
  func content(_ stream: BlockStream, maximum: Int) throws -> UnsafeRawBufferPointer {
    try content(stream.rawValue, maximum: maximum)
  }

  /// The same of a stream by its number.
  func content(_ stream: UInt8, maximum: Int) throws -> UnsafeRawBufferPointer {
    guard let entry = entry(stream) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard entry.rawLength <= maximum, PartFormat.mayUnpack(entry.storedLength, to: entry.rawLength) else {
      throw damaged("stream \(stream) is longer than it can be")
    }
    let bytes = try bytes(of: entry)
    guard entry.encoding == StreamEncoding.zstd else {
      guard entry.encoding == StreamEncoding.raw, entry.rawLength == entry.storedLength else {
        throw damaged("stream \(stream) has another encoding or length than it can have")
      }
      return bytes
    }
    scratch.reserve(entry.rawLength)
    let out = UnsafeMutableRawBufferPointer(start: scratch.pointer, count: entry.rawLength)
    guard decompressor.decompress(bytes, into: out) else {
      throw damaged("stream \(stream) does not decompress")
    }
    return UnsafeRawBufferPointer(out)
  }
}
