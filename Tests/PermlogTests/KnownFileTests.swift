// A directory that grows is ingested day by day: files that the log has are not read again, and nothing is missed.

import Foundation
import Testing

@testable import Permlog

@Suite struct KnownFileTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 2)
    try FileManager.default.createDirectory(atPath: directory.file("exports"), withIntermediateDirectories: true)
  }

  private func write(_ name: String, users: Range<Int>, _ event: String = "granted") throws {
    try directory.write("exports/" + name, users.map { Sample.line("u\($0)", event) }.joined())
  }

  private func ingest(_ change: (inout IngestOptions) -> Void = { _ in }) throws -> IngestResult {
    var options = IngestOptions()
    change(&options)
    return try log.ingest([directory.file("exports")], options: options)
  }

  @Test func aKnownFileIsNotReadAgain() throws {
    try write("1.ndjson", users: 0..<10)
    try write("2.ndjson", users: 10..<20)
    #expect(try ingest().knownFiles == 0)
    try write("3.ndjson", users: 20..<25)
    let second = try ingest()
    #expect(second.knownFiles == 2 && second.read.files == 1 && second.read.lines == 5 && second.stored.new == 5)
    let third = try ingest()
    #expect(third.knownFiles == 3 && third.read.lines == 0 && third.refusal == nil)
    #expect(try ingest { $0.readsKnownFiles = true }.read.files == 3)
    #expect(try log.information().events == 25)
  }

  @Test func aFileThatIsNamedIsRead() throws {
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    let again = try log.ingest([directory.file("exports/1.ndjson")])
    #expect(again.knownFiles == 0 && again.stored.duplicates == 10)
  }

  @Test func aCopyWithAnotherTimeIsKnownByItsBytes() throws {
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    let path = directory.file("exports/1.ndjson")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: path)
    #expect(try ingest().knownFiles == 1)
    // The new time is known from now on; a file of the same size with other bytes is read.
    try write("1.ndjson", users: 0..<10, "revoked")
    let changed = try ingest()
    #expect(changed.knownFiles == 0 && changed.stored.new == 10)
  }

  @Test func aFileThatGrowsIsReadAgain() throws {
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    try write("1.ndjson", users: 0..<12)
    let grown = try ingest()
    #expect(grown.knownFiles == 0 && grown.stored.new == 2 && grown.stored.duplicates == 10)
  }

  @Test func anotherReadingReadsThemAll() throws {
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    for change: (inout IngestOptions) -> Void in [
      { $0.allowsCustomPermissions = true }, { $0.identity = .account }, { $0.experiments = ["push_copy"] },
      { $0.inputTimeZone = "Europe/Berlin" }, { $0.replacesEvents = true },
      { $0.mappings = [.yaml(Array("extends: amplitude\n".utf8), name: "mine.yaml")] },
    ] {
      let result = try? ingest(change)
      #expect(result?.knownFiles ?? 0 == 0)
    }
  }

  @Test func whatWasKeptOutAndIsLetInComesBack() throws {
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    try log.erase(users: [Array("u3".utf8)])
    #expect(try ingest().knownFiles == 1)
    try log.readmit(users: [Array("u3".utf8)])
    #expect(try ingest().stored.new == 1)
    try log.expire(before: .time(1_790_000_000_000))
    #expect(try log.information().events == 0)
    try log.readmitExpired()
    #expect(try ingest().stored.new == 10)
    try log.undo()
    #expect(try ingest().stored.new == 10, "what was taken back is read again")
  }

  @Test func aFileWithTimesOfTomorrowIsReadAgain() throws {
    let early = Sample.line("u1", "granted", time: "2030-01-01T00:00:00Z")
    try directory.write("exports/1.ndjson", early + Sample.line("u2", "granted"))
    var first = log
    first.clock = { 1_790_000_000_000 }
    #expect(try first.ingest([directory.file("exports")]).stored.new == 1)
    var later = log
    later.clock = { 1_893_456_000_000 }
    #expect(try later.ingest([directory.file("exports")]).stored.new == 1)
  }

  @Test func refusedFilesAreNotKnown() throws {
    try directory.write("exports/1.ndjson", Sample.line("u1", "granted") + "nonsense\n")
    #expect(try ingest { $0.isStrict = true }.refusal != nil)
    #expect(try ingest().stored.new == 1)
  }

  // MARK: Files that cannot be read

  private func writeDamagedArchive() throws {
    let bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0xFF, count: 40)
    try Data(bytes).write(to: URL(fileURLWithPath: directory.file("exports/4.ndjson.gz")))
  }

  @Test func badFilesAreLeftOutAndNamed() throws {
    try write("1.ndjson", users: 0..<10)
    try write("3.ndjson", users: 10..<20)
    try directory.write("exports/2.ndjson", Sample.line("u77", "granted") + #"{"user_id":"u78","#)
    try writeDamagedArchive()
    #expect(failure { _ = try ingest() } != nil)
    let result = try ingest { $0.skipsBadFiles = true }
    #expect(result.stored.new == 20 && result.badFiles.count == 2, "\(result.badFiles)")
    #expect(result.badFiles.allSatisfy { $0.message.contains("2.ndjson") || $0.message.contains("4.ndjson.gz") })
    // Tomorrow the cut file is whole.
    try directory.write("exports/2.ndjson", Sample.line("u77", "granted") + Sample.line("u78", "granted"))
    let second = try ingest { $0.skipsBadFiles = true }
    #expect(second.stored.new == 2 && second.badFiles.count == 1 && second.knownFiles == 2)
  }

  @Test func aMissingPathIsNoBadFile() throws {
    try write("1.ndjson", users: 0..<10)
    var options = IngestOptions()
    options.skipsBadFiles = true
    #expect(
      failure { _ = try log.ingest([directory.file("exports"), directory.file("nowhere")], options: options) }?.code
        == .notFound)
  }

  @Test func allBadFilesStoreNothing() throws {
    try writeDamagedArchive()
    let result = try ingest { $0.skipsBadFiles = true }
    #expect(result.stored.new == 0 && result.badFiles.count == 1)
  }
}
