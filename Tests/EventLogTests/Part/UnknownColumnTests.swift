// A part of a later permlog: columns that this one does not know are skipped by readers, and never lost by writers.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct UnknownColumnTests {
  /// A log whose one part has a stream and a section of the footer that nobody here knows.
  private func makeLog(_ version: PartVersion) throws -> (MemoryFileSystem, LogDirectory, [TestEvent]) {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: HandmadePart.directory, files: files)
    var random = RandomEvents(seed: 21, users: 4)
    // Format 1 has twelve kinds.
    let events = random.events(20).filter { $0.kind != .appInstalled }
    try log.ingest(events)
    let reader = try #require(try LogSnapshot(log).parts.first)
    let entry = reader.footer.blocks[0]
    let bytes = try #require(files[log.file(reader.name)])
    let block = Array(bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
    var part = try HandmadePart(block, entry, part: reader.id, dictionary: reader.footer.dictionary)
    part.streams.append(HandmadeStream(id: 99, encoding: 0, content: [1, 2, 3]))
    part.compressed = true
    part.version = version
    part.editFooter = { footer in
      var w = ByteWriter(bytes: footer)
      w.varint(99)
      w.text(Array("a column of tomorrow".utf8))
      return w.bytes
    }
    var manifest = try log.readManifest()
    manifest.parts = [try part.write(to: files)]
    files[log.file("manifest")] = manifest.encode()
    return (files, log, events)
  }

  @Test(arguments: PartVersion.allCases)
  func readersSkipThem(version: PartVersion) throws {
    let (_, log, events) = try makeLog(version)
    let footer = try #require(try LogSnapshot(log).parts.first).footer
    #expect(footer.extensions == [.init(id: 99, bytes: Array("a column of tomorrow".utf8))])
    #expect(try log.export() == LogModel(events).export)
    let found = try log.verify()
    #expect(found.damage.isEmpty && found.events == LogModel(events).export.count)
  }

  @Test(arguments: PartVersion.allCases)
  func writersLeaveThemAlone(version: PartVersion) throws {
    let (files, log, events) = try makeLog(version)
    let name = try #require(try LogSnapshot(log).parts.first).name
    let before = files[log.file(name)]
    var random = RandomEvents(seed: 22, users: 4)
    var all = events
    for _ in 0..<6 {
      let new = random.events(10)
      try log.ingest(new)
      all += new
    }
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    try writer.compact()
    #expect(writer.parts.count == 2 && files[log.file(name)] == before)
    #expect(try log.export() == LogModel(all).export)
    let error = #expect(throws: LogError.self) { try writer.erase([events[0].user]) }
    #expect(error?.code == .newerFormat)
    #expect(try log.export() == LogModel(all).export)
  }
}
