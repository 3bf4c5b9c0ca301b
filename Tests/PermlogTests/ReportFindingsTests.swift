// The experiments and the finding that a report names for people who read nothing else.

import Foundation
import Permlog
import Testing

@Suite struct ReportFindingsTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try Sample.log(in: directory)
  }

  private func report(_ change: (inout ReportRequest) -> Void = { _ in }) throws -> Report {
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    request.namesFindings = true
    change(&request)
    return try log.report(request)
  }

  @Test func decidedExperimentsComeBeforeRunningOnes() throws {
    let report = try report()
    #expect(report.experiments.count == 3)
    let first = try #require(report.experiments.first)
    #expect(first.experiment == "notification_copy_v1" && first.comparison?.pairs.first?.decision == .bWins)
    #expect(report.experiments.dropFirst().allSatisfy { $0.isRunning && $0.comparison?.pairs.first?.decidedOn == nil })
    // The same as the questions of their own.
    var audit = AuditRequest()
    audit.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    #expect(report.finding == (try log.audit(audit).findings.first))
    #expect(report.finding.map { $0.severity < .note } == true)
    for format in [ReportFormat.eml, .slack] {
      let bytes = report.render(as: format)
      let text = String(decoding: bytes, as: UTF8.self)
      let mail = text.split(separator: "\n").compactMap { Data(base64Encoded: String($0)) }.reduce(Data(), +)
      let said = format == .eml ? String(decoding: mail, as: UTF8.self) : text
      #expect(said.contains("Experiment notification_copy_v1 (Notifications), running since 2026-01-22: B WON on"))
      #expect(said.contains("Audit, \(report.finding?.severity.name ?? "-"): "))
    }
  }

  @Test func onlyReportsOfTheWholeLogNameThem() throws {
    #expect(try report { $0.namesFindings = false }.experiments.isEmpty)
    #expect(try report { $0.from = CivilDate(year: 2026, month: 3, day: 1) }.finding == nil)
    let camera = try report { $0.permission = "camera" }
    #expect(camera.experiments.map(\.permission) == ["camera"])
    #expect(camera.finding?.permission ?? "camera" == "camera")
  }

  @Test func experimentsThatAreLongOverAreNoNews() throws {
    let late = try report { $0.scope.asOf = .startOf(CivilDate(year: 2026, month: 6, day: 1)) }
    #expect(late.experiments.isEmpty)
  }
}
