// Readers keep what they began with, and a reader that begins while a writer commits gets one state whole.

import Threads
import PermissionEvents
import LogTestSupport
import Testing

@testable import EventLog

@Suite struct SnapshotTests {
  /// Ingests until the next one merges parts, and the events so far.
  private func log(_ files: any FileSystem, _ random: inout RandomEvents) throws -> (LogDirectory, [TestEvent]) {
    let log = LogDirectory(path: "/log", files: files)
    var events: [TestEvent] = []
    for _ in 0..<MergePolicy.partsPerTier - 1 {
      let new = random.events(20)
      try log.ingest(new)
      events += new
    }
    #expect(try LogSnapshot(log).parts.count == MergePolicy.partsPerTier - 1)
    return (log, events)
  }

  @Test func aReaderKeepsWhatItBeganWith() throws {
    let directory = try TemporaryDirectory()
    let log = LogDirectory(path: directory.path)
    var random = RandomEvents(seed: 5, users: 4)
    var events: [TestEvent] = []
    var snapshots: [(LogSnapshot, [TestEvent])] = []
    for _ in 0..<9 {
      let new = random.events(30)
      try log.ingest(new)
      events += new
      snapshots.append((try LogSnapshot(log), LogModel(events).export))
    }
    for (snapshot, expected) in snapshots {
      #expect(try snapshot.export() == expected)
      #expect(snapshot.eventCount == expected.count)
      #expect(snapshot.timeRange?.lowerBound == expected.map(\.time).min())
      #expect(snapshot.timeRange?.upperBound == expected.map(\.time).max())
    }
  }

  /// Calls `body` with a log into which somebody commits when its first part is opened, and with the events of the new state.
  private func withCommitWhileReading(seed: UInt64, _ body: (LogDirectory, [TestEvent]) throws -> Void) throws {
    let files = MemoryFileSystem()
    var random = RandomEvents(seed: seed, users: 4)
    let (writing, events) = try log(files, &random)
    let more = random.events(20)
    let isDone = Mutex(false)
    let reading = LogDirectory(
      path: "/log",
      files: FailingFileSystem(
        files,
        onCall: { _, call in
          guard call.operation == "open", call.path.contains("part-"), !isDone.withLock({ $0 }) else { return }
          isDone.withLock { $0 = true }
          _ = try? writing.ingest(more)
        }))
    try body(reading, LogModel(events + more).export)
    #expect(isDone.withLock { $0 })
  }

  @Test func aCommitWhileAReaderOpensPartsGivesItTheNewState() throws {
    try withCommitWhileReading(seed: 6) { log, events in
      let snapshot = try LogSnapshot(log)
      #expect(snapshot.parts.count == 1)
      #expect(try snapshot.export() == events)
    }
  }

  @Test func aCommitWhileALogIsVerifiedIsNoDamage() throws {
    try withCommitWhileReading(seed: 7) { log, events in
      let found = try log.verify()
      #expect(found.damage.isEmpty)
      #expect(found.events == events.count)
      #expect(found.parts == 1)
    }
  }

  @Test func aPartThatVanishedIsDamage() throws {
    let files = MemoryFileSystem()
    var random = RandomEvents(seed: 8, users: 4)
    let (log, _) = try log(files, &random)
    files["/log/part-0000000000000002"] = nil
    do {
      _ = try LogSnapshot(log)
      Issue.record("a log without one of its parts was opened")
    } catch let error as LogError {
      #expect(error.code == .damaged && error.message.contains("part-0000000000000002"), "\(error)")
    }
    let damage = try log.verify().damage
    #expect(damage.count == 1 && damage[0].contains("part-0000000000000002"))
    #expect(throws: LogError.self) { try log.ingest([]) }
  }

  @Test func anEmptyLogIsRead() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    try log.ingest([])
    let snapshot = try LogSnapshot(log)
    #expect(snapshot.eventCount == 0 && snapshot.timeRange == nil)
    #expect(try snapshot.export().isEmpty)
    #expect(try log.verify().damage.isEmpty)
    #expect(snapshot.information.parts.isEmpty)
  }
}
