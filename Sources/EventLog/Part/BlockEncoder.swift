// Rows of sorted users to the bytes of a block. Owned by one thread and reused from block to block.

import PermissionEvents

/// An event as a part keeps it: codes of the part's dictionary.
struct StoredEvent {
  var time: Milliseconds
  var eventHigh: UInt64
  var eventLow: UInt64
  var context: UInt32
  var attributes: UInt32
  var feature: UInt32
  var kind: UInt8
  var status: UInt8
  var eventForm: UInt8
}

/// A user as a part keeps it. `word` is the low word of a UUID; for a text it is 0.
struct StoredUser {
  var hash: UInt64
  var word: UInt64
  var form: UInt8
}

/// Collects the rows of one block and encodes them.
final class BlockEncoder {
  private var runLengths: [UInt32] = []
  private var users: [StoredUser] = []
  private var userTexts = ByteWriter()
  private var times = GrowingBuffer<Int64>(capacity: PartFormat.rowsPerBlock * 2)
  private var kinds = GrowingBuffer<UInt8>(capacity: PartFormat.rowsPerBlock * 2)
  private var contexts: [UInt32] = []
  private var statuses: [UInt8] = []
  private var attributes: [UInt32] = []
  private var features: [UInt32] = []
  private var eventWords = GrowingBuffer<UInt64>(capacity: PartFormat.rowsPerBlock * 4)
  private var eventForms = GrowingBuffer<UInt8>(capacity: PartFormat.rowsPerBlock * 2)
  private var eventTexts = ByteWriter()
  private(set) var rows = 0
  private var firstRow = 0
  private var minimumTime = Int64.max
  private var maximumTime = Int64.min

  private var lastContexts: (UInt32, UInt32) = (0, 0)
  private var lastAttributes: UInt32 = 0

  private var symbols = GrowingBuffer<UInt8>()
  private var bits = GrowingBuffer<UInt8>()
  private var planes: [UInt8] = []
  private let compressor: Compressor

  init() throws { compressor = try Compressor() }

  var isEmpty: Bool { rows == 0 }

  /// Begins a user; users come in the part's order.
  func begin(_ user: StoredUser, text: UnsafeRawBufferPointer) {
    users.append(user)
    if user.form == IdentifierForm.text.rawValue {
      userTexts.varint(UInt64(text.count))
      userTexts.bytes.append(contentsOf: text)
    }
    firstRow = rows
    lastContexts = (0, 0)
    lastAttributes = 0
  }

