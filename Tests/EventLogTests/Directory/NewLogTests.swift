// A log that is made and never committed goes again, and its lock with it; whoever waited for that lock has none yet.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct NewLogTests {
  private static let event = TestEvent(user: "u", id: "e", time: 1_700_000_000_000)

  private func log(_ files: any FileSystem) -> LogDirectory { LogDirectory(path: "/log", files: files) }

  @Test func whatIsNotCommittedGoesWithItsDirectory() throws {
    let files = MemoryFileSystem()
    let before = files.contents
    let writer = try EventLogWriter(log(files), threads: 1)
    try writer.write([Self.event])
    #expect(try files.list("/log").count > 2)
    writer.close()
    #expect(files.contents == before && files.openDescriptors == 0)
    // A commit of nothing is one.
    let empty = try EventLogWriter(log(files), threads: 1)
    try empty.commit()
    empty.close()
    #expect(try log(files).export().isEmpty)
    // A log that was there stays, whatever becomes of the next ingest.
    let next = try EventLogWriter(log(files), threads: 1)
    try next.write([Self.event])
    next.close()
    #expect(try log(files).export().isEmpty)
  }

  @Test func aDirectoryThatWasThereStays() throws {
    let files = MemoryFileSystem()
    try files.makeDirectory("/log")
    try EventLogWriter(log(files), threads: 1).close()
    #expect(try files.list("/log").isEmpty)
  }

  @Test func aLockWithoutANameLocksNobodyOut() throws {
    let files = MemoryFileSystem()
    try files.makeDirectory("/log")
    nonisolated(unsafe) let first = try EventLogWriter(log(files), threads: 1)
    // The first writer takes its log away between the second one's opening of the lock and its taking.
    let watched = FailingFileSystem(files, onCall: { _, call in if call.operation == "lock" { first.close() } })
    let second = try EventLogWriter(log(watched), threads: 1)
    #expect(watched.calls.count { $0.operation == "lock" } == 2)
    var refusal: LogError?
    do { _ = try EventLogWriter(log(files), threads: 1) } catch { refusal = error as? LogError }
    #expect(refusal?.code == .locked)
    try second.write([Self.event])
    try second.commit()
    second.close()
    #expect(try log(files).export() == [Self.event])
    #expect(files.closesOfClosed == 0)
  }

  @Test func directoriesAboveAreMadeAndTheirNamesReachTheDisk() throws {
    let directory = try TemporaryDirectory()
    let recording = FailingFileSystem(SystemFileSystem())
    let path = directory.path + "/a/b/log"
    let writer = try EventLogWriter(LogDirectory(path: path, files: recording), threads: 1)
    let synchronized = recording.calls.filter { $0.operation == "synchronizeDirectory" }.map(\.path)
    #expect(synchronized.contains(directory.path + "/a/.."))
    #expect(synchronized.contains(directory.path + "/a/b/.."))
    #expect(synchronized.contains(path + "/.."))
    writer.close()
    #expect(try SystemFileSystem().list(directory.path).isEmpty)
  }
}
