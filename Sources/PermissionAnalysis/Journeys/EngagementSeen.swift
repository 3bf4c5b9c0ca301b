// Whether a log holds use of the app at all: without it nobody is known to have stayed away.

import Folding
import PermissionEvents

/// What of engagement some users have. Looked for among all users up to as_of, whatever a question is narrowed to.
package struct EngagementSeen: Sendable {
  package var activity = false
  package var featureUsed = false

  package init() {}

  package var isAll: Bool { activity && featureUsed }

  package mutating func add(_ batch: HistoryBatch, asOf: Milliseconds) {
    guard !isAll else { return }
    batch.forEachUser { user in
      for i in 0..<user.engagementCount where user.engagementTime(i) <= asOf {
        activity = true
        if user.engagementKind(i) == .featureUsed { featureUsed = true }
        if isAll { return }
      }
    }
  }

  package mutating func add(_ other: EngagementSeen) {
    activity = activity || other.activity
    featureUsed = featureUsed || other.featureUsed
  }

  /// What is missing for the columns of journeys.
  package var missing: [Evidence] { (activity ? [] : [.activity]) + (featureUsed ? [] : [.featureUsed]) }
}
