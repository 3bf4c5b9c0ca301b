// Exports from files and from memory, what is refused, and what is told meanwhile.

import Foundation
import Permlog
import Synchronization
import Testing

@Suite struct IngestTests {
  @Test func bytesGiveTheLogThatFilesGive() throws {
    let directory = try TemporaryDirectory()
    let files = try Sample.log(in: directory)
    let memory = try PermissionLog(directory.file("memory"), threads: 2)
    for path in Sample.files {
      let result = try memory.ingest(bytes: try Sample.bytes(path), name: path)
      #expect(result.refusal == nil && result.read.files == 1 && result.stored.new > 0)
    }
    #expect(try exported(memory) == exported(files))
    #expect(try memory.report().render(as: .json) == files.report().render(as: .json))
    // Once more adds nothing.
    let again = try memory.ingest(bytes: try Sample.bytes(Sample.files[0]))
    #expect(again.stored.new == 0 && again.stored.duplicates == again.read.events)
  }

  private func exported(_ log: PermissionLog) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try log.export { bytes += $0 }
    return bytes
  }

  @Test func noBytesAreNoLines() throws {
    let directory = try TemporaryDirectory()
    let result = try PermissionLog(directory.file("log")).ingest(bytes: [])
    #expect(result.read.lines == 0 && result.refusal == nil)
  }

  @Test func refusedLinesAreToldWithTheirPlace() throws {
    let directory = try TemporaryDirectory()
    let text = Sample.line("u1", "granted") + "nonsense\n" + Sample.line("u2", "denied", permission: "lidar")
    let told = Mutex<[RejectedLine]>([])
    let result = try PermissionLog(directory.file("log")).ingest(
      bytes: Array(text.utf8), name: "upload", onReject: { line in told.withLock { $0.append(line) } })
    let lines = told.withLock { $0 }
    #expect(lines.map(\.line) == [2, 3] && lines.allSatisfy { $0.file == "upload" })
    #expect(
      lines.last?.reason
        == #"permission "lidar" is not a known permission (allow custom permissions to keep it)"#)
    #expect(result.stored.new == 1 && result.rejections.count == 2 && result.rejections.groups.count == 2)
    #expect(try PermissionLog(directory.file("log")).information().events == 1)
  }

  @Test func aCallersErrorEndsTheIngestAndComesBack() throws {
    struct Stop: Error, Equatable {}
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    let text = Sample.line("u1", "granted") + "nonsense\n"
    let error = failure { try log.ingest(bytes: Array(text.utf8), onReject: { _ in throw Stop() }) }
    #expect(error?.code == .stopped && error?.cause is Stop)
    #expect(failure { _ = try log.information() }?.code == .notFound)
  }

  @Test func limitsOnRefusedLinesStoreNothing() throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    let bytes = Array((Sample.line("u1", "granted") + "nonsense\n").utf8)
    var options = IngestOptions()
    options.isStrict = true
    #expect(try log.ingest(bytes: bytes, options: options).refusal == .strict(rejected: 1))
    options.isStrict = false
    let limit = try #require(RejectionLimit("49%"))
    options.rejectionLimit = limit
    #expect(try log.ingest(bytes: bytes, options: options).refusal == .tooManyRejected(1, unread: 0, limit: limit))
    options.rejectionLimit = RejectionLimit("50%")
    let stored = try log.ingest(bytes: bytes, options: options)
    #expect(stored.refusal == nil && stored.stored.new == 1)
    let refused = try log.ingest(bytes: Array(Sample.line("u1", "granted", permission: "lidar").utf8))
    #expect(refused.refusal == .nothingUnderstood(refused.read))
    #expect(try log.information().events == 1)
    #expect(RejectionLimit("many") == nil && RejectionLimit("101%") == nil && RejectionLimit("-1") == nil)
  }

  @Test func refusedLinesAreKeptInAFile() throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    let input = try directory.write("in.ndjson", Sample.line("u1", "granted") + "nonsense\n")
    var options = IngestOptions()
    options.rejectsFile = directory.file("rejects.ndjson")
    try log.ingest([input], options: options)
    let kept = try String(contentsOfFile: directory.file("rejects.ndjson"), encoding: .utf8)
    #expect(kept.contains(#""line": 2"#) && kept.contains(#""text": "nonsense""#))
    options.rejectsFile = input
    let error = failure { try log.ingest([input], options: options) }
    #expect(error?.code == .usage && error?.argument == .rejects)
    #expect(try String(contentsOfFile: input, encoding: .utf8).hasSuffix("nonsense\n"))
  }

  @Test func progressIsTold() throws {
    let directory = try TemporaryDirectory()
    let shares = Mutex<[Double]>([])
    let isWriting = Mutex(false)
    let isCommitting = Mutex(false)
    try PermissionLog(directory.file("log"), threads: 1).ingest(
      [Sample.files[0]],
      onProgress: { progress in
        switch progress {
        case .reading(_, let share): shares.withLock { $0.append(share ?? -1) }
        case .writing: isWriting.withLock { $0 = true }
        case .committing: isCommitting.withLock { $0 = true }
        }
      })
    #expect(shares.withLock { $0.last } == 1)
    #expect(isWriting.withLock { $0 } && isCommitting.withLock { $0 })
  }

  /// What is over the limit of one user is left out like what is erased, and told apart.
  @Test func surplusEventsAreCountedAndSaidOf() throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    var result = try log.ingest(bytes: Array(line.utf8))
    #expect(result.surplusNote == nil && String(decoding: result.json, as: UTF8.self).contains(#""surplus": 0"#))
    // Sixteen million events are not made for a test: the counts are as the log gives them.
    (result.read.lines, result.read.events) = (12, 10)
    (result.stored.new, result.stored.duplicates, result.stored.erased, result.stored.surplus) = (4, 2, 1, 3)
    result.stored.surplusUsers = ["00000000000000ab"]
    let json = String(decoding: result.json, as: UTF8.self)
    #expect(json.contains(#""events": 6"#) && json.contains(#""erased": 4"#) && json.contains(#""surplus": 3"#))
    let note = try #require(result.surplusNote)
    #expect(note.remedy == .divideSharedUser)
    #expect(note.finding.hasPrefix("3 events were left out because the log already had 16"))
    #expect(note.finding.hasSuffix("of the same user: of 1 user (hash 00000000000000ab)"))
  }

  @Test func aMappingCanBeText() throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    let yaml = "extends: amplitude\nrules: [{event: a, kind: denied, permission: camra}]\n"
    var options = IngestOptions()
    options.mappings = [.yaml(Array(yaml.utf8), name: "mine")]
    let error = failure { try log.ingest(bytes: [], options: options) }
    #expect(error?.code == .usage && error?.remedy == .allowCustomPermissions)
    #expect(error?.message.hasPrefix("mine, line 2: there is no permission camra; use one of") == true)
    options.allowsCustomPermissions = true
    #expect(failure { try log.ingest(bytes: [], options: options) } == nil)
    options.format = .csv
    #expect(failure { try log.ingest(bytes: [], options: options) }?.argument == .format)
  }

  @Test func exportsAreCheckedWithoutALog() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("e.csv")
    try directory.write("e.csv", "userId,Event,when it was\nu1,tap,1\n")
    let error = failure { _ = try MappingCheck([path]) }
    #expect(error?.code == .dataRefused && error?.remedy == .draftMapping(path: path))
    #expect(try VendorMappings.draft(from: path).contains("user: userId"))
    let check = try MappingCheck([Sample.files[0]])
    #expect(check.read.lines > 0 && check.rejections.count == check.read.rejected)
    #expect(VendorMappings.names.allSatisfy { VendorMappings.yaml($0) != nil })
    #expect(VendorMappings.yaml("nobody") == nil)
  }
}
