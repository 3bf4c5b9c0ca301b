// The numbers of events in a log that is written: new ones, those of erased users, old ones.

import PermissionEvents

extension EventLogWriter {
  /// Whether the rows of this ingest have numbers that the log does not have. Read again, a file has none.
  func hasNewNumbers() throws -> Bool {
    let pieces = rowNumbers.pieces
    guard !pieces.isEmpty else { return false }
    var new = try NumbersMerge(pieces).walk()
    var known = try NumbersMerge(try openNumbers(manifest.numbers)).walk()
    var (runs, old): ([NumberRun], [NumberRun]) = ([], [])
    var isEnded = try !known.nextCounter(&old)
    while try new.nextCounter(&runs) {
      guard let counter = runs.first(where: isKept)?.counter else { continue }
      while !isEnded, old[0].counter < counter { isEnded = try !known.nextCounter(&old) }
      if isEnded || old[0].counter > counter { return true }
      if old[0].count == 0 { continue }
      if runs[0].count == 0 || !runs.allSatisfy({ !isKept($0) || Self.covers(old, $0) }) { return true }
    }
    return false
  }

  /// Whether all numbers of a run are among others, at about its time.
  private static func covers(_ runs: [NumberRun], _ run: NumberRun) -> Bool {
    var next = run.first
    let near = runs.filter { $0.isNear(run) }
    for other in near.sorted(by: { $0.first < $1.first }) where other.first <= next { next = max(next, other.end) }
    return next >= run.end
  }

  /// Whether a run may be in the log: events of its time are kept, and its user was not erased.
  private func isKept(_ run: NumberRun) -> Bool {
    guard !erasedUsers.contains(run.user) else { return false }
    guard let limit = manifest.expiredBefore else { return true }
    return Milliseconds(run.quarter) * NumberRun.millisecondsPerQuarter >= limit
  }

  private func openNumbers(_ files: [NumbersDescription]) throws -> [NumbersContent] {
    try files.map { try directory.readNumbers(id: $0.id, expected: $0) }
  }

  /// Writes the numbers of this ingest, together with those of the log if there are many files.
  /// - Parameter files: of the log.
  /// - Returns: the files of the log's next state. Those that it does not have any more stay on disk until the commit.
  func writeNumbers(_ files: [NumbersDescription]) throws -> [NumbersDescription] {
    let pieces = rowNumbers.pieces
    guard !pieces.isEmpty else { return files }
    let rows = files.map { UInt64($0.runs) } + [UInt64(pieces.reduce(0) { $0 + $1.runs })]
    var chosen = MergePolicy.choose(rows.map { (rows: $0, dictionary: 0) }).filter { $0 < files.count }
    // Large ones are not read for a small ingest.
    if chosen.count + 1 < MergePolicy.partsPerTier { chosen = [] }
    let merge = try NumbersMerge(try openNumbers(chosen.map { files[$0] }) + pieces)
    let new = try directory.writeNumbers(id: takeFileID(), merge.sources) { body in
      try merge.forEachRun { run in if isKept(run) { try body(run) } }
    }
    return files.indices.filter { !chosen.contains($0) }.map { files[$0] } + (new.map { [$0] } ?? [])
  }

  /// The files without the counters of some users, and without what is older than a time. What a counter has of another user of the
  /// same phone goes, too: else the numbers of the erased user would look as if they had been lost.
  /// - Parameter ids: of users, as the log has them.
  func numbers(without ids: [[UInt8]] = [], before time: Milliseconds = .min) throws -> [NumbersDescription] {
    let users = Set(ids.map { $0.withUnsafeBytes { UserHash.of($0) } })
    let contents = try openNumbers(manifest.numbers)
    var gone: Set<UInt64> = []
    if !users.isEmpty {
      try NumbersMerge(contents).forEachRun { if users.contains($0.user) { gone.insert($0.counter) } }
    }
    let quarter = max(0, time) / NumberRun.millisecondsPerQuarter
    return try zip(manifest.numbers, contents).compactMap { file, content in
      guard Milliseconds(content.quarters.lowerBound) < quarter || !gone.isEmpty else { return file }
      let merge = try NumbersMerge([content])
      return try directory.writeNumbers(id: takeFileID(), merge.sources) { body in
        try merge.forEachRun { run in
          if Milliseconds(run.quarter) >= quarter, !gone.contains(run.counter) { try body(run) }
        }
      }
    }
  }
}
