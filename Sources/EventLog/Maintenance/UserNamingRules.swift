// A log accepts only the naming of users that it has. An older log does not record its naming; then it is inferred from
// its users, as far as possible.

import PermissionEvents

struct UserNamingRules {
  let log: String
  let known: UserNamings
  /// Whether users are kept out, by the hashes of their former names.
  let hasErased: Bool
  let parts: [PartReader]

  /// What an ingest may do to the naming of a log's users.
  struct Admitted {
    var users: UserNamings
    /// The log has pseudonyms, but not under which key: a user of the ingest who is in the log shows that it is this one.
    var isKeyUnproven = false
    /// Of such a log: all ids of its events are hashed, too.
    var areEventIDsKeyed = false
  }

  /// The naming of the log's users after an ingest under these names.
  /// - Parameter force: accepts them in any case.
  func admitting(_ new: UserNaming, force: Bool) throws -> Admitted {
    var admitted = Admitted(users: known)
    if known.isEmpty {
      // Plain ids need no marker. For logs from before the marker existed we cannot tell.
      guard case .hashed = new else { return admitted }
      let forms = try StoredForms(parts)
      if let finding = plainUsers(forms) {
        guard force else { throw LogError(.key, "\(log): \(finding)", .giveNoUserKey) }
        admitted.users.insert(.plain)
      } else if forms.hasPseudonyms {
        admitted.isKeyUnproven = !force
        admitted.areEventIDsKeyed = try StoredForms.areEventIDsPseudonyms(parts)
      }
    } else if !known.contains(new), !force {
      throw refusal(of: new, .giveUserKey)
    }
    admitted.users.insert(new)
    guard admitted.users.isValid else {
      throw LogError(.limit, "\(log): it already has users under \(UserNamings.limit) keys")
    }
    return admitted
  }

  /// Evidence that an older log has users under plain ids; nil without evidence.
  private func plainUsers(_ forms: StoredForms) -> String? {
    if forms.hasOthers { return "its users have plain ids, but this ingest would hash them" }
    // A user who was erased by a plain id is not recognised by a pseudonym.
    guard hasErased, !forms.hasPseudonyms else { return nil }
    return "users were erased from it, apparently by plain ids, and would reappear hashed"
  }

  /// The naming of the log after an erasure. The naming of the first erasure is recorded, because later ingests must
  /// use the same.
  /// - Parameter ids: that are to be erased.
  /// - Throws: if no user can be erased by them: an erasure that finds no user would look complete.
  func erasing(_ naming: UserNaming, ids: [[UInt8]]) throws -> UserNamings {
    var all = known
    if known.isEmpty, case .plain = naming {
      // Under a key, users who are kept out by a plain id would not be recognised.
      if ids.contains(where: { !IdentifierText.isPseudonym($0) }), try StoredForms(parts, upToOther: true).arePseudonyms
      {
        throw LogError(.key, "\(log): all its users look hashed under a key, but no key was given", .eraseWithUserKey)
      }
    } else if known.isEmpty {
      let forms = try StoredForms(parts)
      // If no users are left, the erased ones show that users had plain ids: a key would have been recorded.
      guard forms.hasPseudonyms || !forms.hasOthers && !hasErased else {
        throw LogError(.key, "\(log): its users are not hashed, but a key for hashing was given", .eraseWithoutUserKey)
      }
      if !forms.hasPseudonyms { all.insert(naming) }
    } else if !known.contains(naming) {
      throw refusal(of: naming, .eraseWithUserKey)
    }
    return all
  }

  private func refusal(of naming: UserNaming, _ remedy: Remedy) -> LogError {
    switch naming {
    case .plain: LogError(.key, "\(log): its users are hashed under a key, but no key was given", remedy)
    case .hashed: LogError(.key, "\(log): its users are hashed under a different key than the given one", remedy)
    }
  }
}

/// The forms of all ids of users in some parts.
struct StoredForms {
  /// Ids that have the form of a pseudonym: a UUID of version 8, small letters.
  var hasPseudonyms = false
  var hasOthers = false

  var arePseudonyms: Bool { hasPseudonyms && !hasOthers }

  /// - Parameter upToOther: looks no further than to the first id of another form.
  init(_ parts: [PartReader], upToOther: Bool = false) throws {
    for part in parts {
      let block = try BlockDecoder(part: part)
      for number in part.footer.blocks.indices {
        try block.open(number)
        try block.load(.keys)
        for user in 0..<block.users {
          if Self.isPseudonym(block.userID(user)) { hasPseudonyms = true } else { hasOthers = true }
        }
        if hasOthers && (hasPseudonyms || upToOther) { return }
      }
    }
  }

  /// Whether all ids of events have the form of a keyed hash.
  static func areEventIDsPseudonyms(_ parts: [PartReader]) throws -> Bool {
    for part in parts {
      let block = try BlockDecoder(part: part)
      for (number, entry) in part.footer.blocks.enumerated() {
        try block.open(number)
        try block.load(.eventIDs)
        for row in 0..<Int(entry.rows) where !isPseudonym(block.eventID(row)) { return false }
      }
    }
    return true
  }

