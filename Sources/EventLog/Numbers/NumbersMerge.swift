// Several files of numbers as if they were one.

import PermissionEvents

/// The runs of several files, under one list of sources.
struct NumbersMerge: Sendable {
  private let contents: [NumbersContent]
  /// Of all files, each once.
  let sources: [NumberSource]
  private let codes: [[UInt32]]

  init(_ contents: [NumbersContent]) {
    self.contents = contents
    var table = CodeTable<NumberSource>([NumberSource.unknown])
    codes = contents.map { $0.sources.map { table.code($0, most: NumbersFormat.mostSources) } }
    sources = table.values
  }

  func walk(counters: ClosedRange<UInt64> = 0...UInt64.max) throws -> NumbersWalk {
    let decompressor = try Decompressor()
    return NumbersWalk(
      try zip(contents, codes).map { try NumbersCursor($0, sources: $1, counters: counters, decompressor) })
  }

  /// Calls `body` with each run, in their order. Copies may come as several runs.
  func forEachRun(_ body: (NumberRun) throws -> Void) throws {
    var walk = try walk()
    while let run = try walk.next() { try body(run) }
  }
}

extension CodeTable<NumberSource> {
  /// The code of a source; that of unknown ones, which is the first, if there are too many.
  mutating func code(_ source: NumberSource, most: Int) -> UInt32 {
    find(source) ?? (values.count < most ? code(source) : 0)
  }
}

extension NumbersMerge {
  /// Calls `body` with each run of some users.
  func forEachRun(of ids: [[UInt8]], _ body: (_ run: NumberRun, _ users: [[UInt8]]) throws -> Void) throws {
    let byHash = Dictionary(grouping: ids) { $0.withUnsafeBytes { UserHash.of($0) } }
    try forEachRun { run in
      if let users = byHash[run.user] { try body(run, users) }
    }
  }

  /// Which of some users have numbers.
  func numbered(among ids: [[UInt8]]) throws -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    try forEachRun(of: ids) { found.formUnion($1) }
    return found
  }
}

/// A walk over runs, in their order.
struct NumbersWalk {
  private var cursors: [NumbersCursor]
  /// The first run of the next counter.
  private var ahead: NumberRun?

  fileprivate init(_ cursors: [NumbersCursor]) { self.cursors = cursors.filter { $0.run != nil } }

  mutating func next() throws -> NumberRun? {
    guard var run = cursors.first?.run else { return nil }
    var least = 0
    for i in cursors.indices.dropFirst() {
      guard let other = cursors[i].run, NumberRun.isBefore(other, run) else { continue }
      (run, least) = (other, i)
    }
    try cursors[least].advance()
    if cursors[least].run == nil { cursors.remove(at: least) }
    return run
  }

  /// Puts all runs of the next counter into an array; false at the end.
  mutating func nextCounter(_ runs: inout [NumberRun]) throws -> Bool {
    runs.removeAll(keepingCapacity: true)
    if ahead == nil { ahead = try next() }
    guard let first = ahead else { return false }
    runs.append(first)
    while true {
      ahead = try next()
      guard let run = ahead, run.counter == first.counter else { return true }
      if runs[0].count == 0 { continue }
      if run.count == 0 || runs.count >= NumbersFormat.mostRuns {
        runs = [NumberRun(counter: run.counter, first: 0, user: 0, count: 0, quarter: run.quarter, source: 0)]
      } else if !runs[runs.count - 1].join(run) {
        runs.append(run)
      }
    }
  }
}
