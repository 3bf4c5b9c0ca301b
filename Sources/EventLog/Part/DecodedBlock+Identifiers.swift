// Users and event ids of a block.

import PermissionEvents

extension DecodedBlock {
  func decodeUsers() throws {
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
    // A user under another hash would not be found, and so could not be erased. A UUID is made of its hash.
    for user in 0..<users where userForms.pointer[user] == IdentifierForm.text.rawValue {
      guard UserHash.text(userID(user).text) == hashes.pointer[user] else { throw damaged("a user has another hash") }
    }
  }

  /// The forms of ids: all lower-case UUIDs where the stream is absent.
  func forms(_ stream: BlockStream, count: Int, into out: GrowingBuffer<UInt8>) throws {
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
  func texts(
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

  func decodeEventIDs() throws {
    eventWords.reserve(rows * 2)
    eventForms.reserve(rows)
    if let ids = try packedEventIDs() {
      for row in 0..<rows {
        let id = ids[row]
        eventWords.pointer[row * 2] = id.high
        eventWords.pointer[row * 2 + 1] = id.low
        eventForms.pointer[row] = id.form
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
