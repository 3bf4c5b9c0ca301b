// Folds over a log as questions read it: calls that return at once are no answers. What comes at once is judged over the whole log, which costs
// a walk of its own only if some users show such calls.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

extension LogSnapshot {
  /// How fast the prompts of some users were answered.
  func calls(
    _ windows: AnalysisWindows, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> CallSums {
    try fold(CallFold.selection, within: hashes, threads: threads) { CallFold(windows, contexts: $0) }.calls
  }

  /// What a fold counts of all users, and how fast they answered: nothing if no answer came at once.
  func foldRead<F: Fold & ~Copyable>(
    _ windows: AnalysisWindows, _ selection: HistorySelection, threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> (sums: F.Sums, calls: CallSums) {
    if let calls = try callsIfNotable(windows, selection, threads: threads) {
      return (try fold(windows, selection, CallReading(calls), threads: threads, make), calls)
    }
    // A few users have none. If one of the others has, the reading is judged again.
    let watch = CallWatch()
    let sums = try fold(windows, selection, CallReading(), watch: watch, threads: threads, make)
    guard watch.hasFound else { return (sums, CallSums()) }
    let calls = try self.calls(windows, threads: threads)
    let reading = CallReading(calls)
    return (reading == CallReading() ? sums : try fold(windows, selection, reading, threads: threads, make), calls)
  }

  /// What a fold counts by a reading.
  /// - Parameters:
  ///   - watch: told of calls that returned at once.
  ///   - users: that are counted; nil for all.
  func fold<F: Fold & ~Copyable>(
    _ windows: AnalysisWindows, _ selection: HistorySelection, _ reading: CallReading, watch: CallWatch? = nil,
    users: UsersOfReadings? = nil, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    var selection = reading.selection(selection)
    if users != nil { selection.add([.platform]) }
    return try fold(selection, within: hashes, threads: threads) { [selection] in
      try ReadFold(reading, windows, watch: watch, users: users, selection, contexts: $0, make)
    }
  }

  /// Larger logs are judged by the users of about this many events first.
  private static let fewEvents = 1 << 14

  /// How fast prompts were answered; nil if a few users of a large log show that all answers take their time, and come after screens.
  private func callsIfNotable(
    _ windows: AnalysisWindows, _ selection: HistorySelection, threads: Int
  ) throws -> CallSums? {
    guard eventCount > Self.fewEvents else { return try calls(windows, threads: threads) }
    let share = UInt64.max / UInt64(eventCount / Self.fewEvents)
    let few = try calls(windows, within: 0...share, threads: threads)
    let contexts = try HistoryScan(self, selection: HistorySelection()).contexts
    let permissions = Set(contexts.contexts.map(\.permission)).subtracting([0]).map { contexts.permissions[Int($0)] }
    let isUsual = few.notable.isEmpty && permissions.allSatisfy { few.journeys[$0]?[0] ?? 0 > 0 }
    return isUsual ? nil : try calls(windows, threads: threads)
  }
}
