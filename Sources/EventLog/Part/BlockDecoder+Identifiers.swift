// Users and event ids of a block, and its events whole.

import Buffers
import PermissionEvents

extension BlockDecoder {
  func decodeUsers() throws {
    hashes.resizeDiscarding(to: users)
    userWords.resizeDiscarding(to: users)
    var reader = ByteReader(try content(.hashes, maximum: users * 10))
    var hash = entry.firstHash
    for user in 0..<users {
      guard let gap = reader.varint() else { throw damaged("users are missing") }
      let (next, overflow) = hash.addingReportingOverflow(gap)
      guard !overflow else { throw damaged("users are out of order") }
      hash = next
      hashes[user] = hash
    }
    guard reader.remaining == 0, hash == entry.lastHash else { throw damaged("users contradict the footer") }
    try decodeForms(.userForms, count: users, into: &userForms)
    var words = ByteReader(try content(.userWords, maximum: users * 8))
    for user in 0..<users {
      userWords[user] = 0
      guard userForms[user] != IdentifierForm.text.rawValue else { continue }
      guard let word = words.u64() else { throw damaged("user ids are missing") }
      userWords[user] = word
    }
    guard words.remaining == 0 else { throw damaged("there are more user ids than users") }
    try decodeTexts(.userTexts, forms: userForms, maximumLength: 256, starts: &userTextStarts, into: &userTexts)
    // A user under another hash would not be found, and so could not be erased. A UUID is made of its hash.
    for user in 0..<users where userForms[user] == IdentifierForm.text.rawValue {
      guard UserHash.text(userID(user).text) == hashes[user] else { throw damaged("the hash of a user is wrong") }
    }
  }

  func decodeEventIDs() throws {
    eventWords.resizeDiscarding(to: rows * 2)
    if let ids = packedEventIDs {
      eventForms.resizeDiscarding(to: rows)
      for row in 0..<rows {
        let id = ids[row]
        eventWords[row * 2] = id.high
        eventWords[row * 2 + 1] = id.low
        eventForms[row] = id.form
      }
      eventTextStarts.removeAll()
      eventTextStarts.extend(to: rows + 1, repeating: 0)
      return
    }
    try decodeForms(.eventForms, count: rows, into: &eventForms)
    let bytes = try content(.eventWords, maximum: rows * 16)
    let (forms, words) = (eventForms.unsafeAddress, eventWords.unsafeAddress)
    var packed = 0
    for row in 0..<rows where forms[row] != IdentifierForm.text.rawValue { packed += 1 }
    guard bytes.count >= packed * 16 else { throw damaged("event ids are missing") }
    guard bytes.count == packed * 16 else { throw damaged("there are more event ids than rows") }
    var position = 0
    for row in 0..<rows {
      let isPacked = forms[row] != IdentifierForm.text.rawValue
      words[row * 2] =
        isPacked ? UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) : 0
      words[row * 2 + 1] =
        isPacked ? UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)) : 0
      if isPacked { position += 16 }
    }
    try decodeTexts(.eventTexts, forms: eventForms, maximumLength: 128, starts: &eventTextStarts, into: &eventTexts)
  }

  /// The stored event ids; nil if one of them is a text, so that the positions of ids are not those of rows.
  /// - Parameter areChecked: false if the words, of which there are many, are neither read nor checked.
  func findPackedEventIDs(areChecked: Bool) throws -> PackedEventIDs? {
    guard let words = entry(BlockStream.eventWords.rawValue) else { return nil }
    let isVersioned = words.encoding & 0xF0 == StreamEncoding.versionedUUID
    let isPlain = words.encoding == StreamEncoding.raw && words.storedLength == rows * 16
    guard isVersioned || isPlain && entry(BlockStream.eventTexts.rawValue) == nil else { return nil }
    if areChecked { _ = try bytes(of: words) } else { try readTail(from: words.offset + words.storedLength) }
    let start = UnsafeRawPointer(stored.unsafeAddress + words.offset)
    guard isVersioned else {
      try decodeForms(.eventForms, count: rows, into: &eventForms)
      var least = UInt8.max
      for row in 0..<rows { least = min(least, eventForms[row]) }
      return least == IdentifierForm.text.rawValue
        ? nil : PackedEventIDs(words: start, forms: eventForms.unsafeAddress)
    }
    guard words.storedLength == UUIDPacking.wordsLength(rows: rows), let bits = entry(BlockStream.eventBits.rawValue),
      bits.storedLength == UUIDPacking.bitsLength(rows: rows), let bits = try bytes(of: bits).baseAddress
    else { throw damaged("event ids are missing") }
    return PackedEventIDs(words: start, bits: bits, version: UInt64(words.encoding & 15))
  }

  /// The forms of ids: all lower-case UUIDs if the stream is absent.
  private func decodeForms(_ stream: BlockStream, count: Int, into out: inout Buffer<UInt8>) throws {
    out.resizeDiscarding(to: count)
    let bytes = try content(stream, maximum: count)
    guard bytes.isEmpty || bytes.count == count else { throw damaged("forms of ids are missing") }
    let forms = out.unsafeAddress
    guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return forms.update(repeating: IdentifierForm.lowercaseUUID.rawValue, count: count)
    }
    guard bytes.largestByte <= IdentifierForm.uppercaseUUID.rawValue else {
      throw damaged("the form of an id is unknown")
    }
    forms.update(from: source, count: count)
  }

  /// The text ids, one for each of that form; `starts` has the offset of each, and the end of the last.
  private func decodeTexts(
    _ stream: BlockStream, forms: borrowing Buffer<UInt8>, maximumLength: Int, starts: inout Buffer<UInt32>,
    into out: inout Buffer<UInt8>
  ) throws {
    let bytes = try content(stream, maximum: forms.count * (maximumLength + 2))
    try hold(bytes.count, as: .texts(stream))
    var reader = ByteReader(bytes)
    starts.removeAll()
    out.removeAll()
    for i in 0..<forms.count {
      starts.append(UInt32(truncatingIfNeeded: out.count))
      guard forms[i] == IdentifierForm.text.rawValue else { continue }
      guard let text = reader.text(maximum: maximumLength) else { throw damaged("ids are missing") }
      for byte in text { out.append(byte) }
    }
    starts.append(UInt32(truncatingIfNeeded: out.count))
    guard reader.remaining == 0 else { throw damaged("there are more ids than rows") }
  }
}

