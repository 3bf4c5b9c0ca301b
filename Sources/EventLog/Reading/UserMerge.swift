// Walks over the users of several parts in the log's order. A user's events may be in any of them. Nothing but
// numbers is touched for a user.

import Buffers
import PermissionEvents

/// Which parts have the next user. Owned by one thread.
final class UserMerge {
  let cursors: [PartCursor]
  private let hashes: Buffer<UInt64>
  /// Parts that are not at their end, in order.
  private let live: Buffer<Int>
  private var liveCount = 0
  /// Parts that have the current user, in order.
  let sources: Buffer<Int>
  private(set) var sourceCount = 0

  init(_ cursors: [PartCursor]) {
    self.cursors = cursors
    hashes = Buffer(repeating: 0, count: cursors.count)
    live = Buffer(repeating: 0, count: cursors.count)
    sources = Buffer(repeating: 0, count: cursors.count)
    for (number, cursor) in cursors.enumerated() where !cursor.isAtEnd {
      hashes[number] = cursor.hash
      live[liveCount] = number
      liveCount += 1
    }
  }

  /// The cursor of the first part that has the current user.
  var first: PartCursor { cursors[sources[0]] }

  /// Goes on to the next user; false at the end.
  func advance() throws -> Bool {
    for i in 0..<sourceCount {
      let source = sources[i]
      let cursor = cursors[source]
      try cursor.advance()
      hashes[source] = cursor.hash
      if cursor.isAtEnd { remove(source) }
    }
    var lowest = UInt64.max
    for i in 0..<liveCount { lowest = min(lowest, hashes[live[i]]) }
    // Nothing branches on which parts have the user, which no processor could foresee.
    var count = 0
    for i in 0..<liveCount {
      sources[count] = live[i]
      count += hashes[live[i]] == lowest ? 1 : 0
    }
    sourceCount = count
    if count > 1 { keepLowestID() }
    return count > 0
  }

  private func remove(_ source: Int) {
    var kept = 0
    for i in 0..<liveCount where live[i] != source {
      live[kept] = live[i]
      kept += 1
    }
    liveCount = kept
  }

  /// Two users may have one hash.
  private func keepLowestID() {
    var kept = 1
    for i in 1..<sourceCount {
      let (first, other) = (cursors[sources[0]], cursors[sources[i]])
      let order = other.hasUUID(of: first) ? 0 : IdentifierView.compare(other.userID, first.userID)
      if order > 0 { continue }
      if order < 0 { kept = 0 }
      sources[kept] = sources[i]
      kept += 1
    }
    sourceCount = kept
  }

  enum Lane { case permissions, engagement }

  /// Whether an event of one of the sources has an id before that of another's, both by their indices in a lane. Lanes must be
  /// loaded; for engagement, their attributes too.
  func isIDBefore(_ a: Int, _ eventA: Int, _ b: Int, _ eventB: Int, in lane: Lane) throws -> Bool {
    func row(_ source: Int, _ event: Int) -> Int {
      let cursor = cursors[sources[source]]
      let rows = (cursor.block.permissionRows.unsafeAddress, cursor.block.engagementRows.unsafeAddress)
      return cursor.rows.lowerBound + Int(lane == .permissions ? rows.0[event] : rows.1[event])
    }
    return try isIDBefore((sources[a], row(a, eventA)), (sources[b], row(b, eventB)))
  }

  /// Event ids are read for this alone: two events of one user, millisecond and kind in different parts.
  private func isIDBefore(_ a: (part: Int, row: Int), _ b: (part: Int, row: Int)) throws -> Bool {
    let (left, right) = (cursors[a.part].block, cursors[b.part].block)
    try left.load(.eventIDs)
    try right.load(.eventIDs)
    return IdentifierView.compare(left.eventID(a.row), right.eventID(b.row)) < 0
  }

  // MARK: Whole events

  /// Loads all that the rows of the current user have.
  /// - Parameter columns: also decode the columns that the program does not know.
  func loadEvents(columns: Bool) throws {
    for i in 0..<sourceCount {
      let block = cursors[sources[i]].block
      try block.load(.details)
      try block.load(.eventIDs)
      if columns { try block.load(.columns) }
    }
  }

  /// Calls `body` with the current user's rows of all parts in the order of time, kind and event id: the part's number and
  /// the row in its block. History must be loaded.
  func forEachRow(_ body: (Int, Int) throws -> Void) throws {
    let parts = (0..<sourceCount).map { sources[$0] }
    // Kinds of a part may be in another order than the program's, and so may its rows of one millisecond.
    guard parts.allSatisfy({ cursors[$0].block.kindCodes.isInOrder }) else {
      var rows = parts.flatMap { part in cursors[part].rows.map { (part: part, row: $0) } }
      try rows.sort { try isBefore($0, $1) }
      return try rows.forEach { try body($0.part, $0.row) }
    }
    if parts.count == 1 { return try first.rows.forEach { try body(parts[0], $0) } }
    var rest = parts.map { cursors[$0].rows }
    while let first = rest.firstIndex(where: { !$0.isEmpty }) {
      var best = first
      for i in rest.indices.dropFirst(first + 1) where !rest[i].isEmpty {
        if try isBefore((parts[i], rest[i].lowerBound), (parts[best], rest[best].lowerBound)) { best = i }
      }
      try body(parts[best], rest[best].removeFirst())
    }
  }

  /// Whether a row of one part comes before a row of another in the log's order.
  private func isBefore(_ a: (part: Int, row: Int), _ b: (part: Int, row: Int)) throws -> Bool {
    let (left, right) = (cursors[a.part].block, cursors[b.part].block)
    if left.times[a.row] != right.times[b.row] { return left.times[a.row] < right.times[b.row] }
    let (kindA, kindB) = (left.codes[a.row] & 15, right.codes[b.row] & 15)
    return try kindA != kindB ? kindA < kindB : isIDBefore(a, b)
  }
}

// MARK: Walks over the users of one part in order, block by block

/// The users of a part with a hash in a range. Owned by one thread.
final class PartCursor {
  let block: BlockDecoder
  private let blocks: [BlockEntry]
  private let range: ClosedRange<UInt64>
  private var next: Int
  private(set) var user = 0
  private(set) var isAtEnd = false
  private(set) var hash: UInt64 = 0
  private let hidden: HiddenUsers
  /// The next entry of `hidden`, and the hash of its user: no user before it is hidden.
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

  private func passHidden() throws {
    while !isAtEnd {
      while nextHidden < hidden.entries.count, hidden.entries[nextHidden].id.hash < hash { nextHidden += 1 }
      nextHiddenHash = nextHidden < hidden.entries.count ? hidden.entries[nextHidden].id.hash : .max
      guard hash == nextHiddenHash, hidden.hides(userID, hash: hash, in: block.part.id) else { return }
      hiddenRows += rows.count
      try step()
    }
  }

  var userID: IdentifierView { block.userID(user) }

  /// Whether the current user and another's with the same hash have the same UUID.
  @inline(__always)
  func hasUUID(of other: PartCursor) -> Bool {
    let lowercase = IdentifierForm.lowercaseUUID.rawValue
    return block.userForms[user] == lowercase && other.block.userForms[other.user] == lowercase
      && block.userWords[user] == other.block.userWords[other.user]
  }

  var rows: Range<Int> { Int(block.firstRows[user])..<Int(block.firstRows[user + 1]) }
}
