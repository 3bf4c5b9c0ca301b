// The machine stops at every system call of an ingest; only what was synchronised is there afterwards,
// with the names as last synchronised, or with all names over data that may be missing.
//
// Invariants: the log opens and holds the state before or the state after; once the commit has returned,
// the state after; the next writer cleans up.

import LogTestSupport
import Synchronization
import Testing

@testable import EventLog

@Suite struct PowerLossTests {
  private func check(_ files: MemoryFileSystem, before: [TestEvent]?, runs: [[TestEvent]], after: [TestEvent]) throws {
    let wrecks = Mutex<[(String, MemoryFileSystem)]>([])
    let watched = FailingFileSystem(
      files,
      onCall: { number, call in
        for survivors in MemoryFileSystem.Survivors.allCases {
          let wreck = files.afterCrash(survivors)
          wrecks.withLock { $0.append(("before call \(number), \(call.operation) \(call.path), \(survivors)", wreck)) }
        }
      })
    let writer = try EventLogWriter(LogDirectory(path: "/log", files: watched), threads: 1, memory: 0)
    for events in runs { try writer.write(events, batch: 5) }
    try writer.commit()
    for survivors in MemoryFileSystem.Survivors.allCases {
      #expect(try FailureTests.state(files.afterCrash(survivors)) == after, "committed, \(survivors)")
    }
    writer.close()
    for (moment, wreck) in wrecks.withLock({ $0 }) {
      let state = try FailureTests.state(wreck)
      #expect(state == after || state == before || (before == nil && state == []), "\(moment)")
      let log = LogDirectory(path: "/log", files: wreck)
      if state != nil { #expect(try log.verify().damage.isEmpty, "\(moment)") }
      try log.ingest(runs: runs)
      #expect(try log.export() == after, "\(moment)")
      let live = try LogSnapshot(log).parts.map(\.name) + ["lock", "manifest"]
      #expect(Set(try wreck.list("/log")) == Set(live), "\(moment)")
    }
  }

  @Test func duringAnIngestThatMerges() throws {
    var random = RandomEvents(seed: 71, users: 4)
    let (files, events) = try FailureTests.prepared(&random)
    let runs = [random.events(10), random.events(10)]
    try check(
      files, before: LogModel(events).export, runs: runs, after: LogModel(events + runs.flatMap { $0 }).export)
  }

  @Test func duringTheFirstIngest() throws {
    var random = RandomEvents(seed: 72, users: 4)
    let runs = [random.events(10)]
    try check(MemoryFileSystem(), before: nil, runs: runs, after: LogModel(runs[0]).export)
  }
}
