// Walks over a log as questions read it: calls that return at once do not count as answers. Which calls these are is
// judged over the whole log. This costs a separate walk only if some users have such calls.

import EventLog
public import Folding
import PermissionAnalysis
public import PermissionEvents

/// One walk over some users of a log, under one reading of calls and answers.
struct LogWalk {
  let snapshot: LogSnapshot
  let windows: AnalysisWindows
  var reading = CallReading()
  /// Notes calls that returned at once.
  var watch: CallWatch?
  /// Users that are counted; nil for all.
  var users: UsersOfReadings?
  /// The hashes of the user ids.
  var hashes: ClosedRange<UInt64> = 0...(.max)
  let threads: Int

  func fold<F: Fold & ~Copyable>(
    _ selection: HistorySelection, _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    var selection = reading.selection(selection)
    if users != nil { selection.add([.platform]) }
    let (reading, windows, watch, users) = (reading, windows, watch, users)
    return try snapshot.fold(selection, within: hashes, threads: threads) { [selection] in
      try ReadFold(reading, windows, watch: watch, users: users, selection, contexts: $0, make)
    }
  }
}

extension LogSnapshot {
  func calls(
    _ windows: AnalysisWindows, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> CallSums {
    try fold(CallFold.selection, within: hashes, threads: threads) { CallFold(windows, contexts: $0) }
  }

  /// The counts of all users under the right reading of calls, and how fast prompts were answered; the latter is empty
  /// if no answer came at once.
  func countRead<Sums: QuestionSums>(
    _ windows: AnalysisWindows, threads: Int, _ count: (LogWalk) throws -> Sums
  ) throws -> Sums {
    var (sums, calls) = try readAll(windows, threads: threads, count)
    sums.calls = calls
    return sums
  }

  /// The same for sums that do not keep how fast prompts were answered.
  func readAll<Sums>(
    _ windows: AnalysisWindows, threads: Int, _ count: (LogWalk) throws -> Sums
  ) throws -> (sums: Sums, calls: CallSums) {
    var walk = LogWalk(snapshot: self, windows: windows, threads: threads)
    if let calls = try callsIfNotable(windows, threads: threads) {
      walk.reading = CallReading(calls)
      return (try count(walk), calls)
    }
    // The few users that were judged have no such calls. If another user has one, the reading is judged again.
    let watch = CallWatch()
    walk.watch = watch
    let sums = try count(walk)
    guard watch.hasFound else { return (sums, CallSums()) }
    let calls = try self.calls(windows, threads: threads)
    (walk.watch, walk.reading) = (nil, CallReading(calls))
    return (walk.reading == CallReading() ? sums : try count(walk), calls)
  }

  /// Larger logs are first judged by the users of about this many events.
  private static let fewEvents = 1 << 14

  /// How fast prompts were answered; nil if a few users of a large log show that all answers take some time and come
  /// after screens.
  private func callsIfNotable(_ windows: AnalysisWindows, threads: Int) throws -> CallSums? {
    guard eventCount > Self.fewEvents else { return try calls(windows, threads: threads) }
    let share = UInt64.max / UInt64(eventCount / Self.fewEvents)
    let few = try calls(windows, within: 0...share, threads: threads)
    let contexts = try HistoryScan(self, selection: HistorySelection()).contexts
    let permissions = Set(contexts.contexts.map(\.permission)).subtracting([0]).map { contexts.permissions[Int($0)] }
    let isUsual = few.notable.isEmpty && permissions.allSatisfy { few.journeys[$0]?[0] ?? 0 > 0 }
    return isUsual ? nil : try calls(windows, threads: threads)
  }
}

// MARK: Questions of your own: folds that the caller wrote

extension PermissionLog {
  /// Asks a question of your own: folds the history of every user, on all threads, and adds up the results. The fold
  /// sees every event of the log but those of the users that the log's list leaves out. A fold that looks from an earlier
  /// moment must leave out later events itself.
  ///
  /// For example, with a fold named `AskedAgain`:
  ///
  /// ```swift
  /// let sums = try log.ask { contexts in AskedAgain(contexts: contexts) }
  /// ```
  /// - Parameters:
  ///   - selection: what the fold reads besides kinds, times, statuses and permissions.
  ///   - hashes: the hashes of user ids to fold, as docs/log-format.md defines them. Sums of disjoint ranges add up to
  ///     the sums of all users.
  ///   - make: makes the fold of one thread, for the codes of this log's histories.
  public func ask<F: Fold & ~Copyable>(
    _ selection: HistorySelection = HistorySelection(), within hashes: ClosedRange<UInt64> = 0...(.max),
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws(PermlogError) -> F.Sums {
    let attributes: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]
    if let other = selection.attributes.first(where: { !attributes.contains($0) }) {
      throw .usage("\(other.name) is not an attribute of the device or the app; select it as the property")
    }
    return try translating {
      try asked().fold(selection, within: hashes, threads: threads, make)
    }
  }
}
