// What the log holds of whom, counted user by user.

import Folding
import PermissionEvents

/// Counts the users of a walk.
struct FeedTally: ~Copyable {
  private let asOf: Milliseconds
  private let versions: [VersionNumber?]
  private var sums = FeedSums()
  /// The latest change of version of the user last added; `Milliseconds.min` if there is none.
  private(set) var versionChange = Milliseconds.min

  init(_ question: AuditQuestion, contexts: HistoryContexts) {
    asOf = question.windows.asOf
    let place = question.selection.attributes.firstIndex(of: .appVersion)
    versions = contexts.attributes.indices.map { code in
      place.flatMap { VersionNumber(contexts.attributeValues[$0][Int(contexts.attributes[code][$0])]) }
    }
  }

  mutating func add(_ user: borrowing UserHistory) {
    versionChange = .min
    let hasEngagement = user.engagementCount > 0 && user.engagementTime(0) <= asOf
    guard hasEngagement || (user.eventCount > 0 && user.unsafeTimes[0] <= asOf) else { return }
    sums.users += 1
    var highest: VersionNumber?
    for i in 0..<user.eventCount where user.unsafeTimes[i] <= asOf {
      guard let version = versions[user.attributes(i)] else { continue }
      if let known = highest, version <= known { continue }
      if highest != nil { versionChange = user.unsafeTimes[i] }
      highest = version
    }
  }

  mutating func finish() -> FeedSums { sums }
}
