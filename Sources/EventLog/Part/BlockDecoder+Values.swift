// Values of a block's rows that few readers need: attributes, features, properties of the context, and columns that the
// program does not know.

import Buffers
import PermissionEvents

extension BlockDecoder {
  func decodeDetails() throws {
    try decodeAttributes(into: &codeScratch)
    spreadAttributes(codeScratch, into: &attributes)
    try decodeFeatures(into: &codeScratch)
    features.resizeDiscarding(to: rows)
    var next = 0
    for row in 0..<rows {
      let hasFeature = kinds[row] & RowFlag.feature != 0
      features[row] = hasFeature ? codeScratch[next] : 0
      next += hasFeature ? 1 : 0
    }
  }

  /// The attributes where they change, and where each user's changes begin: next to no work for a block.
  func decodeAttributeChanges() throws {
    try decodeAttributes(into: &attributeChanges, projection: attributeProjection)
    firstAttributeChanges.resizeDiscarding(to: users)
    let kinds = kinds.unsafeAddress
    var before: UInt32 = 0
    var row = 0
    for user in 0..<users {
      firstAttributeChanges[user] = before
      let end = row + Int(rowCounts[user])
      while row < end {
        before &+= UInt32(kinds[row] & RowFlag.attributes) / UInt32(RowFlag.attributes)
        row &+= 1
      }
    }
  }

  /// Those of the rows in which they change.
  func decodeAttributes(into out: inout Buffer<UInt32>, projection: [UInt32] = []) throws {
    try decodeCodes(
      BlockStream.attributes.rawValue, count: count(RowFlag.attributes), limit: part.footer.dictionary.attributes.count,
      into: &out, projection: projection)
  }

  /// Those of the rows that have one.
  func decodeFeatures(into out: inout Buffer<UInt32>) throws {
    try decodeCodes(
      BlockStream.features.rawValue, count: count(RowFlag.feature),
      limit: part.footer.dictionary.values[StringField.feature.rawValue].count, into: &out)
  }

  /// Attributes that are given for the rows in which they change, to all rows.
  func spreadAttributes(_ changes: borrowing Buffer<UInt32>, into out: inout Buffer<UInt32>) {
    out.resizeDiscarding(to: rows)
    var change = 0
    for user in 0..<users {
      var current: UInt32 = 0
      for row in Int(firstRows[user])..<Int(firstRows[user + 1]) {
        if kinds[row] & RowFlag.attributes != 0 {
          current = changes[change]
          change += 1
        }
        out[row] = current
      }
    }
  }

  /// The value of a property of the context for each row: `property` translates the part's context codes.
  func loadContextProperty(_ property: [UInt32], into out: inout Buffer<UInt32>) throws {
    try load(.kinds)
    try decodeContexts(projection: property)
    out.resizeDiscarding(to: rows)
    let engagement = kindCodes.engagement
    var next = 0
    for user in 0..<users {
      var permissionValue = property[0]
      var engagementValue = property[0]
      for row in Int(firstRows[user])..<Int(firstRows[user + 1]) {
        let byte = kinds[row]
        let isEngagement = engagement &>> UInt32(byte & 15) & 1 != 0
        if byte & RowFlag.context != 0 {
          if isEngagement { engagementValue = codeScratch[next] } else { permissionValue = codeScratch[next] }
          next += 1
        }
        out[row] = isEngagement ? engagementValue : permissionValue
      }
    }
  }

  /// A code for each row and column; a block in which no row has a value of a column has no stream for it.
  func decodeColumns() throws {
    columnCodes.removeAll()
    for (number, column) in part.footer.dictionary.columns.enumerated() {
      if entry(column.stream) != nil {
        try decodeCodes(column.stream, count: rows, limit: column.values.count, into: &codeScratch)
        columnCodes.append(from: codeScratch.unsafeAddress, count: rows)
      }
      columnCodes.extend(to: (number + 1) * rows, repeating: 0)
    }
  }

  /// The code of a row in a column that the program does not know; `columns` must be loaded.
  func columnCode(_ column: Int, _ row: Int) -> Int { Int(columnCodes[column * rows + row]) }
}

// MARK: The events of single users of a block, for who wants few of them: where each one's are found is counted, and the rows between are not decoded

/// A row that rows before it were counted up to, and what these have in columns that not every row is in.
struct RowPosition {
  var row = 0
  var contexts = 0
  var statuses = 0
  var attributes = 0
  var features = 0
  var timeBits = 0
}

extension BlockDecoder {
  func prepareUserRows() throws {
    try decodeAttributes(into: &attributeChanges)
    try decodeFeatures(into: &featureCodes)
    let times = try timeStreams()
    timeSymbols.removeAll()
    timeSymbols.append(from: times.symbols, count: rows)
    guard UnsafeRawBufferPointer(start: times.symbols, count: rows).largestByte < TimeCoding.symbolCount else {
      throw damaged("times do not decode")
    }
    timeBits = times.bits
    self.times.resizeDiscarding(to: rows)
    codes.resizeDiscarding(to: rows)
    attributes.resizeDiscarding(to: rows)
    features.resizeDiscarding(to: rows)
    place = RowPosition()
  }

