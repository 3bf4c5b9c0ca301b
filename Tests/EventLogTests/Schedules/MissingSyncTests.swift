// The test of the crash schedule: with any one synchronisation left out it finds something wrong. Only those are left
// out that guard something in their case: a part that is merged away before a manifest names it needs none, and
// nor does a directory without a new name that counts.

import Threads
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct MissingSyncTests {
  /// The synchronisations of a step by number: true for those that guard something.
  private func guards(_ item: WritingCase, _ files: MemoryFileSystem) throws -> [Bool] {
    let recording = FailingFileSystem(files)
    let log = LogDirectory(path: "/log", files: files)
    let old = item.start.files.isEmpty ? [] : try log.readManifest().fileNames.map { "/log/" + $0 }
    try LogDirectory(path: "/log", files: recording).perform(item.step)
    let names = try log.readManifest().fileNames.map { "/log/" + $0 } + [log.keyPath]
    var isRemoval = false
    switch item.step {
    case .erase, .eraseWithKey, .moveKey, .expire: isRemoval = true
    default: break
    }
    let calls = recording.calls
    var result: [Bool] = []
    var hasChanged = false
    var last: Int?
    for (number, call) in calls.enumerated() {
      defer { if call.operation.hasPrefix("synchronize") { last = number } }
      switch call.operation {
      case "makeDirectory": hasChanged = hasChanged || item.start.files.isEmpty
      case "open": hasChanged = hasChanged || call.makes && names.contains(call.path)
      case "rename": hasChanged = true
      case "remove": hasChanged = hasChanged || isRemoval && old.contains(call.path)
      case "synchronize": result.append(names.contains(call.path) || call.path == "/log/manifest.new")
      case "synchronizeDirectory":
        // One that is done twice guards twice.
        if !hasChanged, let last,
          !calls[last..<number].contains(where: { $0.changes && !$0.operation.hasSuffix("Directory") })
        {
          result[result.count - 1] = false
        }
        result.append(hasChanged)
        hasChanged = false
      default: break
      }
    }
    return result
  }

  private func finds(_ item: WritingCase, without number: Int, _ run: (inout CrashSchedule) -> Void) -> Bool {
    var schedule = CrashSchedule(item)
    schedule.skipped = number
    schedule.stopsAtFirst = true
    run(&schedule)
    return !schedule.violations.isEmpty
  }

  @Test func eachOneIsMissed() throws {
    let total = Mutex((left: 0, all: 0))
    let items = WritingCase.all
    let tasks = Workers.Tasks(count: items.count)
    try Workers.run(threads: 2) { _ in
      while let task = tasks.claim() {
        let item = items[task]
        let start = MemoryFileSystem(item.start)
        let guards = try guards(item, start.afterKill())
        for number in guards.indices where guards[number] {
          #expect(finds(item, without: number) { $0.losePower(start) }, "\(item.name), synchronisation \(number)")
        }
        total.withLock {
          $0.all += guards.count
          $0.left += guards.count { $0 }
        }
      }
    }
    let (left, all) = total.withLock { $0 }
    print("left out in turn: \(left) synchronisations in \(items.count) operations; \(all - left) guard nothing there")
    #expect(left > 50)
  }

  /// The first one makes good what a killed writer left undone, and a second one follows if it left files.
  @Test func thoseBehindAKilledWriterAreMissed() throws {
    for item in WritingCase.all where !item.start.files.isEmpty && item.before != [item.after] {
      let start = MemoryFileSystem(item.start)
      #expect(finds(item, without: 0) { $0.endProcess(start) }, "\(item.name), behind a killed writer")
      guard !item.search.matches(item.start).isEmpty else { continue }
      // Done again it writes all files again, and so makes good what was left undone.
      if case .rename = item.step { continue }
      // Killed when the manifest was on disk, and the old files were still there.
      let killed = try CrashSchedule(item).moments(start.afterKill()).filter { moment in
        let files = MemoryFileSystem(moment.files.afterCrash(.nothing))
        return try item.state(files) == item.after && item.search.matches(moment.files.contents).isEmpty == false
      }
      let moment = try #require(killed.first, "\(item.name)")
      #expect(finds(item, without: 1) { $0.losePower(moment.files) }, "\(item.name), with files left over")
    }
  }
}
