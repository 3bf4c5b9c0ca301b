// Event ids that are UUIDs of one version, read row by row: who needs a few of a block leaves the others packed.

import PermissionEvents

/// The packed event ids of an open block; valid until the next block is opened.
struct PackedEventIDs {
  fileprivate let words: UnsafeRawPointer
  fileprivate let bits: UnsafeRawPointer
  fileprivate let version: UInt64

  /// The id of a row of the block.
  @inline(__always)
  subscript(row: Int) -> IdentifierView {
    let id = UUIDPacking.unpack(row: row, words: words, bits: bits, version: version)
    return IdentifierView(
      form: IdentifierForm.lowercaseUUID.rawValue, high: id.high, low: id.low, text: .init(start: nil, count: 0))
  }
}

extension DecodedBlock {
  /// The event ids as they are stored, checked; nil where they are stored in another way.
  func packedEventIDs() throws -> PackedEventIDs? {
    try read(upTo: Int(entry.length))
    guard let wordsEntry = entry(.eventWords), wordsEntry.encoding & 0xF0 == StreamEncoding.versionedUUID else {
      return nil
    }
    guard wordsEntry.storedLength == rows * 15, let bitsEntry = entry(.eventBits),
      bitsEntry.storedLength == (rows + 3) / 4, let words = try bytes(of: wordsEntry).baseAddress,
      let bits = try bytes(of: bitsEntry).baseAddress
    else { throw damaged("event ids are missing") }
    return PackedEventIDs(words: words, bits: bits, version: UInt64(wordsEntry.encoding & 15))
  }
}
