// Whether a log has all of its newest day, though nothing happened in its last hours.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

/// Hours without any event before the newest one.
package struct SilentHours {
  package static let most = 28 * 24
  private static let hour: Milliseconds = 3_600_000

  package init() {}

  /// Bit n of these is hour n, back from the newest event.
  fileprivate var heard: [UInt64] = Array(repeating: 0, count: (most + 63) / 64)

  package mutating func hear(_ time: Milliseconds, before newest: Milliseconds) {
    let hour = (newest - time) / Self.hour
    guard time <= newest, hour < Self.most else { return }
    heard[Int(hour / 64)] |= 1 << UInt64(hour % 64)
  }

  /// The longest run of silent hours.
  /// - Parameter hours: as many back are all in the log.
  package func longest(of hours: Int) -> Int {
    var (longest, run) = (0, 0)
    for hour in 0..<min(hours, Self.most) {
      run = heard[hour / 64] >> UInt64(hour % 64) & 1 == 1 ? 0 : run + 1
      longest = max(longest, run)
    }
    return longest
  }

  /// Whole hours between two moments.
  static func between(_ start: Milliseconds, _ end: Milliseconds) -> Int { Int((end - start) / hour) }
}

extension LogSnapshot {
  /// Whether the log has a silence that long in the 28 days before its newest event.
  ///
  /// Most apps are never silent for long, and a few of their users show it, so these are read first.
  func wasSilent(for hours: Int, threads: Int) throws -> Bool {
    guard let times = timeRange else { return false }
    let newest = times.upperBound
    let known = SilentHours.between(times.lowerBound, newest)
    guard hours <= known else { return false }
    return try fact("silent for \(hours) hours") {
      try wasSilent(for: hours, of: known, before: newest, threads: threads)
    }
  }

  private func wasSilent(for hours: Int, of known: Int, before newest: Milliseconds, threads: Int) throws -> Bool {
    let scan = try HistoryScan(self, selection: HistorySelection())
    var heard = SilentHoursSums()
    for part in [0...(.max >> 8), (UInt64.max >> 8 + 1)...(.max >> 4), (UInt64.max >> 4 + 1)...(.max)] {
      heard.add(try scan.fold(within: part, threads: threads) { _ in SilentHoursFold(newest: newest) })
      if heard.hours.longest(of: known) < hours { return false }
    }
    return true
  }
}

private struct SilentHoursFold: Fold, ~Copyable {
  let newest: Milliseconds

  mutating func fold(_ user: borrowing UserHistory, into sums: inout SilentHoursSums) {
    for i in 0..<user.eventCount { sums.hours.hear(user.unsafeTimes[i], before: newest) }
    for i in 0..<user.engagementCount {
      sums.hours.hear(Milliseconds(user.unsafeEngagement[i] >> 1), before: newest)
    }
  }
}

/// Not a real sum, but it can be added all the same. It is never written to a file.
private struct SilentHoursSums: FoldSums {
  static let name = "silent hours 1"
  static var layout: SumsLayout<Self> { [] }
  var hours = SilentHours()

  mutating func add(_ other: SilentHoursSums) { hours.add(other.hours) }
}

extension SilentHours {
  fileprivate mutating func add(_ other: SilentHours) {
    for i in heard.indices { heard[i] |= other.heard[i] }
  }
}