  /// Decodes a user's rows into the columns of `history` and `details`; their other rows are undefined. Loading the
  /// same user again costs almost nothing, and a user soon after it costs little.
  func loadRows(of user: Int) throws {
    try load(.userRows)
    let rows = Int(firstRows[user])..<Int(firstRows[user + 1])
    if place.row == rows.upperBound { return }
    var next = place.row <= rows.lowerBound ? place : RowPosition()
    skip(to: rows.lowerBound, &next)
    let bits = timeBits.baseAddress ?? UnsafeRawPointer(stored.unsafeAddress)
    var time = UInt64(bitPattern: entry.minimumTime)
    var permission = contexts[0]
    var engagement = contexts[0]
    var current: UInt32 = 0
    var seen: UInt64 = 0
    for row in rows {
      let byte = kinds[row]
      let isEngagement = kindCodes.engagement &>> UInt32(byte & 15) & 1 != 0
      if byte & RowFlag.context != 0 {
        next.contexts += 1
        if isEngagement { engagement = contexts[next.contexts] } else { permission = contexts[next.contexts] }
      }
      if byte & RowFlag.attributes != 0 {
        current = attributeChanges[next.attributes]
        next.attributes += 1
      }
      let hasStatus = byte & RowFlag.status != 0
      let hasFeature = byte & RowFlag.feature != 0
      if hasStatus { next.statuses += 1 }
      let status = hasStatus ? UInt32(statuses[next.statuses]) : 0
      codes[row] =
        UInt32(byte & 15) | status << HistoryBatch.statusShift
        | (isEngagement ? engagement : permission) << HistoryBatch.contextShift
      attributes[row] = current
      features[row] = hasFeature ? featureCodes[next.features] : 0
      if hasFeature { next.features += 1 }
      // Words are read past the bits: `read(upTo:)` makes room for that.
      let symbol = Int(timeSymbols[row])
      let word = UInt64(littleEndian: bits.loadUnaligned(fromByteOffset: next.timeBits >> 3, as: UInt64.self))
      let count = UInt64(TimeCoding.restBits[symbol])
      time &+= TimeCoding.bases[symbol] &+ (word >> UInt64(next.timeBits & 7) & (1 << count - 1))
      next.timeBits += Int(count)
      seen |= time
      times[row] = Int64(truncatingIfNeeded: time)
    }
    guard (next.timeBits + 7) >> 3 <= timeBits.count, seen >> 42 == 0 else { throw damaged("times do not decode") }
    guard time <= UInt64(bitPattern: entry.maximumTime) else { throw damaged("times contradict the footer") }
    next.row = rows.upperBound
    place = next
  }

  private func skip(to row: Int, _ place: inout RowPosition) {
    let rows = place.row..<row
    place.contexts += count(RowFlag.context, in: rows)
    place.statuses += count(RowFlag.status, in: rows)
    place.attributes += count(RowFlag.attributes, in: rows)
    place.features += count(RowFlag.feature, in: rows)
    // `TimeCoding.restBits` without a table, so that the loop becomes vectors.
    let symbols = timeSymbols.unsafeAddress
    var bits: UInt32 = 0
    for row in rows { bits &+= UInt32(max(symbols[row] >> 2, 1) &- 1) }
    place.timeBits += Int(bits)
    place.row = row
  }

  // MARK: The attributes of every event of both lanes, for a fold that reads them all

  /// `lanes` and `attributeChanges` must be loaded.
  func decodeLaneAttributes() throws {
    rowAttributes.resizeDiscarding(to: rows)
    // Each row is written to the lane of engagement, and stays if it is one: there is room for one more.
    engagementAttributes.resizeDiscarding(to: rows + 1)
    engagementRows.resizeDiscarding(to: rows + 1)
    // A hot loop. It does not branch on the rows' values: number 0 means no change.
    let (kinds, changes) = (kinds.unsafeAddress, attributeChanges.unsafeAddress)
    let (ofRows, ofEngagement) = (rowAttributes.unsafeAddress, engagementAttributes.unsafeAddress)
    let (engagementRows, rowCounts) = (engagementRows.unsafeAddress, rowCounts.unsafeAddress)
    let engagement = KindCodes.engagement
    var (row, change, count) = (0, 0, 0)
    for user in 0..<users {
      let first = row
      let end = row &+ Int(rowCounts[user])
      var current: UInt32 = 0
      while row < end {
        let byte = kinds[row]
        if byte & RowFlag.attributes != 0 {
          current = changes[change]
          change &+= 1
        }
        ofRows[row] = current
        ofEngagement[count] = current
        engagementRows[count] = UInt32(truncatingIfNeeded: row &- first)
        count &+= Int(engagement &>> UInt32(byte & 15) & 1)
        row &+= 1
      }
    }
    selectPermissions(rowAttributes, into: &permissionAttributes)
    if !kindCodes.isInOrder { try sortEngagementAttributes() }
  }