  private static func isPseudonym(_ id: IdentifierView) -> Bool {
    id.form == IdentifierForm.lowercaseUUID.rawValue && IdentifierText.isPseudonym(high: id.high, low: id.low)
  }
}

// MARK: Ids of some users of a log

extension EventLogWriter {
  /// Those of some ids that the log has: of users with events, and those that are linked with them.
  package func known(among ids: [[UInt8]]) throws -> Set<[UInt8]> { try UserSearch.known(among: ids, parts, links) }

  /// Ids of users as the log has them: at most 1,024, the first of its parts.
  package func sampleUsers() throws -> [[UInt8]] { try UserSearch.sample(parts) }

  /// The ids of the log for which something holds: of users with events, and those that are linked with them.
  package func ids(where holds: ([UInt8]) throws -> Bool) throws -> [[UInt8]] {
    try UserSearch.ids(parts, links, where: holds)
  }
}

extension LogSnapshot {
  /// Those of some ids that the log has: of users with events, and those that are linked with them.
  package func known(among ids: [[UInt8]]) throws -> Set<[UInt8]> {
    try UserSearch.known(among: ids, parts, directory.readLinks(manifest).links)
  }

  /// Ids of users as the log has them: at most 1,024, the first of its parts.
  package func sampleUsers() throws -> [[UInt8]] { try UserSearch.sample(parts) }

  /// The ids of the log for which something holds: of users with events, and those that are linked with them.
  package func ids(where holds: ([UInt8]) throws -> Bool) throws -> [[UInt8]] {
    try UserSearch.ids(parts, directory.readLinks(manifest).links, where: holds)
  }
}

extension LogSnapshot {
  /// Calls `body` with every id of a user that a file of the log has: of its events, of events that newer parts have instead,
  /// of the log before its newest ingest, of links, and of the list of excluded users. An id can occur several times.
  package func forEachStoredID(_ body: ([UInt8]) throws -> Void) throws {
    for part in try parts + manifest.previousParts.map({ try PartReader($0, in: directory) }) {
      let block = try BlockDecoder(part: part)
      for number in part.footer.blocks.indices {
        try block.open(number)
        try block.load(.keys)
        for user in 0..<block.users { try body(block.userID(user).bytes) }
      }
    }
    for links in Set([manifest.links, manifest.previous?.state.links].compactMap { $0 }) {
      let content = try directory.readLinks(id: links.id, expected: links)
      for id in content.links.orderedGroups.joined() { try body(id) }
      for entry in content.hidden.entries { try body(entry.id.bytes) }
      for ids in content.split.sessions.keys { for id in ids { try body(id) } }
    }
    for id in try directory.readExclusions(manifest).ids { try body(id) }
  }

  /// Calls `body` with every word of the names of files that the log remembers; a word can occur several times.
  package func forEachWordOfFileNames(_ body: ([UInt8]) throws -> Void) throws {
    try directory.readHistoryIfWhole(manifest)?.forEachWord(body)
  }
}

enum UserSearch {
  private static let most = 1024

  static func known(among ids: [[UInt8]], _ parts: [PartReader], _ links: UserLinks) throws -> Set<[UInt8]> {
    // Events of linked ids are stored under one of them.
    var known = Set(ids.filter { links.members(of: $0) != nil })
    let wanted = Set(ids).subtracting(known).map { UserLinks.ID($0) }.sorted { UserLinks.ID.isBefore($0, $1) }
    for part in parts {
      let users = try StoredUsers(part)
      for id in wanted where try users.rows(of: id) != nil { known.insert(id.bytes) }
    }
    return known
  }

  /// All ids for which something holds, each once, in the order of the log, then those that only links have.
  static func ids(
    _ parts: [PartReader], _ links: UserLinks = UserLinks(), where holds: ([UInt8]) throws -> Bool
  ) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    if !parts.isEmpty {
      let vocabulary = LogVocabulary(parts)
      let merge = UserMerge(
        try parts.map { try PartCursor($0, range: 0...UInt64.max, kinds: vocabulary.codes(of: $0.footer.dictionary)) })
      while try merge.advance() {
        let id = merge.first.userID.bytes
        if try holds(id) { found.append(id) }
      }
    }
    guard !links.isEmpty else { return found }
    let known = Set(found)
    for id in links.orderedGroups.joined() where try !known.contains(id) && holds(id) { found.append(id) }
    return found
  }

  /// The log is in the order of a hash, so that the first users of a part are a random sample.
  static func sample(_ parts: [PartReader]) throws -> [[UInt8]] {
    var ids: [[UInt8]] = []
    // Of many parts some are enough: the largest have most of the users.
    let largest = parts.sorted { $0.footer.rows > $1.footer.rows }.prefix(4)
    for part in largest where !part.footer.blocks.isEmpty {
      let block = try BlockDecoder(part: part)
      try block.open(0)
      try block.load(.keys)
      for user in 0..<min(block.users, most / largest.count) { ids.append(block.userID(user).bytes) }
    }
    return ids
  }
}
