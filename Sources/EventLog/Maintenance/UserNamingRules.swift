// Which names of users a log takes: those that it has. A log of before does not say which these are; then its users do, as
// far as they can.

import PermissionEvents

struct UserNamingRules {
  let log: String
  let known: UserNamings
  /// True if users are kept out, by the hashes of the names that they had.
  let hasErased: Bool
  let parts: [PartReader]

  /// What the log has after an ingest of users under these names.
  /// - Parameter force: takes them whatever the log has.
  func admitting(_ new: UserNaming, force: Bool) throws -> UserNamings {
    var all = known
    if known.isEmpty {
      // Plain ids need no note, and nobody knows if those of a log of before are.
      guard case .hashed = new else { return known }
      if let finding = try plainUsers() {
        guard force else { throw LogError(.key, "\(log): \(finding)", .giveNoUserKey) }
        all.insert(.plain)
      }
    } else if !known.contains(new), !force {
      throw refusal(of: new, .giveUserKey)
    }
    all.insert(new)
    guard all.isValid else { throw LogError(.limit, "\(log): it already has users under \(UserNamings.limit) keys") }
    return all
  }

  /// What tells that a log of before has users under plain ids; nil if nothing does.
  private func plainUsers() throws -> String? {
    let forms = try StoredForms(parts)
    if forms.hasOthers { return "its users have plain ids, but this ingest would hash them" }
    // Who was erased by a plain id is not known by a pseudonym.
    guard hasErased, !forms.hasPseudonyms else { return nil }
    return "users were erased from it, apparently by plain ids, and would reappear hashed"
  }

  /// What the log has after an erasure by these names: those of the first one are noted, as no ingest may have others.
  /// - Parameter ids: that are to be erased.
  /// - Throws: if nobody can be erased by them: an erasure that finds nobody would look like one that is done.
  func erasing(_ naming: UserNaming, ids: [[UInt8]]) throws -> UserNamings {
    var all = known
    if known.isEmpty, case .plain = naming {
      // Kept out by a plain id, nobody would be recognised under a key.
      if ids.contains(where: { !IdentifierText.isPseudonym($0) }), try StoredForms(parts, upToOther: true).arePseudonyms
      {
        throw LogError(.key, "\(log): all its users look hashed under a key, but no key was given", .eraseWithUserKey)
      }
    } else if known.isEmpty {
      let forms = try StoredForms(parts)
      // If nobody is left, those who were erased tell that users came under plain ids: a key would have been noted.
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
private struct StoredForms {
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

  private static func isPseudonym(_ id: IdentifierView) -> Bool {
    id.form == IdentifierForm.lowercaseUUID.rawValue && IdentifierText.isPseudonym(high: id.high, low: id.low)
  }
}

// MARK: Ids of some users of a log
// The log is in the order of a hash, so that the first users of a part are a random sample.

extension EventLogWriter {
  /// Ids of users as the log has them: at most 1,024, the first of its parts.
  package func sampleUsers() throws -> [[UInt8]] { try UserSample.ids(parts) }
}

extension LogSnapshot {
  /// Ids of users as the log has them: at most 1,024, the first of its parts.
  package func sampleUsers() throws -> [[UInt8]] { try UserSample.ids(parts) }
}

private enum UserSample {
  static let most = 1024

  static func ids(_ parts: [PartReader]) throws -> [[UInt8]] {
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
