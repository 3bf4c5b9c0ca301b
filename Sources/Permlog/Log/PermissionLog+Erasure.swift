// Removing users from a log for good, and accepting them again.

import EventImport
import EventLog
import PermissionEvents

extension PermissionLog {
  public static let longestUserID = 256

  /// Removes all events of users from every file of the log, and keeps the users out of later ingests. An id with
  /// spaces at its ends is also looked for without them, because an ingest cuts them. Exports, backups and snapshots
  /// are not touched.
  /// - Parameters:
  ///   - users: ids as they are in the exports, 1 to 256 bytes each; with a `key` also pseudonyms as the log exports
  ///     them.
  ///   - links: ids of installs by the id of an account: who names the account erases its installs, too.
  ///   - otherSpellings: also removes users whose ids differ from a given one only in case, blanks, or the form of a
  ///     UUID. Without it they stay, and ``Erasure/requests`` names them.
  ///   - key: the key with which the log was filled, if its users are pseudonyms; of a log that was rekeyed all keys.
  ///   - erasureKey: the key of the list of erased users, if it is kept outside the log. The first erasure decides
  ///     that. Without a key outside, the key is in the list, and anyone who can read the log's files can test whether
  ///     an id was erased.
  ///   - receipt: a new file for what was erased, without an id in clear.
  /// - Throws: `usage` for an id that cannot be a user's, `key` for a missing or a wrong key; then nothing was changed.
  @discardableResult
  public func erase(
    users: [[UInt8]], links: [[UInt8]: [[UInt8]]] = [:], otherSpellings: Bool = false, key: UserKey? = nil,
    erasureKey: ErasureKeySource? = nil,
    receipt: String? = nil
  ) throws(PermlogError) -> Erasure {
    try Self.check(users + links.values.joined())
    let receipt = try receipt.map { path throws(PermlogError) in try ReceiptFile(path, log: self.path) }
    let given = try erasureKey?.keyIfThere(besides: path)
    return try writing { writer in
      var sought = try Self.sought(users, key, links)
      if otherSpellings { try sought.addOtherSpellings(writer.ids) }
      try writer.checkErasing(UserNaming(key), ids: sought.ids)
      let (listKey, newKey) = try keys(erasureKey, given, writer.erasureKeyPlace)
      try writer.unlock(listKey)
      try sought.dropUnusedIDs(isErased: { try writer.record(ofErased: $0) != nil }, known: writer.known)
      let before = writer.committedState
      let counts = try writer.erase(sought.ids, newKey: newKey ?? .inside, persons: sought.persons, given: users)
      var result = Erasure(
        named: sought.given.count, linked: counts.linked, found: counts.found, keptOut: counts.users,
        events: counts.events, parts: counts.parts,
        newList: counts.users > 0 ? newKey.map(Erasure.NewList.init) : nil, isMixed: writer.hasMixedUsers)
      result.requests = try sought.requests(counts.people, search: writer.ids) { try writer.record(ofErased: $0) }
      try result.noteAccounts(key) { try writer.sampleUsers() }
      if let receipt, let list = writer.erasureList {
        try receipt.write(
          ErasureReceipt(result, of: path, at: clock(), before, writer.committedState, list, users: key))
      }
      return result
    }
  }

  /// The key of the existing list, if the caller has one, or else the key of the list that the log's first erasure
  /// makes.
  private func keys(
    _ source: ErasureKeySource?, _ given: ErasureKey?, _ place: ErasureKeyLocation?
  ) throws(PermlogError) -> (ofList: ErasureKey?, new: NewErasureKey?) {
    switch (place, source, given) {
    case (nil, .file(let file)?, let given?):
      // A pipe can be read only once.
      (given, .outside(given, path: KeyFileReader.isRegular(file) ? file : nil))
    case (nil, _, let given?): (given, .outside(given, path: nil))
    case (nil, .file(let file)?, nil): (nil, .made(path: file))
    case (nil, _, nil): (nil, .inside)
    // The list has its key inside, so no given key is the right one. The error is the same for any key.
    case (.inside, .some, nil): (ErasureKey(), nil)
    case (_, let source?, nil): (try source.key(besides: path), nil)
    case (_, _, let given): (given, nil)
    }
  }

