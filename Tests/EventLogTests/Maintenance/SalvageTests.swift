// What can be read of a damaged log: everything that is whole, and a sentence for what is not.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

extension Salvage {
  fileprivate func export() throws -> [TestEvent] {
    var events: [TestEvent] = []
    try forEachEvent { events.append(TestEvent($0)) }
    return events
  }
}

@Suite struct SalvageTests {
  private func makeLog() throws -> (MemoryFileSystem, LogDirectory, parts: [[TestEvent]]) {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: 9, users: 6)
    let parts = (0..<3).map { n in
      // No event is in two parts.
      LogModel(random.events(20)).export.map { event in
        var event = event
        event.id += Array("-\(n)".utf8)
        return event
      }
    }
    for events in parts { try log.ingest(events) }
    return (files, log, parts)
  }

  @Test func aWholeLogIsExportedWhole() throws {
    let (_, log, parts) = try makeLog()
    let salvage = try Salvage(log)
    let found = salvage.found
    #expect(found.damage.isEmpty && found.lostEvents == 0)
    #expect(try salvage.export() == LogModel(parts.flatMap { $0 }).export)
  }

  @Test(arguments: [40, 200, -1, -30])
  func aDamagedPartCostsItsOwnEvents(place: Int) throws {
    let (files, log, parts) = try makeLog()
    let name = log.file(PartDescription.name(2))
    let count = try #require(files[name]).count
    files[name]?[place < 0 ? count + place : place] ^= 4
    let salvage = try Salvage(log)
    let found = salvage.found
    #expect(found.damage.count == 1 && found.lostEvents == parts[1].count)
    #expect(try salvage.export() == LogModel(parts[0] + parts[2]).export)
    // What a reader does that was not asked to skip anything.
    #expect(throws: LogError.self) { try log.export() }
  }

  @Test func blocksAreSkippedOneByOne() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    let events = (0..<70_000).map { TestEvent(user: "\($0 % 7000)", id: "\($0)", time: 1_700_000_000_000 + Int64($0)) }
    try log.ingest(events, batch: 10_000)
    let part = try #require(try LogSnapshot(log).parts.first)
    #expect(part.footer.blocks.count == 2)
    let entry = part.footer.blocks[0]
    let whole = try log.export()
    files[log.file(part.name)]?[Int(entry.offset + entry.length) - 5] ^= 1
    let salvage = try Salvage(log)
    let found = salvage.found
    #expect(found.damage.count == 1 && found.lostEvents == Int(entry.rows))
    let saved = try salvage.export()
    #expect(saved.count == 70_000 - Int(entry.rows))
    #expect(whole.count == events.count && whole.suffix(saved.count) == saved[...])
  }

  @Test(arguments: [true, false])
  func withoutAManifestThePartsSpeakForThemselves(isMissing: Bool) throws {
    let (files, log, parts) = try makeLog()
    if isMissing { files[log.file("manifest")] = nil } else { files[log.file("manifest")]?[20] ^= 1 }
    let salvage = try Salvage(log)
    let found = salvage.found
    #expect(found.damage.count == 1)
    // A part that was merged away and not removed would bring copies; an ingest drops them.
    let other = LogDirectory(path: "/log", files: MemoryFileSystem())
    try other.ingest(try salvage.export())
    #expect(try other.export() == LogModel(parts.flatMap { $0 }).export)
  }

  @Test func otherFilesAreNamedAndAreNoDamage() throws {
    let (files, log, _) = try makeLog()
    files[log.file("part-00000000000000ff")] = [1, 2, 3]
    files[log.file("manifest.new")] = []
    files[log.file("notes.txt")] = [1]
    let found = try log.verify()
    #expect(found.damage.isEmpty)
    #expect(found.notes.count == 3 && found.notes.allSatisfy { $0.hasPrefix("/log/") })
    // The lock of a writer that was killed, as it left it and damaged.
    let text = LockText.encode(process: 4711)
    files[log.file("lock")] = text
    #expect(try log.verify().damage.isEmpty)
    for bit in 0..<text.count * 8 {
      files[log.file("lock")] = text
      files[log.file("lock")]?[bit / 8] ^= 1 << (bit % 8)
      #expect(try log.verify().damage.count == 1, "bit \(bit)")
    }
    for end in 1..<text.count {
      files[log.file("lock")] = Array(text[..<end])
      #expect(try log.verify().damage.count == 1, "\(end) bytes")
    }
    // Its length reached the disk before the power failed, and its text did not.
    files[log.file("lock")] = [UInt8](repeating: 0, count: text.count)
    #expect(try log.verify().damage.isEmpty)
    files[log.file("lock")]?[3] = 1
    #expect(try log.verify().damage.count == 1)
    // It may be another's file: the next writer leaves it, and makes one when it is gone.
    let left = files[log.file("lock")]
    #expect(throws: LogError.self) { try EventLogWriter(log, threads: 1).close() }
    #expect(files[log.file("lock")] == left)
    files[log.file("lock")] = nil
    try EventLogWriter(log, threads: 1).close()
    #expect(files[log.file("lock")] == [])
    #expect(try log.verify().damage.isEmpty)
  }
}
