// What a rewrite leaves out: users, or events before a time.

import PermissionEvents

/// Events to remove.
struct Removal: Sendable {
  /// What was removed: events, and the ids of users of whom nothing stays in the rewritten parts.
  struct Counts: Sendable {
    var events = 0
    /// Rows that a newer part has in their place.
    var hidden = 0
    var users: Set<[UInt8]> = []

    mutating func formUnion(_ other: Self) {
      events += other.events
      hidden += other.hidden
      users.formUnion(other.users)
    }
  }

  /// Ids of users by their hash: two ids can have one hash.
  private let users: [UInt64: [[UInt8]]]
  private let hashes: [UInt64]
  private let before: Milliseconds

  init(users ids: [[UInt8]]) {
    users = Dictionary(grouping: ids) { $0.withUnsafeBytes { UserHash.of($0) } }
    hashes = users.keys.sorted()
    before = .min
  }

  init(before time: Milliseconds) {
    users = [:]
    hashes = []
    before = time
  }

  /// True if all events of a user go.
  func removes(_ user: IdentifierView, hash: UInt64) -> Bool {
    guard !users.isEmpty, let ids = users[hash] else { return false }
    return ids.contains(user.bytes)
  }

  func removes(_ time: Milliseconds) -> Bool { time < before }

  /// True if events go by their time.
  var concernsTimes: Bool { before > .min }

  /// True if a part has an event to remove. Reads the users of those blocks that can have one of them.
  func concerns(_ part: PartReader) throws -> Bool {
    if part.footer.minimumTime < before { return true }
    guard !hashes.isEmpty else { return false }
    let block = try BlockDecoder(part: part)
    for (i, entry) in part.footer.blocks.enumerated() where mayHold(entry) {
      try block.open(i)
      try block.load(.keys)
      for user in 0..<block.users where removes(block.userID(user), hash: block.hashes[user]) { return true }
    }
    return false
  }

  /// True if a hash of one of the users is in a block's range.
  private func mayHold(_ entry: BlockEntry) -> Bool {
    let place = hashes.firstPlace { $0 >= entry.firstHash }
    return place < hashes.count && hashes[place] <= entry.lastHash
  }
}
