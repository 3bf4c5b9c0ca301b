// What a dry run says is what the run then does, and it makes no call that changes anything.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct RemovalPreviewTests {
  private func makeLog(seed: UInt64) throws -> (files: MemoryFileSystem, events: [TestEvent]) {
    let files = MemoryFileSystem()
    var random = RandomEvents(seed: seed, users: 9)
    var events: [TestEvent] = []
    for _ in 0..<3 {
      let new = random.events(30)
      try LogDirectory(path: "/log", files: files).ingest(new)
      events += new
    }
    return (files, LogModel(events).export)
  }

  private func change(_ files: MemoryFileSystem, _ body: (EventLogWriter) throws -> ErasureCounts) throws
    -> ErasureCounts
  {
    let writer = try EventLogWriter(LogDirectory(path: "/log", files: files), threads: 1, mayCreate: false)
    defer { writer.close() }
    return try body(writer)
  }

  /// What a preview finds; nothing of the log may change meanwhile.
  private func preview(_ files: MemoryFileSystem, _ body: (LogSnapshot) throws -> RemovalPreview) throws
    -> RemovalPreview
  {
    let before = files.contents
    let watched = FailingFileSystem(files)
    let found = try body(LogSnapshot(LogDirectory(path: "/log", files: watched)))
    #expect(files.contents == before && !watched.calls.contains(where: \.changes))
    #expect(!watched.calls.contains { $0.operation == "lock" })
    return found
  }

  @Test(arguments: UInt64(1)...10)
  func anErasureFindsWhatItsPreviewFound(seed: UInt64) throws {
    let (files, events) = try makeLog(seed: seed)
    let users = Set(events.map(\.user)).sorted { $0.lexicographicallyPrecedes($1) }
    var erased: Set<[UInt8]> = []
    for named in [[users[0], users[0], Array("nobody here".utf8)], [users[0], users[1]], []] {
      let found = try preview(files) { try $0.preview(erasing: named) }
      let counts = try change(files) { try $0.erase(named) }
      #expect(found.events == counts.events && found.users == counts.found, "\(seed)")
      #expect(found.parts == counts.parts && found.keptOut == counts.users, "\(seed)")
      #expect(found.absent == counts.absent, "\(seed)")
      #expect(found.people == counts.people && counts.people.count == Set(named).count, "\(seed)")
      for (id, person) in counts.people where erased.insert(id).inserted {
        #expect(person.events == Set(events.filter { $0.user == id }.map(\.id)).count, "\(seed)")
        #expect(person.linked.isEmpty && person.earlier == nil, "\(seed)")
      }
      #expect(found.wholeUsers == found.users)
    }
  }

  @Test(arguments: UInt64(1)...10)
  func anExpiryFindsWhatItsPreviewFound(seed: UInt64) throws {
    let (files, events) = try makeLog(seed: seed)
    let times = events.map(\.time).sorted()
    for time in [times[0], times[0] + 1, times[times.count / 2], (times.last ?? 0) + 1] {
      let before = try LogDirectory(path: "/log", files: files).export()
      let found = try preview(files) { try $0.preview(expiringBefore: time) }
      let counts = try change(files) { try $0.expire(before: time) }
      #expect(found.events == counts.events && found.parts == counts.parts, "\(seed), \(time)")
      let after = Set(try LogDirectory(path: "/log", files: files).export().map(\.user))
      #expect(found.users == Set(before.filter { $0.time < time }.map(\.user)).count, "\(seed), \(time)")
      #expect(found.wholeUsers == Set(before.map(\.user)).subtracting(after).count, "\(seed), \(time)")
    }
  }
}
