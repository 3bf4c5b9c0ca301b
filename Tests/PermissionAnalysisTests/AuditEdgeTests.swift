// Each finding about how the app asks at its edge, and just beyond it: logs of thirty users who did the same.

import Folding
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

private let second = 1000
private let minute = 60 * second
private let day = 24 * 60 * minute
/// When users are asked.
private let asked = 20_600 * day

@Suite struct AuditEdgeTests {
  /// An event of the permission: how long after the users were asked.
  private struct Step {
    var after: Int
    var kind: String
    var status: String?
    var permission: String?
    var version: String?
    var platform: String?

    init(
      _ after: Int, _ kind: String, _ status: String? = nil, of permission: String? = "camera",
      in version: String? = nil
    ) {
      (self.after, self.kind, self.status, self.permission, self.version) = (after, kind, status, permission, version)
    }

    func on(_ platform: String) -> Step {
      var step = self
      step.platform = platform
      return step
    }
  }

  /// - Parameters:
  ///   - asOf: how long after the users were asked.
  ///   - steps: of a user by its number.
  private static func report(
    users: Int = 30, asOf: Int = 60 * day, examples: Int = 0, thresholds: [AuditCheck: AuditThreshold] = [:],
    _ steps: (Int) -> [Step]
  ) throws -> AuditReport {
    var events: [OracleEvent] = []
    func add(_ user: String, _ steps: [Step]) {
      for (number, step) in steps.enumerated() {
        events.append(
          OracleEvent(
            userID: user, eventID: "\(number)", timestamp: asked + step.after, event: step.kind,
            permission: step.permission, status: step.status, appVersion: step.version, platform: step.platform))
      }
    }
    for user in 0..<users { add("user-\(user)", steps(user)) }
    // A user of another permission, so that the log has every kind.
    add(
      "other",
      [
        Step(-40 * day, "app_active", of: nil), Step(0, "explanation_shown", of: "motion"),
        Step(1, "settings_prompt_shown", of: "motion"), Step(2, "settings_opened", of: "motion"),
        Step(3, "status_checked", of: "motion"),
      ])
    let log = try OracleLog(events, parts: 1)
    var asking = AuditQuestion(asOf: Milliseconds(asked + asOf), logStart: log.oldest)
    (asking.examples, asking.thresholds) = (examples, thresholds)
    let question = asking
    let sums = try log.fold(question.selection, ranges: 2, threads: 1) { AuditFold(question, contexts: $0) }
    return try AuditReport(sums, question)
  }

  private static func finding(_ report: AuditReport, _ check: AuditCheck) -> AuditFinding? {
    (report.findings + report.others).first { $0.check == check && $0.permission != "motion" }
  }

  /// What a check says of thirty users with the same steps.
  private static func outcome(_ check: AuditCheck, asOf: Int = 60 * day, _ steps: [Step]) throws -> String {
    let found = finding(try report(asOf: asOf) { _ in steps }, check)
    return found?.leftOut?.rawValue ?? (found == nil ? "none" : "\(found?.severity.name ?? "")")
  }

  private static let explained = [Step(0, "explanation_shown"), Step(2 * second, "prompt_shown")]
  private static func denied(_ more: Step...) -> [Step] { explained + [Step(4 * second, "denied")] + more }

  @Test("a finding is reported from its share on, of thirty journeys or more")
  func shares() throws {
    func coldAsk(users: Int, cold: Int) throws -> AuditFinding? {
      Self.finding(
        try Self.report(users: users) { $0 < cold ? [Step(0, "prompt_shown")] : Self.explained }, .coldAsk)
    }
    let atEdge = try #require(try coldAsk(users: 30, cold: 3))
    #expect(atEdge.leftOut == nil && atEdge.users == 3 && atEdge.of == 30 && atEdge.severity == .warning)
    #expect(try coldAsk(users: 31, cold: 3)?.leftOut == .belowThreshold)
    #expect(try coldAsk(users: 29, cold: 29)?.leftOut == .tooFew)
    let none = try Self.report(thresholds: [.coldAsk: AuditThreshold(perMillion: 0)]) { _ in Self.explained }
    #expect(Self.finding(none, .coldAsk)?.leftOut == .belowThreshold, "nobody is no finding")
  }

