// The fold of an audit.

import Buffers
import Folding
import PermissionEvents

/// Folds histories into the sums of an audit.
package struct AuditFold: Fold, ~Copyable {
  private var feed: FeedTally

  package init(_ question: AuditQuestion, contexts: HistoryContexts) {
    feed = FeedTally(question, contexts: contexts)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout AuditSums) { feed.add(user) }

  package mutating func finish(into sums: inout AuditSums) { sums.feed = feed.finish() }
}
