// Another key for a log of pseudonyms.

import EventImport
import EventLog
import PermissionEvents

extension PermissionLog {
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
      ).map { Rekeying(users: $0.users, events: $0.events) }
    }
  }
}

/// The result of giving a log another key.
public struct Rekeying: Sendable, Equatable {
  /// Users with another pseudonym.
  public var users: Int
  /// Their events.
  public var events: Int
}
