// The file of refused lines: private, bounded, there when nothing was stored, and silent about whom a key hides.

import Foundation
import Permlog
import Testing

@Suite struct RejectsFileTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog
  private let rejects: String

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 2)
    rejects = directory.file("rejects.ndjson")
  }

  private struct Line: Decodable, Equatable {
    var file: String?
    var line: Int?
    var reason: String
    var text: String?
  }

  private func lines() throws -> [Line] {
    try Sample.bytes(rejects).split(separator: 0x0A).map { try JSONDecoder().decode(Line.self, from: Data($0)) }
  }

  private func options(_ change: (inout IngestOptions) -> Void = { _ in }) -> IngestOptions {
    var options = IngestOptions()
    options.rejectsFile = rejects
    change(&options)
    return options
  }

  private func mode() throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: rejects)[.posixPermissions] as? Int
  }

  private static let bad = (0..<20).map { #"{"user_id":"secret\#($0)","event":"wrong"}"# + "\n" }.joined()

  @Test func itIsPrivateAndThereAlsoIfNothingWasStored() throws {
    try directory.write("rejects.ndjson", "of the day before\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: rejects)
    let file = try directory.write("a.ndjson", Sample.line("u", "granted") + Self.bad)
    let result = try log.ingest([file], options: options { $0.isStrict = true })
    #expect(result.refusal == .strict(rejected: 20))
    #expect(try lines().count == 20 && lines()[0].file == file && lines()[0].text?.contains("secret0") == true)
    #expect(try mode() == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["a.ndjson", "rejects.ndjson"])
  }

  @Test func anIngestThatFailsKeepsWhatItFoundAndSaysSo() throws {
    try directory.write("rejects.ndjson", "of the day before\n")
    let file = try directory.write("a.ndjson", Sample.line("u", "granted") + Self.bad)
    // A packed file that is cut.
    let cut = try directory.write("b.gz", "\u{1F}")
    try Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1]).write(to: URL(fileURLWithPath: cut))
    #expect(failure { try log.ingest([cut], options: options()) } != nil)
    #expect(try Sample.bytes(rejects) == Array("of the day before\n".utf8), "nothing was refused")
    // One thread comes to the second file when it is done with the first.
    let single = try PermissionLog(log.path, threads: 1)
    #expect(failure { try single.ingest([file, cut], options: options()) } != nil)
    #expect(try lines().count == 21)
    let last = try #require(try lines().last)
    #expect(last == Line(reason: "the import failed before its end: more lines may have been rejected"))
    #expect(failure { try single.ingest([file, cut], options: options { $0.rejectsLimit = 0 }) } != nil)
    #expect(
      try lines() == [
        Line(
          reason:
            "20 more lines were rejected and not kept: this file has reached its limit of 0 bytes; the import failed before its "
            + "end: more lines may have been rejected")
      ])
  }

  @Test func itHasALimitAndSaysWhatIsNotInIt() throws {
    let file = try directory.write("a.ndjson", Sample.line("u", "granted") + Self.bad)
    _ = try log.ingest([file], options: options())
    let whole = try Sample.bytes(rejects)
    let five = whole.split(separator: 0x0A)[..<5].map { $0.count + 1 }.reduce(0, +)
    for (limit, kept) in [(whole.count, 20), (five, 5), (five + 1, 5), (five - 1, 4), (0, 0)] {
      let result = try log.ingest([file], options: options { $0.rejectsLimit = limit })
      #expect(result.rejections.count == 20 && result.rejections.notKept == 20 - kept, "\(limit)")
      let lines = try lines()
      #expect(lines.count == (kept == 20 ? 20 : kept + 1), "\(limit)")
      if kept < 20 {
        #expect(lines.last?.file == nil && lines.last?.text == nil)
        #expect(
          lines.last?.reason.hasPrefix("\(20 - kept) more lines were rejected and not kept: this file has reached")
            == true,
          "\(lines.last as Any)")
        #expect(try whole.starts(with: Sample.bytes(rejects).split(separator: 0x0A)[..<kept].flatMap { $0 + [0x0A] }))
      }
    }
  }

  @Test func aKeyHidesTheTextAndEveryValue() throws {
    let good = Sample.line("u", "granted")
    let table =
      "user_id,timestamp,event,permission\nsecret1,secret2,secret3,camera\n1.2E+15,2026-03-02,granted,secret4\n"
    let more = [
      #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"grantedsecret"}"#,
      #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"granted","permission":"secret"}"#,
      #"{"user_id":"u","timestamp":"2099-03-02T10:00:00Z","event":{"secret":1}}"#, #"{"user_id":"secret""#,
      #"{"user_id":[15557],"timestamp":"2026-03-02T10:00:00Z","event":15557}"#,
    ].joined(separator: "\n")
    let files = [try directory.write("a.ndjson", good + Self.bad + more), try directory.write("b.csv", table)]
    let told = Told()
    let result = try log.ingest(
      files, options: options { $0.userKey = UserKey([UInt8](repeating: 7, count: 32)) }, onReject: { told.add($0) })
    #expect(result.rejections.count == 27)
    #expect(try lines().count == 27)
    for line in try lines() {
      #expect(line.text == nil && line.file != nil && line.line != nil && !line.reason.isEmpty)
      for secret in ["secret", "15557", "1.2E"] { #expect(!line.reason.contains(secret), "\(line.reason)") }
    }
    for group in result.rejections.groups {
      #expect(group.first.text.isEmpty && !group.first.reason.contains("secret"))
    }
    #expect(told.lines.count == 27 && told.lines.allSatisfy { $0.text.isEmpty })
  }

  @Test func aKeyHidesTheHeadingOfAnUnknownForm() throws {
    let files = ["a.csv": "secret1,2026-03-02T10:00:00Z,x\n", "b.json": #"{"secret1":{"a":1}}"# + "\n"]
    for (name, text) in files {
      let path = try directory.write(name, text)
      let shown = failure { try log.ingest([path]) }
      #expect(shown?.message.contains("secret1") == true, "\(shown as Any)")
      let hidden = failure {
        try log.ingest([path], options: options { $0.userKey = UserKey([UInt8](repeating: 7, count: 32)) })
      }
      #expect(hidden?.code == .dataRefused && hidden?.message.contains("secret1") == false, "\(hidden as Any)")
    }
  }

  @Test func itIsNoneOfTheFilesThatAreRead() throws {
    let file = try directory.write("a.ndjson", Self.bad)
    let mapping = try directory.write("m.yaml", VendorMappings.yaml("segment") ?? "")
    let key = try directory.write("key", String(repeating: "k", count: 20))
    _ = try log.ingest([directory.write("good.ndjson", Sample.line("u", "granted"))])
    for (path, words) in [
      (file, "one of the files to ingest"), (mapping, "a mapping of this ingest"),
      (key, "a file that this ingest reads"),
      (log.path + "/r", "directory of a log"),
    ] {
      let error = failure {
        try log.ingest(
          [file],
          options: options {
            $0.rejectsFile = path
            $0.mappings = [.file(mapping)]
            $0.keptFiles = [key]
          })
      }
      #expect(error?.code == .usage && error?.argument == .rejects && error?.message.contains(words) == true, "\(path)")
    }
    #expect(try Sample.bytes(key).count == 20 && Sample.bytes(file).count == Self.bad.utf8.count)
    #expect(try log.verify().damage.isEmpty)
  }
}

/// What a closure was told.
private final class Told: @unchecked Sendable {
  private let lock = NSLock()
  private var told: [RejectedLine] = []
  var lines: [RejectedLine] { lock.withLock { told } }
  func add(_ line: RejectedLine) { lock.withLock { told.append(line) } }
}
