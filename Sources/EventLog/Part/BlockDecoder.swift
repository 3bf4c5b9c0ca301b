// A block decoded into columns, group by group on request. Owned by one thread and reused
// from block to block. Everything read is checked before it is used: the file may be damaged or hostile.

import Buffers
import PermissionEvents

/// Columns of one block of a part. The columns are invalid when the next block is opened.
final class BlockDecoder {
  enum Group {
    case rowCounts, kinds, history, lanes, keys, details, attributeChanges, laneAttributes, columns, userRows
    case packedEventIDs, uncheckedEventIDs, eventIDs
  }

  let part: PartReader
  private(set) var index = -1
  /// The number of blocks opened so far. Results of a block are valid as long as it is the same.
  private(set) var openings = 0
  private(set) var entry = BlockEntry()
  private var header = BlockHeader()
  private var loaded: Set<Group> = []
  private let decompressor: Decompressor
  let memory: MemoryShare
  /// The bytes of the columns, without `scratch` and `codeScratch`. Each has the capacity for its largest block until
  /// all are released.
  var held = 0
  var rooms: [Room: Int] = [:]
  var heldScratch = 0
  var heldCodes = 0
  private var counted: Set<Group> = []

  // Unchecked, here and below: one thread owns the decoder, and an access lasts no longer than a call.
  /// Bytes of the block as stored, and room to read past them.
  @exclusivity(unchecked) var stored = Buffer<UInt8>()
  /// The start of the block's end, which was read separately, with rows of event ids before it.
  private var tail = Int.max
  @exclusivity(unchecked) var scratch = Buffer<UInt8>()

  // Of `rowCounts`: rows of each user; the first row of each user, and the number of rows after the last.
  @exclusivity(unchecked) var rowCounts = Buffer<UInt32>()
  @exclusivity(unchecked) var firstRows = Buffer<UInt32>()

  // Of `kinds`: kind and flags of each row, then eight zeros.
  @exclusivity(unchecked) var kinds = Buffer<UInt8>()
  /// Contexts (translated by `contextProjection`) and statuses of the flagged rows, after one entry for no row.
  @exclusivity(unchecked) var contexts = Buffer<UInt32>()
  @exclusivity(unchecked) var statuses = Buffer<UInt8>()

  // Of `history`.
  @exclusivity(unchecked) var times = Buffer<Int64>()
  /// Kind, status << 4, context << 8.
  @exclusivity(unchecked) var codes = Buffer<UInt32>()

  // Of `lanes`, events of permissions: by user the number of them and the first, and the number after the last; by event.
  @exclusivity(unchecked) var permissionCounts = Buffer<UInt32>()
  @exclusivity(unchecked) var firstPermissions = Buffer<UInt32>()
  @exclusivity(unchecked) var permissionTimes = Buffer<Int64>()
  @exclusivity(unchecked) var permissionCodes = Buffer<UInt32>()
  /// Counted from the user's first row.
  @exclusivity(unchecked) var permissionRows = Buffer<UInt32>()
  /// Engagement in the same way; see `HistoryBatch.engagement`.
  @exclusivity(unchecked) var engagementCounts = Buffer<UInt32>()
  @exclusivity(unchecked) var firstEngagements = Buffer<UInt32>()
  @exclusivity(unchecked) var engagement = Buffer<UInt64>()

  // Of `keys`, by user.
  @exclusivity(unchecked) var hashes = Buffer<UInt64>()
  @exclusivity(unchecked) var userWords = Buffer<UInt64>()
  @exclusivity(unchecked) var userForms = Buffer<UInt8>()
  @exclusivity(unchecked) var userTextStarts = Buffer<UInt32>()
  @exclusivity(unchecked) var userTexts = Buffer<UInt8>()

  // Of `details`, by row.
  @exclusivity(unchecked) var attributes = Buffer<UInt32>()
  @exclusivity(unchecked) var features = Buffer<UInt32>()

  // Of `attributeChanges`: the attributes (translated by `attributeProjection`) of each row in which they change, and by
  // user the number of changes before.
  @exclusivity(unchecked) var attributeChanges = Buffer<UInt32>()
  @exclusivity(unchecked) var firstAttributeChanges = Buffer<UInt32>()

  // Of `laneAttributes`: the attributes of each row, translated, of each event of a permission and of each engagement;
  // and the rows of engagement, counted from the user's first.
  @exclusivity(unchecked) var rowAttributes = Buffer<UInt32>()
  @exclusivity(unchecked) var permissionAttributes = Buffer<UInt32>()
  @exclusivity(unchecked) var engagementAttributes = Buffer<UInt32>()
  @exclusivity(unchecked) var engagementRows = Buffer<UInt32>()

