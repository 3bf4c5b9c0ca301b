// Events that wait for the sort on disk: pages with texts and without, some of a partition kept and some spilled, and a
// disk that takes no more.

import Foundation
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct SpillTests {
  private func newLog() -> LogDirectory { LogDirectory(path: "/log", files: MemoryFileSystem()) }

  /// One user's events lie in one partition. The first pages have UUIDs alone, the last texts too.
  private static let events: [TestEvent] = (0..<3000).map { n in
    let user = "7b1f0000-0000-4000-8000-000000000001"
    let id = n < 2000 ? "00000000-0000-4000-8000-" + String(format: "%012d", n) : "text \(n)"
    return TestEvent(user: user, id: id, time: 1_700_000_000_000 + Milliseconds(n))
  }

  @Test(arguments: [0, EventPage.length * 2, 1 << 26])
  func pagesWithTextsAndWithoutAreSortedTogether(memory: Int) throws {
    let log = newLog()
    let counts = try log.ingest(Self.events, memory: memory, batch: 100)
    #expect(counts.new == Self.events.count)
    #expect(try log.export() == Self.events)
  }

  @Test func aBufferThatCouldNotBeWrittenIsNotAddedTo() throws {
    let files = MemoryFileSystem()
    try files.makeDirectory("/log")
    let failing = FailingFileSystem(files, call: 0)
    let store = PartitionStore(directory: LogDirectory(path: "/log", files: failing), memory: 0)
    let page = EventPage()
    page.address.initializeMemory(as: UInt8.self, repeating: 0xFF, count: EventPage.length)
    let buffer = SpillBuffer(store)
    var failures: [Int] = []
    for number in 1...40 {
      do { try buffer.add(page, count: 48, partition: 1) } catch { failures.append(number) }
    }
    try buffer.flush()
    #expect(failures == [16], "pages are written sixteen at once, and the first time nothing can be opened")
    let partition = SortedPartition()
    try partition.load(store, partition: 1)
    #expect(partition.count == 24)
  }
}
