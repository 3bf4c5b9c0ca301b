// What a block takes of the log's budget of memory, asked for before it is taken.

import Buffers
import PermissionEvents

extension BlockDecoder {
  /// What has room of its own.
  enum Room: Hashable {
    case stored, group(Group), texts(BlockStream)
  }

  /// About what a row takes of which a merge wants everything.
  static let bytesOfWholeRow = 80
  /// The same of the history alone; with the attributes of all events.
  static func bytesOfHistoryRow(_ selection: HistorySelection) -> Int { selection.handsOverAllAttributes ? 56 : 40 }
  /// A decoder that held more for a block gives it back before the next: that is a block with a user like no other.
  static let ordinaryBytes = 64 << 20

  /// Bytes of the columns of a group; those of ids in text, and of codes on their way, are asked for where they are known.
  func bytes(of group: Group) -> Int {
    switch group {
    case .rowCounts: users * 8
    case .kinds: rows * 2
    case .history: rows * 12
    // Twelve bytes and four for an event of a permission; eight for any other.
    case .lanes: users * 16 + rows * 16
    case .keys: users * 21
    case .details: rows * 8
    case .attributeChanges: users * 4
    case .laneAttributes: rows * 16
    case .columns: rows * 4 * part.footer.dictionary.columns.count
    case .userRows: rows * 21
    case .packedEventIDs, .uncheckedEventIDs: rows
    case .eventIDs: rows * 21
    }
  }

  /// Counts bytes that are about to be taken; throws if all readers of the log together would hold too many.
  func hold(_ bytes: Int, as room: Room) throws {
    let before = rooms[room, default: 0]
    guard bytes > before else { return }
    rooms[room] = bytes
    held += bytes - before
    try checkMemory()
  }

  func holdScratch(_ bytes: Int) throws {
    heldScratch = max(heldScratch, bytes)
    try checkMemory()
  }

  /// The same for codes that go to `codeScratch` or to columns of those rows that have one.
  func holdCodes(_ count: Int) throws {
    heldCodes = max(heldCodes, count * 8)
    try checkMemory()
  }

  private func checkMemory() throws {
    guard memory.raise(to: held + heldScratch + heldCodes) else {
      throw LogError.tooMuchMemory(part.name, "block \(entry.number) at offset \(entry.offset)", part.budget)
    }
  }

  func forgetColumns() {
    stored = Buffer()
    scratch = Buffer()
    rowCounts = Buffer()
    firstRows = Buffer()
    kinds = Buffer()
    contexts = Buffer()
    statuses = Buffer()
    times = Buffer()
    codes = Buffer()
    permissionCounts = Buffer()
    firstPermissions = Buffer()
    permissionTimes = Buffer()
    permissionCodes = Buffer()
    permissionRows = Buffer()
    engagementCounts = Buffer()
    firstEngagements = Buffer()
    engagement = Buffer()
    hashes = Buffer()
    userWords = Buffer()
    userForms = Buffer()
    userTextStarts = Buffer()
    userTexts = Buffer()
    attributes = Buffer()
    features = Buffer()
    attributeChanges = Buffer()
    firstAttributeChanges = Buffer()
    rowAttributes = Buffer()
    permissionAttributes = Buffer()
    engagementAttributes = Buffer()
    engagementRows = Buffer()
    timeSymbols = Buffer()
    featureCodes = Buffer()
    columnCodes = Buffer()
    eventWords = Buffer()
    eventForms = Buffer()
    eventTextStarts = Buffer()
    eventTexts = Buffer()
    codeScratch = Buffer()
    held = 0
    rooms = [:]
    heldScratch = 0
    heldCodes = 0
    memory.release()
  }
}
