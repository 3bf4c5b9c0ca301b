// A block read back into columns, group by group as they are asked for. Owned by one thread and reused
// from block to block. Everything read is checked before it is used: the file may be damaged or hostile.

import PermissionEvents

/// Columns of one block. Groups: history (runs, times, codes), keys (users), details (attributes,
/// features), event ids.
final class DecodedBlock {
  /// Bytes of the block as stored, and room to read past them.
  private var stored = GrowingBuffer<UInt8>()
  private var storedCount = 0
  private var scratch = GrowingBuffer<UInt8>()
  private let decompressor: Decompressor
  private let part: PartReader
  private(set) var index = -1
  private(set) var entry = BlockEntry(
    offset: 0, historyLength: 0, keyLength: 0, detailLength: 0, length: 0, rows: 0, users: 0, firstHash: 0, lastHash: 0,
    minimumTime: 0, maximumTime: 0)
  private var header = BlockHeader.empty
  private var loaded: Set<Group> = []

  enum Group { case runs, history, keys, details, eventIDs }

  /// Rows of each user; the first row of each user, and the number of rows behind the last.
  let runLengths = GrowingBuffer<UInt32>()
  let firstRows = GrowingBuffer<UInt32>()
  let times = GrowingBuffer<Int64>()
  /// Kind, status << 4, context << 8 (context translated by the reader's projection).
  let codes = GrowingBuffer<UInt32>()
  private let kinds = GrowingBuffer<UInt8>()
  private let exceptions = GrowingBuffer<UInt32>()
  private let contexts = GrowingBuffer<UInt32>()
  private let statusBytes = GrowingBuffer<UInt8>()
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
  private let attributeExceptions = GrowingBuffer<UInt32>()
  private let featureExceptions = GrowingBuffer<UInt32>()

  /// Translates the part's context codes; empty for the codes themselves.
  var contextProjection: [UInt32] = []

  init(part: PartReader) throws {
    self.part = part
    decompressor = try Decompressor()
  }

  var rows: Int { Int(entry.rows) }
  var users: Int { Int(entry.users) }

  /// Takes up a block; nothing of it is read yet.
  func open(_ index: Int) throws {
    self.index = index
    entry = part.footer.blocks[index]
    storedCount = 0
    loaded = []
  }

  func damaged(_ what: String) -> LogError {
    .damaged(part.name, "block \(entry.number) at offset \(entry.offset)", what)
  }

  /// Reads and decodes a group, if that has not been done.
  func load(_ group: Group) throws {
    guard loaded.insert(group).inserted else { return }
    switch group {
    case .runs:
      try read(upTo: Int(entry.historyLength))
      try decodeRuns()
    case .history:
      try load(.runs)
      try decodeTimes()
      try decodeCodes()
    case .keys:
      try load(.runs)
      try read(upTo: Int(entry.keyLength))
      try decodeUsers()
    case .details:
      try load(.history)
      try read(upTo: Int(entry.detailLength))
      try decodeDetails()
    case .eventIDs:
      try load(.runs)
      try read(upTo: Int(entry.length))
      try decodeEventIDs()
    }
  }

  /// Reads all of the block and checks every checksum and every value.
  func verify() throws {
    for group: Group in [.history, .keys, .details, .eventIDs] { try load(group) }
    for stream in header.streams { _ = try bytes(of: stream) }
  }

  // MARK: Reading

