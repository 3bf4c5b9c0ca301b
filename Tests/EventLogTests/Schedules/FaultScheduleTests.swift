// Every system call of every command that writes fails, in every way it can, with every error it can have.
//
// Invariants: the log is the one before or the one after (events, erased users and expiry alike), also if the power
// fails then; a command that did not throw is committed; one that threw is not, unless the failing call came after
// the manifest's rename; an erasure that did not throw left no byte of the user in any file; `verify` finds no damage;
// no descriptor stays open and none is closed twice; the same command again does the rest, and leaves no stray file.

import Threads
import struct Synchronization.Atomic
import Foundation
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct FaultScheduleTests {
  private struct Fault: CustomStringConvertible {
    var call: Int
    var failure: FailingFileSystem.Failure
    var error: Int32
    var operation: FailingFileSystem.Call
    var description: String {
      "call \(call), \(operation.operation) \(operation.path), \(failure), \(String(cString: strerror(error)))"
    }
  }

  /// All that can go wrong in a run whose calls are known.
  private func faults(_ calls: [FailingFileSystem.Call]) -> [Fault] {
    calls.enumerated().flatMap { number, call -> [Fault] in
      let once = call.errors.map { Fault(call: number, failure: .once, error: $0, operation: call) }
      let afterwards = Fault(call: number, failure: .afterwards, error: EIO, operation: call)
      let needsRoom = call.makes || ["write", "synchronize"].contains(call.operation)
      let full = [ENOSPC, EDQUOT].map { Fault(call: number, failure: .diskFull, error: $0, operation: call) }
      return once + [afterwards] + (needsRoom ? full : [])
    }
  }

  private func expectBeforeOrAfter(_ item: WritingCase, _ fault: Fault, _ comment: Comment) throws {
    let files = MemoryFileSystem(item.start)
    let failing = FailingFileSystem(files, call: fault.call, failure: fault.failure, error: fault.error)
    var isDone = true
    do {
      try LogDirectory(path: "/log", files: failing).perform(item.step)
    } catch {
      isDone = false
      #expect(error is FileError || error is LogError, comment)
    }
    let calls = failing.calls
    #expect(files.openDescriptors == 0 && files.closesOfClosed == 0, comment)
    let (before, after) = (item.before, item.after)
    let contents = files.contents
    let state = try item.state(contents)
    #expect(state == after || before.contains(state), comment)
    if isDone {
      #expect(state == after, comment)
      #expect(item.search.matches(contents).isEmpty, comment)
    } else if state == after, !before.contains(after) {
      let rename = try #require(calls.lastIndex { $0.operation == "rename" }, comment)
      #expect(fault.call >= rename, "\(comment): it threw and is committed, and failed before the rename")
    }
    for crash in MemoryFileSystem.CrashState.extremes where fault.failure != .diskFull {
      let wreck = try item.state(files.afterCrash(crash))
      #expect(wreck == after || !isDone && before.contains(wreck), "\(comment), then the power fails: \(crash)")
    }
    #expect(try item.problems(contents) == [], comment)
  }

  @Test func everyCallOfEveryCommand() throws {
    let count = Atomic(0)
    for item in WritingCase.all {
      let recording = FailingFileSystem(MemoryFileSystem(item.start))
      try LogDirectory(path: "/log", files: recording).perform(item.step)
      let faults = faults(recording.calls)
      #expect(faults.count > 60, "\(item.name)")
      let tasks = Workers.Tasks(count: faults.count)
      try Workers.run(threads: 2) { _ in
        while let task = tasks.claim() {
          try expectBeforeOrAfter(item, faults[task], "\(item.name): \(faults[task])")
          count.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    let total = count.load(ordering: .relaxed)
    print("fault schedule: \(total) failures injected in \(WritingCase.all.count) operations")
    #expect(total > 2000)
  }

  @Test func everyCallOfAReaderFailsWithoutALeak() throws {
    let item = try #require(WritingCase.all.first { $0.name == "compact" })
    let files = MemoryFileSystem(item.start)
    let expected = try #require(item.before.first ?? nil).events
    var call = 0
    while true {
      let failing = FailingFileSystem(files, call: call)
      let log = LogDirectory(path: "/log", files: failing)
      // A close that fails is no reader's concern; every other failure is reported.
      do {
        #expect(try log.export() == expected)
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
