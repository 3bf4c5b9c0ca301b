// Every system call of an ingest fails once, in every way it can.
//
// Invariants: the log opens and holds the state before or the state after, also where the power fails then; an ingest that did not throw is
// committed; one that threw is not, unless the failing call came after the manifest's rename; no
// descriptor stays open and none is closed twice; the next writer leaves no stray file, and the same
// ingest then gives the state after.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct FailureTests {
  /// A log whose next commit merges all its parts.
  static func prepared(_ random: inout RandomEvents) throws -> (MemoryFileSystem, [TestEvent]) {
    let files = MemoryFileSystem()
    var events: [TestEvent] = []
    for _ in 0..<MergePolicy.partsPerTier - 1 {
      let new = random.events(10)
      try LogDirectory(path: "/log", files: files).ingest(new)
      events += new
    }
    return (files, events)
  }

  /// What is in a log; nil where there is none.
  static func state(_ files: any FileSystem) throws -> [TestEvent]? {
    do {
      return try LogDirectory(path: "/log", files: files).export()
    } catch let error as LogError where error.code == .notFound {
      return nil
    }
  }

  private func check(
    _ base: MemoryFileSystem, before: [TestEvent]?, runs: [[TestEvent]], after: [TestEvent],
    _ failure: FailingFileSystem.Failure
  ) throws -> Int {
    var call = 0
    while true {
      let comment: Comment = "\(failure), call \(call)"
      let files = base.copy()
      let failing = FailingFileSystem(files, call: call, failure: failure)
      var isDone = true
      do {
        try LogDirectory(path: "/log", files: failing).ingest(runs: runs, memory: 0, batch: 5)
      } catch {
        isDone = false
        #expect(error is FileError || error is LogError, comment)
      }
      let calls = failing.calls
      let isReached = call < calls.count
      #expect(files.openDescriptors == 0 && files.closesOfClosed == 0, comment)
      let state = try Self.state(files)
      #expect(state == after || state == before || (before == nil && state == []), comment)
      if isDone { #expect(state == after, comment) }
      if !isDone && state == after {
        let renames = calls.indices.filter { calls[$0].operation == "rename" }
        let last = try #require(renames.last, comment)
        #expect(call >= last, "\(comment): it threw and is committed, and \(calls[call]) came before the rename")
      }
      if state != nil { #expect(try LogDirectory(path: "/log", files: files).verify().damage.isEmpty, comment) }
      // A full disk is no other wreck than one failed call.
      for survivors in MemoryFileSystem.Survivors.allCases where !isDone && failure != .diskFull {
        let wreck = try Self.state(files.afterCrash(survivors))
        let isKnown = wreck == after || wreck == before || (before == nil && wreck == [])
        #expect(isKnown, "\(comment), then the power fails: \(survivors)")
      }
      let log = LogDirectory(path: "/log", files: files)
      try EventLogWriter(log, threads: 1).close()
      let live = try LogSnapshot(log).parts.map(\.name) + ["lock", "manifest"]
      #expect(Set(try files.list("/log")) == Set(live), comment)
      try log.ingest(runs: runs)
      #expect(try log.export() == after, comment)
      if !isReached { return calls.count }
      call += 1
    }
  }

  @Test(arguments: FailingFileSystem.Failure.allCases)
  func everyCallOfAnIngestThatMerges(failure: FailingFileSystem.Failure) throws {
    var random = RandomEvents(seed: 61, users: 4)
    let (files, events) = try Self.prepared(&random)
    let runs = [random.events(10), random.events(10) + events.prefix(3)]
    let after = LogModel(events + runs.flatMap { $0 }).export
    let calls = try check(files, before: LogModel(events).export, runs: runs, after: after, failure)
    #expect(calls > 80)
  }

  @Test(arguments: FailingFileSystem.Failure.allCases)
  func everyCallOfTheFirstIngest(failure: FailingFileSystem.Failure) throws {
    var random = RandomEvents(seed: 62, users: 4)
    let runs = [random.events(10)]
    let files = MemoryFileSystem()
    let calls = try check(files, before: nil, runs: runs, after: LogModel(runs[0]).export, failure)
    #expect(calls > 30)
  }

  @Test func everyCallOfAReaderFailsWithoutALeak() throws {
    var random = RandomEvents(seed: 63, users: 4)
    let (files, events) = try Self.prepared(&random)
    var call = 0
    while true {
      let failing = FailingFileSystem(files, call: call)
      let log = LogDirectory(path: "/log", files: failing)
      // A close that fails is no reader's concern; every other failure is reported.
      do {
        #expect(try log.export() == LogModel(events).export)
        #expect(call >= failing.calls.count || failing.calls[call].operation == "close", "call \(call)")
      } catch {
        #expect(error is FileError, "call \(call): \(error)")
      }
      #expect(files.openDescriptors == 0 && files.closesOfClosed == 0, "call \(call)")
      if call >= failing.calls.count { return }
      call += 1
    }
  }
}
