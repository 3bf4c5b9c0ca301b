// The rows of a block as streams of bytes.

import Buffers
import PermissionEvents

extension BlockEncoder {
  /// The block's bytes, valid until the next block is finished, and its footer entry, without offset and number; the encoder is empty
  /// then.
  func finish(part: UInt64, block: UInt32) throws -> (bytes: UnsafeRawBufferPointer, entry: BlockEntry) {
    defer { removeAll() }
    let firstHash = users.count > 0 ? users[0].hash : 0
    let lastHash = users.count > 0 ? users[users.count - 1].hash : 0
    assembly.begin(part: part, block: block)
    try encodeRowCounts()
    try encodeTimes()
    try assembly.add(.kinds, UnsafeRawBufferPointer(start: kinds.unsafeAddress, count: rows), compressed: true)
    try assembly.add(.contexts, planes(of: contexts), compressed: true)
    try assembly.add(
      .statuses, UnsafeRawBufferPointer(start: statuses.unsafeAddress, count: statuses.count), compressed: true)
    let historyEnd = assembly.bodyLength
    try encodeUsers(firstHash: firstHash)
    let keyEnd = assembly.bodyLength
    try assembly.add(.attributes, planes(of: attributes), compressed: true)
    try assembly.add(.features, planes(of: features), compressed: true)
    for number in columnStreams.indices { try encodeColumn(number) }
    let detailEnd = assembly.bodyLength
    try encodeEventIDs()
    let bytes = assembly.finish(rows: rows, users: users.count, base: minimumTime, firstHash: firstHash)
    let entry = BlockEntry(
      historyLength: assembly.length(upTo: historyEnd), keyLength: assembly.length(upTo: keyEnd),
      detailLength: assembly.length(upTo: detailEnd), length: UInt64(bytes.count),
      rows: UInt32(truncatingIfNeeded: rows), users: UInt32(truncatingIfNeeded: users.count),
      firstHash: firstHash, lastHash: lastHash, minimumTime: minimumTime, maximumTime: maximumTime)
    return (bytes, entry)
  }

  private func encodeRowCounts() throws {
    var counts = ByteWriter()
    for i in 0..<rowCounts.count { counts.varint(UInt64(rowCounts[i])) }
    try assembly.add(.rowCounts, counts.bytes, compressed: true)
  }

  private func encodeTimes() throws {
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

  private func encodeUsers(firstHash: UInt64) throws {
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
  private func encodeColumn(_ number: Int) throws {
    var codes = Buffer<UInt32>(capacity: rows)
    for row in 0..<rows { codes.append(columnCodes[row * columnStreams.count + number]) }
    guard (0..<rows).contains(where: { codes[$0] > 0 }) else { return }
    try assembly.add(columnStreams[number], planes(of: codes), compressed: true)
  }

  private func encodeEventIDs() throws {
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
  private func planes(of codes: borrowing Buffer<UInt32>) -> UnsafeRawBufferPointer {
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