extension BlockDecoder {
  /// The id of a user of the block; keys must be loaded. Valid until the next block is opened.
  func userID(_ user: Int) -> IdentifierView {
    let form = userForms[user]
    let low = userWords[user]
    let (start, end) = (Int(userTextStarts[user]), Int(userTextStarts[user + 1]))
    return IdentifierView(
      form: form, high: form == 0 ? 0 : UserHash.highWord(hash: hashes[user], low: low), low: low,
      text: UnsafeRawBufferPointer(start: userTexts.unsafeAddress + start, count: end - start))
  }

  /// The id of an event; event ids must be loaded. Valid until the next block is opened.
  func eventID(_ row: Int) -> IdentifierView {
    let (start, end) = (Int(eventTextStarts[row]), Int(eventTextStarts[row + 1]))
    return IdentifierView(
      form: eventForms[row], high: eventWords[row * 2], low: eventWords[row * 2 + 1],
      text: UnsafeRawBufferPointer(start: eventTexts.unsafeAddress + start, count: end - start))
  }

  /// Calls `body` with a row and its event id, for all rows of a range with an id that may be in a filter.
  /// - Parameter unchecked: read only these rows' ids, if possible. The checksum covers the whole block, so
  ///   `PartReader.checkEventIDs` must be called before results from them are kept.
  func forEachEventID(
    _ rows: Range<Int>, in filter: IdentifierFilter, unchecked: Bool = false,
    _ body: (Int, IdentifierView) throws -> Void
  ) throws {
    let isApart = unchecked && !isLoaded(.packedEventIDs)
    try load(isApart ? .uncheckedEventIDs : .packedEventIDs)
    if let ids = packedEventIDs {
      if isApart, let words = entry(BlockStream.eventWords.rawValue) {
        let width = words.storedLength / self.rows
        try readApart(words.offset + rows.lowerBound * width..<words.offset + rows.upperBound * width)
      }
      for row in rows {
        let id = ids[row]
        if filter.mayHold(id) { try body(row, id) }
      }
    } else {
      try load(.eventIDs)
      for row in rows {
        let id = eventID(row)
        if filter.mayHold(id) { try body(row, id) }
      }
    }
  }

  /// An event whole; history, details and event ids must be loaded, without a projection.
  func event(_ row: Int) -> StoredEvent { event(row, eventID(row)) }

  /// An event with its id, of which history and details must be loaded, or `loadRows` called for its user.
  func event(_ row: Int, _ id: IdentifierView) -> StoredEvent {
    let code = codes[row]
    return StoredEvent(
      time: times[row], eventHigh: id.high, eventLow: id.low, context: code >> HistoryBatch.contextShift,
      attributes: attributes[row], feature: features[row], kind: UInt8(truncatingIfNeeded: code & 15),
      status: UInt8(truncatingIfNeeded: code >> 4 & 15), eventForm: id.form)
  }
}
