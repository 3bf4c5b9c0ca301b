// A report of more permissions and values than people are shown: its sentences are of all of them, its tables say what they
// leave out.

import Folding
import Foundation
import LogTestSupport
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis
@testable import ReportRendering

@Suite struct LargeReportTests {
  private static let monday = 1_772_409_600_000
  private static let week = 7 * 86_400_000
  /// Rows that are made one by one, and rows that are kept.
  private static let rooms = [0, 1 << 14]

  /// Users who are asked on one Monday.
  private struct Asked {
    var permission: String
    var feature: String?
    var week = 0
    var granted = 0
    var denied = 0
  }

  private func report(
    _ asked: [Asked], rows: Int, by property: StringField? = nil, limit: Int = 1000, weeks: Int = 2
  ) throws -> Report {
    var events: [OracleEvent] = []
    for (number, group) in asked.enumerated() {
      for user in 0..<group.granted + group.denied {
        for (kind, offset) in [("prompt_shown", 0), (user < group.granted ? "granted" : "denied", 1000)] {
          events.append(
            OracleEvent(
              userID: "u\(number)-\(user)", eventID: "\(kind)\(number)-\(user)",
              timestamp: Self.monday + group.week * Self.week + number * 100 + user + offset, event: kind,
              permission: group.permission, feature: group.feature))
        }
      }
    }
    let log = try OracleLog(events, parts: 1)
    var question = ReportQuestion(
      windows: AnalysisWindows(asOf: Milliseconds(Self.monday + weeks * Self.week + 86_400_000)))
    question.properties = property.map { [$0] } ?? []
    question.rows.values = limit
    question.room.rows = rows
    let made = question
    let sums = try log.fold(made.selection, ranges: 1, threads: 1) { ReportFold(made, contexts: $0) }
    return try Report(sums, made, threads: 1)
  }