  /// Takes over the list of erased users of another log, from the file of `exportErasures`: their events go, and they are
  /// kept out of later ingests.
  /// - Parameter erasureKey: the key of the list, if it is kept outside.
  /// - Throws: `key` if this log has a list with another key; `damaged` if the file is no list.
  @discardableResult
  public func adoptErasures(from file: String, erasureKey: ErasureKeySource? = nil) throws(PermlogError) -> Erasure {
    guard let bytes = try SmallFile.read(file, limit: 1 << 30, argument: .importList) else {
      throw .usage("\(file): it is larger than 1 GiB, too large for a list of erased users")
    }
    let given = try erasureKey?.key(besides: path)
    return try writing { writer in
      var (list, naming): (ErasureList, ListNaming)
      do { (list, naming) = try ErasureList.read(file: bytes, name: file) } catch let error as LogError
        where error.code == .damaged
      {
        throw PermlogError(
          .damaged, "\(file): it is not a list of erased users, or it is damaged. Write it again.",
          argument: .importList)
      }
      try list.unlock(given, log: file)
      try writer.unlock(writer.erasureKeyPlace == .outside ? given : nil)
      let counts = try writer.adopt(list, of: naming)
      return Erasure(
        named: counts.users, linked: counts.linked, found: counts.found, keptOut: counts.users, events: counts.events,
        parts: counts.parts, newList: nil, isMixed: writer.hasMixedUsers)
    }
  }

  /// The log's list of erased users as a file for another log (`adoptErasures`): keyed hashes of their ids, and the key if the
  /// log has it.
  /// - Returns: nil if nobody is erased.
  public func exportErasures() throws(PermlogError) -> (bytes: [UInt8], users: Int)? {
    try translating { try directory.erasureFile() }
  }

  /// The requests by which users were erased, oldest first, as far as their ids are still kept out. No key is needed.
  public func erasureRequests() throws(PermlogError) -> [ErasureRequest] {
    try translating { try LogSnapshot(directory).lockedErasures()?.requests ?? [] }
  }

  /// The result that `erase` would have; no file is changed.
  /// - Parameters: as in `erase`.
  public func previewErasure(
    of users: [[UInt8]], links: [[UInt8]: [[UInt8]]] = [:], otherSpellings: Bool = false, key: UserKey? = nil,
    erasureKey: ErasureKeySource? = nil
  ) throws(PermlogError) -> Erasure {
    try Self.check(users + links.values.joined())
    let given = try erasureKey?.keyIfThere(besides: path)
    return try translating {
      let snapshot = try LogSnapshot(directory)
      var sought = try Self.sought(users, key, links)
      if otherSpellings { try sought.addOtherSpellings(snapshot.ids) }
      try snapshot.checkErasing(UserNaming(key), ids: sought.ids)
      let (listKey, newKey) = try keys(erasureKey, given, try snapshot.erasureKeyPlace())
      let list = try snapshot.erasures(key: listKey)
      try sought.dropUnusedIDs(isErased: { try list?.record(of: $0) != nil }, known: snapshot.known)
      let preview = try snapshot.preview(erasing: sought.ids, key: listKey)
      var result = Erasure(
        named: sought.given.count, linked: preview.linked, found: preview.users, keptOut: preview.keptOut,
        events: preview.events, parts: preview.parts,
        newList: preview.keptOut > 0 ? newKey.map(Erasure.NewList.init) : nil,
        isMixed: snapshot.hasMixedUsers)
      result.requests = try sought.requests(preview.people, search: snapshot.ids) { try list?.record(of: $0) }
      try result.noteAccounts(key) { try snapshot.sampleUsers() }
      return result
    }
  }

