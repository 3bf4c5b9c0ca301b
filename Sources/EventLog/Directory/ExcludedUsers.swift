// The log's own list of users that no answer counts: the team, testers, monitors. Their events stay. The list is a file of
// its own that is immutable, like a part: each change writes a new one, and the manifest says which is live.
//
// file := magic 8, version 2, zeros 2, users 4, id 8, (length varint, id's bytes) × users, checksum of all before 8
//
// Ids are those under which the log has its users, rising bytewise.

import PermissionEvents

/// The description of the file in a manifest.
package struct ExclusionDescription: NumberedFile, Sendable, Hashable {
  static let word = "excluded"

  package var id: UInt64
  /// The last eight bytes of the file.
  package var checksum: UInt64
  package var users: UInt32

  package var name: String { Self.name(id) }
}

/// A set of users' ids, each once, in the order of their bytes.
package struct ExcludedUsers: Sendable, Equatable {
  private static let magic: UInt64 = 0x3158_474F_4C4D_5250  // "PRMLOGX1"
  private static let version: UInt16 = 1
  private static let longestID = 256
  package static let mostUsers = 1 << 18
  static let maximumLength = 8 + 2 + 2 + 4 + 8 + mostUsers * (longestID + 2) + 8

  package private(set) var ids: [[UInt8]] = []

  package init() {}

  package init(_ ids: [[UInt8]]) { insert(ids) }

  package var isEmpty: Bool { ids.isEmpty }

  package func contains(_ id: [UInt8]) -> Bool {
    let place = ids.firstPlace { !$0.lexicographicallyPrecedes(id) }
    return place < ids.count && ids[place] == id
  }

  /// - Returns: how many were not there before.
  @discardableResult
  package mutating func insert(_ more: [[UInt8]]) -> Int {
    let before = ids.count
    ids = Set(ids + more).sorted { $0.lexicographicallyPrecedes($1) }
    return ids.count - before
  }

  /// - Returns: how many were there.
  @discardableResult
  package mutating func remove(_ others: [[UInt8]]) -> Int {
    let gone = Set(others)
    let before = ids.count
    ids.removeAll(where: gone.contains)
    return before - ids.count
  }

  /// Distinguishes the set from others without revealing an id: 16 hexadecimal digits.
  package var checksum: String {
    FileName.digits(
      Checksum.of(ids.flatMap { [UInt8(truncatingIfNeeded: $0.count), UInt8($0.count >> 8)] + $0 }, seed: 0))
  }

  // MARK: The file

  func encode(id: UInt64) -> (bytes: [UInt8], description: ExclusionDescription) {
    var w = ByteWriter()
    let users = UInt32(truncatingIfNeeded: ids.count)
    w.u64(Self.magic)
    w.u16(Self.version)
    w.u16(0)
    w.u32(users)
    w.u64(id)
    ids.forEach { w.text($0) }
    let checksum = Checksum.of(w.bytes, seed: id)
    w.u64(checksum)
    return (w.bytes, ExclusionDescription(id: id, checksum: checksum, users: users))
  }

  /// Reads a list; throws if a byte differs from what was written.
  /// - Parameter expected: its description in the manifest; nil without a manifest.
  init(_ bytes: [UInt8], id: UInt64, expected: ExclusionDescription?, file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "list of excluded users", what) }
    ids = try bytes.withUnsafeBytes { buffer in
      var r = ByteReader(.init(rebasing: buffer.dropLast(8)))
      var tail = ByteReader(.init(rebasing: buffer.suffix(8)))
      guard r.u64() == Self.magic, let version = r.u16() else {
        throw damaged("it is not a list of excluded users")
      }
      guard version <= Self.version else { throw LogError.newerFormat(file, version, newest: Self.version) }
      let checksum = Checksum.of(.init(rebasing: buffer.dropLast(8)), seed: id)
      guard checksum == tail.u64(), expected?.checksum ?? checksum == checksum else {
        throw damaged("its checksum does not match")
      }
      guard r.u16() == 0, let users = r.u32(), expected?.users ?? users == users, r.u64() == id else {
        throw damaged("it is of another list")
      }
      var ids: [[UInt8]] = []
      while r.remaining > 0, let text = r.text(maximum: Self.longestID), !text.isEmpty,
        ids.last.map({ $0.lexicographicallyPrecedes(text) }) ?? true
      { ids.append(text) }
      guard r.remaining == 0, ids.count == users else { throw damaged("it is not as permlog writes it") }
      return ids
    }
  }
}

extension LogDirectory {
  /// The users that a manifest's list leaves out of answers; empty if it names none.
  package func readExclusions(_ manifest: Manifest) throws -> ExcludedUsers {
    try named(manifest.exclusions, "list of excluded users", manifest) { try readExclusions(id: $0.id, expected: $0) }
      ?? ExcludedUsers()
  }

  /// The list with an id, checked against its description in a manifest, if any.
  func readExclusions(id: UInt64, expected: ExclusionDescription?) throws -> ExcludedUsers {
    let name = ExclusionDescription.name(id)
    let bytes = try contents(name, maximum: ExcludedUsers.maximumLength)
    return try ExcludedUsers(bytes, id: id, expected: expected, file: file(name))
  }

  /// Writes a new list; no reader knows it before a manifest names it.
  func write(_ exclusions: ExcludedUsers, id: UInt64) throws -> ExclusionDescription {
    let (bytes, description) = exclusions.encode(id: id)
    try create(description.name, bytes).close()
    return description
  }
}

// MARK: Changes of the list

extension EventLogWriter {
  /// Leaves users out of all answers, or takes that back. No event changes.
  /// - Returns: how many ids were not in the list before, or were.
  package func exclude(_ ids: [[UInt8]]) throws -> Int {
    var list = exclusions
    let new = ids.filter { !list.contains($0) }
    let count = list.insert(ids)
    guard list.ids.count <= ExcludedUsers.mostUsers else {
      throw LogError(.limit, "\(directory.path): a log can leave out at most \(ExcludedUsers.mostUsers) users")
    }
    try replace(exclusions: list, changed: new)
    return count
  }

  /// Ids of the list that are linked with one of these: such a user is left out whatever else is named.
  package func excluded(linkedWith ids: [[UInt8]]) -> [[UInt8]] { links.closure(of: ids).filter(exclusions.contains) }

  package func include(_ ids: [[UInt8]]) throws -> Int {
    var list = exclusions
    let gone = ids.filter { list.contains($0) }
    let count = list.remove(ids)
    try replace(exclusions: list, changed: gone)
    return count
  }

  private func replace(exclusions list: ExcludedUsers, changed: [[UInt8]]) throws {
    guard !changed.isEmpty else { return }
    exclusions = list
    var next = manifest
    // Answers change only if the log has events of one of them.
    let count = try known(among: changed).count
    if let now, let reach = newestTime, count > 0 {
      next.changes.note(PastChange(kind: .excludedUsers, first: now, last: now, reach: reach, oldest: 0, count: count))
    }
    try directory.removeForGood(commitState(next))
  }
}
