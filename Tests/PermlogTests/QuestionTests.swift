// Reports, comparisons and plans as a program asks for them.

import Foundation
import Permlog
import Testing

@Suite struct QuestionTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try Sample.log(in: directory)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func aReportHasEveryForm() throws {
    var request = ReportRequest()
    request.permission = "notifications"
    let report = try log.report(request)
    #expect(text(report.render(as: .json)).contains(#""permission": "notifications""#))
    #expect(!text(report.render(as: .json)).contains(#""permission": "camera""#))
    #expect(text(report.render(as: .csv)).contains("notifications"))
    #expect(text(report.render(as: .markdown)).hasPrefix("## "))
    #expect(text(report.render(as: .html)).contains("<svg"))
    let plain = text(report.render(as: .text, style: TextStyle(width: 80, isASCII: true)))
    #expect(plain.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func aWeekIsAnIntervalOfDates() throws {
    var week = ReportRequest()
    week.limit(to: try #require(CalendarWeek(parsing: "2026-W10")))
    var dates = ReportRequest()
    dates.from = CivilDate(year: 2026, month: 3, day: 2)
    dates.to = CivilDate(year: 2026, month: 3, day: 9)
    #expect(try log.report(week).render(as: .json) == log.report(dates).render(as: .json))
    #expect(try log.report(week).render(as: .json) != log.report().render(as: .json))
    // Its Monday is in 2007.
    week.limit(to: try #require(CalendarWeek(parsing: "2008-W01")))
    #expect(try log.report(week).rows.isEmpty)
  }

  @Test(arguments: [1, 2]) func threadsChangeNothing(_ threads: Int) throws {
    let other = try PermissionLog(log.path, threads: threads)
    #expect(try other.report().render(as: .json) == log.report().render(as: .json))
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.permission = "notifications"
    #expect(try other.compare(request).render(as: .json) == log.compare(request).render(as: .json))
  }

  @Test func whatCannotBeIsRefused() throws {
    var request = ReportRequest()
    request.permission = "lidar"
    let unknown = failure { _ = try log.report(request) }
    #expect(unknown?.code == .usage)
    #expect(unknown?.message.hasPrefix("the log has no permission lidar. It has: ") == true)

    request = ReportRequest()
    request.scope.timeZone = "Mars/Olympus"
    let zone = failure { _ = try log.report(request) }
    #expect(zone?.code == .usage && zone?.argument == .timeZone)

    request = ReportRequest()
    request.from = CivilDate(year: 2026, month: 3, day: 2)
    request.to = request.from
    #expect(failure { _ = try log.report(request) }?.code == .usage)
    for date in [(2026, 13, 1), (Int64.max, 1, 1), (2026, 2, 30), (1999, 1, 1)] as [(Int64, Int64, Int64)] {
      request.from = CivilDate(year: date.0, month: date.1, day: date.2)
      #expect(failure { _ = try log.report(request) }?.code == .usage, "\(date)")
    }
    request = ReportRequest()
    for moment in [Moment.time(.max), .time(.min), .startOf(CivilDate(year: .min, month: 1, day: 1))] {
      request.scope.asOf = moment
      #expect(failure { _ = try log.report(request) }?.code == .usage, "\(moment)")
    }
    request = ReportRequest()
    request.scope.followUp = .max
    #expect(failure { _ = try log.report(request) }?.code == .usage)
  }

  @Test func aComparisonSaysWhichNamesAreMissing() throws {
    var known = ComparisonRequest(control: "A", treatments: ["B"])
    known.permission = "notifications"
    let comparison = try log.compare(known)
    #expect(text(comparison.render(as: .text)).contains("B against A"))
    #expect(text(comparison.render(as: .json, isExplained: true)).count > text(comparison.render(as: .json)).count)
    let unknown = failure { _ = try log.compare(ComparisonRequest(control: "A", treatments: ["Z"])) }
    #expect(unknown?.code == .usage && unknown?.message.hasPrefix("the log has no message Z. It has: A, B") == true)

    var requests: [ComparisonRequest] = []
    func add(_ change: (inout ComparisonRequest) -> Void) {
      var request = ComparisonRequest(control: "A", treatments: ["B"])
      change(&request)
      requests.append(request)
    }
    add { $0.treatments = [] }
    add { $0.treatments = ["A"] }
    add { $0.treatments = (0..<ComparisonRequest.mostVariants).map { "v\($0)" } }
    add { $0.split = [1] }
    add { $0.split = [1, .infinity] }
    add { $0.minimumEffect = .nan }
    add { $0.plannedUsers = 0 }
    add { $0.rule = .looks(0) }
    add { $0.adjust = [.surface] }
    add { $0.adjust = [.platform, .platform] }
    add { $0.guardrails = [GuardrailQuestion(metric: .dropOffRate, margin: 0)] }
    add { $0.property = .variant }
    func add(comparing property: StringField, _ change: @escaping (inout ComparisonRequest) -> Void) {
      add {
        $0.comparedProperty = property
        change(&$0)
      }
    }
    add(comparing: .permission) { _ in }
    add(comparing: .platform) { $0.split = [1, 1] }
    add(comparing: .platform) { $0.contaminated = .exclude }
    add(comparing: .platform) { $0.guardrails = [GuardrailQuestion(metric: .dropOffRate, margin: 0.1)] }
    add(comparing: .platform) { $0.adjust = [.platform] }
    add(comparing: .platform) { $0.property = .platform }
    add(comparing: .platform) { $0.treatments = [""] }
    add(comparing: .experiment) { $0.experiment = "copy" }
    add { request in
      let unknown = try? ExposureCondition(parsing: "country=nowhere")
      request.conditions = unknown.map { [$0] } ?? []
    }
    for request in requests { #expect(failure { _ = try log.compare(request) }?.code == .usage, "\(request)") }
  }

  @Test func severalPermissionsAreNamed() throws {
    let path = directory.file("two")
    let two = try PermissionLog(path)
    let lines = ["camera", "microphone"].map {
      Sample.line("u1", "prompt_shown", permission: $0).replacing("}", with: #","variant":"A"}"#)
        + Sample.line("u2", "prompt_shown", permission: $0).replacing("}", with: #","variant":"B"}"#)
    }
    try two.ingest(bytes: Array(lines.joined().utf8))
    let error = failure { _ = try two.compare(ComparisonRequest(control: "A", treatments: ["B"])) }
    #expect(error?.remedy == .choosePermission(["camera", "microphone"]))
    #expect(error?.message == "several permissions have these messages: choose one of camera, microphone")
  }

  @Test func aPlanStartsFromTheLogOrFromARate() throws {
    var request = PlanRequest()
    request.permission = "notifications"
    request.given = .effect(0.02)
    let plan = try log.plan(request)
    #expect(plan.permission == "notifications" && text(plan.render(as: .json)).contains("notifications"))
    request.permission = nil
    request.baseline = 0.48
    let alone = try PlanResult(request)
    #expect(alone.permission == nil)
    // No log is read.
    #expect(try PermissionLog("/nowhere").plan(request).render(as: .json) == alone.render(as: .json))
    request.baseline = nil
    #expect(failure { _ = try PlanResult(request) }?.remedy == .nameBaselineRate)
    for given in [PlanRequest.Given.effect(0), .effect(.nan), .users(0), .days(-1)] {
      request.given = given
      #expect(failure { _ = try log.plan(request) }?.code == .usage, "\(given)")
    }
  }
}
