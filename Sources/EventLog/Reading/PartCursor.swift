// Walks over the users of one part in order, block by block.

import PermissionEvents

/// The users of a part whose hash lies in a range. Owned by one thread.
final class PartCursor {
  let block: DecodedBlock
  private let blocks: [BlockEntry]
  private let range: ClosedRange<UInt64>
  private var next: Int
  /// The current user's number in the block.
  private(set) var user = 0
  private(set) var isAtEnd = false
  /// The current user's hash.
  private(set) var hash: UInt64 = 0
  /// Of the block.
  private var userCount = 0
  private var hashes: UnsafePointer<UInt64>

  /// - Parameter kinds: the codes to translate the part's kinds to.
  convenience init(_ part: PartReader, range: ClosedRange<UInt64>, kinds: KindCodes) throws {
    let block = try DecodedBlock(part: part)
    block.kindCodes = kinds
    try self.init(part, range: range, block: block)
  }

  /// - Parameter block: of the part, at whatever block it stands. Where that is the range's first it is not read again.
  init(_ part: PartReader, range: ClosedRange<UInt64>, block: DecodedBlock) throws {
    self.block = block
    blocks = part.footer.blocks
    hashes = UnsafePointer(block.hashes.pointer)
    self.range = range
    next = Self.firstBlock(blocks, from: range.lowerBound)
    try openNext()
  }

  /// The first block that ends at or behind a hash.
  static func firstBlock(_ blocks: [BlockEntry], from hash: UInt64) -> Int {
    blocks.firstPlace { $0.lastHash >= hash }
  }

  private func openNext() throws {
    while next < blocks.count, blocks[next].firstHash <= range.upperBound {
      if block.index != next { try block.open(next) }
      next += 1
      try block.load(.keys)
      userCount = block.users
      hashes = UnsafePointer(block.hashes.pointer)
      user = 0
      while user < userCount, hashes[user] < range.lowerBound { user += 1 }
      if user < userCount {
        hash = hashes[user]
        isAtEnd = hash > range.upperBound
        return
      }
    }
    isAtEnd = true
  }

  /// Goes on to the next user.
  func advance() throws {
    user += 1
    guard user < userCount else { return try openNext() }
    hash = hashes[user]
    isAtEnd = hash > range.upperBound
  }

  /// The current user's id.
  var userID: IdentifierView { block.userID(user) }

  /// True where the current user and another's, which has the same hash, have the same UUID.
  @inline(__always)
  func hasUUID(of other: PartCursor) -> Bool {
    let lowercase = IdentifierForm.lowercaseUUID.rawValue
    return block.userForms.pointer[user] == lowercase && other.block.userForms.pointer[other.user] == lowercase
      && block.userWords.pointer[user] == other.block.userWords.pointer[other.user]
  }

  /// The current user's rows in the block.
  var rows: Range<Int> { Int(block.firstRows.pointer[user])..<Int(block.firstRows.pointer[user + 1]) }
}

extension DecodedBlock {
  /// The id of a user of the block; keys must be loaded. Valid until the next block is opened.
  func userID(_ user: Int) -> IdentifierView {
    let form = userForms.pointer[user]
    let low = userWords.pointer[user]
    let start = Int(userTextStarts.pointer[user])
    let end = Int(userTextStarts.pointer[user + 1])
    return IdentifierView(
      form: form, high: form == 0 ? 0 : UserHash.highWord(hash: hashes.pointer[user], low: low), low: low,
      text: UnsafeRawBufferPointer(start: userTexts.pointer + start, count: end - start))
  }

  /// The id of an event; event ids must be loaded. Valid until the next block is opened.
  func eventID(_ row: Int) -> IdentifierView {
    let start = Int(eventTextStarts.pointer[row])
    let end = Int(eventTextStarts.pointer[row + 1])
    return IdentifierView(
      form: eventForms.pointer[row], high: eventWords.pointer[row * 2], low: eventWords.pointer[row * 2 + 1],
      text: UnsafeRawBufferPointer(start: eventTexts.pointer + start, count: end - start))
  }

  /// An event whole; history, details and event ids must be loaded, without a projection.
  func event(_ row: Int) -> StoredEvent {
    let code = codes.pointer[row]
    return StoredEvent(
      time: times.pointer[row], eventHigh: eventWords.pointer[row * 2], eventLow: eventWords.pointer[row * 2 + 1],
      context: code >> HistoryBatch.contextShift, attributes: attributes.pointer[row], feature: features.pointer[row],
      kind: UInt8(truncatingIfNeeded: code & 15), status: UInt8(truncatingIfNeeded: code >> 4 & 15),
      eventForm: eventForms.pointer[row])
  }
}
