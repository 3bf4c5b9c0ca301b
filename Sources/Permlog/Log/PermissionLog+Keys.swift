// The keys of a log: that of its list of erased users, and those of its pseudonyms.

import EventImport
import EventLog
import PermissionEvents

extension PermissionLog {
  /// Moves the key of the list of erased users from the log into a new file. From then on ingests and erasures need the
  /// file, and the log alone does not show whether an id was erased. Until this returns, the log works as before. After
  /// a failure or a loss of power, the same call finishes the work.
  /// - Throws: `key` if the log has no such key, or if the file exists and has another key.
  public func moveErasureKey(to file: String) throws(PermlogError) {
    try KeyFileReader.checkKey(file, isOutside: path, argument: .newErasureKey)
    if KeyFileReader.isOther(file) {
      throw PermlogError(.usage, "\(file): it is not a file for a key", .nameNewKeyFile, argument: .newErasureKey)
    }
    try writing { try $0.moveErasureKey(to: file) }
  }

  /// Stores keyed hashes instead of the event ids that apps wrote, because they may contain user ids. This is for a log
  /// that was filled with a key before permlog hashed event ids too.
  /// - Parameter key: the key with which the log was filled.
  /// - Returns: false if the event ids are already hashed.
  @discardableResult
  public func hashEventIDs(key: UserKey) throws(PermlogError) -> Bool {
    try writing { writer in
      try writer.hashEventIDs(UserNaming(key)) { key.hidden(eventID: $0) }
    }
  }

  /// Replaces the pseudonyms of all users and events with keyed hashes of them, under a new key. Whoever has only the keys from
  /// before cannot find a person in the log any more. Ingests and erasures need all keys from then on:
  /// `keys.renewed(by: next)`. Erased users stay out. The newest ingest cannot be undone after that, and receipts of earlier
  /// erasures cannot be compared with the log.
  /// - Parameters:
  ///   - keys: all keys of the log so far.
  ///   - next: the new key.
  /// - Returns: nil if the log has the new key already, so that nothing was changed.
  /// - Throws: `usage` if the new key is one of the others, `key` if the log's users are not hashed under `keys`; then nothing was
  ///   changed.
  @discardableResult
  public func rekey(from keys: UserKey, to next: UserKey) throws(PermlogError) -> Rekeying? {
    guard next.count == 1, !keys.contains(next) else {
      throw .usage(
        "the new key is one that the log has already. Make another: head -c 32 /dev/urandom > NEWFILE")
    }
    return try writing { writer in
      try writer.rekey(
        from: UserNaming(keys), to: UserNaming(keys.renewed(by: next)),
        NewIDs(user: next.renewing(user:), event: next.renewing(event:))
      ).map { Rekeying(users: $0.users, events: $0.events, forgotNumbers: $0.forgotNumbers) }
    }
  }
}

/// The result of giving a log another key.
public struct Rekeying: Sendable, Equatable {
  /// Users with another pseudonym.
  public var users: Int
  /// Their events.
  public var events: Int
  /// Whether the log knew which numbers of events arrived: that is forgotten, because phones are known under the old key.
  public var forgotNumbers = false
}