  /// Appends an event of the user begun last; events come in the log's order.
  @inline(__always)
  func append(_ event: StoredEvent, text: UnsafeRawBufferPointer) {
    let row = rows
    if row == kinds.capacity {
      times.grow(row * 2, keeping: row)
      kinds.grow(row * 2, keeping: row)
      eventForms.grow(row * 2, keeping: row)
      eventWords.grow(row * 4, keeping: row * 2)
    }
    times.pointer[row] = event.time
    eventWords.pointer[row * 2] = event.eventHigh
    eventWords.pointer[row * 2 + 1] = event.eventLow
    eventForms.pointer[row] = event.eventForm
    if event.eventForm == IdentifierForm.text.rawValue {
      eventTexts.varint(UInt64(text.count))
      eventTexts.bytes.append(contentsOf: text)
    }
    var byte = event.kind
    if event.kind >= RowFlag.firstEngagementKind {
      if event.context != lastContexts.1 {
        lastContexts.1 = event.context
        byte |= RowFlag.context
        contexts.append(event.context)
      }
    } else if event.context != lastContexts.0 {
      lastContexts.0 = event.context
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
    kinds.pointer[row] = byte
    rows = row + 1
  }

  /// Ends the user begun last, who has at least one event.
  func end() {
    runLengths.append(UInt32(truncatingIfNeeded: rows - firstRow))
    minimumTime = min(minimumTime, times.pointer[firstRow])
    maximumTime = max(maximumTime, times.pointer[rows - 1])
  }

  /// The block's bytes and its footer entry (offset 0), and an empty encoder.
  func finish(part: UInt64, block: UInt32) throws -> (bytes: [UInt8], entry: BlockEntry) {
    var output = BlockAssembly(part: part, block: block, compressor: compressor)
    try encodeRunsAndTimes(into: &output)
    try output.add(.kinds, UnsafeRawBufferPointer(start: kinds.pointer, count: rows), compressed: true)
    try output.add(.contexts, planes(of: contexts), compressed: true)
    try output.add(.statuses, statuses, compressed: true)
    output.markHistory()
    try encodeUsers(into: &output)
    output.markKeys()
    try output.add(.attributes, planes(of: attributes), compressed: true)
    try output.add(.features, planes(of: features), compressed: true)
    output.markDetails()
    try encodeEventIDs(into: &output)
    let bytes = output.finish(rows: rows, users: users.count, base: minimumTime, firstHash: users.first?.hash ?? 0)
    let entry = BlockEntry(
      offset: 0, historyLength: output.length(output.historyEnd), keyLength: output.length(output.keyEnd),
      detailLength: output.length(output.detailEnd), length: UInt64(bytes.count),
      rows: UInt32(truncatingIfNeeded: rows), users: UInt32(truncatingIfNeeded: users.count),
      firstHash: users.first?.hash ?? 0, lastHash: users.last?.hash ?? 0, minimumTime: minimumTime,
      maximumTime: maximumTime)
    removeAll()
    return (bytes, entry)
  }

  private func removeAll() {
    runLengths.removeAll(keepingCapacity: true)
    users.removeAll(keepingCapacity: true)
    userTexts.bytes.removeAll(keepingCapacity: true)
    contexts.removeAll(keepingCapacity: true)
    statuses.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    features.removeAll(keepingCapacity: true)
    eventTexts.bytes.removeAll(keepingCapacity: true)
    rows = 0
    minimumTime = .max
    maximumTime = .min
  }

  // MARK: Streams

  private func encodeRunsAndTimes(into output: inout BlockAssembly) throws {
    var runs = ByteWriter()
    for length in runLengths { runs.varint(UInt64(length)) }
    try output.add(.runs, runs.bytes, compressed: true)

    symbols.reserve(rows)
    bits.reserve(rows * 6 + 16)
    let out = UnsafeMutableRawPointer(bits.pointer)
    var position = 0
    var pending: UInt64 = 0
    var pendingBits: UInt64 = 0
    var row = 0
    for length in runLengths {
      var previous = minimumTime
      for i in row..<row + Int(length) {
        let time = times.pointer[i]
        let gap = TimeCoding.split(UInt64(truncatingIfNeeded: time &- previous))
        previous = time
        symbols.pointer[i] = gap.symbol
        // At most 7 bits are pending and at most 39 come, so that a word always has room.
        pending |= gap.rest << pendingBits
        pendingBits += gap.bits
        out.storeBytes(of: pending.littleEndian, toByteOffset: position, as: UInt64.self)
        position += Int(pendingBits >> 3)
        pending >>= pendingBits & ~7
        pendingBits &= 7
      }
      row += Int(length)
    }
    if pendingBits > 0 { position += 1 }
    try output.add(.timeSymbols, UnsafeRawBufferPointer(start: symbols.pointer, count: rows), compressed: true)
    try output.add(.timeBits, UnsafeRawBufferPointer(start: bits.pointer, count: position), compressed: false)
  }

  private func encodeUsers(into output: inout BlockAssembly) throws {
    var hashes = ByteWriter()
    var words = ByteWriter()
    var forms: [UInt8] = []
    var previous = users.first?.hash ?? 0
    var allLowercase = true
    for user in users {
      hashes.varint(user.hash &- previous)
      previous = user.hash
      forms.append(user.form)
      if user.form != IdentifierForm.text.rawValue { words.u64(user.word) }
      allLowercase = allLowercase && user.form == IdentifierForm.lowercaseUUID.rawValue
    }
    try output.add(.hashes, hashes.bytes, compressed: false)
    try output.add(.userWords, words.bytes, compressed: false)
    try output.add(.userForms, allLowercase ? [] : forms, compressed: true)
    try output.add(.userTexts, userTexts.bytes, compressed: true)
  }

  private func encodeEventIDs(into output: inout BlockAssembly) throws {
    let words = eventWords.pointer
    let version = words[0] >> 12 & 15
    var versioned = true
    var allLowercase = true
    for row in 0..<rows {
      let isLowercase = eventForms.pointer[row] == IdentifierForm.lowercaseUUID.rawValue
      allLowercase = allLowercase && isLowercase
      versioned = versioned && isLowercase && words[row * 2] >> 12 & 15 == version && words[row * 2 + 1] >> 62 == 2
    }
    if versioned {
      let packed = UUIDPacking.pack(words, rows: rows)
      try output.add(
        .eventWords, packed.words, encoding: StreamEncoding.versionedUUID | UInt8(truncatingIfNeeded: version))
      try output.add(.eventBits, packed.bits, compressed: false)
      return
    }
    var bytes = ByteWriter()
    for row in 0..<rows where eventForms.pointer[row] != IdentifierForm.text.rawValue {
      bytes.u64(words[row * 2])
      bytes.u64(words[row * 2 + 1])
    }
    try output.add(.eventWords, bytes.bytes, compressed: false)
    if !allLowercase {
      try output.add(.eventForms, UnsafeRawBufferPointer(start: eventForms.pointer, count: rows), compressed: true)
    }
    try output.add(.eventTexts, eventTexts.bytes, compressed: true)
  }

  /// Codes as four planes of bytes, lowest first: the high planes are mostly zero and compress to nothing.
  private func planes(of codes: [UInt32]) -> [UInt8] {
    var planes = [UInt8](repeating: 0, count: codes.count * 4)
    for (i, code) in codes.enumerated() {
      for plane in 0..<4 { planes[plane * codes.count + i] = UInt8(truncatingIfNeeded: code >> UInt32(8 * plane)) }
    }
    return planes
  }
}
