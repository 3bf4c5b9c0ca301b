// What is acknowledged is on disk, also if the command before failed and this one found nothing left to do.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct AcknowledgementTests {
  private enum Operation: CaseIterable {
    case ingest, erase, expire

    func run(_ log: LogDirectory, _ events: [TestEvent]) throws {
      let writer = try EventLogWriter(log, threads: 1)
      defer { writer.close() }
      switch self {
      case .ingest:
        try writer.write(events)
        try writer.commit()
      case .erase: _ = try writer.erase([events[0].user])
      case .expire: _ = try writer.expire(before: 1_700_000_000_200)
      }
    }
  }

  /// Fails at the last directory fsync of its commit, is run again, and then the power fails.
  @Test(arguments: [0, 1, 2])
  func aRetryAcknowledgesOnlyWhatIsOnDisk(number: Int) throws {
    let operation = Operation.allCases[number]
    var random = RandomEvents(seed: 31, users: 4)
    let old = random.events(20)
    let base = MemoryFileSystem()
    try LogDirectory(path: "/log", files: base).ingest(old)
    let new = operation == .ingest ? random.events(10) : old
    let counting = FailingFileSystem(base.copy())
    try operation.run(LogDirectory(path: "/log", files: counting), new)
    let rename = try #require(counting.calls.lastIndex { $0.operation == "rename" })
    let syncs = counting.calls.indices.filter { $0 > rename && counting.calls[$0].operation == "synchronizeDirectory" }
    #expect(!syncs.isEmpty)
    for sync in syncs {
      let files = base.copy()
      let failing = FailingFileSystem(files, call: sync)
      #expect(throws: (any Error).self) { try operation.run(LogDirectory(path: "/log", files: failing), new) }
      let log = LogDirectory(path: "/log", files: files)
      try operation.run(log, new)
      let after = try log.export()
      for crash in MemoryFileSystem.CrashState.extremes {
        let wreck = LogDirectory(path: "/log", files: MemoryFileSystem(files.afterCrash(crash)))
        #expect(try wreck.export() == after, "\(operation), call \(sync), \(crash)")
        #expect(try wreck.readManifest() == log.readManifest(), "\(operation), call \(sync), \(crash)")
        // Nor may a part come back that held what was removed.
        #expect(try wreck.leftovers(log.readManifest()).isEmpty, "\(operation), call \(sync), \(crash)")
      }
    }
  }

  @Test func aLostManifestIsNoNewLog() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    let event = TestEvent(user: "somebody", id: "e", time: 1_700_000_000_000)
    try log.ingest([event])
    try Operation.erase.run(log, [event])
    files[log.file("manifest")] = nil
    #expect(try log.verify().damage.count == 1)
    let error = #expect(throws: LogError.self) { try log.ingest([event]) }
    #expect(error?.code == .damaged)
    #expect(try log.leftovers(Manifest()).count == 1, "the list of erased users is there")
  }

  @Test func whatIsSavedWithoutAManifestHasNoErasedUser() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    let (gone, stays) = (
      TestEvent(user: "gone", id: "e", time: 1_700_000_000_000),
      TestEvent(user: "stays", id: "e", time: 1_700_000_000_000)
    )
    try log.ingest([gone, stays])
    let name = try #require(try LogSnapshot(log).parts.first).name
    let old = files[log.file(name)]
    try Operation.erase.run(log, [gone])
    // As a crash between the commit and the unlink leaves it.
    files[log.file(name)] = old
    files[log.file("manifest")]?[3] ^= 1
    let salvage = try Salvage(log)
    var users: [[UInt8]] = []
    try salvage.forEachEvent { users.append($0.userID) }
    #expect(Set(users) == [stays.user] && salvage.erasedUsers == 1)
  }

  @Test func hostileNumbersOfRowsDoNotOverflow() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var manifest = Manifest()
    manifest.nextPart = 5
    manifest.parts = (1...4).map { PartDescription(id: $0, length: 1000, footerChecksum: 1, rows: (1 << 48) - 1) }
    files[log.file("manifest")] = manifest.encode()
    #expect(try log.verify().damage.count == 4)
    manifest.parts[0].rows = 1 << 48
    files[log.file("manifest")] = manifest.encode()
    #expect(try log.verify().damage.count == 1, "no log has so many")
  }
}
