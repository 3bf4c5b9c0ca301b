// With the same question and the same state the answer is the same; what changes an answer changes its state.

import Permlog
import PermissionEvents
import Testing

@testable import Permlog

@Suite struct AnswerStateTests {
  private static let hour: Milliseconds = 3_600_000
  /// A Monday, 00:00 UTC.
  private static let monday: Milliseconds = 1_773_619_200_000

  /// A log of a user an hour, from that Monday on.
  private func log(in directory: TemporaryDirectory, hours: Int, clock: Milliseconds) throws -> PermissionLog {
    let lines = (0..<hours).map {
      Sample.line("u\($0)", "granted", time: Timestamp.text(Self.monday + Milliseconds($0) * Self.hour))
    }
    var log = try PermissionLog(directory.file("log"), threads: 1)
    log.clock = { clock }
    try log.ingest([try directory.write("a.ndjson", lines.joined())])
    return log
  }

  @Test func theSameStateIsTheSameAnswer() throws {
    let directory = try TemporaryDirectory()
    var log = try log(in: directory, hours: 30, clock: Self.monday + 40 * Self.hour)
    let request = ReportRequest()
    var answers: [String: [UInt8]] = [:]
    // The newest event is of Tuesday, 05:00; the log is never silent, so that the clock does not matter until it is old.
    for clock in stride(from: 31, through: 24 * 6, by: 5) {
      log.clock = { Self.monday + Milliseconds(clock) * Self.hour }
      let now = try log.snapshot()
      let state = try now.state(for: request.scope)
      let page = try now.report(request).render(as: .html) + now.report(request).render(as: .json)
      if let known = answers[state.text] { #expect(known == page) }
      answers[state.text] = page
      #expect(state.asOf == Self.monday + 29 * Self.hour && !state.text.contains("\n"))
    }
    // Whole days of age, and midnights.
    #expect((7...10).contains(answers.count))
  }

  /// A report says for how many days a week has ended, which changes at midnight, and the age of the newest event at another hour.
  @Test func midnightIsPartOfIt() throws {
    let directory = try TemporaryDirectory()
    var log = try log(in: directory, hours: 5 * 24 + 20, clock: Self.monday + 9 * 24 * Self.hour)
    var texts: [String: String] = [:]
    for zone in ["UTC", "America/New_York"] {
      for hour in 9 * 24..<11 * 24 {
        var request = ReportRequest()
        request.scope.timeZone = zone
        log.clock = { Self.monday + Milliseconds(hour) * Self.hour + 60_000 }
        let now = try log.snapshot()
        let state = try now.state(for: request.scope)
        let text = String(decoding: try now.report(request).render(as: .text), as: UTF8.self)
        if let known = texts[zone + state.text] { #expect(known == text) }
        texts[zone + state.text] = text
      }
    }
    // Twice a midnight and twice an hour of the newest event, in each zone.
    #expect((6...10).contains(texts.count), "\(texts.count)")
  }

  @Test func theClockIsPartOfItWhereTheAnswerHasIt() throws {
    let directory = try TemporaryDirectory()
    // The newest event is of Monday, 23:00: an hour before the end of its day the log is fed to the clock.
    var log = try log(in: directory, hours: 24, clock: Self.monday + 23 * Self.hour + 60_000)
    let scope = QuestionScope()
    let early = try log.state(for: scope)
    log.clock = { Self.monday + 23 * Self.hour + 120_000 }
    let later = try log.state(for: scope)
    #expect(early.fingerprint == later.fingerprint && early != later)
    #expect(later.asOf == Self.monday + 23 * Self.hour + 120_000)
    // A snapshot looks from its own moment, however late it is asked.
    var now = try log.snapshot()
    #expect(try now.state(for: scope) == later)
    // And a question with a moment of its own does not depend on the clock.
    var fixed = scope
    fixed.asOf = .time(Self.monday + 12 * Self.hour)
    let of = try now.state(for: fixed)
    now.clock = { Self.monday + 1000 * Self.hour }
    #expect(try now.state(for: fixed) == of)
  }

  @Test func commitsAndWaitingEventsChangeIt() throws {
    let directory = try TemporaryDirectory()
    let log = try log(in: directory, hours: 30, clock: Self.monday + 31 * Self.hour)
    let first = try log.state(for: QuestionScope())
    let received = Self.monday + 30 * Self.hour
    try log.note(LiveStatus(received: received, read: received, waitingBytes: 0, quarantined: 0))
    #expect(try log.state(for: QuestionScope()) == first)
    try log.note(LiveStatus(received: received, read: received, waitingBytes: 0, quarantined: 3))
    let waiting = try log.state(for: QuestionScope())
    // Events that the log does not need change nothing within the hour.
    try log.note(LiveStatus(received: received + 1000, read: received + 1000, waitingBytes: 0, quarantined: 3))
    #expect(try log.state(for: QuestionScope()) == waiting)
    #expect(waiting != first && waiting.fingerprint == first.fingerprint)
    try log.ingest([try directory.write("b.ndjson", Sample.line("new", "denied", time: "2026-03-16T10:00:00Z"))])
    #expect(try log.state(for: QuestionScope()).fingerprint != first.fingerprint)
  }

  @Test func anEmptyLogHasOne() throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    #expect(throws: PermlogError.self) { try log.state(for: QuestionScope()) }
    try log.ingest([try directory.write("a.ndjson", Sample.line("u", "granted"))])
    try log.erase(users: [Array("u".utf8)])
    #expect(try log.state(for: QuestionScope()).asOf == nil)
  }
}

@Suite struct CommandArgumentTests {
  @Test func theyMakeTheRequestAgain() throws {
    var request = ComparisonRequest(control: "A", treatments: ["it's B"])
    request.permission = "notifications"
    request.conditions = [try ExposureCondition(parsing: "country=DE,AT")]
    request.minimumEffect = 0.02
    #expect(
      request.commandArguments == [
        "A", "it's B", "--permission", "notifications", "--minimum-effect", "2", "--where", "country=AT,DE",
      ])
    #expect(ReportRequest().commandArguments == [])
    request.treatments = ["-B"]
    #expect(request.commandArguments.suffix(3) == ["--", "A", "-B"])
    #expect(CommandWords.quoted("it's B") == #"'it'\''s B'"#)
    var dated = ReportRequest()
    dated.valueLimit = 7
    dated.properties = [.country]
    #expect(dated.commandArguments == ["--by", "country", "--by-limit", "7"])
  }
}
