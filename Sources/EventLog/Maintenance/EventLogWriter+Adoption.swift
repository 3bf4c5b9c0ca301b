// Erased users of another log: a log that is made of an export keeps them out, too.

import PermissionEvents

extension EventLogWriter {
  /// Takes over the list of erased users of another log, and removes their events.
  /// - Parameters:
  ///   - list: unlocked, if its key is kept elsewhere.
  ///   - naming: of the users of its log.
  /// - Throws: `key` if this log has a list with another key, or users with other names: then nobody of the list would be found.
  package func adopt(_ list: ErasureList, of naming: ListNaming) throws -> ErasureCounts {
    var counts = ErasureCounts()
    guard !list.isEmpty else { return counts }
    let own = try ListNaming(manifest.users, parts, hasErased: erasures != nil)
    let isNew = parts.isEmpty && links.isEmpty
    guard !list.hasFormerIDs || isNew else {
      throw LogError(
        .key,
        "\(directory.path): users of the list were erased before its log was rekeyed. They cannot be recognised among users with "
          + "events. Import it into an empty log, or erase the ids here")
    }
    guard naming.fits(own) else {
      throw LogError(
        .key,
        "\(directory.path): users have other ids here than in the log that the list is of: there they are \(naming.words), here "
          + "\(own.words). No user of the list would be recognised. Erase the ids here")
    }
    if own == .none, case .hashed(let check) = naming {
      var namings = UserNamings()
      namings.insert(.hashed(check: check))
      admittedUsers = namings
    }
    let list = list.withoutEvents
    var joined = erasures ?? list
    guard joined.keyCheck == list.keyCheck else {
      throw LogError(
        .key,
        "\(directory.path): it has a list of erased users with another key, so the two lists cannot be joined. "
          + "Erase the ids here. If several machines are to share a list, give all of them the same key file "
          + "from the first erasure on, or import the list before anything is erased")
    }
    counts.users = erasures == nil ? list.count : try joined.formUnion(list)
    guard counts.users > 0 else { return counts }
    let theirs = try UserSearch.ids(parts, links) { try list.contains($0) }
    // Without a user of the list nothing shows that the two logs have the same keys.
    guard !theirs.isEmpty || isNew || naming.isKnown && own.isKnown else {
      throw LogError(
        .key,
        "\(directory.path): it has no user of the list, and perhaps its users are hashed under other keys than the "
          + "list. Ingest with the keys first, which records them, and import the list then")
    }
    // Here they may be linked with more ids, which are the same persons.
    let users = links.closure(of: theirs)
    let (remaining, removed) = try rewriteParts(without: Removal(users: users), &counts)
    counts.linked = users.count - theirs.count
    counts.users += try joined.insert(links.records(users, removed: removed, persons: [], at: now ?? 0))
    // Users without events are in no part, and the list's hashes do not show who they are.
    newNumbers = []
    _ = history.forget(naming: users)
    exclusions.remove(try users + exclusions.ids.filter(list.contains))
    if users.contains(where: { links.members(of: $0) != nil }) {
      links.remove(users)
      hasOtherLinks = true
    }
    if split.remove(users) { hasOtherLinks = true }
    var changes = manifest.changes
    if let now, counts.found > 0, let reach = remaining.map(\.footer.maximumTime).max() {
      changes.note(PastChange(kind: .erasedUsers, first: now, last: now, reach: reach, oldest: 0, count: counts.found))
    }
    try replace(parts: remaining, erasures: joined, expired: manifest.expiredBefore, changes: changes)
    return counts
  }
}

extension LogDirectory {
  /// The log's list of erased users as a file for other logs; nil if it has none.
  package func erasureFile() throws -> (bytes: [UInt8], users: Int)? {
    let manifest = try readManifest()
    guard let list = try readErasures(manifest), !list.isEmpty else { return nil }
    let parts = try LogSnapshot(self).parts
    let naming = try ListNaming(manifest.users, parts, hasErased: true)
    return (list.encode(id: naming.code).bytes, list.count)
  }
}

extension ErasureList {
  /// A list in a file of its own, and the naming of the users of its log.
  package static func read(file bytes: [UInt8], name: String) throws -> (list: ErasureList, naming: ListNaming) {
    // A list in a log has its number there.
    let code = bytes.withUnsafeBytes { buffer -> UInt64 in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: buffer.dropFirst(16)))
      return reader.u64() ?? 0
    }
    return (try ErasureList(bytes, id: code, expected: nil, file: name), ListNaming(code: code))
  }
}

/// The names under which the log of a list of erased users had them. A list has hashes of these names.
package enum ListNaming: Sendable, Equatable {
  /// There never was a user.
  case none
  case plain
  /// Under keys, which the check distinguishes from others.
  case hashed(check: UInt64)
  case unknownKey
  case mixed

  init(_ namings: UserNamings, _ parts: [PartReader], hasErased: Bool) throws {
    if namings.isMixed {
      self = .mixed
    } else if let check = namings.keys.first {
      self = .hashed(check: check)
    } else if parts.isEmpty {
      self = hasErased ? .plain : .none
    } else {
      self = try StoredForms(parts, upToOther: true).arePseudonyms ? .unknownKey : .plain
    }
  }

  var isKnown: Bool { self != .unknownKey }

  init(code: UInt64) {
    switch code {
    case 0: self = .plain
    case 1: self = .unknownKey
    case .max: self = .mixed
    default: self = .hashed(check: code)
    }
  }

  var code: UInt64 {
    switch self {
    case .none, .plain: 0
    case .unknownKey: 1
    case .mixed: .max
    case .hashed(let check): check
    }
  }

  /// Whether users of a log can be recognised by the list, as far as this is known.
  func fits(_ log: ListNaming) -> Bool {
    if log == .none || log == self { return true }
    switch (self, log) {
    // A log that is made of an export has pseudonyms of a key that it does not know.
    case (.hashed, .unknownKey), (.unknownKey, .hashed): return true
    default: return false
    }
  }

  var words: String {
    switch self {
    case .none, .plain: "as in the exports"
    case .hashed(let check): "hashed (keys with the check \(FileName.digits(check)))"
    case .unknownKey: "hashed"
    case .mixed: "partly hashed"
    }
  }
}
