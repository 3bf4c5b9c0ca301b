// Which names of users a log takes: those that it has. A log of before does not say which these are; then its users do, as
// far as they can.

import PermissionEvents

struct UserNamingRules {
  /// The log's path.
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
    guard all.isValid else { throw LogError(.limit, "\(log): it has users under \(UserNamings.limit) keys already") }
    return all
  }

  /// What tells that a log of before has users under plain ids; nil if nothing does.
  private func plainUsers() throws -> String? {
    let forms = try StoredForms(parts)
    if forms.hasOthers { return "it has users under plain ids, and now they would be hashed" }
    // Who was erased by a plain id is not known by a pseudonym.
    guard hasErased, !forms.hasPseudonyms else { return nil }
    return "users were erased from it, as far as it tells by plain ids, and would come back hashed"
  }

  /// What the log has after an erasure by these names: those of the first one are noted, as no ingest may have others.
  /// - Throws: if nobody can be erased by them: an erasure that finds nobody would look like one that is done.
  func erasing(_ naming: UserNaming) throws -> UserNamings {
    var all = known
    if known.isEmpty {
      guard case .hashed = naming else { return known }
      let forms = try StoredForms(parts)
      guard forms.hasPseudonyms || !forms.hasOthers else {
        throw LogError(.key, "\(log): its users are not hashed, and a key for that was given", .eraseWithoutUserKey)
      }
      if !forms.hasPseudonyms, !hasErased { all.insert(naming) }
    } else if !known.contains(naming) {
      throw refusal(of: naming, .eraseWithUserKey)
    }
    return all
  }

  private func refusal(of naming: UserNaming, _ remedy: Remedy) -> LogError {
    switch naming {
    case .plain: LogError(.key, "\(log): its users are hashed under a key, and none was given", remedy)
    case .hashed: LogError(.key, "\(log): its users are hashed under another key than the one that was given", remedy)
    }
  }
}

/// The forms of all ids of users in some parts.
private struct StoredForms {
  /// Ids that have the form of a pseudonym: a UUID of version 8, small letters.
  var hasPseudonyms = false
  var hasOthers = false

  init(_ parts: [PartReader]) throws {
    for part in parts {
      let block = try BlockDecoder(part: part)
      for number in part.footer.blocks.indices {
        try block.open(number)
        try block.load(.keys)
        for user in 0..<block.users {
          if Self.isPseudonym(block.userID(user)) { hasPseudonyms = true } else { hasOthers = true }
        }
        if hasPseudonyms && hasOthers { return }
      }
    }
  }

  private static func isPseudonym(_ id: IdentifierView) -> Bool {
    id.form == IdentifierForm.lowercaseUUID.rawValue && id.high & 0xF000 == 0x8000 && id.low >> 62 == 0b10
  }
}
