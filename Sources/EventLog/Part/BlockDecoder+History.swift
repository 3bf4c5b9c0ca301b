// The data that every reader of a block needs: users' rows, times, and for each event kind, status and context.

import Buffers
import PermissionEvents

extension BlockDecoder {
  func decodeRowCounts() throws {
    var reader = ByteReader(try content(.rowCounts, maximum: users * 10))
    rowCounts.resizeDiscarding(to: users)
    firstRows.resizeDiscarding(to: users + 1)
    var total = 0
    for user in 0..<users {
      guard let count = reader.varint(), count >= 1, count <= UInt64(rows - total) else {
        throw damaged("the users' rows do not add up to the block's")
      }
      rowCounts[user] = UInt32(truncatingIfNeeded: count)
      firstRows[user] = UInt32(truncatingIfNeeded: total)
      total += Int(count)
    }
    guard total == rows, reader.remaining == 0 else { throw damaged("the users' rows do not add up to the block's") }
    firstRows[users] = entry.rows
  }

  func decodeTimes() throws {
    times.resizeDiscarding(to: rows)
    let out = UnsafeMutableRawPointer(times.unsafeAddress).assumingMemoryBound(to: UInt64.self)
    try forEachTime(beginUser: { _ in }, { row, time in out[row] = time })
  }

  /// A symbol for each row, valid until another stream is read, and the bits after the symbols.
  func timeStreams() throws -> (symbols: UnsafePointer<UInt8>, bits: UnsafeRawBufferPointer) {
    let bits =
      try entry(BlockStream.timeBits.rawValue).map { try bytes(of: $0) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
    let symbols = try content(.timeSymbols, maximum: rows)
    guard symbols.count == rows, let symbol = symbols.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw damaged("times are missing")
    }
    return (symbol, bits)
  }

