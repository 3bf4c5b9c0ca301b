// What an older part holds of the users of an ingest. The ingest asks for users in the log's order. Blocks that can have
// none of them are not opened, and of the others only the users are decoded, and the ids of the asked users' events.

import PermissionEvents

/// Walks over a part. Owned by one thread.
final class StoredUsers {
  let block: BlockDecoder
  private let blocks: [BlockEntry]
  private let hidden: HiddenUsers
  /// The block to open next.
  private var next = 0
  /// The first user of the block who may be asked for yet.
  private var place = 0
  /// The block was given back, and is opened once more for who comes next.
  private var isForgotten = false

  init(_ part: PartReader) throws {
    block = try BlockDecoder(part: part)
    blocks = part.footer.blocks
    hidden = part.hidden
  }

  /// The rows of a user in `block`; nil if the part has none.
  /// - Parameter hash: of the user. Never lower than that of the call before.
  func rows(of user: IdentifierView, hash: UInt64) throws -> Range<Int>? {
    while true {
      let hashes = block.hashes.unsafeAddress
      let count = isForgotten ? 0 : block.users
      var place = place
      while place < count, hashes[place] < hash { place += 1 }
      self.place = place
      guard place < count else {
        guard try openNext(for: hash) else { return nil }
        continue
      }
      guard hashes[place] == hash else { return nil }
      let order = IdentifierView.compare(block.userID(place), user)
      if order > 0 { return nil }
      if order == 0 {
        if hidden.hides(user, hash: hash, in: block.part.id) { return nil }
        return Int(block.firstRows[place])..<Int(block.firstRows[place + 1])
      }
      self.place = place + 1
    }
  }

  /// Opens the next block that reaches up to a hash; false, and nothing is read, if that begins after it.
  private func openNext(for hash: UInt64) throws -> Bool {
    next = max(next, blocks.firstBlock(from: hash))
    guard next < blocks.count, blocks[next].firstHash <= hash else { return false }
    try block.open(next)
    try block.load(.keys)
    next += 1
    place = 0
    isForgotten = false
    return true
  }

  /// Gives the block's memory back: of a user with very many events in very many parts, one part's are held at a time.
  func forget() {
    guard !isForgotten, block.index >= 0 else { return }
    next = block.index
    isForgotten = true
    block.forget()
  }

  /// Decodes the events of the user who was found last, for `block.event`.
  func loadEvents() throws { try block.loadRows(of: place) }
}
