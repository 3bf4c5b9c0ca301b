// Logs whose reading all users decide together, in shards that see some of them: the answers are those of one log.

import ReportOracle
import Testing

@testable import PermissionAnalysis
@testable import PermissionEvents
@testable import Permlog

@Suite struct OpenReadingTests {
  private let maker: ShardMaker

  init() throws { maker = try ShardMaker() }

  private static let start = 1_772_323_200_000

  /// A user's prompt and answer, or an answer alone if the prompt is left out.
  private static func ask(
    _ user: Int, _ permission: String, after: Int, hasPrompt: Bool = true, platform: String? = nil
  ) -> [OracleEvent] {
    let time = start + user * 3_600_000 + 1
    func event(_ name: String, _ time: Int) -> OracleEvent {
      OracleEvent(
        userID: "user\(user)", eventID: "\(permission)-\(name)-\(user)-\(time)", timestamp: time, event: name,
        permission: permission, variant: user % 2 == 0 ? "A" : "B", platform: platform)
    }
    let answer = event(user % 3 == 0 ? "denied" : "granted", time + after)
    return hasPrompt ? [event("prompt_shown", time), answer] : [answer]
  }

  /// Every answer of a job, in all forms, and that of one log.
  private func answers(_ shards: [[OracleEvent]]) throws -> (sums: [[UInt8]], log: [[UInt8]], bundle: SumsBundle) {
    let events = shards.flatMap(\.self)
    let questions = try maker.questions(events)
    let made = try shards.enumerated().map { number, events in
      try maker.make(
        questions, maker.file(events, "shard\(number)"), SumsShard(number + 1, of: shards.count, job: "open"))
    }
    let bundle = try maker.sum(made)
    #expect(try maker.sum(made.reversed()).encoded == bundle.encoded)
    #expect(try SumsBundle(bundle.encoded, name: "all").encoded == bundle.encoded)
    let all = try maker.make(questions, maker.file(events, "all"))
    return (try forms(bundle), try forms(all), bundle)
  }

  private func forms(_ bundle: SumsBundle) throws -> [[UInt8]] {
    try bundle.answers.flatMap { question, sums in
      switch question.kind {
      case .report: return try ReportFormat.allCases.map { try Report(sums, of: question).render(as: $0) }
      case .compare: return try ComparisonFormat.allCases.map { try ComparisonSet(sums, of: question).render(as: $0) }
      case .flow: return try FlowFormat.allCases.map { try FlowReport(sums, of: question).render(as: $0) }
      case .audit:
        return try AuditFormat.allCases.map { try AuditReport(sums, of: question).render(as: $0, listsAll: true) }
      }
    }
  }

  private func report(_ bundle: SumsBundle) throws -> Report {
    let answer = try #require(bundle.answers.first { $0.question.kind == .report })
    return try Report(answer.sums, of: answer.question)
  }

  /// Who was exposed to notifications, on all platforms.
  private func exposed(_ report: Report) -> Int {
    report.rows.filter { $0.permission == "notifications" && $0.week == nil }.map(\.grants.exposed).reduce(0, +)
  }

  private static let users = 0..<90

  @Test func answersWithoutScreensExpose() throws {
    var shards = (0..<3).map { shard in
      Self.users.filter { $0 % 3 == shard }.flatMap { Self.ask($0, "notifications", after: 0, hasPrompt: false) }
    }
    var found = try answers(shards)
    #expect(found.sums == found.log)
    var report = try report(found.bundle)
    #expect(!report.isMisread && report.unexposed == 0 && exposed(report) == 90)
    // One screen in one shard, and nobody else was exposed.
    shards[1] += Self.ask(1000, "notifications", after: 4000)
    found = try answers(shards)
    #expect(found.sums == found.log)
    report = try self.report(found.bundle)
    #expect(!report.isMisread && report.unexposed == 90 && exposed(report) == 1)
  }