  /// Calls `body` with each row and its time, and `beginUser` before each user's first. The times are only known to be
  /// right when this has returned.
  @inline(__always)
  func forEachTime(beginUser: (Int) -> Void, _ body: (Int, UInt64) -> Void) throws {
    let (symbol, bits) = try timeStreams()
    // A hot loop. Words are read past the bits: `read(upTo:)` makes room for that.
    let source = bits.baseAddress ?? UnsafeRawPointer(stored.unsafeAddress)
    let base = UInt64(bitPattern: entry.minimumTime)
    let rowCounts = rowCounts.unsafeAddress
    let users = users
    var position = 0
    var seen: UInt64 = 0
    var latest: UInt64 = 0
    var row = 0
    TimeCoding.symbols.withUnsafeBufferPointer { table in
      for user in 0..<users {
        beginUser(user)
        var time = base
        let end = row &+ Int(rowCounts[user])
        while row < end {
          let code = table[Int(symbol[row])]
          // A symbol past the last has 255 bits: masked here, found by the check of the position below.
          let count = code & 63
          let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self))
          let rest = word >> UInt64(truncatingIfNeeded: position & 7) & (1 << count &- 1)
          position &+= Int(truncatingIfNeeded: count)
          time = time &+ (code >> 8) &+ rest
          seen |= time
          body(row, time)
          row &+= 1
        }
        latest = max(latest, time)
      }
    }
    guard (position + 7) >> 3 == bits.count, seen >> 42 == 0 else { throw damaged("times do not decode") }
    guard latest == UInt64(bitPattern: entry.maximumTime) else { throw damaged("times contradict the footer") }
  }

  /// The number of rows with a flag in their byte of `kinds`.
  func count(_ flag: UInt8) -> Int { count(flag, in: 0..<rows) }

  func count(_ flag: UInt8, in rows: Range<Int>) -> Int {
    let shift = UInt64(flag.trailingZeroBitCount)
    var n = 0
    var row = rows.lowerBound
    while row < rows.upperBound {
      // One byte per row, eight rows at once, can count at most this many words.
      let end = min(row + 255 * 8, rows.upperBound)
      var counts: UInt64 = 0
      forEachKindWord(in: row..<end) { counts &+= $0 &>> shift & 0x0101_0101_0101_0101 }
      counts = (counts & 0x00FF_00FF_00FF_00FF) &+ (counts >> 8 & 0x00FF_00FF_00FF_00FF)
      n += Int((counts &* 0x0001_0001_0001_0001) >> 48)
      row = end
    }
    return n
  }

  /// The bytes of `kinds`, eight at once; zeros after the last row.
  @inline(__always)
  private func forEachKindWord(in rows: Range<Int>, _ body: (UInt64) -> Void) {
    let base = UnsafeRawPointer(kinds.unsafeAddress)
    var row = rows.lowerBound
    while row &+ 8 <= rows.upperBound {
      body(base.loadUnaligned(fromByteOffset: row, as: UInt64.self))
      row &+= 8
    }
    let left = UInt64(rows.upperBound - row)
    if left > 0 { body(base.loadUnaligned(fromByteOffset: row, as: UInt64.self) & (1 << (8 * left) - 1)) }
  }

  /// Codes of a stream by its number, from their four planes, each below `limit`, translated if a projection is given.
  func decodeCodes(
    _ stream: UInt8, count: Int, limit: Int, into out: inout Buffer<UInt32>, projection: [UInt32] = []
  ) throws {
    let bytes = try content(stream, maximum: rows * 4)
    guard bytes.count == count * 4 else { throw damaged("stream \(stream) has a wrong number of codes") }
    try holdCodes(count)
    out.resizeDiscarding(to: count)
    guard let plane = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let codes = out.unsafeAddress
    var largest: UInt32 = 0
    // Few blocks have codes past the first plane's 255. Both loops become vectors: nothing leaves them early.
    var high: UInt8 = 0
    for i in count..<4 * count { high |= plane[i] }
    if high == 0 {
      var largestByte: UInt8 = 0
      for i in 0..<count { largestByte = max(largestByte, plane[i]) }
      largest = UInt32(largestByte)
      for i in 0..<count { codes[i] = UInt32(plane[i]) }
    } else {
      for i in 0..<count {
        let low = UInt32(plane[i]) | UInt32(plane[count + i]) << 8
        codes[i] = low | UInt32(plane[2 * count + i]) << 16 | UInt32(plane[3 * count + i]) << 24
        largest = max(largest, codes[i])
      }
    }
    guard largest < limit else { throw damaged("stream \(stream) has an unknown code") }
    guard !projection.isEmpty else { return }
    projection.withUnsafeBufferPointer { projection in
      for i in 0..<count { codes[i] = projection[Int(codes[i])] }
    }
  }

  /// The contexts of the rows that have one, into `codeScratch`.
  func decodeContexts(projection: [UInt32]) throws {
    try decodeCodes(
      BlockStream.contexts.rawValue, count: count(RowFlag.context), limit: part.footer.dictionary.contexts.count,
      into: &codeScratch, projection: projection)
  }

  /// Kinds and flags of the rows, and the contexts and statuses that the flags point to.
  func decodeKinds() throws {
    let bytes = try content(.kinds, maximum: rows)
    guard bytes.count == rows, let source = bytes.baseAddress else { throw damaged("kinds are missing") }
    kinds.removeAll()
    kinds.append(from: source.assumingMemoryBound(to: UInt8.self), count: rows)
    kinds.extend(to: rows + 8, repeating: 0)
    // Kinds past the last carry into the bit above them when the distance to 16 is added.
    let distance = UInt64(16 - kindCodes.count) &* 0x0101_0101_0101_0101
    var carries: UInt64 = 0
    forEachKindWord(in: 0..<rows) { carries |= ($0 & 0x0F0F_0F0F_0F0F_0F0F) &+ distance }
    guard carries & 0x1010_1010_1010_1010 == 0 else { throw damaged("a kind is unknown") }
    if !kindCodes.isPlain { try translateKinds() }
    try decodeContexts(projection: contextProjection)
    // Number 0 means no context and no status.
    contexts.removeAll()
    contexts.append(contextProjection.first ?? 0)
    contexts.append(from: codeScratch.unsafeAddress, count: codeScratch.count)
    let found = try content(.statuses, maximum: rows)
    guard found.count == count(RowFlag.status) else { throw damaged("statuses are missing") }
    guard Int(found.largestByte) < AuthorizationStatus.allCases.count else { throw damaged("a status is unknown") }
    statuses.removeAll()
    statuses.append(0)
    if let start = found.baseAddress {
      statuses.append(from: start.assumingMemoryBound(to: UInt8.self), count: found.count)
    }
  }

  /// Translates the rows' kinds to shared codes; only in parts with other codes than the program's.
  private func translateKinds() throws {
    var seen: UInt32 = 0
    for row in 0..<rows {
      let byte = kinds[row]
      seen |= 1 << UInt32(byte & 15)
      kinds[row] = byte & 0xF0 | kindCodes.shared[Int(byte & 15)]
    }
    guard seen & ~kindCodes.used == 0 else { throw damaged("a kind is unknown") }
  }

  func decodeCodes() {
    codes.resizeDiscarding(to: rows)
    // A hot loop. It does not branch on the rows' values, and depends little on the previous row: only the number of
    // exceptions so far and, for both classes of events, the current exception are carried.
    let (kinds, contexts, status) = (kinds.unsafeAddress, contexts.unsafeAddress, statuses.unsafeAddress)
    let out = codes.unsafeAddress
    let engagement = kindCodes.engagement
    var exception: UInt32 = 0
    var statusNumber: UInt32 = 0
    var row = 0
    for user in 0..<users {
      var permissionException: UInt32 = 0
      var engagementException: UInt32 = 0
      let end = row + Int(rowCounts[user])
      while row < end {
        let byte = UInt32(kinds[row])
        let kind = byte & 15
        let isEngagement = engagement &>> kind & 1 != 0
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

  // MARK: The history of a block for an analysis: events of permissions and engagement separately

  func decodeLanes() throws {
    if kindCodes.areOfFirstRelease {
      // Kinds from `feature_used` on are engagement: they carry into the bit above when the distance to 16 is added.
      let distance = UInt32(16 - EventKind.featureUsed.rawValue)
      try decodeLanes { kind in
        let isEngagement = (kind &+ distance) >> 4
        return (isEngagement, isEngagement)
      }
    } else {
      let (ofPart, known) = (kindCodes.engagement, KindCodes.engagement)
      try decodeLanes { kind in (ofPart &>> kind & 1, known &>> kind & 1) }
    }
    if !kindCodes.areOfFirstRelease || dropsContexts { filterLanes() }
    for user in 0..<users {
      permissionCounts[user] = firstPermissions[user + 1] - firstPermissions[user]
      engagementCounts[user] = firstEngagements[user + 1] - firstEngagements[user]
    }
  }

  /// - Parameter engagement: for a kind 1 if it is of the class of engagement, and 1 if it goes to the lane of engagement.
  @inline(__always)
  private func decodeLanes(engagement isEngagement: (UInt32) -> (ofClass: UInt32, inLane: UInt32)) throws {
    permissionCounts.resizeDiscarding(to: users)
    firstPermissions.resizeDiscarding(to: users + 1)
    engagementCounts.resizeDiscarding(to: users)
    firstEngagements.resizeDiscarding(to: users + 1)
    // Each row is written to both lanes, and stays in one: there is room for one more.
    permissionTimes.resizeDiscarding(to: rows + 1)
    permissionCodes.resizeDiscarding(to: rows + 1)
    permissionRows.resizeDiscarding(to: rows + 1)
    engagement.resizeDiscarding(to: rows + 1)
    // A hot loop.
    let (kinds, contexts, statuses) = (kinds.unsafeAddress, contexts.unsafeAddress, statuses.unsafeAddress)
    let firstRows = firstRows.unsafeAddress
    let (firstPermissions, firstEngagements) = (firstPermissions.unsafeAddress, firstEngagements.unsafeAddress)
    let (times, codes) = (permissionTimes.unsafeAddress, permissionCodes.unsafeAddress)
    let (rowNumbers, engagement) = (permissionRows.unsafeAddress, engagement.unsafeAddress)
    var firstRow = 0
    var permissionCount = 0
    var engagementCount = 0
    // The numbers of exceptions and statuses so far, and of the exception that holds for events of permissions.
    var exception: UInt32 = 0
    var holding: UInt32 = 0
    var status: UInt32 = 0
    try forEachTime(
      beginUser: { user in
        firstRow = Int(firstRows[user])
        firstPermissions[user] = UInt32(truncatingIfNeeded: permissionCount)
        firstEngagements[user] = UInt32(truncatingIfNeeded: engagementCount)
        holding = 0
      },
      { row, time in
        // Kinds come in no order that a processor could foresee, so nothing branches on them.
        let byte = UInt32(kinds[row])
        let kind = byte & 15
        let (isOfClass, isInLane) = isEngagement(kind)
        let isException = byte >> 4 & 1
        let hasStatus = byte >> 6 & 1
        exception &+= isException
        holding = isException > isOfClass ? exception : holding
        status &+= hasStatus
        times[permissionCount] = Int64(truncatingIfNeeded: time)
        codes[permissionCount] =
          kind | (UInt32(statuses[Int(status)]) & (0 &- hasStatus)) << HistoryBatch.statusShift
          | contexts[Int(holding)] << HistoryBatch.contextShift
        rowNumbers[permissionCount] = UInt32(truncatingIfNeeded: row &- firstRow)
        engagement[engagementCount] = time << 1 | UInt64(kind & 1)
        permissionCount &+= 1 &- Int(isInLane)
        engagementCount &+= Int(isInLane)
      })
    firstPermissions[users] = UInt32(truncatingIfNeeded: permissionCount)
    firstEngagements[users] = UInt32(truncatingIfNeeded: engagementCount)
  }

  /// Takes out of the lanes what the program does not know, the context of an install, which belongs to no permission, and that of an
  /// assignment that names a permission: this program writes none;
  /// brings events of one millisecond into the program's order.
  private func filterLanes() {
    let (times, codes) = (permissionTimes.unsafeAddress, permissionCodes.unsafeAddress)
    let (rowNumbers, engagement) = (permissionRows.unsafeAddress, engagement.unsafeAddress)
    let installed = UInt32(EventKind.appInstalled.rawValue)
    let assigned = UInt32(EventKind.assigned.rawValue)
    let kinds = EventKind.ofHistories + (!keepsAllKinds ? 0 : kindCodes.hasPickers ? 2 : 1)
    let last = UInt32(kinds)
    func isOfPermission(_ code: UInt32) -> Bool {
      let context = Int(code >> HistoryBatch.contextShift)
      return context < hasPermission.count && hasPermission[context]
    }
    var index = 0
    var kept = 0
    for user in 0..<users {
      let start = kept
      while index < Int(firstPermissions[user + 1]) {
        var code = codes[index]
        let kind = code & 15
        if kind == installed || kind == assigned && isOfPermission(code) { code &= 1 << HistoryBatch.contextShift - 1 }
        if kind < last, code >> HistoryBatch.contextShift != HistoryProjection.dropped {
          codes[kept] = code
          times[kept] = times[index]
          rowNumbers[kept] = rowNumbers[index]
          kept += 1
        }
        index += 1
      }
      firstPermissions[user] = UInt32(truncatingIfNeeded: start)
      guard !kindCodes.isInOrder else { continue }
      Self.sort(start..<kept) {
        times[$0] == times[$1] && codes[$0] & 15 < codes[$1] & 15
      } swap: { a, b in
        swap(&codes[a], &codes[b])
        swap(&rowNumbers[a], &rowNumbers[b])
      }
      Self.sort(Int(firstEngagements[user])..<Int(firstEngagements[user + 1])) {
        engagement[$0] < engagement[$1]
      } swap: {
        swap(&engagement[$0], &engagement[$1])
      }
    }
    firstPermissions[users] = UInt32(truncatingIfNeeded: kept)
  }

  /// Sorts events that are nearly in order, as times are, so that none goes far.
  private static func sort(_ range: Range<Int>, isBefore: (Int, Int) -> Bool, swap: (Int, Int) -> Void) {
    for i in range.dropFirst() {
      var j = i
      while j > range.lowerBound, isBefore(j, j - 1) {
        swap(j, j - 1)
        j -= 1
      }
    }
  }

  /// The selected attributes of events of permissions from a user on; valid until the next block is opened.
  /// `attributeChanges` and `lanes` must be loaded.
  func attributeColumn(from user: Int) -> AttributeColumn {
    AttributeColumn(
      .init(
        flags: kinds.unsafeAddress, flag: RowFlag.attributes, firstRows: firstRows.unsafeAddress + user,
        firstChanges: firstAttributeChanges.unsafeAddress + user,
        rows: permissionRows.unsafeAddress + Int(firstPermissions[user])), values: attributeChanges.unsafeAddress)
  }

  /// Values of the rows to values of the events of permissions.
  func selectPermissions(_ values: borrowing Buffer<UInt32>, into out: inout Buffer<UInt32>) {
    out.resizeDiscarding(to: Int(firstPermissions[users]))
    for user in 0..<users {
      let first = Int(firstRows[user])
      for i in Int(firstPermissions[user])..<Int(firstPermissions[user + 1]) {
        out[i] = values[first + Int(permissionRows[i])]
      }
    }
  }
}
