// Overlapping ingests against a plain dictionary.
//
// Invariants: after every commit the export is the model's, in the log's order; new, duplicates and
// conflicts are the model's; `verify` finds nothing; the number of parts stays small; only live files stay.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct IngestPropertyTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func overlappingIngestsInAnyOrderGiveTheModel(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 1 + Int(seed) * 3)
    let all = random.events(150)
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var model = LogModel()
    for step in 0..<14 {
      var chosen = all.filter { _ in random.generator.oneIn(3) }
      chosen += chosen.filter { _ in random.generator.oneIn(5) }
      chosen.shuffle(using: &random.generator)
      let before = model.counts
      model.ingest(chosen)
      let cut = Int.random(in: 0...chosen.count, using: &random.generator)
      let found = try log.ingest(
        rounds: random.generator.oneIn(2) ? [chosen] : [Array(chosen[..<cut]), Array(chosen[cut...])],
        threads: random.generator.oneIn(2) ? 1 : 2, memory: random.generator.oneIn(2) ? 0 : 1 << 20,
        batch: Int.random(in: 1...60, using: &random.generator))
      #expect(found.new == model.counts.new - before.new, "seed \(seed), step \(step)")
      #expect(found.duplicates == model.counts.duplicates - before.duplicates, "seed \(seed), step \(step)")
      #expect(found.conflicts == 0, "seed \(seed), step \(step)")
      #expect(try log.export() == model.export, "seed \(seed), step \(step)")
      let snapshot = try LogSnapshot(log)
      #expect(snapshot.parts.count < MergePolicy.partsPerTier, "seed \(seed), step \(step)")
      #expect(Set(try files.list("/log")) == Set(snapshot.parts.map(\.name) + ["lock", "manifest"]))
    }
    #expect(try log.verify().damage.isEmpty, "seed \(seed)")
    #expect(files.openDescriptors == 0 && files.closesOfClosed == 0, "seed \(seed)")
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func conflictingCopiesInAnyOrderGiveTheModel(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 4)
    let all = random.events(60)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var model = LogModel()
    for step in 0..<10 {
      let chosen = all.shuffled(using: &random.generator).prefix(40).map { event in
        var copy = event
        if random.generator.oneIn(2) { copy.time += Int64.random(in: -3...3, using: &random.generator) }
        if random.generator.oneIn(4) { copy.values[.variant] = Array("v\(step)".utf8) }
        return copy
      }
      model.ingest(chosen)
      var counts = model.counts
      let found = try log.ingest(chosen, threads: 2, batch: 7)
      counts.new -= found.new
      #expect(try log.export() == model.export, "seed \(seed), step \(step)")
    }
    let again = try log.ingest(model.export)
    #expect(again.new == 0 && again.conflicts == 0 && again.duplicates == model.export.count, "seed \(seed)")
  }

  /// With no memory at all every page goes through the temporary file.
  @Test(arguments: [1, 2])
  func spillingChangesNothing(threads: Int) throws {
    var random = RandomEvents(seed: 31, users: 40)
    let events = random.events(3000)
    let spilled = MemoryFileSystem()
    let recorder = FailingFileSystem(spilled)
    let first = LogDirectory(path: "/log", files: recorder)
    let second = LogDirectory(path: "/log", files: MemoryFileSystem())
    let counts = try first.ingest(events, threads: threads, memory: 0, batch: 100)
    #expect(try second.ingest(events, memory: 1 << 26) == counts)
    #expect(recorder.calls.contains { $0.operation == "write" && $0.path.contains("spill-") })
    #expect(try first.export() == LogModel(events).export)
    #expect(try first.export() == second.export())
    #expect(try spilled.list("/log").allSatisfy { !$0.hasPrefix("spill-") })
  }

  @Test func anIngestOfKnownEventsChangesNoFile() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: 32, users: 4)
    let events = random.events(60)
    try log.ingest(events)
    let manifest = files["/log/manifest"]
    #expect(try log.ingest(events.shuffled(using: &random.generator)).new == 0)
    #expect(files["/log/manifest"] == manifest)
  }

  @Test func moreTuplesThanAnEventsCodesHoldIsRefused() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    let round = writer.beginRound()
    let limit = 1 << UInt32(EventDictionary.tupleCodeBits)
    for feature in 0..<UInt32(limit) { _ = round.dictionary.code(ContextTuple(feature: feature)) }
    #expect(round.isFull)
    let batch = EventBatch()
    batch.append(TestEvent(user: "u", id: "e", time: 1_700_000_000_000), dictionary: round.dictionary)
    try round.append(batch)
    batch.append(
      TestEvent(user: "u", id: "f", time: 1_700_000_000_000, status: .always), dictionary: round.dictionary)
    #expect(throws: LogError.self) { try round.append(batch) }
  }
}
