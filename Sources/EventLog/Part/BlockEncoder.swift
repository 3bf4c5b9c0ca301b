// Collects the rows of sorted users until they are a block. Has one owner and is reused from block to block.

import Buffers
import PermissionEvents

/// Collects the rows of one block; `finish` encodes them.
struct BlockEncoder: ~Copyable {
  // By user.
  private(set) var rowCounts = Buffer<UInt32>(capacity: 4096)
  private(set) var users = Buffer<StoredUser>(capacity: 4096)
  private(set) var userTexts = ByteWriter()

  // By row, with capacity for more rows, so that one comparison decides for all of them whether they must grow.
  private(set) var times = Buffer<Int64>()
  private(set) var kinds = Buffer<UInt8>()
  /// Two for each row.
  private(set) var eventWords = Buffer<UInt64>()
  private(set) var eventForms = Buffer<UInt8>()
  private(set) var eventTexts = ByteWriter()
  private(set) var rows = 0

  // For the flagged rows.
  private(set) var contexts = Buffer<UInt32>(capacity: PartFormat.rowsPerBlock)
  private(set) var statuses = Buffer<UInt8>(capacity: PartFormat.rowsPerBlock)
  private(set) var attributes = Buffer<UInt32>(capacity: PartFormat.rowsPerBlock)
  private(set) var features = Buffer<UInt32>(capacity: PartFormat.rowsPerBlock)

  /// Row by row a code for each column that the program does not know.
  private(set) var columnCodes = Buffer<UInt32>()
  /// The streams of those columns.
  let columnStreams: [UInt8]
  /// A bit for each kind that is engagement.
  private let engagement: UInt32

  private var firstRow = 0
  private(set) var minimumTime = Int64.max
  private(set) var maximumTime = Int64.min
  /// The last context of the user's permission events and of the user's engagement.
  private var permissionContext: UInt32 = 0
  private var engagementContext: UInt32 = 0
  private var lastAttributes: UInt32 = 0

  var scratch = Buffer<UInt8>()
  let assembly: BlockAssembly

  /// The approximate bytes of a row before it is encoded, and additionally while it is encoded.
  static let bytesOfRow = 64

  /// - Parameter dictionary: of the part.
  init(_ dictionary: PartDictionary) throws {
    assembly = try BlockAssembly()
    columnStreams = dictionary.columns.map(\.stream)
    engagement = dictionary.kinds.indices.reduce(0) { bits, code in
      dictionary.kinds[code].isEngagement ? bits | 1 << UInt32(code) : bits
    }
    makeRoom(PartFormat.rowsPerBlock * 2)
  }

  var isEmpty: Bool { rows == 0 }

  /// Begins a user; users come in the part's order.
  mutating func begin(_ user: StoredUser, text: UnsafeRawBufferPointer) {
    users.append(user)
    if user.form == IdentifierForm.text.rawValue {
      userTexts.varint(UInt64(text.count))
      userTexts.bytes.append(contentsOf: text)
    }
    firstRow = rows
    permissionContext = 0
    engagementContext = 0
    lastAttributes = 0
  }

  /// Appends an event of the user begun last; events come in the log's order.
  @inline(__always)
  mutating func append(_ event: StoredEvent, text: UnsafeRawBufferPointer) {
    let row = rows
    if row == kinds.count { makeRoom(row * 2) }
    times.unsafeAddress[row] = event.time
    eventWords.unsafeAddress[row * 2] = event.eventHigh
    eventWords.unsafeAddress[row * 2 + 1] = event.eventLow
    eventForms.unsafeAddress[row] = event.eventForm
    if event.eventForm == IdentifierForm.text.rawValue { append(text) }
    var byte = event.kind
    if engagement & (1 &<< UInt32(event.kind)) != 0 {
      if event.context != engagementContext {
        engagementContext = event.context
        byte |= RowFlag.context
        contexts.append(event.context)
      }
    } else if event.context != permissionContext {
      permissionContext = event.context
      byte |= RowFlag.context
      contexts.append(event.context)
    }
    if event.attributes != lastAttributes {
      lastAttributes = event.attributes
      byte |= RowFlag.attributes
      attributes.append(event.attributes)
    }
    if event.status != 0 {
      byte |= RowFlag.status
      statuses.append(event.status)
    }
    if event.feature != 0 {
      byte |= RowFlag.feature
      features.append(event.feature)
    }
    kinds.unsafeAddress[row] = byte
    rows = row + 1
  }

  /// Sets the columns that the program does not know, of the row appended last; for each row if there are any.
  mutating func append(columns codes: [UInt32]) { for code in codes { columnCodes.append(code) } }

