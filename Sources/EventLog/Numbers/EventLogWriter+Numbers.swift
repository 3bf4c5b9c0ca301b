// The numbers of events in a log that is written: new ones, those of erased users, old ones.

import PermissionEvents

/// What is not kept of the numbers of events.
struct NumbersRemoval {
  /// Counters with a number of one of these users go, also what another user of the same phone has in them: else the numbers of the
  /// removed user would look as if they had been lost. Hashes.
  var users: Set<UInt64> = []
  var counters: Set<UInt64> = []
  /// Runs that began before this time go.
  var before: Milliseconds = .min

  init(users: Set<UInt64> = [], counters: Set<UInt64> = [], before: Milliseconds = .min) {
    (self.users, self.counters, self.before) = (users, counters, before)
  }

  /// - Parameter ids: of users, as the log has them.
  init(of ids: [[UInt8]]) { self.init(users: Set(ids.map { $0.withUnsafeBytes { UserHash.of($0) } })) }

  private var isOfUsers: Bool { !users.isEmpty || !counters.isEmpty }

  func concerns(_ quarters: ClosedRange<UInt32>) -> Bool { isOld(quarters.lowerBound) }

  func removes(_ run: NumberRun) -> Bool {
    // A counter that is marked may have had numbers of the user.
    isOld(run.quarter) || isOfUsers && (run.count == 0 || counters.contains(run.counter))
  }

  func isOld(_ quarter: UInt32) -> Bool { Milliseconds(quarter) * NumberRun.millisecondsPerQuarter < before }
}

extension EventLogWriter {
  /// Whether the rows of this ingest have numbers that the log does not have. Read again, a file has none.
  func hasNewNumbers() throws -> Bool {
    let (pieces, removal) = (rowNumbers.pieces, removalOfIngest)
    guard !pieces.isEmpty || !removal.counters.isEmpty else { return false }
    var new = try NumbersMerge(pieces).walk()
    let known: NumbersMerge
    do {
      known = NumbersMerge(try manifest.numbers.map { try directory.readNumbers(id: $0.id, expected: $0) })
    } catch let error as LogError where error.code == .damaged {
      // The next state is without it.
      return true
    }
    if !removal.counters.isEmpty {
      var isThere = false
      try known.forEachRun { isThere = isThere || removal.counters.contains($0.counter) }
      if isThere { return true }
    }
    // Few counters are looked up, many are walked along with.
    let isSmall = pieces.reduce(0) { $0 + $1.runs } < 256
    var walk = try known.walk()
    var (runs, old): ([NumberRun], [NumberRun]) = ([], [])
    var isEnded = isSmall ? false : try !walk.nextCounter(&old)
    while try new.nextCounter(&runs) {
      let counter = runs[0].counter
      // With a row of an erased user the log's numbers go.
      let isWithdrawn = runs.contains { removal.users.contains($0.user) }
      guard isWithdrawn || runs.contains(where: { !removal.removes($0) }) else { continue }
      if isSmall {
        walk = try known.walk(counters: counter...counter)
        isEnded = try !walk.nextCounter(&old)
      }
      while !isEnded, old[0].counter < counter { isEnded = try !walk.nextCounter(&old) }
      let isKnown = !isEnded && old[0].counter == counter
      if isWithdrawn {
        if isKnown { return true }
        continue
      }
      if !isKnown { return true }
      if old[0].count == 0 { continue }
      if runs[0].count == 0 || !runs.allSatisfy({ removal.removes($0) || Self.covers(old, $0) }) { return true }
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

  /// What this ingest must not bring back.
  private var removalOfIngest: NumbersRemoval {
    NumbersRemoval(
      users: erasedUsers, counters: rowNumbers.withdrawn, before: manifest.expiredBefore ?? .min)
  }

  /// The files that can be read. A damaged one is left out of the log's next state: which numbers arrived is not known then.
  private func openNumbers(
    _ files: [NumbersDescription]
  ) throws -> [(file: NumbersDescription, content: NumbersContent)] {
    try files.compactMap { file in
      do {
        let content = try directory.readNumbers(id: file.id, expected: file)
        try NumbersMerge([content]).forEachRun { _ in }
        return (file, content)
      } catch let error as LogError where error.code == .damaged {
        numbersDamage = numbersDamage ?? error.finding
        return nil
      }
    }
  }

  /// The files of the next state, with the numbers of this ingest: merged if there are many, and without what a removal takes. Each is
  /// written at most once, so that no file is left behind.
  /// - Parameter ids: of users who are removed besides those of the ingest.
  func numbersAfterIngest(removing ids: [[UInt8]] = []) throws -> [NumbersDescription] {
    var removal = removalOfIngest
    removal.users.formUnion(NumbersRemoval(of: ids).users)
    // What is too old has been removed already.
    return try numbers(without: removal, adding: rowNumbers.pieces, isOldKnown: false)
  }

  /// The files of the next state without what a removal takes.
  func numbers(without removal: NumbersRemoval) throws -> [NumbersDescription] {
    try numbers(without: removal, adding: [], isOldKnown: true)
  }

  private func numbers(
    without asked: NumbersRemoval, adding pieces: [NumbersContent], isOldKnown: Bool
  ) throws -> [NumbersDescription] {
    if manifest.numbers.isEmpty, pieces.isEmpty { return [] }
    var removal = asked
    let isOfUsers = !removal.users.isEmpty || !removal.counters.isEmpty
    let rows = manifest.numbers.map { UInt64($0.runs) } + [UInt64(pieces.reduce(0) { $0 + $1.runs })]
    var chosen = Set(
      pieces.isEmpty ? [] : MergePolicy.choose(rows.map { (rows: $0, dictionary: 0) }).filter { $0 < rows.count - 1 })
    // Large ones are not read for a small ingest.
    if chosen.count + 1 < MergePolicy.partsPerTier { chosen = [] }
    // Most ingests leave the other files as they are, unread.
    let touched = manifest.numbers.indices.filter { isOfUsers || isOldKnown || chosen.contains($0) }
    let opened = try openNumbers(touched.map { manifest.numbers[$0] })
    if isOfUsers {
      try NumbersMerge(opened.map(\.content) + pieces).forEachRun { run in
        if removal.users.contains(run.user) { removal.counters.insert(run.counter) }
      }
    }
    func write(_ contents: [NumbersContent]) throws -> NumbersDescription? {
      let merge = NumbersMerge(contents)
      return try directory.writeNumbers(id: takeFileID(), merge.sources) { body in
        try merge.forEachRun { run in if !removal.removes(run) { try body(run) } }
      }
    }
    var kept = manifest.numbers.indices.filter { !touched.contains($0) }.map { manifest.numbers[$0] }
    var merged: [NumbersContent] = []
    for (file, content) in opened {
      if let place = manifest.numbers.firstIndex(of: file), chosen.contains(place) {
        merged.append(content)
        continue
      }
      var isConcerned = isOldKnown && removal.concerns(content.quarters)
      if isOfUsers, !isConcerned {
        try NumbersMerge([content]).forEachRun { run in isConcerned = isConcerned || removal.removes(run) }
      }
      if isConcerned {
        if let new = try write([content]) { kept.append(new) }
      } else {
        kept.append(file)
      }
    }
    if !pieces.isEmpty, let new = try write(merged + pieces) { kept.append(new) }
    return kept.sorted { $0.id < $1.id }
  }

  /// Which of some users have numbers in the log.
  func numbered(among ids: [[UInt8]]) throws -> Set<[UInt8]> {
    try NumbersMerge(try openNumbers(manifest.numbers).map(\.content)).numbered(among: ids)
  }
}
