// One writer at a time, and only in a directory that is a log's.

import Foundation
import LogTestSupport
import Testing

@testable import EventLog

@Suite struct WriterLockTests {
  private static let event = TestEvent(user: "u", id: "e", time: 1_700_000_000_000)

  private func error(_ body: () throws -> Void) -> LogError? {
    do {
      try body()
      return nil
    } catch {
      return error as? LogError
    }
  }

  @Test func theSecondWriterIsToldWhoWrites() throws {
    let directory = try TemporaryDirectory()
    let log = LogDirectory(path: directory.path)
    let first = try EventLogWriter(log, threads: 1)
    let refused = try #require(error { _ = try EventLogWriter(log, threads: 1) })
    #expect(refused.code == .locked)
    #expect(refused.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"), "\(refused.message)")
    // The first is not disturbed, and readers need no lock.
    #expect(try log.export().isEmpty)
    try first.write([Self.event])
    try first.commit()
    first.close()
    #expect(try log.export() == [Self.event])
    try EventLogWriter(log, threads: 1).close()
  }

  @Test func aWriterThatIsGoneHoldsNothing() throws {
    let directory = try TemporaryDirectory()
    let log = LogDirectory(path: directory.path)
    do {
      let writer = try EventLogWriter(log, threads: 1)
      try writer.write([Self.event])
    }
    #expect(try log.ingest([Self.event]).new == 1)
  }

  @Test func aDirectoryOfOtherThingsIsLeftAlone() throws {
    for names in [["notes.txt"], ["lock", "notes.txt"], ["manifest"], ["lock", "manifest"]] {
      let files = MemoryFileSystem()
      try files.makeDirectory("/home")
      for name in names { files["/home/" + name] = Array("precious".utf8) }
      let log = LogDirectory(path: "/home", files: files)
      #expect(throws: LogError.self) { try log.ingest([Self.event]) }
      #expect(try files.list("/home").sorted() == names.sorted(), "nothing is added to \(names)")
      for name in names { #expect(files["/home/" + name] == Array("precious".utf8), "\(name) of \(names)") }
    }
  }

  @Test func partsWithoutAManifestAreDamage() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    try log.ingest([Self.event])
    files["/log/manifest"] = nil
    #expect(error { _ = try log.readManifest() }?.code == .damaged)
    #expect(error { try log.ingest([Self.event]) }?.code == .damaged)
    #expect(try log.verify().damage.count == 1)
  }

  @Test func noLogIsNotFound() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    #expect(error { _ = try log.export() }?.code == .notFound)
    #expect(error { _ = try log.verify() }?.code == .notFound)
  }
}
