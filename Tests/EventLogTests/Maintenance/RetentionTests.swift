// The rule for how long a log keeps events: which moment it means, and what it does to a log.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct RetentionTests {
  @Test func spansAreRead() {
    let right = ["1d", "90d", "13mo", "2y", "36525d", "1200mo", "100y"]
    for text in right { #expect(RetentionSpan(text)?.description == text) }
    let wrong = [
      "", "d", "0d", "-1d", "+1d", "1", "1m", "1 d", "1D", "01d", "1.5y", "36526d", "1201mo", "101y",
      "99999999999999999999d",
      "１d", "13mo ", "none",
    ]
    for text in wrong { #expect(RetentionSpan(text) == nil, "\(text)") }
  }

  private func limit(_ span: String, _ now: String) throws -> String {
    let time = try #require(Array(now.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) })
    return Timestamp.text(try #require(RetentionSpan(span)).limit(at: time))
  }

  @Test func limitsAreStartsOfDays() throws {
    let cases = [
      ("1d", "2026-03-02T00:00:00Z", "2026-03-01"), ("1d", "2026-03-01T23:59:59Z", "2026-02-28"),
      ("13mo", "2026-11-27T07:00:00Z", "2025-10-27"), ("1mo", "2026-03-31T07:00:00Z", "2026-02-28"),
      ("1mo", "2024-03-30T07:00:00Z", "2024-02-29"), ("12mo", "2026-01-15T07:00:00Z", "2025-01-15"),
      ("1y", "2024-02-29T07:00:00Z", "2023-02-28"), ("1mo", "2026-01-01T07:00:00Z", "2025-12-01"),
    ]
    for (span, now, day) in cases { #expect(try limit(span, now) == day + "T00:00:00.000Z", "\(span) \(now)") }
  }

  // MARK: Logs

  private static let day: Milliseconds = 86_400_000
  private let log = LogDirectory(path: "/log", files: MemoryFileSystem())
  private let start: Milliseconds = 1_700_006_400_000

  private func event(_ number: Int, day: Int) -> TestEvent {
    TestEvent(user: "user \(number)", id: "e\(number)", time: start + Milliseconds(day) * Self.day + 1000)
  }

  @discardableResult
  private func change<Value>(day: Int, _ body: (EventLogWriter) throws -> Value) throws -> Value {
    let now = start + Milliseconds(day) * Self.day + 5000
    let writer = try EventLogWriter(log, threads: 1, clock: { now })
    defer { writer.close() }
    return try body(writer)
  }

  @Test func theRuleIsAppliedOnceADayAndSurvives() throws {
    try log.ingest((0..<10).map { event($0, day: $0) })
    let first = try change(day: 10) { writer in
      try writer.setRetention(RetentionSpan("7d"))
      return try writer.applyRetention()
    }
    #expect(first?.events == 3 && first?.limit == start + 3 * Self.day && first?.refusal == nil)
    #expect(try log.export().count == 7)
    #expect(try change(day: 10) { try $0.applyRetention() } == nil, "once a day")
    let second = try change(day: 12) { try $0.applyRetention() }
    #expect(second?.events == 2 && second?.rule.description == "7d")
    // Another change leaves the rule, and a clock that goes back removes nothing and lets nothing in.
    try change(day: 12) { _ = try $0.compact() }
    #expect(try change(day: 11) { try $0.applyRetention() } == nil)
    #expect(try log.readManifest().retention == RetentionSpan("7d"))
    #expect(try log.readManifest().expiredBefore == start + 5 * Self.day)
    #expect(try log.verify().damage.isEmpty)
    // Without the rule nothing more goes, and what is gone stays out.
    try change(day: 13) { try $0.setRetention(nil) }
    #expect(try change(day: 30) { try $0.applyRetention() } == nil)
    #expect(try log.readManifest().expiredBefore == start + 5 * Self.day)
    #expect(try log.export().count == 5)
  }

  @Test func aClockThatIsFarOffRemovesNothing() throws {
    try log.ingest((0..<10).map { event($0, day: $0) })
    let applied = try change(day: 4000) { writer in
      try writer.setRetention(RetentionSpan("1y"))
      return try writer.applyRetention()
    }
    #expect(applied?.refusal == .allAreOlder && applied?.events == 0)
    #expect(try log.export().count == 10)
    #expect(try log.readManifest().expiredBefore == nil)
    // A year is enough to be wrong, if the rule is longer than the log.
    let wrong = try change(day: 365 + 5) { writer in
      try writer.setRetention(RetentionSpan("1y"))
      return try writer.applyRetention()
    }
    #expect(wrong?.refusal == .newest(start + 9 * Self.day + 1000))
    #expect(
      try change(day: 60) { try $0.applyRetention() }?.refusal == nil, "a feed that pauses for weeks is no wrong clock")
    #expect(try log.export().count == 10)
    // An empty log has nothing to lose.
    let empty = LogDirectory(path: "/empty", files: MemoryFileSystem())
    try empty.ingest([])
    let writer = try EventLogWriter(empty, threads: 1, clock: { 1_800_000_000_000 })
    defer { writer.close() }
    try writer.setRetention(RetentionSpan("1y"))
    #expect(try writer.applyRetention()?.refusal == nil)
  }

  @Test func aManifestWithARuleIsOfVersionSix() throws {
    var manifest = Manifest()
    manifest.retention = RetentionSpan("13mo")
    let bytes = manifest.encode()
    #expect(
      String(decoding: bytes, as: UTF8.self).hasPrefix("permlog-manifest 6\ngeneration 0\nnext-part 1\nkeep 13mo\n"))
    #expect(try Manifest(bytes, file: "manifest") == manifest)
  }
}
