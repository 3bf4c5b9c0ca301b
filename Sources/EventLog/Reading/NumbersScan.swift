// The numbers of a log's events, for those who count which of them arrived.

import PermissionEvents
import Threads

extension LogSnapshot {
  /// The runs of some users, with the version and platform of each.
  package func numberRuns(of ids: [[UInt8]]) throws -> [(run: NumberRun, source: NumberSource)] {
    var found: [(run: NumberRun, source: NumberSource)] = []
    let merge = NumbersMerge(numbers)
    try merge.forEachRun(of: ids) { run, _ in found.append((run, merge.sources[Int(run.source)])) }
    return found
  }

  /// Which of some users have numbers in the log.
  func numbered(among ids: [[UInt8]]) throws -> Set<[UInt8]> { try NumbersMerge(numbers).numbered(among: ids) }

  /// Whether any row of the log had a number.
  package var hasNumbers: Bool { !numbers.isEmpty }

  /// Folds all counters.
  /// - Parameters:
  ///   - make: a sum of nothing, with the sources that runs name by their index.
  ///   - add: adds the runs of one counter, in the order of their times.
  ///   - join: adds up two sums.
  /// - Returns: nil if no row of the log had a number.
  package func foldNumbers<Sum: Sendable>(
    threads: Int, _ make: @Sendable ([NumberSource]) -> Sum, add: @escaping @Sendable (inout Sum, [NumberRun]) -> Void,
    join: @escaping @Sendable (inout Sum, Sum) -> Void
  ) throws -> Sum? {
    guard hasNumbers else { return nil }
    let merge = NumbersMerge(numbers)
    // Hashes are spread evenly.
    let count = numbers.reduce(0) { $0 + $1.runs } < 1 << 16 ? 1 : 4 * threads
    let step = UInt64.max / UInt64(count)
    let none = make(merge.sources)
    let tasks = Workers.Tasks(count: count)
    let sum = Mutex(none)
    try Workers.run(threads: min(threads, count)) { _ in
      var (part, runs): (Sum, [NumberRun]) = (none, [])
      while let task = tasks.claim() {
        let low = UInt64(task) * step
        let high = task == count - 1 ? UInt64.max : low + step - 1
        var walk = try merge.walk(counters: low...high)
        while try walk.nextCounter(&runs) { add(&part, runs) }
      }
      let found = part
      sum.withLock { join(&$0, found) }
    }
    return sum.withLock { $0 }
  }
}
