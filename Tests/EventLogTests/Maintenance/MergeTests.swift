// Merging: nothing is lost, and the number of parts grows with the logarithm of the log.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct MergeTests {
  @Test(arguments: [1, 2])
  func mergesKeepEverything(threads: Int) throws {
    var random = RandomEvents(seed: 50, users: 9)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var events: [TestEvent] = []
    var merges = 0
    for _ in 0..<30 {
      let new = random.events(15).map { event in
        var event = event
        event.id += Array("-\(events.count)".utf8)
        return event
      }
      events += new
      try log.ingest(new, threads: threads)
      let parts = try LogSnapshot(log).parts.count
      if parts == 1 { merges += 1 }
      #expect(parts < MergePolicy.partsPerTier)
    }
    #expect(merges >= 9)
    #expect(try log.export() == LogModel(events).export)
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func manyRunsOfOneIngestAreMergedInItsCommit() throws {
    var random = RandomEvents(seed: 51, users: 9)
    let events = random.events(200)
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    let rounds = stride(from: 0, to: 200, by: 20).map { Array(events[$0..<$0 + 20]) }
    #expect(try log.ingest(rounds: rounds).new == LogModel(events).counts.new)
    #expect(try log.export() == LogModel(events).export)
    #expect(try LogSnapshot(log).parts.count < MergePolicy.partsPerTier)
    #expect(try files.list("/log").count == 2 + LogSnapshot(log).parts.count)
  }

  /// A ledger that has more or fewer rows that gave way than go.
  @Test func asManyRowsGoAsTheLedgerCounted() throws {
    var random = RandomEvents(seed: 52, users: 3)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    try log.ingest(random.events(20))
    let part = try #require(try LogSnapshot(log).parts.first)
    func write(counted: Int, gone: Int, as id: UInt64) throws -> Int {
      let ledger = CopyLedger(log)
      let marks = CopyMarks(ledger, part: part.id)
      try marks.begin(block: 0, rows: Int(part.footer.rows))
      for row in 0..<gone { marks.replace(row) }
      try marks.flush()
      ledger.addReplaced(counted - gone, part: part.id)
      let merge = PartMerge(sources: [part], replaced: ledger, directory: log, threads: 1)
      return Int(try merge.write(part: id).part?.rows ?? 0)
    }
    let rows = Int(part.footer.rows)
    #expect(try write(counted: 2, gone: 2, as: 97) == rows - 2)
    #expect { try write(counted: 3, gone: 2, as: 98) } throws: { ($0 as? LogError)?.code == .damaged }
    #expect { try write(counted: 1, gone: 0, as: 99) } throws: { ($0 as? LogError)?.code == .damaged }
  }

  @Test func valuesThatNoEventHasAreNotKept() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let kept = TestEvent(
      user: "u", id: "e", time: 1_700_000_000_000, values: [.permission: "custom", .variant: "kept", .country: "DE"])
    var dropped = kept
    dropped.values = [.permission: Array("other custom".utf8), .variant: Array("dropped".utf8)]
    try log.ingest([kept, dropped])
    let values = try LogSnapshot(log).information.values
    #expect(values[.permission] == ["custom"] && values[.variant] == ["kept"] && values[.country] == ["DE"])
  }
}
