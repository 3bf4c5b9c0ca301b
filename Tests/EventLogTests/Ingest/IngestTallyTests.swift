// What ingests found out stays with the parts: against a model that counts, through random ingests, merges, erasures and
// expiries.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct IngestTallyTests {
  /// What an ingest of rounds should keep, by the plainest means; nil if it adds nothing.
  private func expected(
    _ rounds: [[TestEvent]], _ model: inout LogModel, now: Milliseconds
  ) -> IngestTally? {
    let (before, known) = (model.counts, Set(model.export.map { [$0.user, $0.id] }))
    model.ingest(rounds.flatMap { $0 })
    let new = model.export.filter { !known.contains([$0.user, $0.id]) }
    guard !new.isEmpty else { return nil }
    let counts = model.counts
    return IngestTally(
      new: Int64(counts.new - before.new), duplicates: Int64(counts.duplicates - before.duplicates),
      conflicts: Int64(counts.conflicts - before.conflicts),
      ahead: Int64(new.count { $0.time > now + EventLogWriter.clockStep }))
  }

  /// Tallies of the parts of which some event stays.
  private func remaining(_ log: LogDirectory, _ stays: (TestEvent) -> Bool) throws -> IngestTally? {
    let snapshot = try LogSnapshot(log)
    return IngestTally.sum(
      try snapshot.parts.map { part in
        let events = try LogSnapshot(snapshot.directory, snapshot.manifest, [part]).export()
        return events.contains(where: stays) ? part.footer.tally : nil
      })
  }

  @Test(arguments: 0..<120 as Range<UInt64>)
  func talliesAreTheModelsThroughEverything(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 5)
    let pool = random.events(40)
    var model = LogModel()
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    func some() -> [TestEvent] {
      pool.filter { _ in random.generator.oneIn(3) }.map { event in
        var event = event
        if random.generator.oneIn(5) { event.values[.surface] = Array("elsewhere".utf8) }
        return event
      }
    }
    var sum: IngestTally?
    for step in 0..<10 {
      let comment: Comment = "seed \(seed), step \(step)"
      switch step == 0 ? 0 : Int.random(in: 0..<9, using: &random.generator) {
      case 0..<5:
        // A later round may have copies alone.
        let first = some()
        let rounds = random.generator.oneIn(2) ? [first] : [first, random.generator.oneIn(2) ? first : some()]
        // A writer without a clock keeps nothing.
        let now = random.generator.oneIn(4) ? nil : Milliseconds.random(in: random.times, using: &random.generator)
        let added = expected(rounds, &model, now: now ?? 0)
        try log.ingest(rounds: rounds, threads: 1 + step % 2, memory: step % 3 == 0 ? 0 : 1 << 20, batch: 7, at: now)
        if now != nil { sum = IngestTally.sum([sum, added]) }
      case 5:
        guard let user = pool.randomElement(using: &random.generator)?.user else { continue }
        sum = try remaining(log) { $0.user != user }
        _ = model.erase([user])
        try log.perform(.erase([user]))
      case 6:
        let time = Milliseconds.random(in: random.times, using: &random.generator)
        sum = try remaining(log) { $0.time >= time }
        _ = model.expire(before: time)
        try log.perform(.expire(before: time))
        _ = model.readmitExpired()
        try log.perform(.readmitExpired)
      default: try log.perform(.compact)
      }
      #expect(try LogSnapshot(log).ingestTally == sum, comment)
      #expect(try LogSnapshot(log).information.ingested == sum, comment)
      #expect(try log.verify().damage.isEmpty, comment)
      let names = Set(try log.readManifest().fileNames + ["lock", "manifest"])
      #expect(Set(try log.files.list(log.path)) == names, comment)
    }
    #expect(try log.export() == model.export, "seed \(seed)")
  }

  /// The events of a round that are all copies are counted with a part of another round, though that is written already.
  @Test func roundsWithoutNewEventsAreCounted() throws {
    var random = RandomEvents(seed: 4, users: 5)
    let events = random.events(50)
    let (old, more) = (Array(events.prefix(20)), Array(events.dropFirst(20)))
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let now = random.times.lowerBound - 1 - EventLogWriter.clockStep
    try log.ingest(rounds: [old, old, more, old + more, more], at: now)
    let expected = IngestTally(new: 50, duplicates: 100, ahead: 50)
    #expect(try LogSnapshot(log).ingestTally == expected)
    // What adds nothing keeps nothing.
    try log.ingest(rounds: [old, more], at: now)
    #expect(try LogSnapshot(log).ingestTally == expected)
  }

  /// An ingest that waits for its input, as from a pipe, gets events that are newer than its beginning, and not wrong.
  @Test func theClockIsReadAfterTheInput() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var now: Milliseconds = 1_770_000_000_000
    let writer = try EventLogWriter(log, threads: 1, clock: { now })
    defer { writer.close() }
    func events(_ round: Int, _ offsets: [Milliseconds]) -> [TestEvent] {
      offsets.map { TestEvent(user: "u", id: "\(round) \($0)", time: now + $0) }
    }
    for round in 0..<3 {
      now += 5000
      // The last two are past any second that the clock may have cut off.
      try writer.write(events(round, [-4000, 0, 999, 1000, 60_000]))
    }
    try writer.commit()
    #expect(try LogSnapshot(log).ingestTally == IngestTally(new: 15, ahead: 6))
  }

  @Test func aPartWithATallyIsMergedAndOneWithoutIsNoZero() throws {
    var random = RandomEvents(seed: 5, users: 5)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    try log.ingest(random.events(10))
    #expect(try LogSnapshot(log).ingestTally == nil)
    try log.ingest(random.events(10), at: random.times.upperBound)
    try log.perform(.compact)
    #expect(try LogSnapshot(log).parts.count == 1)
    #expect(try LogSnapshot(log).ingestTally == IngestTally(new: 10))
  }

  /// Lines are of the ingest and not of a round: those of rounds without a new event too.
  @Test func linesAreKeptWithTheIngest() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    func ingest(_ rounds: [[TestEvent]], lines: Int64, notUnderstood: Int64) throws {
      let writer = try EventLogWriter(log, threads: 1, clock: { 1_770_000_000_000 })
      defer { writer.close() }
      for events in rounds.dropLast() { try writer.write(events) }
      let reading = IngestTally(lines: lines, notUnderstood: notUnderstood)
      try writer.write(rounds.last ?? [], isLast: true, reading: reading)
      try writer.commit()
    }
    let event = TestEvent(user: "u", id: "1", time: 1_769_000_000_000)
    let other = TestEvent(user: "u", id: "2", time: 1_769_000_000_000)
    try ingest([[event]], lines: 10, notUnderstood: 3)
    var tally = try #require(try LogSnapshot(log).ingestTally)
    #expect(tally == IngestTally(new: 1, lines: 10, notUnderstood: 3))
    try ingest([[other], [event]], lines: 30, notUnderstood: 1)
    tally = try #require(try LogSnapshot(log).ingestTally)
    #expect(tally == IngestTally(new: 2, duplicates: 1, lines: 40, notUnderstood: 4))
    #expect(tally.notUnderstoodShare?.share == 0.1 && tally.notUnderstoodShare?.isWarned == true)
    try log.perform(.compact)
    #expect(try LogSnapshot(log).ingestTally == tally)
  }

  /// A part of before has no lines: the share is of the others.
  @Test func aShareIsOfThePartsThatHaveLines() throws {
    let old = try #require(decoded([5, 0, 0, 0]))
    #expect(old.notUnderstoodShare == nil)
    let sum = try #require(IngestTally.sum([old, IngestTally(new: 1, lines: 20, notUnderstood: 1)]))
    #expect(sum.notUnderstoodShare == IngestTally.LineShare(1, of: 20) && sum.notUnderstoodShare?.isWarned == true)
    #expect(IngestTally.LineShare(4, of: 100)?.isWarned == false)
  }

  // MARK: The section

  private func decoded(_ counters: [UInt64]) -> IngestTally? {
    var w = ByteWriter()
    for count in counters { w.varint(count) }
    return IngestTally(encoded: w.bytes)
  }

  @Test func theSectionComesBackAndOthersAreRefused() throws {
    let limit = UInt64(IngestTally.limit)
    for counters: [UInt64] in [
      [0, 0, 0, 0], [1, 2, 2, 1], [300, 5, 0, 300], [limit, limit, limit, limit], [7, 8, 3, 2],
      [7, 8, 3, 2, 9, 9, 1, 0, limit, 3],
      [1, 1, 1, 1, 9, 9, 4, 4] + Array(repeating: 5, count: IngestTally.mostLater),
    ] {
      let tally = try #require(decoded(counters))
      let missing = [Int64](repeating: 0, count: max(0, 8 - counters.count))
      #expect(tally.counters == counters.prefix(8).map { Int64($0) } + missing)
      #expect(tally.later == counters.dropFirst(8).map { Int64($0) })
      #expect(tally.read == tally.new + tally.duplicates)
      #expect(IngestTally(encoded: tally.encoded) == tally)
    }
    for counters: [UInt64] in [
      [], [1], [1, 2, 1], [1, 2, 3, 0], [1, 2, 0, 2], [limit + 1, 0, 0, 0], [.max, .max, .max, .max],
      [1, 1, 1, 1, .max], [1, 1, 1, 1, 5, 5, 2], [1, 1, 1, 1, 5, 6, 0, 0],
      [1, 1, 1, 1, 5, 5, 2, 3],
      [1, 1, 1, 1, 5, 5, 5, 5] + Array(repeating: 5, count: IngestTally.mostLater + 1),
    ] {
      #expect(decoded(counters) == nil, "\(counters)")
    }
    #expect(IngestTally(encoded: [1, 1, 1, 0x80]) == nil, "a number without its end")
  }

  @Test func sumsStayWithinTheirBounds() {
    let largest = IngestTally(
      new: IngestTally.limit, duplicates: IngestTally.limit, conflicts: IngestTally.limit, ahead: IngestTally.limit)
    #expect(IngestTally.sum([largest, nil, largest]) == largest)
    #expect(IngestTally(new: -3, duplicates: 4, conflicts: 9, ahead: 1) == IngestTally(duplicates: 4, conflicts: 4))
    #expect(IngestTally.sum([nil, nil]) == nil && IngestTally.sum([nil, IngestTally()]) == IngestTally())
    var (a, b) = (IngestTally(new: 2), IngestTally(new: 3))
    (a.later, b.later) = ([1, 2], [4])
    let sum = IngestTally.sum([a, b])
    #expect(sum?.later == [5, 2] && sum == IngestTally.sum([b, a]))
  }

  /// A footer with a section that does not decode is damaged like any other, and so is one with two.
  @Test func aFooterWithAnotherTallyIsDamaged() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var random = RandomEvents(seed: 6, users: 3)
    try log.ingest(random.events(10), at: random.times.upperBound)
    let part = try #require(try LogSnapshot(log).parts.first)
    var footer = part.footer
    let length = footer.blocks.reduce(PartFormat.headerLength) { $0 + Int($1.length) }
    func read(_ footer: PartFooter) -> PartFooter? {
      footer.encode().withUnsafeBytes { PartFooter($0, version: .newest, fileLength: length) }
    }
    #expect(read(footer)?.tally == IngestTally(new: 10))
    footer.extensions = [.init(id: IngestTally.section, bytes: IngestTally(new: 10).encoded)]
    #expect(read(footer) == nil, "twice")
    footer.tally = nil
    #expect(read(footer)?.tally == IngestTally(new: 10))
    footer.extensions[0].bytes.removeLast()
    #expect(read(footer) == nil, "too short")
    footer.extensions = []
    #expect(read(footer).map { $0.tally == nil } == true)
  }
}