  /// Accepts erased users again: their events return with the next ingest that has them.
  /// - Returns: how many ids were named, and how many of them had been erased.
  @discardableResult
  public func readmit(
    users: [[UInt8]], key: UserKey? = nil, erasureKey: ErasureKeySource? = nil
  ) throws(PermlogError) -> Readmission {
    try Self.check(users)
    var sought = SoughtIDs(users, key)
    let given = try erasureKey?.key(besides: path)
    return try writing { writer in
      try writer.checkErasing(UserNaming(key), ids: sought.ids)
      try writer.unlock(given)
      try sought.dropUnusedIDs(isErased: { try writer.record(ofErased: $0) != nil }, known: writer.known)
      let others = try sought.given.filter { id in
        try !sought.ids(of: id).contains { try writer.record(ofErased: $0) != nil }
      }
      return Readmission(
        named: sought.ids.count, readmitted: try writer.readmit(sought.ids), notErased: others,
        areFormerIDsUnknown: writer.erasureList?.hasFormerIDs == true
          && users.contains(where: IdentifierText.isPseudonym))
    }
  }

  private static func sought(
    _ users: [[UInt8]], _ key: UserKey?, _ links: [[UInt8]: [[UInt8]]]
  ) throws(PermlogError) -> SoughtIDs {
    let sought = SoughtIDs(users, key, links: links)
    guard let (given, account) = sought.misspelledAccount else { return sought }
    throw .usage(
      "the pairs have the account \(String(bounded: account)), but the given id is \(String(bounded: given)). Give the account as the pairs "
        + "have it. Nothing was erased", .linkFile)
  }

  static func check(_ users: [[UInt8]]) throws(PermlogError) {
    guard let id = users.first(where: { !(1...longestUserID).contains($0.count) }) else { return }
    throw .usage("a user id has 1 to \(longestUserID) bytes, but this one has \(id.count). Nothing was changed.")
  }
}

/// The result of an erasure.
public struct Erasure: Sendable, Equatable {
  /// The number of different ids that were looked for.
  public var named: Int
  /// The number of other ids of the same users, which were erased with them.
  public var linked: Int
  /// The number of those ids that had events.
  public var found: Int
  /// The ids that are newly kept out.
  public var keptOut: Int
  /// Events that were removed.
  public var events: Int
  /// Parts that were rewritten or dropped.
  public var parts: Int
  /// Where the key of the list of erased users is, if this erasure made the list.
  public var newList: NewList?
  /// Whether the log names users in several ways, so that one person may have to be erased under each name.
  public var isMixed: Bool
  /// What became of each id, as they were given and in that order, each once.
  public var requests: [ErasedID] = []
  /// Whether the users of the log look like installs, and ids that were not found look like accounts: erasing by account
  /// then finds no users.
  public var areUsersInstalls = false

  /// The ids of requests that were not fulfilled.
  public var notFound: [[UInt8]] { requests.filter { !$0.outcome.isFulfilled }.map(\.id) }
  /// The ids of `notFound` that look like account ids, if the users of the log look like installs.
  public var accounts: [[UInt8]] {
    areUsersInstalls ? notFound.filter { IdentifierShape($0).isAccount } : []
  }

  fileprivate mutating func noteAccounts(_ key: UserKey?, _ sample: () throws -> [[UInt8]]) rethrows {
    // Pseudonyms do not show what kind of id they stand for.
    guard key == nil, !isMixed, notFound.contains(where: { IdentifierShape($0).isAccount }) else { return }
    areUsersInstalls = IdentifierShape.areInstalls(try sample())
  }

  public enum NewList: Sendable, Equatable {
    /// In the list: anyone who can read the log's files can test whether an id was erased.
    case keyInside
    /// The caller gave the key and keeps it.
    case keyGiven
    /// In a new file. Without it nothing can be ingested or erased from now on.
    case keyMade(path: String)

    init(_ key: NewErasureKey) {
      switch key {
      case .inside: self = .keyInside
      case .outside: self = .keyGiven
      case .made(let path): self = .keyMade(path: path)
      }
    }
  }
}

/// The result of accepting users again.
public struct Readmission: Sendable, Equatable {
  /// The number of different ids that were looked for.
  public var named: Int
  /// The number of those ids that had been erased.
  public var readmitted: Int
  /// Ids as they were given of which nothing had been erased.
  public var notErased: [[UInt8]]
  /// Whether pseudonyms were given, and users were erased before the log was rekeyed: under which ids then cannot be computed
  /// from a pseudonym of now.
  public var areFormerIDsUnknown = false
}
