// Questions of one's own: folds that a caller wrote.

import EventLog
public import Folding
public import PermissionEvents

extension PermissionLog {
  /// Asks a question of your own: folds the history of every user, on all threads, and adds up. The fold sees every event of the
  /// log; one that looks from an earlier moment leaves out what is later.
  ///
  /// For example, with a fold named `AskedAgain`:
  ///
  /// ```swift
  /// let sums = try log.ask { contexts in AskedAgain(contexts: contexts) }
  /// ```
  /// - Parameters:
  ///   - selection: what the fold looks at beside kinds, times, statuses and permissions.
  ///   - hashes: of the ids of the users to fold, as docs/log-format.md defines them. Sums of disjoint ranges add up to those of all.
  ///   - make: makes the fold of one thread, for the codes that this log's histories have.
  public func ask<F: Fold & ~Copyable>(
    _ selection: HistorySelection = HistorySelection(), within hashes: ClosedRange<UInt64> = 0...(.max),
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws(PermlogError) -> F.Sums {
    let attributes: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]
    if let other = selection.attributes.first(where: { !attributes.contains($0) }) {
      throw PermlogError(.usage, "\(other.name) is no attribute of the device and the app; select it as the property")
    }
    return try translating {
      try LogSnapshot(directory).fold(selection, within: hashes, threads: threads, make)
    }
  }
}
