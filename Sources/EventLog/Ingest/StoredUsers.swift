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
  /// How the event ids of the block are read; nil if that has not been found out.
  private var eventIDs: PackedEventIDs?
  private var areUnpacked = false
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
    eventIDs = nil
    areUnpacked = false
    isForgotten = false
    return true
  }

  /// Gives the block's memory back: of a user with very many events in very many parts, one part's are held at a time.
  func forget() {
    guard !isForgotten, block.index >= 0 else { return }
    next = block.index
    eventIDs = nil
    isForgotten = true
    block.forget()
  }

  /// Calls `body` with a row and its event id, for all rows of a range whose id may be in a filter (see
  /// `IdentifierView.filterBit`).
  func forEachEventID(_ rows: Range<Int>, in filter: UInt64, _ body: (Int, IdentifierView) throws -> Void) throws {
    if eventIDs == nil, !areUnpacked {
      eventIDs = try block.packedEventIDs()
      if eventIDs == nil {
        try block.load(.eventIDs)
        areUnpacked = true
      }
    }
    if let ids = eventIDs {
      for row in rows {
        let id = ids[row]
        if filter & id.filterBit != 0 { try body(row, id) }
      }
    } else {
      for row in rows {
        let id = block.eventID(row)
        if filter & id.filterBit != 0 { try body(row, id) }
      }
    }
  }
}
