// Erasing, expiring, compacting: what stays is what a log would hold that never had what went.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct RemovalTests {
  /// A log of several parts, in memory, and its events.
  private func makeLog(seed: UInt64, parts: Int = 3) throws -> (MemoryFileSystem, LogDirectory, [TestEvent]) {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: seed, users: 9)
    var events: [TestEvent] = []
    for _ in 0..<parts {
      let new = random.events(30)
      try log.ingest(new)
      events += new
    }
    return (files, log, events)
  }

  @discardableResult
  private func change<Result>(_ log: LogDirectory, _ body: (EventLogWriter) throws -> Result) throws -> Result {
    let writer = try EventLogWriter(log, threads: 2, mayCreate: false)
    defer { writer.close() }
    return try body(writer)
  }

  /// True if any file of the log, parts decoded, has these bytes.
  private func holds(_ files: MemoryFileSystem, _ log: LogDirectory, _ id: [UInt8]) throws -> Bool {
    for name in try files.list("/log") {
      let bytes = try #require(files[log.file(name)])
      // A few bytes occur by chance.
      if id.count > 5, bytes.indices.contains(where: { bytes[$0...].starts(with: id) }) { return true }
      guard let part = PartDescription.id(name: name) else { continue }
      let reader = try PartReader(id: part, expected: nil, in: LogDirectory(path: "/log", files: files))
      let block = try BlockDecoder(part: reader)
      for i in reader.footer.blocks.indices {
        try block.open(i)
        try block.load(.keys)
        for user in 0..<block.users where block.userID(user).bytes == id { return true }
      }
    }
    return false
  }

  @Test(arguments: UInt64(1)...12)
  func anErasedUserWasNeverThere(seed: UInt64) throws {
    let (files, log, events) = try makeLog(seed: seed)
    let users = Set(events.map(\.user))
    let erased = try #require(users.sorted { $0.lexicographicallyPrecedes($1) }.dropFirst(Int(seed % 3)).first)
    let model = LogModel(events)
    let gone = model.export.filter { $0.user == erased }
    let counts = try change(log) { try $0.erase([erased, Array("nobody here".utf8)]) }
    #expect(counts.users == 2 && counts.found == 1 && counts.events == gone.count)
    #expect(counts.absent == [Array("nobody here".utf8)])
    let rest = LogModel(events.filter { $0.user != erased })
    #expect(try log.export() == rest.export)
    #expect(try !holds(files, log, erased))
    #expect(try log.verify().damage.isEmpty)
    // A log that never had the user.
    let other = LogDirectory(path: "/log", files: MemoryFileSystem())
    try other.ingest(events.filter { $0.user != erased })
    #expect(try LogSnapshot(log).information.values == LogSnapshot(other).information.values)
    // Old exports do not bring the user back.
    let again = try log.ingest(events)
    #expect(again.new == 0 && again.erased == events.filter { $0.user == erased }.count)
    #expect(try log.export() == rest.export)
    let twice = try change(log) { try $0.erase([erased]) }
    #expect(twice.users + twice.found + twice.events + twice.parts == 0 && twice.absent.isEmpty)
    #expect(twice.people[erased]?.earlier?.events == gone.count && twice.people[erased]?.earlier?.wasFound == true)
    // Until the user is let in again.
    #expect(try change(log) { try $0.readmit([erased, Array("never erased".utf8)]) } == 1)
    #expect(try log.ingest(events).new == gone.count)
    #expect(try log.export() == model.export)
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func onlyPartsThatHaveTheUserAreWrittenAnew() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    for (user, time) in [("a", 1), ("b", 2), ("c", 3)] as [(String, Int64)] {
      try log.ingest([TestEvent(user: user, id: "e", time: 1_700_000_000_000 + time)])
    }
    let before = try LogSnapshot(log).parts.map(\.name)
    #expect(try change(log) { try $0.erase([Array("b".utf8)]) }.parts == 1)
    #expect(try LogSnapshot(log).parts.map(\.name) == [before[0], before[2]], "an empty part is dropped")
    #expect(try change(log) { try $0.expire(before: 1_700_000_000_003) }.parts == 1)
    #expect(try LogSnapshot(log).parts.map(\.name) == [before[2]])
  }

  @Test func theLastReadmittedUserTakesTheListAlong() throws {
    let (files, log, _) = try makeLog(seed: 3)
    let id = Array("somebody".utf8)
    try change(log) { try $0.erase([id]) }
    #expect(try log.readManifest().erasures?.users == 1)
    #expect(try files.list("/log").filter { ErasureDescription.id(name: $0) != nil }.count == 1)
    try change(log) { try $0.readmit([id]) }
    #expect(try log.readManifest().erasures == nil)
    #expect(try files.list("/log").filter { ErasureDescription.id(name: $0) != nil }.isEmpty)
  }

  @Test(arguments: UInt64(1)...8)
  func expiredEventsWereNeverThere(seed: UInt64) throws {
    let (_, log, events) = try makeLog(seed: seed)
    let limit: Milliseconds = 1_700_000_000_250
    let kept = events.filter { $0.time >= limit }
    // Copies that differ in time can lie on both sides.
    let rest = LogModel(events).export.filter { $0.time >= limit }
    let counts = try change(log) { try $0.expire(before: limit) }
    #expect(counts.events == LogModel(events).export.count - rest.count)
    #expect(try log.export() == rest)
    #expect(try log.verify().damage.isEmpty)
    #expect(
      try change(log) { try $0.expire(before: limit - 100) } == ErasureCounts(), "an earlier date changes nothing")
    #expect(try log.readManifest().expiredBefore == limit)
    let again = try log.ingest(events)
    #expect(again.expired == events.count - kept.count)
    #expect(try log.export().allSatisfy { $0.time >= limit })
    #expect(try change(log) { try $0.readmitExpired() } == limit)
    #expect(try change(log) { try $0.readmitExpired() } == nil)
    #expect(try log.ingest(events).expired == 0)
  }

  @Test func everythingCanExpire() throws {
    let (files, log, events) = try makeLog(seed: 4)
    #expect(try change(log) { try $0.expire(before: .max >> 2) }.events == LogModel(events).export.count)
    #expect(try log.export() == [])
    #expect(Set(try files.list("/log")) == ["lock", "manifest"])
    #expect(try log.verify().damage.isEmpty)
  }

  @Test(arguments: [2, 3])
  func compactingChangesNothingThatCanBeRead(parts: Int) throws {
    let (files, log, events) = try makeLog(seed: 5, parts: parts)
    let snapshot = try LogSnapshot(log)
    #expect(snapshot.parts.count == parts)
    try change(log) { try $0.compact() }
    #expect(try LogSnapshot(log).parts.count == 1)
    #expect(try log.export() == LogModel(events).export)
    #expect(try files.list("/log").count == 3)
    #expect(try snapshot.export() == LogModel(events).export, "a reader ends on what it began with")
    let generation = try log.readManifest().generation
    try change(log) { try $0.compact() }
    #expect(try log.readManifest().generation == generation, "one part needs no commit")
  }

  @Test func withoutALogNothingIsMade() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    let error = #expect(throws: LogError.self) { try change(log) { try $0.compact() } }
    #expect(error?.code == .notFound)
    #expect(throws: (any Error).self) { try files.list("/log") }
  }

  @Test func aDamagedListStopsAnIngestAndNoReader() throws {
    let (files, log, events) = try makeLog(seed: 6)
    try change(log) { try $0.erase([Array("somebody".utf8)]) }
    let name = try #require(try log.readManifest().erasures?.name)
    let whole = try #require(files[log.file(name)])
    files[log.file(name)]?[30] ^= 1
    #expect(throws: LogError.self) { try log.ingest(events) }
    #expect(try log.export() == LogModel(events).export)
    #expect(try log.verify().damage.count == 1)
    files[log.file(name)] = nil
    #expect(throws: LogError.self) { try log.ingest(events) }
    #expect(try log.verify().damage.count == 1)
    files[log.file(name)] = whole
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func aFileThatStaysIsSaidToStay() throws {
    let (files, log, events) = try makeLog(seed: 7)
    let user = events[0].user
    // The number of the first removal, by a run of which nothing is kept.
    let counting = FailingFileSystem(files.copy())
    try change(LogDirectory(path: "/log", files: counting)) { try $0.erase([user]) }
    let removal = try #require(counting.calls.firstIndex { $0.operation == "remove" })
    let failing = LogDirectory(path: "/log", files: FailingFileSystem(files, call: removal))
    let error = #expect(throws: LogError.self) { try change(failing) { try $0.erase([user]) } }
    #expect(error?.message.contains("still in the directory") == true)
    #expect(try log.export() == LogModel(events.filter { $0.user != user }).export)
    try change(log) { try $0.compact() }
    #expect(try !holds(files, log, user))
  }
}
