// The log against a plain model: what is ingested, in whatever pieces, is what is read.

import PermissionEvents
import Testing

@testable import EventLog

@Suite struct IngestModelTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func logEqualsModel(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let log = try TestLog()
    var model = LogModel()
    var total = IngestCounts()
    for round in 0..<12 {
      let events = numbers.events(Int.random(in: 1...700, using: &numbers), users: 40, ids: 400)
      // Half of the rounds spill every page, some come as two runs.
      let memory = round % 2 == 0 ? 0 : 96 << 20
      let cut = round % 3 == 0 ? events.count / 2 : events.count
      let counts = try log.ingest(
        Array(events[..<cut]), Array(events[cut...]), threads: 1 + round % 2, memory: memory)
      let before = model.events.count
      model.add(events)
      #expect(counts.new == model.events.count - before, "seed \(seed), round \(round)")
      #expect(counts.new + counts.duplicates == events.count, "seed \(seed), round \(round)")
      total += counts
      #expect(try log.events() == model.events, "seed \(seed), round \(round)")
    }
    #expect(total.conflicts > 0)
    let parts = try log.names().filter { $0.hasPrefix("part-") }
    #expect(parts.count < 2 * MergePolicy.partsPerTier, "\(parts)")
    let verification = try log.directory.verify()
    #expect(verification.damage.isEmpty && verification.events == model.events.count)
  }

  @Test func theFirstInTheInputWinsWithTwoThreadsToo() throws {
    let log = try TestLog()
    let events = (0..<5000).map { i in
      TestEvent(user: "u\(i % 7)", id: "e\(i % 50)", time: 1_770_000_000_000 + Int64((i * 7919) % 5000))
    }
    var model = LogModel()
    model.add(events)
    let counts = try log.ingest(events, threads: 2)
    #expect(try log.events() == model.events)
    #expect(counts.new == 350 && counts.duplicates == 4650)
    #expect(counts.conflicts > 4000)
  }

  @Test func aUserWithMoreEventsThanABlockHoldsStaysWhole() throws {
    let log = try TestLog()
    let events = (0..<70_000).map { i in
      TestEvent(user: i % 1000 == 0 ? "other\(i)" : "busy", id: "e\(i)", time: 1_770_000_000_000 + Int64(i) * 1000)
    }
    try log.ingest(events)
    var model = LogModel()
    model.add(events)
    #expect(try log.events() == model.events)
    #expect(try log.directory.verify().damage.isEmpty)
  }

  @Test func valuesLeaveTheLogWithTheLastEventThatHasThem() throws {
    let log = try TestLog()
    let kept = TestEvent(user: "u", id: "e", time: 1_770_000_000_000, variant: "kept")
    try log.ingest([kept])
    var copy = kept
    copy.variant = "never-kept"
    copy.feature = "never-kept-either"
    try log.ingest([copy, TestEvent(user: "u", id: "e2", time: 1_770_000_000_000)])
    let values = try LogSnapshot(log.directory).information.values
    #expect(values[.variant] == ["kept"] && values[.feature] == [])
  }

  @Test func readersKeepWhatTheyBeganWith() throws {
    let log = try TestLog()
    var numbers = SeededNumbers(seed: 3)
    var model = LogModel()
    let first = numbers.events(300, users: 10, ids: 300)
    model.add(first)
    try log.ingest(first)
    let snapshot = try LogSnapshot(log.directory)
    let old = Set(try log.names())
    for _ in 0..<6 { try log.ingest(numbers.events(300, users: 10, ids: 3000)) }
    #expect(!old.isSubset(of: try log.names()), "the parts should have been merged")
    #expect(try TestLog.events(snapshot) == model.events)
  }

  @Test func aSecondWriterIsRefusedByName() throws {
    let log = try TestLog()
    let writer = try EventLogWriter(log.directory, threads: 1)
    #expect(throws: LogError.self) { try EventLogWriter(log.directory, threads: 1) }
    writer.close()
    try log.ingest([TestEvent(user: "u", id: "e", time: 1_770_000_000_000)])
    #expect(try log.directory.contents(LogDirectory.lockName, maximum: 100).isEmpty)
  }
}
