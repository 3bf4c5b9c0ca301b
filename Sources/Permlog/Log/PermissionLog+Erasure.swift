// Users out of a log for good, and in again.

import EventImport
import EventLog
import PermissionEvents

extension PermissionLog {
  /// Most bytes of a user's id.
  public static let longestUserID = 256

  /// Removes all events of users from every file of the log, and keeps the users out of later ingests. An id with blanks at
  /// its ends is also looked for without them: an ingest cuts them. Exports, backups and snapshots are not touched.
  /// - Parameters:
  ///   - users: ids as they are in the exports, 1 to 256 bytes each.
  ///   - key: the key with which the log was filled, if its users are pseudonyms.
  /// - Throws: `usage` for an id that none can be; then nothing was changed.
  @discardableResult
  public func erase(users: [[UInt8]], key: UserKey? = nil) throws(PermlogError) -> Erasure {
    let ids = try Self.stored(users, key)
    return try writing { writer in
      let counts = try writer.erase(ids)
      return Erasure(
        named: Set(ids).count, found: counts.found, keptOut: counts.users, events: counts.events, parts: counts.parts)
    }
  }

  /// What `erase` would do, without a change of any file.
  /// - Parameters: as those of `erase`.
  public func previewErasure(of users: [[UInt8]], key: UserKey? = nil) throws(PermlogError) -> Erasure {
    let ids = try Self.stored(users, key)
    return try translating {
      let preview = try LogSnapshot(directory).preview(erasing: ids)
      return Erasure(
        named: Set(ids).count, found: preview.users, keptOut: preview.keptOut, events: preview.events,
        parts: preview.parts)
    }
  }

  /// Lets erased users in again: their events come back with the next ingest that has them.
  /// - Returns: how many ids were named, and how many of them had been erased.
  @discardableResult
  public func readmit(users: [[UInt8]], key: UserKey? = nil) throws(PermlogError) -> Readmission {
    let ids = Set(try Self.stored(users, key))
    return try writing { Readmission(named: ids.count, readmitted: try $0.readmit(Array(ids))) }
  }

  /// The ids under which the log may know users.
  private static func stored(_ users: [[UInt8]], _ key: UserKey?) throws(PermlogError) -> [[UInt8]] {
    if let id = users.first(where: { !(1...longestUserID).contains($0.count) }) {
      throw PermlogError(
        .usage, "a user id has 1 to \(longestUserID) bytes, and this one has \(id.count). Nothing was changed.")
    }
    // An ingest cuts blanks at the ends of ids; one that kept them, or an older version, did not.
    let ids = users.flatMap { id in
      let trimmed = id.withUnsafeBytes { Array(IdentifierText.trimmed($0)) }
      return trimmed == id || trimmed.isEmpty ? [id] : [id, trimmed]
    }
    return key.map { key in ids.map { key.pseudonym(of: $0) } } ?? ids
  }
}

/// What an erasure did.
public struct Erasure: Sendable, Equatable {
  /// Different ids that were looked for.
  public var named: Int
  /// Of those the ones that had events.
  public var found: Int
  /// Those that are kept out from now on, and were not before.
  public var keptOut: Int
  /// Events that were removed.
  public var events: Int
  /// Parts that were rewritten or dropped.
  public var parts: Int
}

/// What letting users in again did.
public struct Readmission: Sendable, Equatable {
  /// Different ids that were looked for.
  public var named: Int
  /// Of those the ones that had been erased.
  public var readmitted: Int
}
