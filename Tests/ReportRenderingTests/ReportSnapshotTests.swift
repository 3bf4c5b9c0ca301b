// The whole of a report in every form, as people see it.

import PermissionAnalysis
import PermissionEvents
import ReportRendering
import Testing

@Suite struct ReportSnapshotTests {
  private let app = SampleHistories.app()

  private func report(_ change: (inout ReportQuestion) -> Void = { _ in }) -> Report {
    app.report(asOf: SampleHistories.sampleEnd, change)
  }

  @Test(arguments: [60, 80, 120])
  func summary(width: Int) throws {
    let style = TextStyle(width: width) { $0 == .lookFromLater ? "" : "everything, or a section" }
    try Snapshots.check(
      ReportDocument.render(report(), .text, style, part: .summary), "report-summary-\(width).txt")
  }

  @Test func narrowest() throws {
    try Snapshots.check(ReportDocument.render(report(), .text, TextStyle(width: 60)), "report-60.txt")
  }

  @Test func narrow() throws {
    try Snapshots.check(ReportDocument.render(report(), .text, TextStyle(width: 80)), "report-80.txt")
  }

  @Test func wide() throws {
    try Snapshots.check(ReportDocument.render(report(), .text, TextStyle(width: 120)), "report-120.txt")
  }

  @Test func ascii() throws {
    try Snapshots.check(
      ReportDocument.render(report(), .text, TextStyle(width: 80, isASCII: true)), "report-80-ascii.txt")
  }

  @Test func byProperty() throws {
    let report = report {
      $0.properties = [.variant]
      $0.permission = PermissionCode.taxonomy[0]
    }
    try Snapshots.check(ReportDocument.render(report, .text, TextStyle(width: 80)), "report-80-by-variant.txt")
  }

  @Test func markdown() throws { try Snapshots.check(ReportDocument.render(report(), .markdown), "report.md") }

  /// One permission and one week: every figure is there twice.
  @Test func csv() throws {
    let monday = SampleHistories.monday + 35 * millisecondsPerDay
    let report = report {
      $0.permission = PermissionCode.taxonomy[2]
      ($0.from, $0.to) = (monday, monday + 7 * millisecondsPerDay)
    }
    try Snapshots.check(ReportCSV.render(report), "report.csv")
  }

  @Test func html() throws {
    try Snapshots.check(
      ReportDocument.render(report { $0.permission = PermissionCode.taxonomy[0] }, .html), "report.html")
  }

  @Test func emptyLog() throws {
    let report = Report.empty(timeZone: "UTC", responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay)
    try Snapshots.check(ReportDocument.render(report, .text, TextStyle(width: 80)), "empty.txt")
    try Snapshots.check(ReportDocument.render(report, .markdown), "empty.md")
    try Snapshots.check(ReportCSV.render(report), "empty.csv")
  }
}
