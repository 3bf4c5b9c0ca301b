// The keys that a writer needs: that of the list of erased users, and that under which users are hashed.

import PermissionEvents

extension EventLogWriter {
  /// Gives the writer the key of the list of erased users; nil if the caller has none. Without a list none is needed.
  /// - Throws: `key` if the list needs another one, or none.
  package func unlock(_ key: ErasureKey?) throws { try erasures?.unlock(key, log: directory.path) }

  /// Where the key of the list of erased users is; nil if there is no list.
  package var erasureKeyPlace: ErasureKeyPlace? { erasures?.keyPlace }

  /// Throws `key` if users under these names would be others than those of the log; the next commit with events notes them.
  /// - Parameter force: takes them all the same.
  package func admit(_ naming: UserNaming, force: Bool) throws {
    admittedUsers = try namingRules.admitting(naming, force: force)
    if parts.isEmpty {
      if case .hashed = naming { eventIDs = EventIDRules(areKeyed: true) } else { eventIDs = EventIDRules() }
    }
  }

  /// Throws `key` if nobody of the log can have such a name.
  /// - Parameter ids: that are to be erased, as the log would have them.
  package func checkErasing(_ naming: UserNaming, ids: [[UInt8]]) throws {
    admittedUsers = try namingRules.erasing(naming, ids: ids)
  }

  /// True if one person can be two users of the log.
  package var hasMixedUsers: Bool { manifest.users.isMixed }

  private var namingRules: UserNamingRules {
    UserNamingRules(log: directory.path, known: manifest.users, hasErased: erasures != nil, parts: parts)
  }

  /// Stores keyed ids in place of the events' ids that apps wrote, in every part.
  /// - Parameters:
  ///   - naming: of the key; that of the log's users.
  ///   - newID: for an id another, or nil if it stays.
  /// - Returns: false if the log has keyed ids already.
  package func hashEventIDs(
    _ naming: UserNaming, _ newID: @escaping @Sendable ([UInt8]) -> EventBatch.Identifier?
  ) throws -> Bool {
    guard manifest.users.contains(naming), !manifest.users.isMixed else {
      let finding =
        manifest.users.isMixed
        ? "its users are hashed under several keys, or hashed and plain"
        : "its users are not hashed under the key that was given"
      throw LogError(.key, "\(directory.path): \(finding)", .eraseWithUserKey)
    }
    guard !eventIDs.areKeyed else { return false }
    let rewritten = try parts.compactMap { part in
      try rewrite([part], tally: part.footer.tally, newEventID: newID).part
    }
    eventIDs.areKeyed = true
    try replace(parts: rewritten, erasures: erasures, expired: manifest.expiredBefore)
    return true
  }

  /// Moves the key of the list of erased users out of the log, into a file that is made for it. Until the new list is
  /// committed the old one works as before; a file that an interrupted call has made is taken.
  package func moveErasureKey(to path: String) throws {
    guard var list = erasures else {
      throw LogError(.key, "\(directory.path): nobody is erased from it, so it has no key", .eraseWithKey)
    }
    guard list.keyPlace == .inside else {
      // Stopped after its commit and called again, it is done.
      if let key = try KeyFile.read(path, directory.files), (try? list.unlock(key, log: directory.path)) != nil {
        return
      }
      throw LogError(.key, "\(directory.path): the key of its list of erased users is kept elsewhere already")
    }
    try KeyFile.make(path, try list.moveKeyOut(), directory.files)
    try replace(parts: parts, erasures: list, expired: manifest.expiredBefore)
  }
}

extension LogSnapshot {
  /// True if one person can be two users of the log.
  package var hasMixedUsers: Bool { manifest.users.isMixed }

  /// Where the key of the list of erased users is; nil if there is no list.
  package func erasureKeyPlace() throws -> ErasureKeyPlace? { try directory.erasureKeyPlace(manifest) }

  /// Throws `key` if nobody of the log can have such a name.
  /// - Parameter ids: that are to be erased, as the log would have them.
  package func checkErasing(_ naming: UserNaming, ids: [[UInt8]]) throws {
    let rules = UserNamingRules(
      log: directory.path, known: manifest.users, hasErased: manifest.erasures != nil, parts: parts)
    _ = try rules.erasing(naming, ids: ids)
  }
}
