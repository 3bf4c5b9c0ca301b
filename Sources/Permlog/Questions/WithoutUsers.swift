// Users who are left out of answers, as if they had no events: the team, testers, monitors. The log keeps a list of them,
// and a question can name more.

import EventImport
import EventLog
import PermissionEvents

/// Users whom a question leaves out, beside those of the log's own list.
public struct WithoutUsers: Sendable, Hashable {
  /// Files of ids, one a line, as they are in the exports. Blank lines, and lines that begin with #, are skipped. Ids
  /// that are linked with one of them are the same user.
  public var files: [String]
  /// The files of the keys with which the log was filled, the oldest first, if its users are pseudonyms. Without them
  /// the ids must be pseudonyms as the log exports them.
  public var keys: [String]

  public init(files: [String] = [], keys: [String] = []) { (self.files, self.keys) = (files, keys) }

  /// The ids of the files.
  func ids() throws(PermlogError) -> [[UInt8]] {
    var ids: [[UInt8]] = []
    for path in files {
      do {
        let file = try UserIDLines(path, most: PermissionLog.longestUserID)
        guard !file.lines.isEmpty else { throw PermlogError.usage("\(path): it has no ids", .withoutUsers) }
        ids += file.lines
      } catch let fault as UserIDLines.Fault {
        throw fault.error(path)
      } catch { throw PermlogError(error) }
    }
    return ids
  }

  func key(besides log: String) throws(PermlogError) -> UserKey? {
    try KeyFileReader.userKey(keys, isOutside: log)
  }
}

extension UserIDLines.Fault {
  fileprivate func error(_ path: String) -> PermlogError {
    switch self {
    case .unreadable(let reason):
      PermlogError(
        .inputOutput, "\(path): \(reason). Name a file that can be read", argument: .withoutUsers, cause: self)
    case .longLine(let number):
      .usage(
        "\(path), line \(number): a user id has 1 to \(PermissionLog.longestUserID) bytes, but this line is longer",
        .withoutUsers)
    }
  }
}

extension PermlogError.Argument {
  public static let withoutUsers = Self(rawValue: "without_users")
}

extension RequestField {
  static var withoutUsers: [Self] {
    [
      Self(
        .withoutUsers, \Request.scope.without.files, .files, "file", isCounted: nil,
        "Leave out the users of this file, one id a line (lines that begin with # are skipped), as if they had no events; beside the log's own list (permlog users). Repeat it for several files."
      ),
      Self(
        .userKey, \Request.scope.without.keys, .files, "keyfile", isCounted: nil,
        "The key with which the log was filled, if its users are hashed: for the ids of `without_users`. After permlog rekey give all, the oldest first."
      ),
    ]
  }
}

extension FieldRule {
  static let keyWithUsers = Self.only(.userKey, with: .withoutUsers)
}

// MARK: The log without them

extension PermissionLog {
  /// The newest state of the log as questions see it.
  func asked(_ without: WithoutUsers = WithoutUsers()) throws -> LogSnapshot {
    let (ids, key) = (try without.ids(), try without.key(besides: path))
    if let pinned {
      guard !ids.isEmpty else { return pinned }
      let stored = try Self.storedIDs(of: ids, key, pinned)
      return try pinned.leavingOut(stored, named: SoughtIDs(ids, key).lastIDs, threads: threads)
    }
    guard !ids.isEmpty else { return try LogSnapshot(asked: directory, threads: threads) }
    let stored = try Self.storedIDs(of: ids, key, LogSnapshot(directory))
    // Which spellings a log has is no part of the list: shards with the same file have the same one.
    return try LogSnapshot(
      asked: directory, without: stored, named: SoughtIDs(ids, key).lastIDs, threads: threads)
  }

  /// The checksum of a list for a log without events.
  func checksum(of without: WithoutUsers) throws -> String {
    ExcludedUsers(SoughtIDs(try without.ids(), try without.key(besides: path)).lastIDs).checksum
  }

  /// The ids under which a log has users: each of those that it has, else the one that an ingest would give now.
  /// - Throws: `key` if the log's users have other names.
  fileprivate static func storedIDs(
    of ids: [[UInt8]], _ key: UserKey?, _ snapshot: LogSnapshot
  ) throws -> [[UInt8]] {
    let sought = SoughtIDs(ids, key)
    // Pseudonyms as the log exports them are its own ids, and need no key.
    if key != nil || !sought.ids.allSatisfy(IdentifierText.isPseudonym) {
      try checkKey(UserNaming(key), sought.ids, snapshot)
    }
    let known = try snapshot.known(among: sought.ids)
    return sought.given.flatMap { id -> [[UInt8]] in
      let there = sought.ids(of: id).filter(known.contains)
      return there.isEmpty ? sought.ids(of: id).suffix(1) : there
    }
  }
}

// MARK: The log's own list

/// A change of the list of users whom a log leaves out of answers.
public struct Exclusion: Sendable, Hashable {
  /// Different ids that were named.
  public var named = 0
  /// Those that were not in the list before, or that were and are not any more.
  public var changed = 0
  /// Ids of the list now.
  public var listed = 0
  /// Those of the named ids that have events in the log.
  public var withEvents = 0
  /// Ids of the list that are linked with a named one: the user is left out as long as one of them is listed.
  public var linked: [[UInt8]] = []
}

extension PermissionLog {
  /// Leaves users out of every answer from now on, as if they had no events. Their events stay in the log and in its exports, and
  /// ``include(users:key:)`` takes it back.
  /// - Parameters:
  ///   - users: ids as they are in the exports; also of users who have no events yet.
  ///   - key: the key with which the log was filled, if its users are pseudonyms.
  /// - Throws: `usage` for an id that cannot be a user's, `key` for a missing or a wrong key; then nothing was changed.
  @discardableResult
  public func exclude(users: [[UInt8]], key: UserKey? = nil) throws(PermlogError) -> Exclusion {
    try changeExclusions(users, key) { try $0.exclude($1) }
  }

  /// Takes users back into answers.
  @discardableResult
  public func include(users: [[UInt8]], key: UserKey? = nil) throws(PermlogError) -> Exclusion {
    try changeExclusions(users, key) { try $0.include($1) }
  }

  private func changeExclusions(
    _ users: [[UInt8]], _ key: UserKey?, _ change: (EventLogWriter, [[UInt8]]) throws -> Int
  ) throws(PermlogError) -> Exclusion {
    try Self.check(users)
    return try writing { writer in
      let snapshot = try LogSnapshot(directory)
      let ids = try Self.storedIDs(of: users, key, snapshot)
      var result = Exclusion(named: Set(ids).count)
      result.changed = try change(writer, ids)
      result.listed = writer.exclusions.ids.count
      result.withEvents = try snapshot.known(among: ids).count
      result.linked = writer.excluded(linkedWith: ids).filter { !ids.contains($0) }
      return result
    }
  }

  /// The ids of the log's list, in the order of their bytes.
  public func excludedUsers() throws(PermlogError) -> [[UInt8]] {
    try translating {
      let snapshot = try LogSnapshot(directory)
      return try snapshot.directory.readExclusions(snapshot.manifest).ids
    }
  }
}