  private func text(_ report: Report, _ form: Document.Form = .text, part: ReportPart = .full) -> String {
    String(decoding: ReportDocument.render(report, form, TextStyle(width: 200), part: part), as: UTF8.self)
      .replacing("\u{A0}", with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static let large = (0..<35).flatMap { permission in
    [0, 1].map { Asked(permission: "custom_\(100 + permission)", week: $0, granted: 30, denied: 30) }
  }

  @Test(arguments: rooms) func aDropOfTheSmallestPermissionIsSaid(rows: Int) throws {
    let large = (0..<35).flatMap { permission in
      (0..<5).map { Asked(permission: "custom_\(100 + permission)", week: $0, granted: 30, denied: 30) }
    }
    let small =
      (0..<4).map { Asked(permission: "custom_small", week: $0, granted: 40) }
      + [Asked(permission: "custom_small", week: 4, denied: 40)]
    let report = try report(large + small, rows: rows, weeks: 5)
    #expect(report.drops.map(\.permission) == ["custom_small"])
    for (form, part) in [
      (Document.Form.text, ReportPart.full), (.text, .summary), (.markdown, .full), (.html, .full),
    ] {
      let page = text(report, form, part: part)
      #expect(page.contains("Outside the usual range: custom_small lower (0.0 %, usual "), "\(form), \(part)")
      #expect(page.contains("about 40 fewer grants."), "\(form), \(part)")
      #expect(!page.contains("No grant rate is outside"), "\(form), \(part)")
    }
  }

  /// The system hides the answers of `health_read`: its rate is set against none.
  @Test func guessedRatesAreNotCompared() throws {
    let asked = ["camera": 50, "contacts": 30, "health_read": 90].map { permission, granted in
      Asked(permission: permission, week: 1, granted: granted, denied: 100 - granted)
    }
    let page = text(try report(asked, rows: Self.rooms[0]), .html, part: .full).replacing("\u{A0}", with: " ")
    #expect(page.contains("users granted Camera most often (50.0 % of 100 users) and Contacts least often"))
  }

  @Test(arguments: rooms) func theWeekIsThatOfAllPermissions(rows: Int) throws {
    // Only the smallest was asked for in the last week.
    let small = Asked(permission: "custom_small", week: 1, granted: 1, denied: 1)
    let report = try report(Self.large.filter { $0.week == 0 } + [small], rows: rows)
    for (form, part) in [(Document.Form.text, ReportPart.full), (.text, .summary), (.html, .full)] {
      let page = text(report, form, part: part)
      #expect(page.contains("(2026-W11)") && !page.contains("since then ha"), "\(form), \(part)")
      #expect(page.contains("Only 2 exposures in this week"), "\(form), \(part)")
      #expect(page.contains("No exposures in this week: custom_100"), "\(form), \(part)")
      #expect(page.contains("and 29 more"), "\(form), \(part)")
    }
    let whole = ReportOverview(report)
    #expect(whole.exposed == 35 * 60 + 2 && whole.allRows.count == 36 && whole.leadRows.map(\.exposed) == [2])
    #expect(whole.hasBase && whole.runningWeek == nil && whole.firstWeek?.text == "2026-W10")
  }

  @Test(arguments: rooms) func theRunningWeekIsThatOfAllPermissions(rows: Int) throws {
    let small = Asked(permission: "custom_small", week: 2, granted: 1)
    let report = try report(Self.large + [small], rows: rows)
    #expect(ReportOverview(report).exposedWhileRunning == 1)
    #expect(text(report).contains("2026-W12 is still running (partial)"))
  }

  @Test(arguments: rooms) func theOverviewCountsWhatTheRowsSay(rows: Int) throws {
    let report = try report(
      Self.large + [Asked(permission: "camera", feature: "f", week: 1, granted: 3, denied: 5)], rows: rows,
      by: .feature)
    let whole = ReportOverview(report)
    let (all, lead) = (ReportScope(report).allRows, ReportScope(report).leadRows)
    #expect(whole.allRows.count == 36 && whole.leadRows.count == 36)
    for (counts, row) in zip(whole.allRows + whole.leadRows, all + lead) {
      #expect(whole.permission(counts) == row.permission && report.rows.values(counts.number) == row.by)
      #expect(counts.exposed == row.grants.exposed && counts.base == row.grants.base)
      #expect(counts.granted == row.grants.granted && counts.denied == row.grants.denied)
      #expect(report.rows.missing(counts.number) == row.noEvidence)
      #expect(report.rows.trend(counts.number)?.previousWeek == row.trend?.previousWeek)
      #expect(report.rows.trend(counts.number)?.adjustedPValue == row.trend?.adjustedPValue)
    }
    #expect(report.rows.map(\.permission) == Array(report.rows).map(\.permission))
  }

  @Test(arguments: rooms) func valueTestsAreShownOfThePermissionsShown(rows: Int) throws {
    let asked =
      Self.large.map { Asked(permission: $0.permission, feature: "f\($0.week)", granted: 30, denied: 30) }
      + [
        Asked(permission: "custom_small", feature: "f0", granted: 40),
        Asked(permission: "custom_small", feature: "f1", denied: 40),
      ]
    let report = try report(asked, rows: rows, by: .feature)
    #expect(report.valueTests.count == 36 && report.drawn(values: 12).valueTests.count == 30)
    #expect(!text(report, part: .sections([.values])).contains("custom_small"))
    let attention = text(report, part: .sections([.attention]))
    #expect(attention.contains("Values of feature differ in grant rate: custom_small"))
  }

  @Test func whatIsLeftOutIsSaidOfItsPermissionAlone() throws {
    let asked =
      (0..<130).map { Asked(permission: "camera", feature: "f\($0)", granted: 1) }
      + (0..<3).map { Asked(permission: "photos", feature: "f\($0)", granted: 2) }
    let large = try report(asked, rows: 0, by: .feature)
    for form in [Document.Form.text, .markdown] {
      let granted = text(large, form, part: .sections([.granted]))
      #expect(granted.components(separatedBy: "and more").count == 2, "\(form): \(granted)")
    }
    #expect(text(large).contains("with the most exposures of each permission"))
    // Values that are joined are not left out.
    let joined = try report(asked, rows: 0, by: .feature, limit: 5)
    for (form, part) in [(Document.Form.text, ReportPart.full), (.text, .summary), (.markdown, .full)] {
      let page = text(joined, form, part: part)
      #expect(page.contains("of the 130 of feature, the 5 with the most exposures"))
      #expect(!page.contains("and more") && !page.contains("exposures of each permission"), "\(form), \(part): \(page)")
    }
  }

  @Test(arguments: rooms) func theOthersAreLastAndInNoChartButInTheTables(rows: Int) throws {
    let asked = (0..<12).flatMap { value in
      [0, 1].map { Asked(permission: "camera", feature: "f\(10 + value)", week: $0, granted: 40 - value, denied: 20) }
    }
    let report = try report(asked, rows: rows, by: .feature, limit: 3)
    let page = text(report, .html)
    // The cards: the largest values, then the others, which have more exposures than any of them.
    let cards = try #require(page.split(separator: #"<ul class="rates">"#).last?.split(separator: "</ul>").first)
    let places = ["f10", "f11", "f12", "(other)"].compactMap { cards.firstRange(of: "feature " + $0)?.lowerBound }
    #expect(places.count == 4 && places == places.sorted(), "\(cards)")
    #expect(page.components(separatedBy: "are in no chart: their numbers are in the tables").count > 2)
    for section in ["By week", "Steps: system prompt", "Time to answer", "Re-engagement", "Retention"] {
      let captions = page.split(separator: "<caption").filter { $0.prefix(200).contains(section) }
      #expect(captions.contains { $0.prefix(200).contains("Camera, feature (other)") }, "\(section)")
    }
    let scope = ReportScope(report)
    let lines = Sparklines(scope)
    #expect(lines.weeks.count == 2 && scope.leadRows.map { $0.by.isOther } == [false, false, false, true])
    #expect(lines.lines.map { $0.contains { $0 != nil } } == [true, true, true, false])
    #expect(lines.drawn.map { $0.contains { $0 != nil } } == [true, true, true, false])
    #expect(lines.table(scope, TextStyle())?.names.contains { $0.contains(RowNames.other) } == false)
  }

  @Test(arguments: rooms) func noValueIsNoneOfTheValuesShown(rows: Int) throws {
    let asked =
      [Asked(permission: "camera", granted: 1)]
      + (0..<20).map { Asked(permission: "camera", feature: "f\(10 + $0)", granted: 3) }
    let report = try report(asked, rows: rows, by: .feature, limit: 15)
    let shown = ReportScope(report.drawn(values: 12)).limited(to: 12).allRows
    #expect(shown.count == 14 && shown.count { $0.by.first?.value != nil } == 12)
    #expect(shown.last?.by.isOther == true && shown[12].by.first?.value == nil)
  }
}
