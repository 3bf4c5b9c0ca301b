// The view of a log without some users, as if they had no events: the log's own list of excluded users, and those of one
// question. Their rows stay in the files, and readers pass over them.

import Folding
import PermissionEvents

/// The users that answers leave out.
public struct LeftOutUsers: Sendable, Hashable {
  /// Users who have events in the log, and are left out with all of them.
  public var users = 0
  /// Their events.
  public var events = 0
  /// Ids that were named, in the log's list or for one question.
  public var ids = 0
  /// Of the ids, 16 hexadecimal digits: sums that leave other users out do not add up.
  public var checksum = ""

  public init() {}

  /// The number of users; nil without a list.
  package var counted: Int? { ids > 0 ? users : nil }
}

extension LogSnapshot {
  /// Opens the newest state without the users of its own list.
  /// - Parameters:
  ///   - more: further ids to leave out. Ids that are linked with one of them are the same user.
  ///   - named: the same as they are listed, if the log has other spellings; nil if not.
  ///   - threads: for a reading of all times, if the oldest or the newest event was of such a user.
  package init(
    asked directory: LogDirectory, without more: [[UInt8]] = [], named: [[UInt8]]? = nil, threads: Int
  ) throws {
    var attempt = 0
    while true {
      let snapshot = try LogSnapshot(directory)
      do {
        self = try snapshot.leavingOut(more, named: named ?? more, threads: threads)
        return
      } catch let error as FileError where error.isMissingFile {
        // A writer has committed meanwhile.
        attempt += 1
        guard attempt < 100 else { throw error }
      } catch let error as LogError where error.code == .damaged {
        guard try directory.readManifest() != snapshot.manifest, attempt < 100 else { throw error }
        attempt += 1
      }
    }
  }

  /// The same state without further users.
  package func leavingOut(_ more: [[UInt8]], named: [[UInt8]], threads: Int) throws -> LogSnapshot {
    let own = try directory.readExclusions(manifest)
    var list = own
    list.insert(named)
    guard !list.isEmpty else { return self }
    let ids = try directory.readLinks(manifest).links.closure(of: own.ids + more).map { UserLinks.ID($0) }
      .sorted { UserLinks.ID.isBefore($0, $1) }
    var left = LeftOutUsers()
    (left.ids, left.checksum) = (list.ids.count, list.checksum)
    var found: Set<[UInt8]> = []
    var counts: [UInt64: HiddenUsers.Count] = [:]
    var wasAtTheEnd = false
    for part in parts {
      let (users, footer) = (try StoredUsers(part), part.footer)
      for id in ids {
        guard let rows = try users.rows(of: id) else { continue }
        found.insert(id.bytes)
        left.events += rows.count
        counts[part.id, default: .init()].rows += UInt64(rows.count)
        counts[part.id, default: .init()].users += 1
        try users.block.load(.history)
        wasAtTheEnd =
          wasAtTheEnd
          || rows.contains {
            let time = users.block.times[$0]
            return time == footer.minimumTime || time == footer.maximumTime
          }
      }
    }
    var kept = self
    kept.facts = SnapshotFacts(besides: facts)
    left.users = found.count
    kept.leftOut = left
    guard !found.isEmpty, let hidden = parts.first?.hidden else { return kept }
    let all = hidden.adding(ids.filter { found.contains($0.bytes) }.map { .init(id: $0, part: .max) }, counts: counts)
    for part in kept.parts { part.hidden = all }
    if kept.eventCount == 0 {
      kept.keptTimes = .some(nil)
    } else if wasAtTheEnd {
      kept.keptTimes = try kept.fold(HistorySelection(), threads: threads) { _ in TimesFold() }.times
    }
    return kept
  }
}

private struct TimesFold: Fold {
  func fold(_ user: borrowing UserHistory, into sums: inout TimesSums) {
    for i in 0..<user.eventCount { sums.note(user.unsafeTimes[i]) }
    for i in 0..<user.engagementCount { sums.note(Milliseconds(user.unsafeEngagement[i] >> 1)) }
  }
}

/// Stays within one process.
private struct TimesSums: FoldSums {
  static let name = "times 1"
  static var layout: SumsLayout<Self> { [] }
  var times: ClosedRange<Milliseconds>?

  mutating func note(_ time: Milliseconds) {
    times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
  }

  mutating func add(_ other: Self) throws(SumsError) {
    guard let others = other.times else { return }
    note(others.lowerBound)
    note(others.upperBound)
  }
}
