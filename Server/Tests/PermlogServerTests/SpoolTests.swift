// What is on the disk when a request is answered, and what stays of a file that was cut anywhere.

import Foundation
import Testing

@testable import PermlogServer

/// A directory for a test.
final class TemporaryDirectory: Sendable {
  let path = NSTemporaryDirectory() + "permlog-server-" + UUID().uuidString
  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct SpoolTests {
  private func record(_ id: UInt64, _ text: String, reason: String? = nil) -> SpoolRecord {
    SpoolRecord(
      head: .init(id: id, endpoint: Endpoint(.canonical), key: "k", received: 1_000, reason: reason),
      body: Array(text.utf8))
  }

  @Test func theChecksumIsCRC32C() {
    // RFC 3720, appendix B.4.
    func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.of($0) } }
    #expect(of(Array("123456789".utf8)) == 0xE306_9283)
    #expect(of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(of([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(of(Array(0..<32)) == 0x46DD_794E)
    // In two pieces it is the same.
    let text = Array("the quick brown fox".utf8)
    let first = text[..<7].withUnsafeBytes { CRC32C.of($0) }
    #expect(text[7...].withUnsafeBytes { CRC32C.of($0, after: first) } == of(text))
  }

  @Test func aFileThatIsCutAnywhereHasItsWholeRecords() throws {
    let directory = try TemporaryDirectory()
    let texts = ["one", "", String(repeating: "x", count: 300)]
    var bytes = SpoolRecord.magic
    var ends = [bytes.count]
    for (i, text) in texts.enumerated() {
      record(UInt64(i), text).append(to: &bytes)
      ends.append(bytes.count)
    }
    let path = directory.path + "/file"
    for end in 0...bytes.count {
      try Data(bytes[..<end]).write(to: URL(fileURLWithPath: path))
      let content = try SpoolFile(path: path).read()
      let whole = ends.filter { $0 <= end }.count - 1
      #expect(content.records.count == max(0, whole), "cut at \(end)")
      #expect(content.records.map { String(decoding: $0.body, as: UTF8.self) } == Array(texts.prefix(max(0, whole))))
      #expect(content.torn == (whole < 0 ? end : end - ends[whole]))
    }
    // A changed byte ends the file before its record.
    for place in SpoolRecord.magic.count..<bytes.count {
      var damaged = bytes
      damaged[place] ^= 0x10
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      let content = try SpoolFile(path: path).read()
      #expect(content.records.count < texts.count && !content.unreadable.isEmpty, "byte \(place)")
    }
  }

  @Test func whatWasAnsweredIsOnTheDisk() async throws {
    let directory = try TemporaryDirectory()
    let metrics = ServerMetrics()
    let spool = try Spool(directory.path, limit: 1 << 20, metrics: metrics)
    let ids = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for i in 0..<100 {
        group.addTask { try await spool.append(Array("body \(i)".utf8), Endpoint(.canonical), key: nil, received: 1) }
      }
      var ids: Set<UInt64> = []
      for try await id in group { ids.insert(id) }
      return ids
    }
    #expect(ids.count == 100)
    // As another process would find it.
    let names = try Disk.names(in: directory.path, ending: Spool.ending)
    let bodies = try names.flatMap { try SpoolFile(path: directory.path + "/" + $0).read().records }
    #expect(Set(bodies.map { String(decoding: $0.body, as: UTF8.self) }) == Set((0..<100).map { "body \($0)" }))
    #expect(Set(bodies.map(\.head.id)) == ids)
    let next = try Spool(directory.path, limit: 1 << 20, metrics: metrics)
    #expect(try await next.sealed() == names)
    for name in names { try await next.remove(name) }
    #expect(try await next.sealed().isEmpty && metrics.value(.spoolBytes) == 0)
  }

  /// A file that is written to is never taken for whole, however the reader and the writer meet: what is answered later would be lost.
  @Test func nothingIsAddedToAFileThatWasRead() async throws {
    let directory = try TemporaryDirectory()
    let spool = try Spool(directory.path, limit: 1 << 24, metrics: ServerMetrics())
    let answered = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for writer in 0..<8 {
        group.addTask {
          var ids: [UInt64] = []
          for i in 0..<100 {
            ids.append(
              try await spool.append(Array("\(writer) \(i)".utf8), Endpoint(.canonical), key: nil, received: 1))
          }
          return ids
        }
      }
      var read: [UInt64] = []
      var answered: Set<UInt64> = []
      func readAll() async throws {
        for name in try await spool.sealed() {
          read += try SpoolFile(path: directory.path + "/" + name).read().records.map(\.head.id)
          try await spool.remove(name)
        }
      }
      for _ in 0..<200 {
        try await readAll()
        await Task.yield()
      }
      for try await ids in group {
        answered.formUnion(ids)
        try await readAll()
      }
      try await readAll()
      #expect(Set(read) == answered && read.count == answered.count)
      return answered
    }
    #expect(answered.count == 800)
  }

  @Test func aFullSpoolRefuses() async throws {
    let directory = try TemporaryDirectory()
    let spool = try Spool(directory.path, limit: 1000, metrics: ServerMetrics())
    _ = try await spool.append([UInt8](repeating: 1, count: 600), Endpoint(.canonical), key: nil, received: 1)
    await #expect(throws: Spool.Refusal.self) {
      try await spool.append([UInt8](repeating: 1, count: 600), Endpoint(.canonical), key: nil, received: 1)
    }
    let names = try await spool.sealed()
    #expect(names.count == 1)
    try await spool.remove(names[0])
    _ = try await spool.append([UInt8](repeating: 1, count: 600), Endpoint(.canonical), key: nil, received: 1)
    await spool.drain()
    await #expect(throws: Spool.Refusal.self) {
      try await spool.append([1], Endpoint(.canonical), key: nil, received: 1)
    }
  }

  @Test func aDirectoryThatIsGoneRefusesAndComesBack() async throws {
    let directory = try TemporaryDirectory()
    let place = directory.path + "/spool"
    let spool = try Spool(place, limit: 1000, metrics: ServerMetrics())
    try FileManager.default.removeItem(atPath: place)
    await #expect(throws: Spool.Refusal.self) {
      try await spool.append([1], Endpoint(.canonical), key: nil, received: 1)
    }
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    _ = try await spool.append([1], Endpoint(.canonical), key: nil, received: 1)
    #expect(try await spool.sealed().count == 1)
  }

  // MARK: The quarantine

  @Test func theQuarantineIsBoundedAndStrangersDoNotFillIt() async throws {
    let directory = try TemporaryDirectory()
    let metrics = ServerMetrics()
    let quarantine = try Quarantine(directory.path, limit: 10_000, metrics: metrics)
    try await quarantine.add([record(1, "ours", reason: "rejected")])
    for i in 0..<100 {
      try await quarantine.add([record(UInt64(i), String(repeating: "s", count: 500), reason: Quarantine.unknownKey)])
    }
    #expect(metrics.count(.quarantineDropped) == 95 && metrics.value(.quarantineEntries) == 6)
    #expect(try await quarantine.summary().map(\.count) == [5, 1])
    // It is the same for the next run.
    let again = ServerMetrics()
    _ = try Quarantine(directory.path, limit: 10_000, metrics: again)
    #expect(again.value(.quarantineEntries) == 6 && again.value(.quarantineBytes) == metrics.value(.quarantineBytes))
  }

  @Test func anErasedUserIsInNoEntry() async throws {
    let directory = try TemporaryDirectory()
    let metrics = ServerMetrics()
    let quarantine = try Quarantine(directory.path, limit: 100_000, metrics: metrics)
    try await quarantine.add([
      record(1, #"{"user_id":"ann"}"#, reason: "rejected"),
      record(2, #"{"user_id":"anna","note":"ann is not named"}"#, reason: "rejected"),
      record(3, #"{"properties":{"distinct_id":"$device:ann"}}"#, reason: "rejected"),
      record(4, #"{"user_id":"a\u006en"}"#, reason: "rejected"),
      record(5, #"torn {"user":"ann"#, reason: "torn"), record(6, #"{"user_id":17}"#, reason: "rejected"),
    ])
    #expect(try await quarantine.erase("ann") == 4)
    #expect(try await quarantine.erase("17") == 1)
    #expect(try await quarantine.erase("17") == 0)
    #expect(metrics.value(.quarantineEntries) == 1)
    var left: [String] = []
    for name in try await quarantine.files() {
      left += try await quarantine.take(name).map { String(decoding: $0.body, as: UTF8.self) }
    }
    #expect(left == [#"{"user_id":"anna","note":"ann is not named"}"#])
  }

  /// An id hides in forms, in escapes, in several documents; what cannot be looked into goes.
  @Test func anErasureLooksIntoEveryForm() throws {
    let form = "data=" + Data(#"[{"properties":{"distinct_id":"bob"}}]"#.utf8).base64EncodedString()
    for text in [
      form, #"{"a":1}"# + "\n" + #"{"user_id":"b\u006fb"}"#, #"{"user_id":"b\u006fb","x":"#,
      #"{"user_id":"bob"}{"user_id":"ann"}"#,
      #"{"batch":[{"anonymousId":"bob"}"#, "\u{1F}\u{8B}damaged",
    ] {
      let bytes = text.hasPrefix("\u{1F}") ? [0x1F, 0x8B, 8, 0, 1, 2] : Array(text.utf8)
      #expect(EntrySearch.names(bytes, "bob"), "\(text)")
    }
    for text in [#"{"user_id":"bobby"}"#, #"[{"user_id":"ann"}]"#, "data=%5B%7B%22a%22%3A1%7D%5D"] {
      #expect(!EntrySearch.names(Array(text.utf8), "bob"), "\(text)")
    }
  }

  /// A damaged record does not take those after it along, and its bytes are kept.
  @Test func recordsAfterADamagedOneAreRead() throws {
    let directory = try TemporaryDirectory()
    var bytes = SpoolRecord.magic
    var ends: [Int] = []
    for i in 0..<3 {
      record(UInt64(i), "body \(i)").append(to: &bytes)
      ends.append(bytes.count)
    }
    // Within the second record, behind its lengths.
    bytes[ends[0] + 20] ^= 1
    let path = directory.path + "/file"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let content = try SpoolFile(path: path).read()
    #expect(content.records.map(\.head.id) == [0, 2])
    #expect(content.unreadable == Array(bytes[ends[0]..<ends[1]]) && content.torn == 0)
  }
}
