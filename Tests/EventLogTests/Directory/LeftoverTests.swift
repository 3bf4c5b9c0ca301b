// What an interrupted writer leaves is nothing to readers, and is removed by the next writer.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct LeftoverTests {
  @Test func areIgnoredAndRemoved() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: 1, users: 5)
    let events = random.events(50)
    try log.ingest(events)
    let before = try log.export()
    let clean = Set(try files.list("/log"))
    let part = try #require(files["/log/part-0000000000000001"])
    files["/log/part-0000000000000002"] = part
    files["/log/part-00000000000000ff"] = [1, 2, 3]
    files["/log/manifest.new"] = Array("permlog-mani".utf8)
    files["/log/spill-events"] = [0]
    #expect(try log.export() == before)
    #expect(try log.verify().damage.isEmpty)
    // The next writer wants the id that the interrupted one had taken.
    let more = random.events(10)
    try log.ingest(more)
    #expect(Set(try files.list("/log")) == clean.union(["part-0000000000000002"]))
    #expect(try log.export() == LogModel(events + more).export)
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func anAbandonedIngestLeavesTheLogAsItWas() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: 2, users: 5)
    let events = random.events(50)
    try log.ingest(events)
    let writer = try EventLogWriter(log, threads: 1)
    try writer.write(random.events(20))
    #expect(try log.export() == LogModel(events).export)
    writer.close()
    #expect(try log.export() == LogModel(events).export)
    #expect(try files.list("/log").sorted() == ["lock", "manifest", "part-0000000000000001"])
  }
}
