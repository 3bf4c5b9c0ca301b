// The power fails, or the process is killed, at every system call of every command that writes; and that would be found
// if one of the synchronisations were missing.

import Threads
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct CrashScheduleTests {
  private static let seed: UInt64 = 20_260_401

  @Test func everyCommandAtEveryCall() throws {
    let total = Mutex((power: 0, process: 0))
    let tasks = Workers.Tasks(count: WritingCase.all.count)
    Workers.run(threads: 2) { _ in
      while let task = tasks.claim() {
        let item = WritingCase.all[task]
        let start = MemoryFileSystem(item.start)
        var power = CrashSchedule(item)
        power.seed = Self.seed
        power.randomStates = 12
        power.losePower(start)
        var process = CrashSchedule(item)
        process.endProcess(start)
        let found = power.violations + process.violations
        #expect(
          found.isEmpty,
          "\(item.name), seed \(Self.seed): \(found.count) violations; \(found.prefix(3).joined(separator: "; "))")
        total.withLock {
          $0.power += power.states
          $0.process += process.states
        }
      }
    }
    let (power, process) = total.withLock { $0 }
    print("crash schedule: \(power) states after a loss of power, \(process) after a killed process, seed \(Self.seed)")
    #expect(power > 600)
  }

  /// The order of calls that `fsync` gives sense to, read off what was called.
  @Test(arguments: WritingCase.all)
  func theOrderOfCallsIsTheOneThatIsPromised(item: WritingCase) throws {
    let recording = FailingFileSystem(MemoryFileSystem(item.start))
    let live = Set(try liveFiles(item).map { "/log/" + $0 })
    try LogDirectory(path: "/log", files: recording).perform(item.step)
    let calls = recording.calls
    func last(_ operation: String, _ path: String, before end: Int) -> Int? {
      calls[..<end].lastIndex { $0.operation == operation && $0.path == path }
    }
    let renames = calls.indices.filter { calls[$0].operation == "rename" }
    for rename in renames {
      #expect(calls[rename].path == "/log/manifest" && calls[rename].source == "/log/manifest.new")
      let written = Set(calls[..<rename].filter { $0.operation == "write" }.map(\.path))
      for path in written where path != "/log/lock" && !path.hasPrefix("/log/spill-") {
        let write = try #require(last("write", path, before: rename))
        #expect(last("synchronize", path, before: rename) ?? -1 > write, "\(path) is not on disk")
        let made = try #require(calls[..<rename].lastIndex { $0.makes && $0.path == path })
        let sync = last("synchronizeDirectory", FileName.directory(of: path), before: rename)
        #expect(sync ?? -1 > made, "the name of \(path) is not on disk")
      }
      #expect(calls[(rename + 1)...].first?.operation == "synchronizeDirectory", "the rename is not on disk")
    }
    let removals = calls.indices.filter { calls[$0].operation == "remove" }
    for removal in removals where live.contains(calls[removal].path) {
      let rename = try #require(renames.last)
      #expect(removal > rename + 1, "\(calls[removal].path) goes before the manifest that does not name it is on disk")
    }
    if !item.search.matches(item.start).isEmpty, let removal = removals.last {
      #expect(calls[removal...].contains { $0.operation == "synchronizeDirectory" }, "a removal is not on disk")
    }
  }

  private func liveFiles(_ item: WritingCase) throws -> [String] {
    guard !item.start.files.isEmpty else { return [] }
    return try LogDirectory(path: "/log", files: MemoryFileSystem(item.start)).readManifest().fileNames
  }
}
