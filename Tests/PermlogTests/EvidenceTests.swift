// What is unknown for want of evidence, what a status check tells, and the moment that a question looks from.

import Foundation
import Permlog
import Testing

@Suite struct EvidenceTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 1)
  }

  private func line(
    _ user: String, _ event: String, _ time: String, status: String? = nil, permission: String? = "camera"
  ) -> String {
    let others = [("permission", permission), ("status", status)].compactMap { name, value in
      value.map { #","\#(name)":"\#($0)""# }
    }
    return #"{"user_id":"\#(user)","timestamp":"\#(time)","event":"\#(event)"\#(others.joined())}"# + "\n"
  }

  private func ingest(_ lines: [String]) throws {
    let file = try directory.write("\(UUID().uuidString).ndjson", lines.joined())
    #expect(try log.ingest([file]).read.rejected == 0)
  }

  private func row(_ permission: String = "camera") throws -> ReportRow {
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 6, day: 1))
    return try #require(try log.report(request).rows.first { $0.permission == permission && $0.week == nil })
  }

  /// One who denied and one who granted, both with a Settings prompt, and nothing else.
  private var askedAndAnswered: [String] {
    [
      line("no", "prompt_shown", "2026-03-02T10:00:00Z"), line("no", "denied", "2026-03-02T10:00:05Z"),
      line("no", "settings_prompt_shown", "2026-03-03T10:00:00Z"),
      line("yes", "prompt_shown", "2026-03-02T10:00:00Z"), line("yes", "granted", "2026-03-02T10:00:05Z"),
    ]
  }

  @Test func withoutEvidenceNothingIsKnownAndNothingIsZero() throws {
    try ingest(askedAndAnswered)
    let row = try row()
    #expect(
      row.noEvidence == [
        .activity, .featureUsed, .enabledLater, .revoked, .settingsOpened, .appInstalled, .explanation,
      ])
    for day in row.retention {
      #expect(day.outcomes.allSatisfy { $0.count == nil && $0.rate == nil } && day.difference == nil)
      #expect(day.outcomes[0].eligible == 1, "who could have come back is known")
    }
    #expect(row.engagement.granted.users == 1 && row.engagement.granted.meanActiveDays == nil)
    #expect(row.returns.enabledLater[0].share.eligible == 1 && row.returns.enabledLater[0].share.count == nil)
    #expect(row.returns.enabledLater[0].kaplanMeier.allSatisfy { $0.atRisk == nil && $0.value == nil })
    #expect(row.returns.enabledLater[1].share.count == 0, "after a skip the system's own answer is the evidence")
    #expect(row.settings.shown == 1 && row.settings.opened == nil && row.settings.trials == nil)
    #expect(row.afterGrant.revoked.eligible == 1 && row.afterGrant.revoked.count == nil)
    let csv = String(decoding: try log.report().render(as: .csv), as: UTF8.self)
    #expect(csv.contains(",camera,,settings_prompt.trials.prompted.n,,,,,,,UTC,\r\n"))
    #expect(csv.contains("2026-W10,camera,,retention.day_1.granted.retained,,,,"))
  }

  @Test func evidenceOfAnybodyIsEvidence() throws {
    try ingest(askedAndAnswered)
    // Of another user, another week, and for engagement no permission.
    try ingest([
      line("other", "app_active", "2026-05-02T10:00:00Z", permission: nil),
      line("other", "status_checked", "2026-05-02T10:00:00Z"),
      line("other", "settings_opened", "2026-05-02T10:00:00Z", permission: "contacts"),
    ])
    let row = try row()
    #expect(row.noEvidence == [.featureUsed, .appInstalled, .explanation])
    #expect(row.retention[0].outcomes[0].count == 0)
    #expect(row.returns.enabledLater[0].share.count == 0 && row.settings.opened == 0)
    #expect(row.afterGrant.revoked.count == 0)
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 5, day: 1))
    #expect(try log.report(request).rows[0].noEvidence.count == 7, "evidence after as_of is not looked at")
  }

  @Test(arguments: [
    ("authorized", 1, 0, 0), ("limited", 1, 1, 0), ("denied", 0, 0, 1), ("not_determined", 0, 0, 0),
    ("restricted", 0, 0, 0),
    (nil, 0, 0, 0),
  ])
  func aStatusCheckSaysWhatItFound(status: String?, on: Int, inPart: Int, off: Int) throws {
    try ingest(
      askedAndAnswered + ["no", "yes"].map { line($0, "status_checked", "2026-03-04T10:00:00Z", status: status) })
    let row = try row()
    #expect(row.returns.enabledLater[0].share.count == on && row.returns.enabledLater[0].partial == inPart)
    #expect(row.settings.enabled == on && row.settings.partial == inPart)
    #expect(row.grants.grantedByFollowUp.count == 1 + on && row.grants.partialByFollowUp == inPart)
    #expect(row.afterGrant.revoked.count == off)
    #expect(row.grants.granted == 1 && row.grants.denied == 1, "the first answer stays what it was")
  }

  @Test func aComparisonOfRetentionNeedsActivity() throws {
    let shown = (0..<40).flatMap { number -> [String] in
      let variant = number % 2 == 0 ? "A" : "B"
      let start = #"{"user_id":"u\#(number)","timestamp":"2026-03-02T10:00:"#
      return [
        start + #"00Z","event":"prompt_shown","permission":"camera","variant":"\#(variant)"}"# + "\n",
        start + #"05Z","event":"granted","permission":"camera"}"# + "\n",
      ]
    }
    try ingest(shown)
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 6, day: 1))
    request.guardrails = [GuardrailQuestion(metric: .retentionDay7, margin: 0.01)]
    let pair = try #require(try log.compare(request).pairs.first)
    let retention = try #require(pair.secondary.first { $0.measure == .metric(.retentionDay7) })
    #expect(retention.a == nil && retention.pValue == nil && retention.noEvidence == .activity)
    #expect(pair.guardrails.first?.noEvidence == .activity && pair.guardrails.first?.state == .undecided)
    request.metric = .retentionDay7
    let refused = failure { _ = try log.compare(request) }
    #expect(refused?.code == .usage && refused?.argument == .metric)
    #expect(refused?.message.hasPrefix("this log has no activity events") == true)
    try ingest([line("u0", "app_active", "2026-03-09T10:00:00Z", permission: nil)])
    #expect(try log.compare(request).pairs.first?.a.exposed == 20)
  }

  // MARK: The moment to look from

  /// Two weeks of prompts, the second not over yet, and one phone that is a day ahead.
  private func feed(clock: Milliseconds) throws -> PermissionLog {
    try ingest([
      line("a", "prompt_shown", "2026-03-02T10:00:00Z"), line("b", "prompt_shown", "2026-03-14T10:00:00Z"),
      line("ahead", "prompt_shown", "2026-03-16T09:00:00Z"),
    ])
    var log = log
    log.clock = { clock }
    return log
  }

  private static let saturday: Milliseconds = 1_773_500_400_000

  @Test func oneClockThatIsAheadEndsNoWeek() throws {
    let log = try feed(clock: Self.saturday)
    let report = try log.report()
    #expect(report.asOf == Self.saturday)
    #expect(report.rows.filter { $0.week != nil }.map(\.isComplete) == [true, false])
    #expect(report.events == 2 && report.age?.isAhead == true && report.age?.isOld == false)
    #expect(report.age?.latest == 1_773_482_400_000, "of the events that are not ahead")
    #expect(try log.experiments().asOf == Self.saturday)
  }

  @Test func aWeekThatIsOverByTheClockIsNotStillRunning() throws {
    // The last event is of the Saturday of the second week; the clock is a day into the third.
    try ingest([
      line("a", "prompt_shown", "2026-03-02T10:00:00Z"), line("b", "prompt_shown", "2026-03-14T10:00:00Z"),
    ])
    var log = log
    log.clock = { Self.saturday + 2 * 86_400_000 }
    func words(_ log: PermissionLog) throws -> String {
      String(decoding: try log.report().render(as: .text), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
    }
    let text = try words(log)
    #expect(text.contains("2026-W11 has ended with 1 exposure, but the newest event is from before its end."))
    #expect(!text.contains("still running"))
    log.clock = { Self.saturday }
    let running = try words(log)
    #expect(running.contains("2026-W11 is still running") && !running.contains("has ended"))
  }

  @Test func evidenceIsThatOfTheLogWhateverIsCompared() throws {
    let users = [("A", false), ("B", false), ("C", true)].flatMap { variant, isEnabled -> [String] in
      let event = #"{"user_id":"\#(variant)","permission":"camera","#
      let shown = event + #""timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","variant":"\#(variant)"}"# + "\n"
      let denied = event + #""timestamp":"2026-03-02T10:00:05Z","event":"denied"}"# + "\n"
      let granted = event + #""timestamp":"2026-03-05T10:00:05Z","event":"granted"}"# + "\n"
      return [shown, denied] + (isEnabled ? [granted] : [])
    }
    try ingest(users)
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 6, day: 1))
    let pair = try #require(try log.compare(request).pairs.first)
    let later = try #require(pair.observations.first { $0.measure == .enabledAfterDenial })
    #expect(later.noEvidence == nil && later.a == 0 && later.b == 0)
    #expect(try row().noEvidence.contains(.enabledLater) == false)
  }

  @Test func anOldLogSaysSo() throws {
    let late = Self.saturday + 10 * 86_400_000
    let report = try feed(clock: late).report()
    #expect(
      report.asOf == 1_773_705_600_000, "the end of the newest event's day, as the log was often silent for as long")
    #expect(report.age?.days == 8 && report.age?.isOld == true)
    var request = ReportRequest()
    request.scope.asOf = .time(late)
    #expect(try log.report(request).age == nil, "a moment that was asked for speaks for itself")
  }
}
