// The writer for programs that get events all the time: what it commits is what an ingest of files commits, whoever else writes.

import EventLog
import Foundation
import LogTestSupport
import ReportOracle
import Synchronization
import Testing

@testable import Permlog

/// A value that several tasks change.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
  func change(_ body: (inout Value) -> Void) { value.withLock { body(&$0) } }
  var now: Value { value.withLock { $0 } }
}

@Suite struct LogWriterTests {
  private func exported(_ log: PermissionLog) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try log.export { bytes += $0 }
    return bytes
  }

  /// The sample's lines, plain.
  private func lines() throws -> [String] {
    let directory = try TemporaryDirectory()
    return String(decoding: try exported(Sample.log(in: directory)), as: UTF8.self).split(separator: "\n").map {
      $0 + "\n"
    }
  }

  @Test func appendsOfManyTasksGiveTheLogThatFilesGive() async throws {
    let directory = try TemporaryDirectory()
    let files = try Sample.log(in: directory)
    let live = try PermissionLog(directory.file("live"), threads: 2)
    let writer = LogWriter(live)
    let lines = try lines()
    let pieces = stride(from: 0, to: lines.count, by: 500).map { lines[$0..<min($0 + 500, lines.count)].joined() }
    let commits = Shared<Set<String>>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (i, piece) in pieces.enumerated() {
        group.addTask {
          // Each also comes a second time, as a library repeats a request without an answer.
          for _ in 0..<(i % 3 == 0 ? 2 : 1) {
            let result = try await writer.append(Array(piece.utf8), name: "piece \(i)")
            #expect(result.read.events == piece.split(separator: "\n").count && result.read.rejected == 0)
            commits.change { $0.insert(result.commit.fingerprint) }
          }
        }
      }
      try await group.waitForAll()
    }
    try await writer.close()
    #expect(try exported(live) == exported(files))
    #expect(try live.report().render(as: .json) == files.report().render(as: .json))
    #expect(commits.now.count < pieces.count, "appends of one moment are one commit")
    #expect(try live.verify().damage.isEmpty)
  }

  @Test func theResultIsOfTheBytesAndTheCommitOfAll() async throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"), threads: 2)
    let writer = LogWriter(log)
    let rejected = Shared<[Int]>([])
    let bytes = Sample.line("u1", "granted") + "nonsense\n" + Sample.line("u2", "denied")
    let result = try await writer.append(
      Array(bytes.utf8), onReject: { line in rejected.change { $0.append(line.line) } })
    #expect(result.read.lines == 3 && result.read.events == 2 && result.rejections.count == 1)
    #expect(rejected.now == [2])
    #expect(result.commit.new == 2 && result.commit.duplicates == 0 && result.commit.appends == 1)
    #expect(try log.fingerprint() == result.commit.fingerprint)
    // A slice of a buffer is read where it is.
    let again = try await writer.append(Array(("xx" + bytes).utf8).dropFirst(2))
    #expect(again.commit.new == 0 && again.commit.duplicates == 2)
    try await writer.close()
  }

  @Test func whatIsNotStoredThrows() async throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"), threads: 2)
    let writer = LogWriter(log)
    async let good = writer.append(Array(Sample.line("u1", "granted").utf8))
    async let bad = failureOf { try await writer.append(Array("what is this\n".utf8), name: "odd") }
    async let empty = failureOf {
      try await writer.append(Array(Sample.line("u1", "nothing_known").utf8), name: "none")
    }
    let (stored, odd, none) = (try await good, await bad, await empty)
    #expect(stored.read.events == 1)
    #expect(odd?.code == .dataRefused)
    #expect(none?.code == .dataRefused && none?.message.contains("none") == true)
    var options = IngestOptions()
    options.acceptsNothing = true
    let nothing = try await writer.append(Array(Sample.line("u1", "nothing_known").utf8), options: options)
    #expect(nothing.read.events == 0 && nothing.names.first?.isStored == false)
    options.needsNewLog = true
    #expect(await failureOf { try await writer.append([], options: options) }?.code == .usage)
    try await writer.close()
    #expect(await failureOf { try await writer.append([]) }?.code == .usage)
    #expect(try log.information().events == 1)
  }

  private func failureOf(_ body: () async throws -> AppendResult) async -> PermlogError? {
    do {
      _ = try await body()
      return nil
    } catch { return error as? PermlogError }
  }

  @Test func aCancelledAppendStoresNothing() async throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"), threads: 2)
    var limits = LogWriter.Limits()
    limits.gathering = .seconds(3)
    let writer = LogWriter(log, limits: limits)
    let task = Task { try await writer.append(Array(Sample.line("u1", "granted").utf8)) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: PermlogError.self) { try await task.value }
    try await writer.close()
    #expect(failure { _ = try log.information() }?.code == .notFound)
  }

  @Test func moreThanMayWaitIsRefused() async throws {
    let directory = try TemporaryDirectory()
    var limits = LogWriter.Limits()
    limits.waitingBytes = 1000
    limits.gathering = .milliseconds(300)
    let writer = LogWriter(try PermissionLog(directory.file("log"), threads: 2), limits: limits)
    let line = Array(Sample.line("u1", "granted").utf8)
    let refused = Shared(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          do { _ = try await writer.append(line) } catch let error as PermlogError where error.code == .limit {
            refused.change { $0 += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(refused.now == 50 - 1000 / line.count)
    try await writer.close()
  }

  /// What others write between two appends is known to the next one: copies stay copies.
  @Test func othersMayWriteBetweenAppends() async throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"), threads: 2)
    let writer = LogWriter(log)
    _ = try await writer.append(Array(Sample.line("u1", "granted").utf8))
    #expect(failure { try log.ingest(bytes: Array(Sample.line("u2", "granted").utf8)) }?.code == .busy)
    try await writer.release()
    try log.ingest(bytes: Array(Sample.line("u2", "granted").utf8))
    let result = try await writer.append(
      Array((Sample.line("u1", "granted") + Sample.line("u2", "granted") + Sample.line("u3", "granted")).utf8))
    #expect(result.commit.new == 1 && result.commit.duplicates == 2)
    let erased = try await writer.exclusively { log throws(PermlogError) in try log.erase(users: [Array("u1".utf8)]) }
    #expect(erased.events == 1)
    let later = try await writer.append(Array(Sample.line("u1", "granted").utf8))
    #expect(later.commit.new == 0 && later.commit.leftOut == 1)
    try await writer.close()
    #expect(try log.information().events == 2)
    #expect(try log.verify().damage.isEmpty)
  }

  /// An ingest that is undone, or a log that was replaced by a copy, is not remembered: its events are new once more.
  @Test func anUndoneIngestIsForgotten() async throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"), threads: 2)
    let writer = LogWriter(log)
    _ = try await writer.append(Array(Sample.line("u1", "granted").utf8))
    try await writer.release()
    try log.ingest(bytes: Array(Sample.line("u2", "granted").utf8))
    try log.undo()
    let result = try await writer.append(Array((Sample.line("u2", "granted") + Sample.line("u1", "granted")).utf8))
    #expect(result.commit.new == 1 && result.commit.duplicates == 1)
    try await writer.close()
  }

  @Test func anHourIsOneRememberedIngest() async throws {
    let directory = try TemporaryDirectory()
    let clock = Shared<Milliseconds>(1_774_000_800_000)
    var log = try PermissionLog(directory.file("log"), threads: 2)
    log.clock = { clock.now }
    let writer = LogWriter(log)
    for minute in 0..<180 {
      clock.change { $0 += 60_000 }
      _ = try await writer.append(Array(Sample.line("u\(minute)", "granted").utf8))
    }
    try await writer.close()
    let ingests = try log.information().ingests
    #expect(ingests.map(\.files).reduce(0, +) == 180 && ingests.count == 4, "\(ingests.map(\.files))")
    #expect(ingests.allSatisfy { $0.names == ["live events"] })
    #expect(ingests.map(\.new).reduce(0, +) == 180)
    // It is of many commits, so that it cannot be taken back.
    #expect(try log.undo() == nil)
    #expect(try log.information().parts.count < 20)
  }

  @Test func eachCommitIsTold() async throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"), threads: 2)
    let writer = LogWriter(log)
    let commits = await writer.commits()
    let result = try await writer.append(Array(Sample.line("u1", "granted").utf8))
    var told: [String] = []
    for await fingerprint in commits {
      told.append(fingerprint)
      break
    }
    #expect(told == [result.commit.fingerprint])
    try await writer.close()
  }

  @Test func aSnapshotStays() async throws {
    let directory = try TemporaryDirectory()
    let log = try Sample.log(in: directory)
    let snapshot = try log.snapshot()
    let (report, fingerprint) = (try log.report().render(as: .json), try log.fingerprint())
    let writer = LogWriter(log)
    for i in 0..<20 {
      _ = try await writer.append(Array(Sample.line("new\(i)", "granted", permission: "notifications").utf8))
    }
    try await writer.close()
    try log.compact()
    #expect(try snapshot.report().render(as: .json) == report)
    #expect(try snapshot.fingerprint() == fingerprint && log.fingerprint() != fingerprint)
    #expect(try log.report().render(as: .json) != report)
    #expect(try snapshot.snapshot().fingerprint() == fingerprint)
  }

  /// Random appends against one ingest of everything: copies in the same append, in the same commit, in earlier commits and in files.
  @Test func randomAppendsGiveTheSameLog() async throws {
    for seed in TestSeeds.some(Array(0..<UInt64(24))) {
      var random = SeededGenerator(seed: seed)
      let directory = try TemporaryDirectory()
      let live = try PermissionLog(directory.file("live"), threads: 2)
      var limits = LogWriter.Limits()
      // A filter that is too small errs often, and changes nothing.
      if seed % 2 == 1 { limits.rememberedBytes = 4096 }
      let writer = LogWriter(live, limits: limits)
      var all = ""
      var sum = 0
      for _ in 0..<30 {
        var piece = ""
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          let (user, second) = (Int.random(in: 0..<40, using: &random), Int.random(in: 10..<60, using: &random))
          piece += Sample.line(
            "user\(user)", ["granted", "denied", "prompt_shown"].randomElement(using: &random)!,
            time: "2026-03-02T10:00:\(second)Z")
        }
        all += piece
        if Int.random(in: 0..<6, using: &random) == 0 {
          try await writer.release()
          sum += try live.ingest(bytes: Array(piece.utf8)).stored.new
        } else {
          sum += try await writer.append(Array(piece.utf8)).commit.new
        }
      }
      try await writer.close()
      let whole = try PermissionLog(directory.file("whole"), threads: 2)
      let stored = try whole.ingest(bytes: Array(all.utf8)).stored
      #expect(sum == stored.new, "seed \(seed)")
      #expect(try exported(live) == exported(whole), "seed \(seed)")
      #expect(try live.verify().damage.isEmpty, "seed \(seed)")
    }
  }
}
