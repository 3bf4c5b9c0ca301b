// The whole text of a report, as people see it.

import PermissionAnalysis
import PermissionEvents
import ReportRendering
import Testing

@Suite struct ReportTextSnapshotTests {
  private let app = SampleHistories.app()

  private func report(_ change: (inout ReportQuestion) -> Void = { _ in }) -> Report {
    app.report(asOf: SampleHistories.sampleEnd, change)
  }

  @Test func narrow() throws {
    try Snapshots.check(ReportText(TextStyle(width: 80)).render(report()), "report-80.txt")
  }

  @Test func wide() throws {
    try Snapshots.check(ReportText(TextStyle(width: 120)).render(report()), "report-120.txt")
  }

  @Test func ascii() throws {
    try Snapshots.check(ReportText(TextStyle(width: 80, isASCII: true)).render(report()), "report-80-ascii.txt")
  }

  @Test func byProperty() throws {
    let report = report {
      $0.property = .variant
      $0.permission = 1
    }
    try Snapshots.check(ReportText(TextStyle(width: 80)).render(report), "report-80-by-variant.txt")
  }

  @Test func emptyLog() throws {
    let report = Report.empty(timeZone: "UTC", responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay)
    try Snapshots.check(ReportText(TextStyle(width: 80)).render(report), "empty.txt")
  }
}