  @Test("a log without a single explanation has a note, and not a warning")
  func notLogged() throws {
    let events = (0..<30).map { user in
      OracleEvent(userID: "u\(user)", eventID: "1", timestamp: asked, event: "prompt_shown", permission: "camera")
    }
    let log = try OracleLog(events, parts: 1)
    let question = AuditQuestion(asOf: Milliseconds(asked + day), logStart: log.oldest)
    let sums = try log.fold(question.selection, ranges: 1, threads: 1) { AuditFold(question, contexts: $0) }
    let report = try AuditReport(sums, question)
    let finding = try #require(Self.finding(report, .coldAsk))
    #expect(finding.leftOut == nil && finding.severity == .note && finding.detail == .notLogged(.explanationShown))
    #expect(finding.cost == nil && sums.asked == ["camera"])
    #expect(Self.finding(report, .settingsPromptIgnored)?.leftOut == .nothingToSee)
  }

  @Test("60 seconds after the install, or after the first event of a log that began four weeks before")
  func atOnce() throws {
    #expect(try Self.outcome(.askedAtOnce, [Step(-minute, "app_installed", of: nil)] + Self.explained) == "warning")
    #expect(
      try Self.outcome(.askedAtOnce, [Step(-minute - 1, "app_installed", of: nil)] + Self.explained)
        == "below_threshold")
    // The log began 40 days before users were asked.
    #expect(try Self.outcome(.askedAtOnce, [Step(-minute, "app_active", of: nil)] + Self.explained) == "warning")
    #expect(
      try Self.outcome(.askedAtOnce, [Step(-12 * day, "app_active", of: nil)] + Self.explained) == "below_threshold")
    #expect(
      try Self.outcome(.askedAtOnce, [Step(-12 * day - 1, "app_active", of: nil)] + Self.explained) == "nothing_to_see")
    #expect(try Self.outcome(.askedAtOnce, Self.explained) == "nothing_to_see", "the exposure itself is no first use")
  }

  @Test("three permissions within 60 seconds")
  func several() throws {
    func steps(_ last: Int) -> [Step] {
      [Step(0, "prompt_shown"), Step(1, "prompt_shown", of: "mail"), Step(last, "prompt_shown", of: "reminders")]
    }
    #expect(try Self.outcome(.severalAtOnce, steps(minute)) == "warning")
    #expect(try Self.outcome(.severalAtOnce, steps(minute + 1)) == "below_threshold")
    #expect(try Self.outcome(.severalAtOnce, Array(steps(minute).dropLast())) == "nothing_to_see")
  }

  @Test("asked within half an hour after \"Not now\"")
  func afterNotNow() throws {
    func steps(_ gap: Int) -> [Step] {
      [Step(0, "explanation_shown"), Step(second, "skipped"), Step(second + gap, "prompt_shown")]
    }
    #expect(try Self.outcome(.askedAfterNotNow, steps(30 * minute)) == "warning")
    #expect(try Self.outcome(.askedAfterNotNow, steps(30 * minute + 1)) == "below_threshold")
    #expect(try Self.outcome(.askedAfterNotNow, steps(0)) == "below_threshold", "not after, but with it")
  }

  @Test("asked after a denial, unless something between lets the system ask again")
  func afterDenial() throws {
    let again = Step(day, "prompt_shown")
    #expect(try Self.outcome(.askedAfterDenial, Self.denied(again)) == "error")
    #expect(try Self.outcome(.askedAfterDenial, Self.denied()) == "below_threshold")
    #expect(try Self.outcome(.askedAfterDenial, Self.explained) == "nothing_to_see")
    for excuse in [
      Step(minute, "app_installed", of: nil), Step(minute, "status_checked", "not_determined"),
      Step(minute, "re_enabled"), Step(minute, "status_checked", "limited"),
    ] {
      #expect(try Self.outcome(.askedAfterDenial, Self.denied(excuse, again)) == "below_threshold", "\(excuse)")
    }
    // With the denial, or with the prompt, is not between them.
    for after in [4 * second, day] {
      #expect(try Self.outcome(.askedAfterDenial, Self.denied(Step(after, "app_installed", of: nil), again)) == "error")
    }
    let restricted = Self.explained + [Step(minute, "status_checked", "restricted"), again]
    #expect(try Self.outcome(.askedAfterDenial, restricted) == "error")
  }

  @Test("On Android the system asks once more after the first denial, and never after the second")
  func afterDenialOnAndroid() throws {
    func outcome(_ platform: String, _ more: Step...) throws -> String? {
      try Self.outcome(
        .askedAfterDenial, (Self.denied() + more).map { $0.on(platform) })
    }
    let (again, second) = (Step(day, "prompt_shown"), Step(day + minute, "denied"))
    let third = Step(2 * day, "prompt_shown")
    #expect(try outcome("Android", again) == "below_threshold" && outcome("ios", again) == "error")
    #expect(try outcome("android", again, second) == "below_threshold")
    #expect(try outcome("android", again, second, third) == "error")
    // Between the two denials, or after them, something lets the system begin again.
    for after in [minute, day + 2 * minute] {
      let steps = [again, second, Step(after, "app_installed", of: nil), third].sorted { $0.after < $1.after }
      let found = try Self.outcome(.askedAfterDenial, (Self.denied() + steps).map { $0.on("android") })
      #expect(found == "below_threshold", "\(after)")
    }
    // One dialog for two permissions, as for fine and coarse location, is two denials of the log.
    #expect(try outcome("android", Step(4003, "denied"), again) == "below_threshold")
    // Found off in Settings is no answer to a dialog.
    #expect(try outcome("android", Step(minute, "status_checked", "denied"), again) == "below_threshold")
  }

  @Test("four asks within a week; a prompt right after its explanation is one ask with it")
  func pestering() throws {
    func steps(_ last: Int) -> [Step] {
      Self.explained + [Step(day, "prompt_shown"), Step(2 * day, "settings_prompt_shown"), Step(last, "prompt_shown")]
    }
    #expect(try Self.outcome(.pestering, steps(7 * day)) == "warning")
    #expect(try Self.outcome(.pestering, steps(7 * day + 1)) == "below_threshold")
    func late(_ gap: Int) -> [Step] {
      [
        Step(0, "explanation_shown"), Step(gap, "prompt_shown"), Step(day, "prompt_shown"),
        Step(2 * day, "prompt_shown"),
      ]
    }
    #expect(try Self.outcome(.pestering, late(30 * minute)) == "below_threshold")
    #expect(try Self.outcome(.pestering, late(30 * minute + 1)) == "warning")
    #expect(try Self.outcome(.pestering, late(0)) == "warning", "not after the explanation, but with it")
  }

  @Test("no Settings prompt in a week after a denial; one that nobody opens within half an hour")
  func settings() throws {
    let week = 4 * second + 7 * day
    #expect(try Self.outcome(.noWayBack, asOf: week, Self.denied()) == "error")
    #expect(try Self.outcome(.noWayBack, asOf: week - 1, Self.denied()) == "nothing_to_see")
    #expect(
      try Self.outcome(.noWayBack, Self.denied(Step(4 * second, "settings_prompt_shown"))) == "error",
      "with the denial is not after it")
    #expect(
      try Self.outcome(.noWayBack, Self.denied(Step(4 * second + 1, "settings_prompt_shown"))) == "below_threshold")
    func opened(_ gap: Int) -> [Step] {
      Self.denied(Step(day, "settings_prompt_shown"), Step(day + gap, "settings_opened"))
    }
    #expect(try Self.outcome(.settingsPromptIgnored, opened(30 * minute + 1)) == "warning")
    #expect(try Self.outcome(.settingsPromptIgnored, opened(30 * minute)) == "below_threshold")
    #expect(try Self.outcome(.settingsPromptIgnored, opened(0)) == "below_threshold")
    #expect(try Self.outcome(.settingsPromptIgnored, asOf: day + 30 * minute - 1, opened(2 * day)) == "nothing_to_see")
    #expect(try Self.outcome(.settingsPromptIgnored, asOf: day + 30 * minute, opened(2 * day)) == "warning")
  }

  @Test("the status is looked at within a day of a new version")
  func recheck() throws {
    func steps(_ look: Int, version: String = "1.10") -> [Step] {
      [
        Step(0, "prompt_shown", in: "1.9"), Step(second, "granted", in: "1.9"),
        Step(day, "app_installed", of: nil, in: version), Step(day + look, "status_checked", in: version),
      ]
    }
    #expect(try Self.outcome(.notRechecked, steps(day)) == "below_threshold")
    #expect(try Self.outcome(.notRechecked, steps(day + 1)) == "warning")
    #expect(try Self.outcome(.notRechecked, steps(day + 1, version: "1.9.0")) == "nothing_to_see")
    #expect(try Self.outcome(.notRechecked, asOf: 2 * day - 1, steps(2 * day)) == "nothing_to_see")
    #expect(try Self.outcome(.notRechecked, asOf: 2 * day, steps(2 * day)) == "warning")
  }

  @Test("partial access is asked about again within 28 days")
  func partialLeft() throws {
    func steps(_ more: Step...) -> [Step] { [Step(0, "prompt_shown"), Step(0, "granted", "limited")] + more }
    #expect(try Self.outcome(.partialLeft, steps()) == "warning")
    #expect(try Self.outcome(.partialLeft, steps(Step(28 * day, "explanation_shown"))) == "below_threshold")
    #expect(try Self.outcome(.partialLeft, steps(Step(28 * day + 1, "explanation_shown"))) == "warning")
    #expect(try Self.outcome(.partialLeft, steps(Step(0, "settings_prompt_shown"))) == "warning")
    #expect(try Self.outcome(.partialLeft, steps(Step(day, "status_checked", "authorized"))) == "below_threshold")
    #expect(
      try Self.outcome(.partialLeft, steps(Step(day, "granted"))) == "warning", "without a status nothing is known")
    #expect(try Self.outcome(.partialLeft, asOf: 28 * day - 1, steps()) == "nothing_to_see")
  }

  @Test("answers without screens, of however few, and answers of one side alone")
  func answers() throws {
    func without(_ users: Int) throws -> AuditFinding? {
      Self.finding(
        try Self.report(users: users) { $0 == 0 ? [Step(0, "granted")] : Self.explained }, .answersWithoutScreens)
    }
    #expect(try without(20)?.leftOut == nil)
    #expect(try without(21)?.leftOut == .belowThreshold)
    func oneSided(_ users: Int, denied: Int, _ permission: String = "camera") throws -> AuditFinding? {
      let report = try Self.report(users: users) { user in
        [Step(0, "prompt_shown", of: permission), Step(1, user < denied ? "denied" : "granted", of: permission)]
      }
      return Self.finding(report, .oneSidedAnswers)
    }
    let all = try #require(try oneSided(50, denied: 0))
    #expect(all.leftOut == nil && all.users == 50 && all.of == nil && all.detail == .answers(granted: 50, denied: 0))
    #expect(try oneSided(50, denied: 50)?.leftOut == nil)
    #expect(try oneSided(49, denied: 0)?.leftOut == .tooFew)
    #expect(try oneSided(50, denied: 1)?.leftOut == .belowThreshold)
    for permission in ["health_read", "mail"] { #expect(try oneSided(60, denied: 0, permission) == nil) }
  }

  @Test("a log of an app that asks well has no finding")
  func clean() throws {
    let report = try Self.report(users: 100) { user in
      let start = [Step(-day, "app_installed", of: nil, in: "1.0")] + Self.explained
      let answer =
        user % 3 == 0
        ? [Step(4 * second, "denied"), Step(day, "settings_prompt_shown"), Step(day + minute, "settings_opened")]
        : [Step(4 * second, "granted", "authorized")]
      return start + answer
        + [Step(2 * day, "app_installed", of: nil, in: "1.1"), Step(2 * day + minute, "status_checked")]
    }
    #expect(report.findings.filter { oracleAuditChecks.contains($0.check.rawValue) } == [])
    // Of calls that returned at once there is nothing to say.
    let practice = AuditCheck.allCases.filter { $0.group == .practice && $0 != .askedWithoutDialog }
    #expect(Set(report.others.map(\.check)).isSuperset(of: practice))
  }

  @Test("examples are the first users in the log's order, of findings alone")
  func examples() throws {
    let report = try Self.report(users: 40, examples: 3) { $0 % 2 == 0 ? [Step(0, "prompt_shown")] : Self.explained }
    let cold = try #require(Self.finding(report, .coldAsk))
    let users = (0..<20).map { ExampleUser(Array("user-\(2 * $0)".utf8)) }.sorted().prefix(3)
    #expect(cold.examples == users.map { String(decoding: $0.id, as: UTF8.self) })
    #expect(Self.finding(report, .pestering)?.examples == [])
  }
}
