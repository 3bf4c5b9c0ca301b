// The one shape of every question: users' histories in, integers out.

public import PermissionEvents

/// Counts something of users' histories, one user at a time.
///
/// A fold is made once for each thread, and sees some of the users, each once and in no reliable order. Its counts go
/// into `Sums`, which add up: the sums of two halves of the users are the sums of all. It may keep tables of its own
/// under the codes of this walk, for speed; `finish` puts them into the sums under their names.
public protocol Fold: ~Copyable, SendableMetatype {
  associatedtype Sums: FoldSums

  /// Adds what one user's history says.
  mutating func fold(_ user: borrowing UserHistory, into sums: inout Sums)

  /// Adds the counts that were kept aside. Called once, after the last user.
  mutating func finish(into sums: inout Sums)

  /// Adds the users of a batch, one after the other. Implementing it is optional: it is a requirement so that the loop
  /// is compiled together with `fold(_:into:)`.
  mutating func fold(batch: HistoryBatch, into sums: inout Sums)
}

extension Fold where Self: ~Copyable {
  @inlinable public mutating func finish(into sums: inout Sums) {}

  @inlinable
  public mutating func fold(batch: HistoryBatch, into sums: inout Sums) {
    var event = 0
    var engagement = 0
    withUnsafePointer(to: batch) { pointer in
      for number in 0..<batch.userCount {
        let user = UserHistory(pointer, number: number, firstEvent: event, firstEngagement: engagement)
        fold(user, into: &sums)
        event &+= user.eventCount
        engagement &+= user.engagementCount
      }
    }
  }
}
