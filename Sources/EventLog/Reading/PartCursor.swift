// Walks over the users of one part in order, block by block.

import Buffers
import PermissionEvents

/// The users of a part whose hash is in a range. Owned by one thread.
final class PartCursor {
  let block: BlockDecoder
  private let blocks: [BlockEntry]
  private let range: ClosedRange<UInt64>
  private var next: Int
  /// The current user's number in the block.
  private(set) var user = 0
  private(set) var isAtEnd = false
  /// The current user's hash.
  private(set) var hash: UInt64 = 0
  private let hidden: HiddenUsers
  /// The next entry of `hidden`, and the hash of its user: nobody is hidden before that.
  private var nextHidden: Int
  private var nextHiddenHash: UInt64
  /// Rows that were passed over.
  private(set) var hiddenRows = 0
  /// Of the block.
  private var userCount = 0
  private var hashes: UnsafePointer<UInt64>

  /// - Parameter kinds: the codes to translate the part's kinds to.
  convenience init(_ part: PartReader, range: ClosedRange<UInt64>, kinds: KindCodes) throws {
    let block = try BlockDecoder(part: part)
    block.kindCodes = kinds
    try self.init(part, range: range, block: block)
  }

  /// - Parameter block: of the part, at any of its blocks. If that is the range's first it is not read again.
  init(_ part: PartReader, range: ClosedRange<UInt64>, block: BlockDecoder) throws {
    self.block = block
    blocks = part.footer.blocks
    hashes = UnsafePointer(block.hashes.unsafeAddress)
    self.range = range
    next = blocks.firstBlock(from: range.lowerBound)
    hidden = part.hidden
    nextHidden = hidden.counts[part.id] == nil ? hidden.entries.count : hidden.first(from: range.lowerBound)
    nextHiddenHash = nextHidden < hidden.entries.count ? hidden.entries[nextHidden].id.hash : .max
    try openNext()
    if hash >= nextHiddenHash { try passHidden() }
  }

  private func openNext() throws {
    while next < blocks.count, blocks[next].firstHash <= range.upperBound {
      if block.index != next { try block.open(next) }
      next += 1
      try block.load(.keys)
      userCount = block.users
      hashes = UnsafePointer(block.hashes.unsafeAddress)
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
    try step()
    if hash >= nextHiddenHash { try passHidden() }
  }

  @inline(__always)
  private func step() throws {
    user += 1
    guard user < userCount else { return try openNext() }
    hash = hashes[user]
    isAtEnd = hash > range.upperBound
  }

  /// Goes on to the next user that is not hidden.
  private func passHidden() throws {
    while !isAtEnd {
      while nextHidden < hidden.entries.count, hidden.entries[nextHidden].id.hash < hash { nextHidden += 1 }
      nextHiddenHash = nextHidden < hidden.entries.count ? hidden.entries[nextHidden].id.hash : .max
      guard hash == nextHiddenHash, hidden.hides(userID, hash: hash, in: block.part.id) else { return }
      hiddenRows += rows.count
      try step()
    }
  }

  /// The current user's id.
  var userID: IdentifierView { block.userID(user) }

  /// True if the current user and another's, which has the same hash, have the same UUID.
  @inline(__always)
  func hasUUID(of other: PartCursor) -> Bool {
    let lowercase = IdentifierForm.lowercaseUUID.rawValue
    return block.userForms[user] == lowercase && other.block.userForms[other.user] == lowercase
      && block.userWords[user] == other.block.userWords[other.user]
  }

  /// The current user's rows in the block.
  var rows: Range<Int> { Int(block.firstRows[user])..<Int(block.firstRows[user + 1]) }
}