  // For `userRows`: the data of all rows that is needed to decode some of them, and the position reached.
  @exclusivity(unchecked) var timeSymbols = Buffer<UInt8>()
  @exclusivity(unchecked) var timeBits = UnsafeRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) var featureCodes = Buffer<UInt32>()
  @exclusivity(unchecked) var place = RowPosition()

  /// Of `columns`: for each column that the program does not know a code for each row.
  @exclusivity(unchecked) var columnCodes = Buffer<UInt32>()

  /// Of `packedEventIDs`: the ids where they are stored, if they can be found by their rows there.
  private(set) var packedEventIDs: PackedEventIDs?
  // Of `eventIDs`, by row; two words each.
  @exclusivity(unchecked) var eventWords = Buffer<UInt64>()
  @exclusivity(unchecked) var eventForms = Buffer<UInt8>()
  @exclusivity(unchecked) var eventTextStarts = Buffer<UInt32>()
  @exclusivity(unchecked) var eventTexts = Buffer<UInt8>()

  /// Temporary codes for one of the above.
  @exclusivity(unchecked) var codeScratch = Buffer<UInt32>()

  var kindCodes: KindCodes
  /// Translates the part's context codes; empty for the codes themselves.
  var contextProjection: [UInt32] = [] {
    didSet { dropsContexts = contextProjection.contains(HistoryProjection.dropped) }
  }
  /// By translated context whether it has a permission.
  var hasPermission: [Bool] = []
  /// Whether events of some contexts are left out of the lanes.
  private(set) var dropsContexts = false
  /// Whether events of kinds that histories leave out, `lost` and `picker_used`, stay in the lanes.
  var keepsAllKinds = false
  /// Translates the part's attribute codes of `attributeChanges`.
  var attributeProjection: [UInt32] = []

  init(part: PartReader) throws {
    self.part = part
    kindCodes = part.kindCodes
    memory = MemoryShare(part.budget, mayTakeReserve: true)
    decompressor = try Decompressor()
  }

  var rows: Int { Int(entry.rows) }
  var users: Int { Int(entry.users) }

  /// Takes up a block; nothing of it is read yet.
  func open(_ index: Int) throws {
    if memory.bytes > Self.ordinaryBytes { forgetColumns() }
    counted = []
    self.index = index
    openings += 1
    entry = part.footer.blocks[index]
    header = BlockHeader()
    stored.removeAll()
    tail = .max
    loaded = []
    packedEventIDs = nil
  }

  /// Releases the memory of the block. It cannot be read until a block is opened again.
  func forget() {
    forgetColumns()
    counted = []
    loaded = []
    packedEventIDs = nil
  }

  func damaged(_ what: String) -> LogError {
    .damaged(part.name, "block \(entry.number) at offset \(entry.offset)", what)
  }

  func load(_ group: Group) throws {
    guard !loaded.contains(group) else { return }
    if counted.insert(group).inserted { try hold(bytes(of: group), as: .group(group)) }
    switch group {
    case .rowCounts:
      try read(upTo: Int(entry.historyLength))
      try decodeRowCounts()
    case .kinds:
      try load(.rowCounts)
      try decodeKinds()
    case .history:
      try load(.kinds)
      try decodeTimes()
      decodeCodes()
    case .lanes:
      try load(.kinds)
      try decodeLanes()
    case .keys:
      try load(.rowCounts)
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
    case .laneAttributes:
      try load(.lanes)
      try load(.attributeChanges)
      try decodeLaneAttributes()
    case .columns:
      try read(upTo: Int(entry.length))
      try decodeColumns()
    case .userRows:
      try load(.kinds)
      try read(upTo: Int(entry.detailLength))
      try prepareUserRows()
    case .packedEventIDs:
      try read(upTo: Int(entry.length))
      packedEventIDs = try findPackedEventIDs(areChecked: true)
      part.note(block: index, hasUncheckedIDs: false)
    case .uncheckedEventIDs:
      try read(upTo: Int(entry.historyLength))
      packedEventIDs = try findPackedEventIDs(areChecked: false)
      if packedEventIDs != nil { part.note(block: index, hasUncheckedIDs: true) }
    case .eventIDs:
      try load(.rowCounts)
      try load(.packedEventIDs)
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

  /// Reads the block's bytes up to a length, if that has not been done.
  func read(upTo length: Int) throws {
    let start = stored.count
    guard start < length else { return }
    try hold(length, as: .stored)
    // Time bits are read in words that may reach past the end of the block's bytes: by 63 bits a row if
    // the symbols have no meaning.
    stored.reserve(Int(entry.length) + rows * 8 + 64)
    let bytes = UnsafeMutableRawBufferPointer(start: stored.unsafeAddress, count: length)
    try part.read(.init(rebasing: bytes[start...]), at: Int(entry.offset) + start)
    stored.resize(to: length)
    if start == 0 { header = try checkedHeader(UnsafeRawBufferPointer(bytes)) }
  }

  /// Reads the end of the block, without the bytes between it and those that were read before.
  func readTail(from start: Int) throws {
    try readApart(start..<Int(entry.length))
    tail = start
  }

  /// Reads some bytes into the free space after those that were read before.
  func readApart(_ range: Range<Int>) throws {
    try hold(Int(entry.length), as: .stored)
    let bytes = UnsafeMutableRawBufferPointer(start: stored.unsafeAddress + range.lowerBound, count: range.count)
    try part.read(bytes, at: Int(entry.offset) + range.lowerBound)
  }

  func isLoaded(_ group: Group) -> Bool { loaded.contains(group) }

  private func checkedHeader(_ bytes: UnsafeRawBufferPointer) throws -> BlockHeader {
    guard let header = BlockHeader(bytes, part: part.id, block: entry.number) else {
      throw damaged("the checksum of the block's header does not match")
    }
    guard header.rows == entry.rows, header.users == entry.users, header.firstHash == entry.firstHash,
      header.base == entry.minimumTime, header.end == Int(entry.length)
    else { throw damaged("the block's header contradicts the footer") }
    func isKnown(_ stream: UInt8) -> Bool {
      BlockStream(rawValue: stream) != nil || part.footer.dictionary.columns.contains { $0.stream == stream }
    }
    if part.footer.extensions.isEmpty, let other = header.streams.first(where: { !isKnown($0.id) }) {
      throw damaged("stream \(other.id) is not known, and the footer lists no newer columns")
    }
    return header
  }

  /// The entry of a stream by its number; nil if the block does not have the stream.
  func entry(_ stream: UInt8) -> BlockHeader.Stream? { header.streams.first { $0.id == stream } }

  /// The checked bytes of a stream as stored.
  func bytes(of stream: BlockHeader.Stream) throws -> UnsafeRawBufferPointer {
    guard stream.offset + stream.storedLength <= stored.count || stream.offset >= tail else {
      throw damaged("stream \(stream.id) is at a wrong offset")
    }
    let bytes = UnsafeRawBufferPointer(start: stored.unsafeAddress + stream.offset, count: stream.storedLength)
    let seed = Checksum.seed(part: part.id, block: entry.number, stream: UInt32(stream.id))
    guard Checksum.of(bytes, seed: seed) == stream.checksum else {
      throw damaged("the checksum of stream \(stream.id) at offset \(Int(entry.offset) + stream.offset) does not match")
    }
    return bytes
  }

  /// The bytes of a stream, decompressed if necessary; empty if the block does not have the stream. Valid until the next call.
  func content(_ stream: BlockStream, maximum: Int) throws -> UnsafeRawBufferPointer {
    try content(stream.rawValue, maximum: maximum)
  }

  func content(_ stream: UInt8, maximum: Int) throws -> UnsafeRawBufferPointer {
    guard let entry = entry(stream) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard entry.rawLength <= maximum, PartFormat.mayUnpack(entry.storedLength, to: entry.rawLength) else {
      throw damaged("stream \(stream) is longer than possible")
    }
    let bytes = try bytes(of: entry)
    guard entry.encoding == StreamEncoding.zstd else {
      guard entry.encoding == StreamEncoding.raw, entry.rawLength == entry.storedLength else {
        throw damaged("stream \(stream) has an impossible encoding or length")
      }
      return bytes
    }
    try holdScratch(entry.rawLength)
    scratch.resizeDiscarding(to: entry.rawLength)
    let out = UnsafeMutableRawBufferPointer(start: scratch.unsafeAddress, count: entry.rawLength)
    guard decompressor.decompress(bytes, into: out) else { throw damaged("stream \(stream) does not decompress") }
    return UnsafeRawBufferPointer(out)
  }
}
