// What an audit says of the data themselves: whether use of the app is logged, whether ids are of one person, whether the feed
// goes on, and what ingests found out.

import PermissionEvents

extension FeedSums {
  /// Candidates of `no_activity`, `shared_id` and `feed_stopped`.
  func candidates(_ question: AuditQuestion) -> [AuditFinding] {
    [noActivity, sharedID(question)] + stoppedFeeds(question)
  }

  private var noActivity: AuditFinding {
    let kinds = EventKind.allCases.filter(\.isEngagement).map { Array($0.name.utf8) }
    let isActive = kinds.contains { self.kinds.counts[$0]?.isEmpty == false }
    return AuditFinding(.noActivity, leftOut: users == 0 ? .nothingToSee : isActive ? .belowThreshold : nil)
  }

  private func sharedID(_ question: AuditQuestion) -> AuditFinding {
    guard users > 0 else { return AuditFinding(.sharedID, leftOut: .nothingToSee) }
    let sharing = eventsOfUsers.sharing
    let isReached = question.threshold(.sharedID)?.isReached(by: sharing, of: users) ?? true
    return AuditFinding(
      .sharedID, users: sharing, of: users,
      detail: .eventsOfUsers(median: eventsOfUsers.median, most: eventsOfUsers.most),
      examples: eventsOfUsers.examples.prefix(question.examples).map { String(decoding: $0, as: UTF8.self) },
      leftOut: sharing > 0 && isReached ? nil : .belowThreshold)
  }
}

extension IngestTally {
  /// Candidates of `clock_ahead` and `many_conflicts`, which count events, and of `identity_changes`, which counts sessions.
  /// - Parameter tally: nil if the log keeps none.
  static func candidates(_ tally: IngestTally?, _ question: AuditQuestion) -> [AuditFinding] {
    func candidate(_ check: AuditCheck, _ part: Int64, of whole: Int64) -> AuditFinding {
      guard whole > 0 else { return AuditFinding(check, leftOut: .nothingToSee) }
      let isReached = part > 0 && question.threshold(check)?.isReached(by: part, of: whole) ?? true
      return AuditFinding(check, users: part, of: whole, leftOut: isReached ? nil : .belowThreshold)
    }
    let known = tally ?? IngestTally()
    return [
      candidate(.clockAhead, known.ahead, of: known.new), candidate(.manyConflicts, known.conflicts, of: known.read),
      candidate(.identityChanges, known.changedSessions, of: known.sessions),
    ]
  }
}