  /// Prompts of Android are logged with their answers; on iOS some calls return at once.
  @Test func everyPlatformIsReadInItsOwnWay() throws {
    let shards = (0..<4).map { shard in
      Self.users.filter { $0 % 4 == shard }.flatMap { user in
        let isAndroid = user % 2 == 0
        return Self.ask(
          user, "notifications", after: isAndroid || user % 5 == 0 ? 20 : 3000, platform: isAndroid ? "android" : "ios")
          + Self.ask(user, "camera", after: user % 7 == 0 ? 30 : 2500, platform: "ios")
      }
    }
    let found = try answers(shards)
    #expect(found.sums == found.log)
    let report = try report(found.bundle)
    let android = Self.users.filter { $0 % 2 == 0 }.count
    let asked = Self.users.filter { $0 % 2 == 1 && $0 % 5 != 0 }.count
    #expect(exposed(report) == android + asked && !report.isMisread)
  }

  /// The platform of a call is the prompt's, also where the answer was written before it.
  @Test func anAnswerBeforeItsPromptStaysWithIt() throws {
    var shards: [[OracleEvent]] = [[], []]
    for user in Self.users {
      var events = Self.ask(user, "notifications", after: -5)
      events[0].platform = "ios"
      shards[user % 2] += events
    }
    let found = try answers(shards)
    #expect(found.sums == found.log)
    let report = try report(found.bundle)
    #expect(report.users == 90 && exposed(report) == 90)
  }

  @Test func answersOfFivePermissionsStandAlone() throws {
    let names = ["notifications", "camera", "contacts", "microphone", "calendars"]
    var shards: [[OracleEvent]] = [[], []]
    for user in 0..<30 {
      for name in names.prefix(user % 5 + 1) { shards[user % 2] += Self.ask(user, name, after: 0, hasPrompt: false) }
    }
    let found = try answers(shards)
    #expect(found.sums == found.log)
    #expect(try exposed(report(found.bundle)) == 30)
  }

  /// More than can be kept in every combination are read in one way; a screen of another shard contradicts.
  @Test func whatOneShardFixedAnotherMayContradict() throws {
    let names = [
      "notifications", "camera", "contacts", "microphone", "calendars", "reminders", "motion", "speech", "siri",
    ]
    let alone = names.flatMap { Self.ask(1, $0, after: 0, hasPrompt: false) }
    let asked = Self.ask(2, "camera", after: 4000)
    let questions = try maker.questions(alone + asked).filter { $0.kind != .compare }
    let made = try [alone, asked].enumerated().map { number, events in
      try maker.make(questions, maker.file(events, "shard\(number)"), SumsShard(number + 1, of: 2, job: "open"))
    }
    let sum = try maker.sum(made)
    #expect(try maker.sum(made.reversed()).encoded == sum.encoded)
    let read = try SumsBundle(sum.encoded, name: "all")
    #expect(read.encoded == sum.encoded)
    for (question, sums) in read.answers {
      #expect(sums.isMisread)
      let text =
        switch question.kind {
        case .flow: try FlowReport(sums, of: question).render(as: .text)
        case .audit: try AuditReport(sums, of: question).render(as: .text)
        default: try Report(sums, of: question).render(as: .text)
        }
      #expect(String(decoding: text, as: UTF8.self).contains("Not all shards could be read"), "\(question.kind)")
    }
    // Without the screen all of them stand alone, as they were taken to.
    let own = try SumsBundle(made[0].encoded, name: "one")
    #expect(own.answers.allSatisfy { !$0.sums.isMisread })
  }

  /// A shard of many dialogs counts calls that return at once in one way; if most users of the others contradict, the answer says so.
  @Test func whatWasCountedInOneWaySaysSo() throws {
    let dialogs = (0..<1000).flatMap { Self.ask($0, "notifications", after: $0 % 8 == 0 ? 3000 : 30) }
    let together = (1000..<20_000).flatMap { Self.ask($0, "notifications", after: 10) }
    let questions = try maker.questions(dialogs + together).filter { $0.kind == .report }
    let shards = try [dialogs, together].enumerated().map { number, events in
      try maker.make(questions, maker.file(events, "shard\(number)"), SumsShard(number + 1, of: 2, job: "open"))
    }
    #expect(try report(maker.sum([shards[0]])).isMisread == false)
    let report = try report(maker.sum(shards))
    #expect(report.isMisread)
    let text = String(decoding: report.render(as: .text), as: UTF8.self)
    #expect(text.contains("Not all shards could be read"))
  }
}
