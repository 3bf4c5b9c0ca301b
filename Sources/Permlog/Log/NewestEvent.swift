// When the newest event was that is not ahead of the clock: the age of a log is told by it, since one phone whose clock is
// ahead would hide for a day that nothing comes in any more.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// How old the log is at a moment; nil if it holds no event.
  package func age(at clock: Milliseconds) throws(PermlogError) -> DataAge? {
    try translating { try LogSnapshot(directory).age(at: clock, threads: threads) }
  }
}

extension LogSnapshot {
  /// The manifest knows the newest time of all; only if that is ahead of the clock are the events asked.
  func age(at clock: Milliseconds, threads: Int) throws -> DataAge? {
    guard let newest = timeRange?.upperBound else { return nil }
    guard newest > clock else { return DataAge(newest: newest, clock: clock) }
    let latest = try fold(HistorySelection(), threads: threads) { _ in NewestFold(clock: clock) }.latest
    return DataAge(newest: newest, latest: latest, clock: clock)
  }
}

/// The newest time up to a clock's, of all users.
private struct NewestFold: Fold, ~Copyable {
  let clock: Milliseconds

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Newest) {
    var i = user.eventCount
    while i > 0, user.unsafeTimes[i - 1] > clock { i -= 1 }
    if i > 0 { sums.see(user.unsafeTimes[i - 1]) }
    var j = user.engagementCount
    while j > 0, Milliseconds(user.unsafeEngagement[j - 1] >> 1) > clock { j -= 1 }
    if j > 0 { sums.see(Milliseconds(user.unsafeEngagement[j - 1] >> 1)) }
  }
}

/// No sum, but it adds up all the same. It is never written to a file.
private struct Newest: FoldSums {
  static let name = "newest 1"
  static var layout: SumsLayout<Self> { SumsLayout() }
  private(set) var latest: Milliseconds?

  mutating func see(_ time: Milliseconds) { latest = max(latest ?? time, time) }
  mutating func add(_ other: Newest) { if let time = other.latest { see(time) } }
}
