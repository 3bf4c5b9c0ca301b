// Kinds, platforms and versions that sent events for weeks, and then none.

import Folding
import PermissionEvents

private struct FeedSpan {
  let days: Int
  let last: DayNumber
  /// The longest run of days without events between the first and the last.
  let longestGap: Int64

  init?(_ events: [DayNumber: Int64]) {
    let sorted = events.keys.sorted()
    guard let last = sorted.last else { return nil }
    days = sorted.count
    self.last = last
    longestGap = zip(sorted, sorted.dropFirst()).reduce(0) { max($0, $1.1 - $1.0 - 1) }
  }

  /// The least number of days with events that make a feed.
  static let leastDays = 14
  /// A feed has stopped if it is silent for this many times its longest gap.
  static let timesGap: Int64 = 3

  func hasStopped(by day: DayNumber) -> Bool {
    days >= Self.leastDays && day - last >= Self.timesGap * max(1, longestGap)
  }
}

/// A version is checked if it has at least this percentage of the events of the days up to its last.
private let leastShareOfVersion: Int64 = 5
private let daysOfShare: DayNumber = 28

extension FeedSums {
  /// Returns a finding for each feed that stopped, or one without a feed if none did. Data that was too much to
  /// check has its own findings.
  func stoppedFeeds(_ question: AuditQuestion) -> [AuditFinding] {
    let today = question.zone.day(of: question.windows.asOf)
    var found: [AuditFinding] = []
    var isAnyFeed = false
    func look(_ feed: AuditFinding.Feed, _ events: [DayNumber: Int64]) {
      guard let span = FeedSpan(events) else { return }
      isAnyFeed = isAnyFeed || span.days >= FeedSpan.leastDays
      guard span.hasStopped(by: today) else { return }
      found.append(
        AuditFinding(
          .feedStopped,
          detail: .stopped(feed, last: span.last, daysSince: today - span.last, longestGap: span.longestGap)))
    }
    for kind in EventKind.allCases { look(.kind(kind), kinds.counts[Array(kind.name.utf8)] ?? [:]) }
    let ofKinds = found
    found = []
    for (name, days) in platforms.counts { look(.platform(String(bounded: name)), days) }
    let supersedable = supersededVersions
    let all = kinds.all
    for (name, days) in versions.counts where !supersedable.contains(name) && hasShare(days, of: all) {
      look(.version(String(bounded: name)), days)
    }
    found = ofKinds + Self.limited(found)
    if found.isEmpty { found.append(AuditFinding(.feedStopped, leftOut: isAnyFeed ? .belowThreshold : .nothingToSee)) }
    for (names, feed) in [(AuditFinding.FeedNames.platform, platforms), (.version, versions)] where feed.areTooMany {
      found.append(AuditFinding(.feedStopped, detail: .notLookedAt(names), leftOut: .tooMany))
    }
    return found
  }

  /// Returns the findings of the latest feeds to stop if there are very many, and the number of the rest.
  private static func limited(_ found: [AuditFinding]) -> [AuditFinding] {
    guard found.count > AuditLimits.stoppedFeeds else { return found }
    func last(_ finding: AuditFinding) -> DayNumber {
      if case .stopped(_, let last, _, _) = finding.detail { last } else { .min }
    }
    let ordered = found.sorted { a, b in
      last(a) == last(b) ? AuditFinding.isBefore(a, b) : last(a) > last(b)
    }
    let rest = AuditFinding(
      .feedStopped, detail: .moreStopped(found.count - AuditLimits.stoppedFeeds), leftOut: .tooMany)
    return ordered.prefix(AuditLimits.stoppedFeeds) + [rest]
  }

  /// Whether enough of the events of the 28 days up to a version's last are its own.
  private func hasShare(_ days: [DayNumber: Int64], of all: [DayNumber: Int64]) -> Bool {
    guard let last = days.keys.max() else { return false }
    func sum(_ events: [DayNumber: Int64]) -> Int64 {
      (last - daysOfShare + 1...last).reduce(0) { CheckedSum.bounded($0, events[$1] ?? 0) }
    }
    let share = AuditThreshold(perMillion: leastShareOfVersion * 10_000)
    return share.isReached(by: sum(days), of: sum(all))
  }

  /// Versions with a higher version on a later day than their last. No events are expected from them.
  private var supersededVersions: Set<[UInt8]> {
    var known: [(number: VersionNumber, name: [UInt8], last: DayNumber)] = []
    for (name, days) in versions.counts {
      if let number = VersionNumber(name), let last = days.keys.max() { known.append((number, name, last)) }
    }
    known.sort { $0.number > $1.number }
    var superseded: Set<[UInt8]> = []
    // The last days of all higher versions, and of versions with the same numbers.
    var (ofHigher, ofSame) = (DayNumber.min, DayNumber.min)
    var number: VersionNumber?
    for version in known {
      if version.number != number {
        ofHigher = max(ofHigher, ofSame)
        (number, ofSame) = (version.number, .min)
      }
      if ofHigher > version.last { superseded.insert(version.name) }
      ofSame = max(ofSame, version.last)
    }
    return superseded
  }

  // MARK: Checks of the data: whether use of the app is logged, whether ids are of one person, whether the feed goes
  // on, and what ingests found

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
      examples: eventsOfUsers.examples.prefix(question.examples).map { String(bounded: $0) },
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