  private func read(upTo length: Int) throws {
    guard storedCount < length else { return }
    // Time bits are read in words that may reach past the end of the block's bytes.
    stored.grow(Int(entry.length) + rows * 6 + 64, keeping: storedCount)
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
      self.header = header
    }
  }

  private func entry(_ stream: BlockStream) -> BlockHeader.Stream? {
    header.streams.first { $0.id == stream.rawValue }
  }

  /// The checked bytes of a stream as stored.
  private func bytes(of stream: BlockHeader.Stream) throws -> UnsafeRawBufferPointer {
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
  private func content(_ stream: BlockStream, maximum: Int) throws -> UnsafeRawBufferPointer {
    guard let entry = entry(stream) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard entry.rawLength <= maximum else { throw damaged("stream \(stream.rawValue) is longer than it can be") }
    let bytes = try bytes(of: entry)
    guard entry.encoding == StreamEncoding.zstd else {
      guard entry.rawLength == entry.storedLength else {
        throw damaged("stream \(stream.rawValue) has another length than its header says")
      }
      return bytes
    }
    scratch.reserve(entry.rawLength)
    let out = UnsafeMutableRawBufferPointer(start: scratch.pointer, count: entry.rawLength)
    guard decompressor.decompress(bytes, into: out) else {
      throw damaged("stream \(stream.rawValue) does not decompress")
    }
    return UnsafeRawBufferPointer(out)
  }

  // MARK: Decoding

  private func decodeRuns() throws {
    var reader = ByteReader(try content(.runs, maximum: users * 10))
    runLengths.reserve(users)
    firstRows.reserve(users + 1)
    var total = 0
    for user in 0..<users {
      guard let length = reader.varint(), length >= 1, length <= UInt64(rows - total) else {
        throw damaged("the users' rows do not add up to the block's")
      }
      runLengths.pointer[user] = UInt32(truncatingIfNeeded: length)
      firstRows.pointer[user] = UInt32(truncatingIfNeeded: total)
      total += Int(length)
    }
    guard total == rows, reader.remaining == 0 else { throw damaged("the users' rows do not add up to the block's") }
    firstRows.pointer[users] = entry.rows
  }

  private func decodeTimes() throws {
    let bits = try entry(.timeBits).map { try bytes(of: $0) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
    let symbols = try content(.timeSymbols, maximum: rows)
    guard symbols.count == rows, let symbol = symbols.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw damaged("times are missing")
    }
    times.reserve(rows)
    let source = bits.baseAddress ?? UnsafeRawPointer(stored.pointer)
    let base = UInt64(bitPattern: entry.minimumTime)
    var position = 0
    var seen: UInt64 = 0
    var row = 0
    let out = UnsafeMutableRawPointer(times.pointer).assumingMemoryBound(to: UInt64.self)
    TimeCoding.restBits.withUnsafeBufferPointer { restBits in
      TimeCoding.bases.withUnsafeBufferPointer { bases in
        for user in 0..<users {
          var time = base
          for i in row..<row + Int(runLengths.pointer[user]) {
            let code = Int(symbol[i])
            // A symbol past the last has 255 bits: masked here, found by the check of the position below.
            let count = UInt64(restBits[code])
            let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self))
            let rest = word >> UInt64(position & 7) & (1 << (count & 63) &- 1)
            position += Int(count & 63)
            time = time &+ bases[code] &+ rest
            seen |= time
            out[i] = time
          }
          row += Int(runLengths.pointer[user])
        }
      }
    }
    guard (position + 7) >> 3 == bits.count, seen >> 42 == 0 else { throw damaged("times do not decode") }
    var latest = Int64.min
    for user in 0..<users { latest = max(latest, times.pointer[Int(firstRows.pointer[user + 1]) - 1]) }
    guard latest == entry.maximumTime else { throw damaged("times contradict the footer") }
  }

  /// Number of rows whose byte in `kinds` has a flag; eight rows at once.
  private func count(_ flag: UInt8) -> Int {
    let mask = UInt64(flag) &* 0x0101_0101_0101_0101
    var n = 0
    forEachKindWord { n &+= ($0 & mask).nonzeroBitCount }
    return n
  }

  /// The bytes of `kinds`, eight at once; zeros behind the last row.
  @inline(__always)
  private func forEachKindWord(_ body: (UInt64) -> Void) {
    let base = UnsafeRawPointer(kinds.pointer)
    var row = 0
    while row < rows {
      body(base.loadUnaligned(fromByteOffset: row, as: UInt64.self))
      row &+= 8
    }
  }

  /// Codes from their four planes, each below `limit`, translated where a projection is given.
  private func codes(
    _ stream: BlockStream, count: Int, limit: Int, into out: GrowingBuffer<UInt32>, projection: [UInt32] = []
  ) throws {
    let bytes = try content(stream, maximum: rows * 4)
    guard bytes.count == count * 4 else { throw damaged("stream \(stream.rawValue) has not the codes of its rows") }
    out.reserve(count)
    var largest: UInt32 = 0
    for i in 0..<count {
      var code = UInt32(bytes[i]) | UInt32(bytes[count + i]) << 8
      code |= UInt32(bytes[2 * count + i]) << 16 | UInt32(bytes[3 * count + i]) << 24
      largest = max(largest, code)
      out.pointer[i] = code
    }
    guard count == 0 || largest < limit else { throw damaged("stream \(stream.rawValue) has a code without meaning") }
    if !projection.isEmpty {
      for i in 0..<count { out.pointer[i] = projection[Int(out.pointer[i])] }
    }
  }

  private func decodeCodes() throws {
    let bytes = try content(.kinds, maximum: rows)
    guard bytes.count == rows, let source = bytes.baseAddress else { throw damaged("kinds are missing") }
    kinds.reserve(rows + 8)
    UnsafeMutableRawPointer(kinds.pointer).copyMemory(from: source, byteCount: rows)
    (kinds.pointer + rows).update(repeating: 0, count: 8)
    // Kinds past the last carry into the bit above them where the distance to 16 is added.
    let distance = UInt64(16 - EventKind.allCases.count) &* 0x0101_0101_0101_0101
    var carries: UInt64 = 0
    forEachKindWord { carries |= ($0 & 0x0F0F_0F0F_0F0F_0F0F) &+ distance }
    guard carries & 0x1010_1010_1010_1010 == 0 else { throw damaged("a kind has no meaning") }
    let exceptionCount = count(RowFlag.context)
    try codes(
      .contexts, count: exceptionCount, limit: part.footer.dictionary.contexts.count, into: exceptions,
      projection: contextProjection)
    let statuses = try content(.statuses, maximum: rows)
    guard statuses.count == count(RowFlag.status) else { throw damaged("statuses are missing") }
    for status in statuses where Int(status) >= AuthorizationStatus.allCases.count {
      throw damaged("a status has no meaning")
    }
    codes.reserve(rows)
    // Nothing branches on what the rows are, and little waits for the row before: what is carried from row to row is the
    // number of exceptions so far and, for both classes of events, which of them holds. Number 0 is no context.
    contexts.reserve(exceptionCount + 1)
    contexts.pointer[0] = contextProjection.first ?? 0
    (contexts.pointer + 1).update(from: exceptions.pointer, count: exceptionCount)
    statusBytes.reserve(statuses.count + 1)
    statusBytes.pointer[0] = 0
    if let source = statuses.baseAddress {
      UnsafeMutableRawPointer(statusBytes.pointer + 1).copyMemory(from: source, byteCount: statuses.count)
    }
    let kinds = kinds.pointer
    let out = codes.pointer
    let contexts = contexts.pointer
    let status = statusBytes.pointer
    let firstEngagementKind = UInt32(RowFlag.firstEngagementKind)
    var exception: UInt32 = 0
    var statusNumber: UInt32 = 0
    var row = 0
    for user in 0..<users {
      var permissionException: UInt32 = 0
      var engagementException: UInt32 = 0
      let end = row + Int(runLengths.pointer[user])
      while row < end {
        let byte = UInt32(kinds[row])
        let kind = byte & 15
        let isEngagement = kind >= firstEngagementKind
        let isException = byte & UInt32(RowFlag.context) != 0
        exception &+= byte >> 4 & 1
        permissionException = isException && !isEngagement ? exception : permissionException
        engagementException = isException && isEngagement ? exception : engagementException
        let context = contexts[Int(isEngagement ? engagementException : permissionException)]
        let hasStatus = byte >> 6 & 1
        statusNumber &+= hasStatus
        out[row] = kind | (UInt32(status[Int(statusNumber)]) & (0 &- hasStatus)) << 4 | context << 8
        row &+= 1
      }
    }
  }

  /// The value of a property of the context for each row: `property` translates the part's context codes.
  func loadContextProperty(_ property: [UInt32], into out: GrowingBuffer<UInt32>) throws {
    try load(.history)
    let changed = GrowingBuffer<UInt32>()
    try codes(
      .contexts, count: count(RowFlag.context), limit: part.footer.dictionary.contexts.count, into: changed,
      projection: property)
    var next = changed.pointer
    for user in 0..<users {
      var permissionValue = property[0]
      var engagementValue = property[0]
      for row in Int(firstRows.pointer[user])..<Int(firstRows.pointer[user + 1]) {
        let byte = kinds.pointer[row]
        let isEngagement = byte & 15 >= RowFlag.firstEngagementKind
        if byte & RowFlag.context != 0 {
          if isEngagement { engagementValue = next.pointee } else { permissionValue = next.pointee }
          next += 1
        }
        out.pointer[row] = isEngagement ? engagementValue : permissionValue
      }
    }
  }

  private func decodeUsers() throws {
    hashes.reserve(users)
    userWords.reserve(users)
    userForms.reserve(users)
    var reader = ByteReader(try content(.hashes, maximum: users * 10))
    var hash = entry.firstHash
    for user in 0..<users {
      guard let gap = reader.varint() else { throw damaged("users are missing") }
      let (next, overflow) = hash.addingReportingOverflow(gap)
      guard !overflow else { throw damaged("users are out of order") }
      hash = next
      hashes.pointer[user] = hash
    }
    guard reader.remaining == 0, hash == entry.lastHash else { throw damaged("users contradict the footer") }
    try forms(.userForms, count: users, into: userForms)
    var words = ByteReader(try content(.userWords, maximum: users * 8))
    for user in 0..<users {
      userWords.pointer[user] = 0
      if userForms.pointer[user] != IdentifierForm.text.rawValue {
        guard let word = words.u64() else { throw damaged("user ids are missing") }
        userWords.pointer[user] = word
      }
    }
    guard words.remaining == 0 else { throw damaged("there are more user ids than users") }
    try texts(
      .userTexts, forms: userForms, count: users, maximumLength: 256, starts: userTextStarts, into: userTexts)
  }

  /// The forms of ids: all lower-case UUIDs where the stream is absent.
  private func forms(_ stream: BlockStream, count: Int, into out: GrowingBuffer<UInt8>) throws {
    out.reserve(count)
    let bytes = try content(stream, maximum: count)
    guard bytes.isEmpty || bytes.count == count else { throw damaged("forms of ids are missing") }
    for i in 0..<count {
      let form = bytes.isEmpty ? IdentifierForm.lowercaseUUID.rawValue : bytes[i]
      guard form <= IdentifierForm.uppercaseUUID.rawValue else { throw damaged("the form of an id has no meaning") }
      out.pointer[i] = form
    }
  }

  /// Ids in text, one for each of that form; `starts` has the place of each, and the end of the last.
  private func texts(
    _ stream: BlockStream, forms: GrowingBuffer<UInt8>, count: Int, maximumLength: Int,
    starts: GrowingBuffer<UInt32>, into out: GrowingBuffer<UInt8>
  ) throws {
    starts.reserve(count + 1)
    var reader = ByteReader(try content(stream, maximum: count * (maximumLength + 2)))
    out.reserve(reader.remaining)
    var end = 0
    for i in 0..<count {
      starts.pointer[i] = UInt32(truncatingIfNeeded: end)
      guard forms.pointer[i] == IdentifierForm.text.rawValue else { continue }
      guard let text = reader.text(maximum: maximumLength) else { throw damaged("ids are missing") }
      for byte in text {
        out.pointer[end] = byte
        end += 1
      }
    }
    starts.pointer[count] = UInt32(truncatingIfNeeded: end)
    guard reader.remaining == 0 else { throw damaged("there are more ids than rows") }
  }

  private func decodeDetails() throws {
    let dictionary = part.footer.dictionary
    try codes(
      .attributes, count: count(RowFlag.attributes), limit: dictionary.attributes.count, into: attributeExceptions)
    try codes(
      .features, count: count(RowFlag.feature), limit: dictionary.values[StringField.feature.rawValue].count,
      into: featureExceptions)
    attributes.reserve(rows)
    features.reserve(rows)
    var nextAttributes = attributeExceptions.pointer
    var nextFeature = featureExceptions.pointer
    var row = 0
    for user in 0..<users {
      var current: UInt32 = 0
      for i in row..<row + Int(runLengths.pointer[user]) {
        let byte = kinds.pointer[i]
        if byte & RowFlag.attributes != 0 {
          current = nextAttributes.pointee
          nextAttributes += 1
        }
        attributes.pointer[i] = current
        if byte & RowFlag.feature != 0 {
          features.pointer[i] = nextFeature.pointee
          nextFeature += 1
        } else {
          features.pointer[i] = 0
        }
      }
      row += Int(runLengths.pointer[user])
    }
  }

  private func decodeEventIDs() throws {
    eventWords.reserve(rows * 2)
    eventForms.reserve(rows)
    if let wordsEntry = entry(.eventWords), wordsEntry.encoding & 0xF0 == StreamEncoding.versionedUUID {
      guard wordsEntry.storedLength == rows * 15, let bitsEntry = entry(.eventBits),
        bitsEntry.storedLength == (rows + 3) / 4, let words = try bytes(of: wordsEntry).baseAddress,
        let bits = try bytes(of: bitsEntry).baseAddress
      else { throw damaged("event ids are missing") }
      let version = UInt64(wordsEntry.encoding & 15)
      for row in 0..<rows {
        let id = UUIDPacking.unpack(row: row, words: words, bits: bits, version: version)
        eventWords.pointer[row * 2] = id.high
        eventWords.pointer[row * 2 + 1] = id.low
        eventForms.pointer[row] = IdentifierForm.lowercaseUUID.rawValue
      }
      eventTextStarts.reserve(rows + 1)
      eventTextStarts.pointer.update(repeating: 0, count: rows + 1)
      return
    }
    try forms(.eventForms, count: rows, into: eventForms)
    var reader = ByteReader(try content(.eventWords, maximum: rows * 16))
    for row in 0..<rows {
      eventWords.pointer[row * 2] = 0
      eventWords.pointer[row * 2 + 1] = 0
      guard eventForms.pointer[row] != IdentifierForm.text.rawValue else { continue }
      guard let high = reader.u64(), let low = reader.u64() else { throw damaged("event ids are missing") }
      eventWords.pointer[row * 2] = high
      eventWords.pointer[row * 2 + 1] = low
    }
    guard reader.remaining == 0 else { throw damaged("there are more event ids than rows") }
    try texts(
      .eventTexts, forms: eventForms, count: rows, maximumLength: 128, starts: eventTextStarts, into: eventTexts)
  }
}