  @inline(never)
  private mutating func append(_ text: UnsafeRawBufferPointer) {
    eventTexts.varint(UInt64(text.count))
    eventTexts.bytes.append(contentsOf: text)
  }

  @inline(never)
  private mutating func makeRoom(_ rows: Int) {
    times.resize(to: rows)
    kinds.resize(to: rows)
    eventForms.resize(to: rows)
    eventWords.resize(to: rows * 2)
  }

  /// Ends the current user, who has at least one event.
  mutating func end() {
    rowCounts.append(UInt32(truncatingIfNeeded: rows - firstRow))
    minimumTime = min(minimumTime, times[firstRow])
    maximumTime = max(maximumTime, times[rows - 1])
  }

  /// Forgets everything.
  mutating func removeAll() {
    rowCounts.removeAll()
    users.removeAll()
    userTexts.bytes.removeAll(keepingCapacity: true)
    contexts.removeAll()
    statuses.removeAll()
    attributes.removeAll()
    features.removeAll()
    columnCodes.removeAll()
    eventTexts.bytes.removeAll(keepingCapacity: true)
    rows = 0
    minimumTime = .max
    maximumTime = .min
  }

  // MARK: The rows of a block as streams of bytes

  /// The block's bytes, valid until the next block is finished, and its footer entry, without offset and number; the encoder is empty
  /// then.
  mutating func finish(part: UInt64, block: UInt32) throws -> (bytes: UnsafeRawBufferPointer, entry: BlockEntry) {
    defer { removeAll() }
    let firstHash = users.count > 0 ? users[0].hash : 0
    let lastHash = users.count > 0 ? users[users.count - 1].hash : 0
    assembly.begin(part: part, block: block)
    try encodeRowCounts()
    try encodeTimes()
    try assembly.add(.kinds, UnsafeRawBufferPointer(start: kinds.unsafeAddress, count: rows), compressed: true)
    try assembly.add(.contexts, Self.planes(of: contexts, in: &scratch), compressed: true)
    try assembly.add(
      .statuses, UnsafeRawBufferPointer(start: statuses.unsafeAddress, count: statuses.count), compressed: true)
    let historyEnd = assembly.bodyLength
    try encodeUsers(firstHash: firstHash)
    let keyEnd = assembly.bodyLength
    try assembly.add(.attributes, Self.planes(of: attributes, in: &scratch), compressed: true)
    try assembly.add(.features, Self.planes(of: features, in: &scratch), compressed: true)
    for number in columnStreams.indices { try encodeColumn(number) }
    let detailEnd = assembly.bodyLength
    try encodeEventIDs()
    let bytes = assembly.finish(rows: rows, users: users.count, base: minimumTime, firstHash: firstHash)
    let entry = BlockEntry(
      historyLength: assembly.length(upTo: historyEnd), keyLength: assembly.length(upTo: keyEnd),
      detailLength: assembly.length(upTo: detailEnd), length: UInt64(bytes.count),
      rows: UInt32(truncatingIfNeeded: rows), users: UInt32(truncatingIfNeeded: users.count), firstHash: firstHash,
      lastHash: lastHash, minimumTime: minimumTime, maximumTime: maximumTime)
    return (bytes, entry)
  }

  private mutating func encodeRowCounts() throws {
    var counts = ByteWriter()
    for i in 0..<rowCounts.count { counts.varint(UInt64(rowCounts[i])) }
    try assembly.add(.rowCounts, counts.bytes, compressed: true)
  }

  private mutating func encodeTimes() throws {
    let bitsRoom = rows * 6 + 16
    scratch.resizeDiscarding(to: rows + bitsRoom)
    let symbols = scratch.unsafeAddress
    let out = UnsafeMutableRawPointer(symbols + rows)
    let (times, rowCounts) = (times.unsafeAddress, rowCounts.unsafeAddress)
    var position = 0
    var pending: UInt64 = 0
    var pendingBits: UInt64 = 0
    var row = 0
    for user in 0..<users.count {
      var previous = minimumTime
      let end = row + Int(rowCounts[user])
      while row < end {
        let time = times[row]
        let gap = TimeCoding.split(UInt64(truncatingIfNeeded: time &- previous))
        previous = time
        symbols[row] = gap.symbol
        // At most 7 bits are pending and at most 39 come, so that a word always has room.
        pending |= gap.rest &<< pendingBits
        pendingBits &+= gap.bits
        out.storeBytes(of: pending.littleEndian, toByteOffset: position, as: UInt64.self)
        position &+= Int(truncatingIfNeeded: pendingBits >> 3)
        pending = pending &>> (pendingBits & ~7)
        pendingBits &= 7
        row &+= 1
      }
    }
    if pendingBits > 0 { position += 1 }
    try assembly.add(.timeSymbols, UnsafeRawBufferPointer(start: symbols, count: rows), compressed: true)
    try assembly.add(.timeBits, UnsafeRawBufferPointer(start: out, count: position), compressed: false)
  }

