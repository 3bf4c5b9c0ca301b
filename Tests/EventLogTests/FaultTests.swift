// Every file-system call of an ingest fails in turn. Afterwards the log opens without repair and is the
// one before or the one after; the next writer leaves nothing behind.

import Foundation
import Testing

@testable import EventLog

@Suite struct FaultTests {
  /// An ingest that spills, and whose commit merges parts.
  private func ingestLast(_ log: TestLog, _ events: [TestEvent], _ files: FailingFileSystem) throws {
    _ = try TestLog.ingest([events], into: LogDirectory(path: log.path, files: files), memory: 0)
  }

  @Test(arguments: [28, 5, 24] as [Int32]) func everyCallFailsInTurn(errorNumber: Int32) throws {
    var numbers = SeededNumbers(seed: 7)
    let pieces = (0..<4).map { _ in numbers.events(60, users: 9, ids: 500) }
    func prepared() throws -> TestLog {
      let log = try TestLog()
      for piece in pieces.dropLast() { try log.ingest(piece) }
      return log
    }
    var before = LogModel()
    for piece in pieces.dropLast() { before.add(piece) }
    var after = before
    after.add(pieces[3])
    let counting = FailingFileSystem()
    try ingestLast(try prepared(), pieces[3], counting)
    var failures = 0
    for call in 1...counting.calls {
      let log = try prepared()
      let files = FailingFileSystem(failingCall: call, errorNumber: errorNumber)
      var hasThrown = false
      do { try ingestLast(log, pieces[3], files) } catch { hasThrown = true }
      let what = "call \(call), \(files.failed ?? "none"), error \(errorNumber)"
      failures += hasThrown ? 1 : 0
      let found = try log.events()
      if !hasThrown { #expect(found == after.events, "\(what) was swallowed, and the events are not there") }
      #expect(found == before.events || found == after.events, "\(what)")
      #expect(try log.directory.verify().damage.isEmpty, "\(what)")
      // The next writer brings the log to the state after, and removes all leftovers.
      try log.ingest(pieces[3])
      #expect(try log.events() == after.events, "\(what)")
      let live = Set(try log.directory.readManifest().parts.map(\.name)).union(["lock", "manifest"])
      #expect(Set(try log.names()) == live, "\(what)")
    }
    #expect(failures > counting.calls / 2, "\(failures) of \(counting.calls) calls failed the ingest")
    print("fault schedule: \(counting.calls) calls, \(failures) failed ingests, error \(errorNumber)")
  }

  /// The directory's last fsync fails behind the rename: the new manifest is there, and so must be its parts.
  @Test func aFailedLastFsyncLeavesTheCommittedPartsInPlace() throws {
    let log = try TestLog()
    let event = TestEvent(user: "u", id: "e", time: 1_770_000_000_000)
    let counting = FailingFileSystem()
    _ = try TestLog.ingest([[event]], into: LogDirectory(path: log.path, files: counting))
    var found: String?
    for call in 1...counting.calls {
      let other = try TestLog()
      let files = FailingFileSystem(failingCall: call, errorNumber: 5)
      _ = try? TestLog.ingest([[event]], into: LogDirectory(path: other.path, files: files))
      guard files.failed?.hasPrefix("fsync directory") == true,
        let manifest = try? other.directory.readManifest(), !manifest.parts.isEmpty
      else { continue }
      found = files.failed
      #expect(try other.events() == [event])
    }
    #expect(found != nil, "no such call was met")
  }

  @Test func leftoversAreIgnoredByReadersAndRemovedByTheNextWriter() throws {
    let log = try TestLog()
    let event = TestEvent(user: "u", id: "e", time: 1_770_000_000_000)
    try log.ingest([event])
    for name in ["part-00000000000000ff", "manifest.new", "spill-events"] {
      try Data("torn".utf8).write(to: URL(fileURLWithPath: log.path + "/" + name))
    }
    try Data("process 1\n".utf8).write(to: URL(fileURLWithPath: log.path + "/lock"))
    #expect(try log.events() == [event])
    #expect(try log.directory.verify().damage.isEmpty)
    #expect(try log.names().count == 6)
    try log.ingest([event])
    #expect(try log.names() == ["lock", "manifest", "part-0000000000000001"])
  }

  @Test func aMissingPartAndAMissingManifestAreDamage() throws {
    let log = try TestLog()
    try log.ingest([TestEvent(user: "u", id: "e", time: 1_770_000_000_000)])
    let part = log.path + "/part-0000000000000001"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: part))
    try FileManager.default.removeItem(atPath: part)
    #expect(throws: LogError.self) { try log.events() }
    #expect(try log.directory.verify().damage.count == 1)
    try bytes.write(to: URL(fileURLWithPath: part))
    try FileManager.default.removeItem(atPath: log.path + "/manifest")
    #expect(try log.directory.verify().damage.count == 1)
    #expect(throws: LogError.self) { try log.ingest([TestEvent(user: "u", id: "e", time: 1_770_000_000_000)]) }
    #expect(FileManager.default.fileExists(atPath: part), "a writer must not take data for leftovers")
  }
}
