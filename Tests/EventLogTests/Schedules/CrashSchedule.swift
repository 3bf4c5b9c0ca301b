// The end of a writer at every system call of a command, and what the disk may then hold.
//
// Invariants: the log opens without repair and is the one before or the one after; once the command has returned it is
// the one after, and what was erased or expired is in no file; `verify` finds no damage; the same command again does the rest and
// leaves no stray file. If only the process ended, the next writer finds changes that the disk does not have yet:
// what it says is done must still be done when the power fails after it.

import Threads
import struct Synchronization.Atomic
import PermissionEvents
import LogTestSupport

@testable import EventLog

/// Collects what is wrong instead of failing a test, since a test of the test wants something to be wrong.
struct CrashSchedule {
  let item: WritingCase
  /// Random states at each call.
  var randomStates = 3
  var seed: UInt64 = 0
  /// The synchronisation that is left out; nil for none.
  var skipped: Int?
  private(set) var violations: [String] = []
  /// States that differ from one another.
  private(set) var states = 0

  /// Ends the schedule if something is wrong.
  var stopsAtFirst = false
  private var seen: Set<State> = []

  private struct State: Hashable {
    var contents: MemoryFileSystem.Contents
    var isDone: Bool
  }

  struct Moment {
    var files: MemoryFileSystem
    var text: String
    var isDone: Bool
  }

  init(_ item: WritingCase) { self.item = item }

  /// Does the step on files, as they are whenever something has changed and at the end.
  func moments(_ files: MemoryFileSystem) throws -> [Moment] {
    let moments = Mutex<(all: [Moment], isNew: Bool)>(([], true))
    let isDone = Atomic(false)
    @Sendable func note(_ text: String, changes: Bool) {
      moments.withLock { moments in
        let isDone = isDone.load(ordering: .relaxed)
        if moments.isNew || moments.all.last?.isDone != isDone {
          moments.all.append(Moment(files: files.afterKill(), text: text, isDone: isDone))
        }
        moments.isNew = changes
      }
    }
    let watched = FailingFileSystem(
      files, skipping: skipped,
      onCall: { note("before call \($0), \($1.operation) \($1.path)", changes: $1.changes) })
    try LogDirectory(path: "/log", files: watched).perform(item.step) { isDone.store(true, ordering: .relaxed) }
    note("at the end", changes: false)
    return moments.withLock { $0.all }
  }

  /// The power fails at each call.
  mutating func losePower(_ start: MemoryFileSystem) {
    attempt("the run itself") { schedule in
      for (number, moment) in try schedule.moments(start.afterKill()).enumerated() {
        let random = (0..<schedule.randomStates).map { n in
          MemoryFileSystem.CrashState.random(schedule.seed &+ UInt64(number * schedule.randomStates + n))
        }
        for crash in MemoryFileSystem.CrashState.extremes + random {
          if schedule.stopsAtFirst, !schedule.violations.isEmpty { return }
          let contents = moment.files.afterCrash(crash)
          guard schedule.seen.insert(State(contents: contents, isDone: moment.isDone)).inserted else { continue }
          schedule.states += 1
          schedule.attempt("\(moment.text), \(crash)") { try $0.expectBeforeOrAfter(contents, isDone: moment.isDone) }
        }
      }
    }
  }

  /// The process ends at each call; then the power fails while the next one does the same.
  mutating func endProcess(_ start: MemoryFileSystem) {
    attempt("the run itself") { schedule in
      var whole = schedule
      whole.skipped = nil
      for moment in try whole.moments(start.afterKill()) {
        schedule.attempt("killed \(moment.text)") { $0.losePower(moment.files) }
      }
    }
  }

  private mutating func expectBeforeOrAfter(_ contents: MemoryFileSystem.Contents, isDone: Bool) throws {
    let state = try item.state(contents)
    expect(state == item.after || !isDone && item.before.contains(state), "neither the log before nor the log after")
    if isDone { expect(item.search.matches(contents).isEmpty, "what was removed is still in a file") }
    violations += try item.problems(contents)
  }

  private mutating func expect(_ isTrue: Bool, _ what: String) {
    if !isTrue { violations.append(what) }
  }

  /// Does something; what is found or thrown gets the text before it.
  private mutating func attempt(_ text: String, _ body: (inout CrashSchedule) throws -> Void) {
    let count = violations.count
    do {
      try body(&self)
    } catch {
      violations.append("\(error)")
    }
    for i in count..<violations.count { violations[i] = "\(text): \(violations[i])" }
  }
}