  private mutating func encodeUsers(firstHash: UInt64) throws {
    let users = UnsafeBufferPointer(start: users.unsafeAddress, count: users.count)
    var hashes = ByteWriter()
    var words = ByteWriter()
    var forms: [UInt8] = []
    var previous = firstHash
    for user in users {
      hashes.varint(user.hash &- previous)
      previous = user.hash
      if user.form != IdentifierForm.text.rawValue { words.u64(user.word) }
    }
    if users.contains(where: { $0.form != IdentifierForm.lowercaseUUID.rawValue }) { forms = users.map(\.form) }
    try assembly.add(.hashes, hashes.bytes, compressed: false)
    try assembly.add(.userWords, words.bytes, compressed: false)
    try assembly.add(.userForms, forms, compressed: true)
    try assembly.add(.userTexts, userTexts.bytes, compressed: true)
  }

  /// A column that the program does not know; none if no row has a value.
  private mutating func encodeColumn(_ number: Int) throws {
    var codes = Buffer<UInt32>(capacity: rows)
    for row in 0..<rows { codes.append(columnCodes[row * columnStreams.count + number]) }
    guard (0..<rows).contains(where: { codes[$0] > 0 }) else { return }
    try assembly.add(columnStreams[number], Self.planes(of: codes, in: &scratch), compressed: true)
  }

  private mutating func encodeEventIDs() throws {
    let (words, forms, rows) = (eventWords.unsafeAddress, eventForms.unsafeAddress, rows)
    // Differences from UUIDs in lower case, of the first one's version and the usual variant.
    let version = words[0] >> 12 & 15
    var otherForms: UInt8 = 0
    var otherVersions: UInt64 = 0
    var otherVariants: UInt64 = 0
    for row in 0..<rows { otherForms |= forms[row] ^ IdentifierForm.lowercaseUUID.rawValue }
    for row in 0..<rows {
      otherVersions |= words[row * 2] ^ version << 12
      otherVariants |= words[row * 2 + 1] ^ 2 << 62
    }
    if otherForms == 0, otherVersions & 0xF000 == 0, otherVariants >> 62 == 0 {
      try assembly.add(
        BlockStream.eventWords.rawValue, count: UUIDPacking.wordsLength(rows: rows),
        encoding: StreamEncoding.versionedUUID | UInt8(truncatingIfNeeded: version)
      ) { UUIDPacking.packWords(words, rows: rows, into: $0) }
      try assembly.add(
        BlockStream.eventBits.rawValue, count: UUIDPacking.bitsLength(rows: rows), encoding: StreamEncoding.raw
      ) { UUIDPacking.packBits(words, rows: rows, into: $0) }
      return
    }
    var bytes = ByteWriter()
    for row in 0..<rows where forms[row] != IdentifierForm.text.rawValue {
      bytes.u64(words[row * 2])
      bytes.u64(words[row * 2 + 1])
    }
    try assembly.add(.eventWords, bytes.bytes, compressed: false)
    if otherForms != 0 {
      try assembly.add(.eventForms, UnsafeRawBufferPointer(start: forms, count: rows), compressed: true)
    }
    try assembly.add(.eventTexts, eventTexts.bytes, compressed: true)
  }

  /// Codes as four planes of bytes, lowest first: the high planes are mostly zero and compress to nothing. Valid until
  /// the next call.
  private static func planes(
    of codes: borrowing Buffer<UInt32>, in scratch: inout Buffer<UInt8>
  ) -> UnsafeRawBufferPointer {
    let (source, count) = (codes.unsafeAddress, codes.count)
    scratch.resizeDiscarding(to: count * 4)
    let planes = scratch.unsafeAddress
    for plane in 0..<4 {
      let (out, shift) = (planes + plane * count, UInt32(8 * plane))
      for i in 0..<count { out[i] = UInt8(truncatingIfNeeded: source[i] &>> shift) }
    }
    return UnsafeRawBufferPointer(start: planes, count: count * 4)
  }
}

// MARK: The header of a block: rows, users and a table of the streams, under a checksum of its own

/// Rows, users and the table of streams of a block.
struct BlockHeader {
  struct Stream {
    var id: UInt8
    var encoding: UInt8
    var rawLength: Int
    /// The offset in the block; from the end of the header while a block is being assembled.
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

  /// The bytes of a header with a number of streams.
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
  /// Reads the header at the beginning of a block; nil if its checksum does not match.
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
