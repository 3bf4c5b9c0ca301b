// A log that is made and never committed goes again, and its lock with it; whoever waited for that lock has none yet.

import Foundation
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

  /// A file system without locks.
  @Test(arguments: [ENOLCK, ENOTSUP, ENOSYS], [false, true])
  func withoutLocksNothingIsMade(error: Int32, isThere: Bool) throws {
    let files = MemoryFileSystem()
    if isThere { try files.makeDirectory("/log") }
    let before = files.contents
    let counting = FailingFileSystem(files.copy())
    try log(counting).ingest([Self.event])
    let call = try #require(counting.calls.firstIndex { $0.operation == "lock" })
    let refused = #expect(throws: FileError.self) {
      try log(FailingFileSystem(files, call: call, error: error)).ingest([Self.event])
    }
    #expect(refused?.sentence.contains("does not support locks: put the log on a local disk") == true)
    #expect(files.contents == before && files.openDescriptors == 0)
    // A log that is there keeps its lock.
    try log(files).ingest([Self.event])
    let whole = files.contents
    let again = FailingFileSystem(files.copy())
    try log(again).ingest([Self.event])
    let next = try #require(again.calls.firstIndex { $0.operation == "lock" })
    #expect(throws: FileError.self) { try log(FailingFileSystem(files, call: next, error: error)).ingest([Self.event]) }
    #expect(files.contents == whole)
  }

  @Test func aLockThatGoesAgainAndAgainIsNotWaitedForForEver() throws {
    let files = MemoryFileSystem()
    try log(files).ingest([Self.event])
    let watched = FailingFileSystem(
      files, onCall: { _, call in if call.operation == "lock" { files["/log/lock"] = nil } })
    let refused = #expect(throws: LogError.self) { try log(watched).ingest([Self.event]) }
    #expect(refused?.code == .locked && refused?.message.contains("replaced each time permlog took it") == true)
    #expect(files.openDescriptors == 0)
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

  /// Every call fails in turn, also while the log is taken away, and then the power fails.
  @Test func whateverFailsThereIsNoLogOrAnEmptyOne() throws {
    func run(_ files: any FileSystem) throws {
      let writer = try EventLogWriter(log(files), threads: 1)
      defer { writer.close() }
      try writer.write([Self.event])
    }
    func expectEmptyLogOrNone(_ files: MemoryFileSystem, _ comment: Comment) throws {
      do {
        #expect(try log(files).export().isEmpty, comment)
        #expect(try log(files).verify().damage.isEmpty, comment)
      } catch let error as LogError {
        #expect(error.code == .notFound, comment)
      }
      #expect(try log(files).ingest([Self.event]).new == 1, comment)
    }
    let recording = FailingFileSystem(MemoryFileSystem())
    try run(recording)
    #expect(recording.calls.contains { $0.operation == "removeDirectory" })
    for call in recording.calls.indices {
      for failure in FailingFileSystem.Failure.allCases {
        let comment: Comment =
          "call \(call), \(recording.calls[call].operation) \(recording.calls[call].path), \(failure)"
        let files = MemoryFileSystem()
        try? run(FailingFileSystem(files, call: call, failure: failure))
        for crash in MemoryFileSystem.CrashState.extremes {
          try expectEmptyLogOrNone(MemoryFileSystem(files.afterCrash(crash)), "\(comment), then \(crash)")
        }
        try expectEmptyLogOrNone(files, comment)
      }
    }
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
