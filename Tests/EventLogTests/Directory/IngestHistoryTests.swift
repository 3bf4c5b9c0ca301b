// What a log remembers of its ingests comes back as it was written, and every change of its file is noticed.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct IngestHistoryTests {
  private func record(_ time: Milliseconds, names: [String] = ["exports/a.ndjson"]) -> IngestRecord {
    var record = IngestRecord(
      time: time, files: 2, names: names, new: 12, duplicates: 3, measures: ["lines": 15, "denied notifications": 4])
    record.findings = [
      HealthFinding(measure: "rejected", count: 9, of: 15, usual: 0.25, ingests: 2, reference: 28)
    ]
    return record
  }

  private func file(_ path: String, size: Int = 100) -> IngestedFile {
    IngestedFile(
      path: FilePath(path), stamp: FileStamp(size: size, modified: -1), checksum: .max, reading: 7)
  }

  private var history: IngestHistory {
    var history = IngestHistory()
    history.add(record(5), files: [file("/exports/a"), file("/exports/b")])
    history.add(record(-1, names: []), files: [file("/exports/a", size: 0)])
    return history
  }

  private func written(_ history: IngestHistory) throws -> (any FileSystem, HistoryDescription, [UInt8]) {
    let (bytes, description) = HistoryFile.encode(history, id: 9)
    return (MemoryFileSystem(), description, bytes)
  }

  private func read(_ bytes: [UInt8], expected: HistoryDescription? = nil) throws -> IngestHistory {
    let files = MemoryFileSystem()
    try files.makeDirectory("log")
    try OpenFile("log/history", .create, files).write(bytes, at: 0)
    return try HistoryFile.read(OpenFile("log/history", .read, files), id: 9, expected: expected)
  }

  @Test func itComesBack() throws {
    for history in [IngestHistory(), history] {
      let (bytes, description) = HistoryFile.encode(history, id: 9)
      #expect(try read(bytes, expected: description) == history)
      #expect(try read(bytes) == history)
    }
    #expect(history.ingests.map(\.number) == [1, 2] && history.next == 3)
    // The newest entry of a path counts.
    #expect(history.files.map(\.stamp.size) == [100, 0] && history.file(FilePath("/exports/a"))?.ingest == 2)
  }

  @Test func everyFlippedBitAndEveryTruncationIsDamage() throws {
    let (bytes, description) = HistoryFile.encode(history, id: 9)
    for i in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[i] ^= 1 << bit
        #expect(throws: LogError.self, "bit \(bit) of byte \(i)") { try read(changed, expected: description) }
      }
    }
    for end in 0..<bytes.count {
      #expect(throws: LogError.self, "\(end) bytes") { try read(Array(bytes[..<end]), expected: description) }
    }
  }

  /// What a hostile hand writes, with a right checksum.
  @Test(arguments: 0..<400) func randomBytesWithARightChecksumNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = HistoryFile.encode(history, id: 9).bytes.dropLast(8).map { $0 }
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      bytes[Int.random(in: 12..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    var w = ByteWriter(bytes: bytes)
    w.u64(Checksum.of(bytes, seed: 9))
    if let found = try? read(w.bytes) { #expect(HistoryFile.encode(found, id: 9).bytes == w.bytes) }
  }

  @Test func whatIsTooOldIsForgotten() {
    var history = IngestHistory()
    for number in 0..<IngestHistory.mostIngests + 5 { history.add(record(Milliseconds(number)), files: []) }
    #expect(history.ingests.count == IngestHistory.mostIngests && history.ingests.first?.number == 6)
    #expect(history.next == IngestHistory.mostIngests + 6)
  }

  @Test func whatIsTakenBackStaysInTheListAndItsFilesGo() {
    var history = history
    history.undo(from: 2, at: 77)
    #expect(history.ingests.map(\.undone) == [nil, 77])
    #expect(history.file(FilePath("/exports/a")) == nil && history.file(FilePath("/exports/b")) != nil)
    history.forgetFiles()
    #expect(history.files.isEmpty && history.ingests.count == 2)
  }
}
