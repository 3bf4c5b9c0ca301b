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

  @Test func oneFileByTwoWaysIsNotedOnce() throws {
    try write("1.ndjson", users: 0..<10)
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("exports/latest.ndjson"), withDestinationPath: directory.file("exports/1.ndjson"))
    #expect(try ingest().stored.new == 10)
    #expect(try log.verify().damage.isEmpty && log.information().events == 10)
    let again = try log.ingest([directory.file("exports"), directory.file("exports/.")])
    #expect(again.knownFiles == 4 && again.read.files == 0)
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func aRunThatReadNothingIsNotRemembered() throws {
    try write("1.ndjson", users: 0..<10)
    for _ in 0..<5 { _ = try ingest() }
    #expect(try log.information().ingests.count == 1)
  }

  @Test func aDamagedListOfIngestsCostsNothingElse() throws {
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: log.path).first { $0.hasPrefix("history-") })
    for content in [Data("damaged".utf8), Data()] {
      try content.write(to: URL(fileURLWithPath: log.path + "/" + name))
      #expect(try log.verify().damage.count == 1)
      #expect(try log.report().events == 10 && log.information().areIngestsDamaged)
      #expect(try log.report().unusual.map(\.measure) == ["list_of_ingests"])
      #expect(try log.audit().findings.contains { $0.check == .unusualIngest })
    }
    #expect(try log.erase(users: [Array("u3".utf8)]).found == 1)
    let result = try ingest()
    #expect(result.damagedHistory != nil && result.knownFiles == 0 && result.stored.duplicates == 9)
    #expect(try log.verify().damage.isEmpty && log.information().ingests.count == 1)
    #expect(try ingest().damagedHistory == nil)
  }

  @Test func anErasedIdIsInNoNameOfAFile() throws {
    try write("someone@example.com.ndjson", users: 0..<10)
    try write("2.ndjson", users: 10..<12)
    _ = try ingest()
    try log.erase(users: [Array("someone@example.com".utf8)])
    func isInAFile(_ log: PermissionLog) throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: log.path).contains { name in
        try Data(contentsOf: URL(fileURLWithPath: log.path + "/" + name)).range(of: Data("someone@".utf8)) != nil
      }
    }
    #expect(try !isInAFile(log))
    #expect(try ingest().knownFiles == 1)
    // Where ids are hashed, no name is kept.
    let hashed = try PermissionLog(directory.file("hashed"))
    var options = IngestOptions()
    options.userKey = UserKey(Array(repeating: 7, count: 32))
    #expect(options.userKey != nil)
    #expect(try hashed.ingest([directory.file("exports")], options: options).stored.new == 12)
    #expect(try !isInAFile(hashed))
    #expect(try hashed.ingest([directory.file("exports")], options: options).knownFiles == 2)
  }

  /// A later export of the same user brings the name again, however it is made of the id.
  @Test func anErasedIdComesBackInNoName() throws {
    let ids = ["u-4711", "u_77", "a@b.example", "5F0C1D2E-0A1B-4C3D-8E9F-001122334455", "-dash"]
    try write("1.ndjson", users: 0..<10)
    _ = try ingest()
    try log.erase(users: ids.map { Array($0.utf8) })
    for id in ids {
      for name in [
        "\(id).ndjson", "user=\(id).ndjson", "export \(id).ndjson", "U+\(id).ndjson", "export-\(id).ndjson",
        "\(id)-2026-11-01.ndjson", "export_\(id).csv.ndjson", "(\(id)).ndjson", "a,\(id),b.ndjson",
        "day-\(id)/events.ndjson",
      ] {
        let folder = URL(fileURLWithPath: directory.file("exports/" + name)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try directory.write("exports/" + name, Sample.line("u1", "granted"))
      }
    }
    _ = try ingest()
    for name in try FileManager.default.contentsOfDirectory(atPath: log.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: log.path + "/" + name))
      for id in ids { #expect(bytes.range(of: Data(id.utf8)) == nil, "\(id) in \(name)") }
    }
    // In the middle of a word it is another name.
    try directory.write("exports/xu_777.ndjson", Sample.line("u1", "granted"))
    #expect(try ingest().knownFiles == 1)
    #expect(try ingest().knownFiles == 2)
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

  @Test func aDanglingLinkIsABadFile() throws {
    try write("1.ndjson", users: 0..<10)
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("exports/dangling"), withDestinationPath: directory.file("nowhere"))
    #expect(failure { _ = try ingest() }?.code == .notFound)
    let result = try ingest { $0.skipsBadFiles = true }
    #expect(result.stored.new == 10 && result.badFiles.count == 1)
  }

  @Test func knownFilesAreNotReadForABadOne() throws {
    let (path, time) = (directory.file("exports/1.ndjson"), Date(timeIntervalSince1970: 1_700_000_000))
    try write("1.ndjson", users: 0..<10)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
    _ = try ingest()
    // It is known by its size and time, and would be found torn.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.seek(toOffset: try handle.offset() - 2)
    try handle.write(contentsOf: Data("xx".utf8))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
    try writeDamagedArchive()
    let result = try ingest { $0.skipsBadFiles = true }
    #expect(result.badFiles.count == 1 && result.knownFiles + result.read.files >= 1, "\(result.badFiles)")
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