  /// Brings them into the order that the lane of engagement was brought into.
  private func sortEngagementAttributes() throws {
    try load(.history)
    for user in 0..<users {
      let first = Int(firstRows[user])
      let lane = Int(firstEngagements[user])..<Int(firstEngagements[user + 1])
      func key(_ place: Int) -> (Int64, UInt8) {
        let row = first + Int(engagementRows[place])
        return (times[row], kinds[row] & 1)
      }
      for i in lane.dropFirst() {
        var j = i
        while j > lane.lowerBound, key(j) < key(j - 1) {
          swap(&engagementRows[j], &engagementRows[j - 1])
          swap(&engagementAttributes[j], &engagementAttributes[j - 1])
          j -= 1
        }
      }
    }
  }

  /// The attributes of events of permissions from a user on, and of engagement; valid until the next block is opened.
  /// `laneAttributes` must be loaded.
  func laneAttributes(from user: Int) -> (permissions: AttributeColumn, engagement: UnsafePointer<UInt32>) {
    (
      AttributeColumn(values: permissionAttributes.unsafeAddress + Int(firstPermissions[user])),
      UnsafePointer(engagementAttributes.unsafeAddress + Int(firstEngagements[user]))
    )
  }

  // MARK: The share of a block in the log's budget of memory, requested before it is used

  /// The separately counted buffers.
  enum Room: Hashable {
    case stored, group(Group), texts(BlockStream)
  }

  /// The approximate bytes of a row when a merge decodes everything.
  static let bytesOfWholeRow = 80
  /// The same of the history alone; with the attributes of all events.
  static func bytesOfHistoryRow(_ selection: HistorySelection) -> Int { selection.handsOverAllAttributes ? 56 : 40 }
  /// A decoder that held more for a block gives it back before the next: that is a block with a user like no other.
  static let ordinaryBytes = 64 << 20

  /// The bytes of the columns of a group. Bytes for text ids and for temporary codes are requested where they are known.
  func bytes(of group: Group) -> Int {
    switch group {
    case .rowCounts: users * 8
    case .kinds: rows * 2
    case .history: rows * 12
    // Twelve bytes and four for an event of a permission; eight for any other.
    case .lanes: users * 16 + rows * 16
    case .keys: users * 21
    case .details: rows * 8
    case .attributeChanges: users * 4
    case .laneAttributes: rows * 16
    case .columns: rows * 4 * part.footer.dictionary.columns.count
    case .userRows: rows * 21
    case .packedEventIDs, .uncheckedEventIDs: rows
    case .eventIDs: rows * 21
    }
  }

  /// Counts bytes that are about to be taken; throws if all readers of the log together would hold too many.
  func hold(_ bytes: Int, as room: Room) throws {
    let before = rooms[room, default: 0]
    guard bytes > before else { return }
    rooms[room] = bytes
    held += bytes - before
    try checkMemory()
  }

  func holdScratch(_ bytes: Int) throws {
    heldScratch = max(heldScratch, bytes)
    try checkMemory()
  }

  /// The same for codes that go to `codeScratch` or to columns of those rows that have one.
  func holdCodes(_ count: Int) throws {
    heldCodes = max(heldCodes, count * 8)
    try checkMemory()
  }

  private func checkMemory() throws {
    guard memory.raise(to: held + heldScratch + heldCodes) else {
      throw LogError.tooMuchMemory(part.name, "block \(entry.number) at offset \(entry.offset)", part.budget)
    }
  }

  func forgetColumns() {
    stored = Buffer()
    scratch = Buffer()
    rowCounts = Buffer()
    firstRows = Buffer()
    kinds = Buffer()
    contexts = Buffer()
    statuses = Buffer()
    times = Buffer()
    codes = Buffer()
    permissionCounts = Buffer()
    firstPermissions = Buffer()
    permissionTimes = Buffer()
    permissionCodes = Buffer()
    permissionRows = Buffer()
    engagementCounts = Buffer()
    firstEngagements = Buffer()
    engagement = Buffer()
    hashes = Buffer()
    userWords = Buffer()
    userForms = Buffer()
    userTextStarts = Buffer()
    userTexts = Buffer()
    attributes = Buffer()
    features = Buffer()
    attributeChanges = Buffer()
    firstAttributeChanges = Buffer()
    rowAttributes = Buffer()
    permissionAttributes = Buffer()
    engagementAttributes = Buffer()
    engagementRows = Buffer()
    timeSymbols = Buffer()
    featureCodes = Buffer()
    columnCodes = Buffer()
    eventWords = Buffer()
    eventForms = Buffer()
    eventTextStarts = Buffer()
    eventTexts = Buffer()
    codeScratch = Buffer()
    held = 0
    rooms = [:]
    heldScratch = 0
    heldCodes = 0
    memory.release()
  }
}
