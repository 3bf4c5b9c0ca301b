// The marks of versions in charts: on the right day, legible, and never on each other.

import Foundation
import PermissionEvents
import Testing

@testable import PermissionAnalysis
@testable import ReportRendering

@Suite struct VersionMarkTests {
  private static func version(_ name: String, _ day: DayNumber, _ exposures: Int = 100) -> VersionAppearance {
    VersionAppearance(version: name, firstDay: day, exposures: exposures)
  }

  private static let start = DayNumber(SampleHistories.monday / millisecondsPerDay)

  /// Names lie beside each other with a gap, within the chart, whatever their number and length.
  @Test func namesNeverLieOnEachOther() {
    var numbers = SampleNumbers(seed: 11)
    for count in 0..<60 {
      let versions = (0..<count).map { number in
        let name =
          numbers.isTrue(percent: 20)
          ? "3.\(number) (build \(numbers.below(100_000)))" : "\(number / 10).\(number % 10)"
        return Self.version(name, Self.start + numbers.below(90), Int(numbers.below(1000)))
      }.sorted { $0.firstDay < $1.firstDay }
      let marks = VersionMarks(versions) { 42 + Double($0 - Self.start) * 3.4 }
      #expect(marks.lines.count == min(count, VersionMarks.most), "seed 11, \(count)")
      #expect(marks.labels.isEmpty == versions.isEmpty)
      for (left, right) in zip(marks.labels, marks.labels.dropFirst()) {
        #expect(left.x + VersionMarks.width(left.text) < right.x, "seed 11, \(count): \(left), \(right)")
      }
      for label in marks.labels {
        #expect(label.x >= 0 && label.x + VersionMarks.width(label.text) <= Plot.width + 0.001, "\(label)")
      }
      #expect(!VersionMarks.description(versions).isEmpty == !versions.isEmpty)
    }
  }

  @Test func namesThatAreCloseAreJoined() {
    func texts(_ days: [DayNumber]) -> [String] {
      let versions = days.enumerated().map { Self.version("3.\($0)", $1) }
      return VersionMarks(versions) { 42 + Double($0) * 3 }.labels.map(\.text)
    }
    #expect(texts([0, 50]) == ["3.0", "3.1"])
    #expect(texts([0, 2]) == ["3.0, 3.1"])
    #expect(texts([0, 2, 4, 60]) == ["3.0 and 2 more", "3.3"])
    #expect(texts([]) == [])
  }

  /// Everybody has the newest of these versions, each for two weeks.
  private static let releases: SampleHistories = {
    var histories = SampleComparisons.users(perDay: 40, grants: [40, 55], days: 42)
    histories.versions = ["", "3.1", "3.2", "<b>3.3</b>"]
    for user in histories.users.indices {
      for event in histories.users[user].indices {
        let day = histories.users[user][event].time / millisecondsPerDay - start
        histories.users[user][event].version = UInt32(1 + day / 14)
      }
    }
    return histories
  }()

  private func marked(_ drawing: Drawing) -> [Double] {
    drawing.series("version")?.marks(.line).map { drawing.x.value($0.points[0].x) } ?? []
  }

  @Test func aComparisonMarksTheDaysOnWhichVersionsAppear() throws {
    let set = SampleComparisons.compare(Self.releases, asOfDay: 43)
    let days = [0, 14, 28].map { Self.start + $0 }
    #expect(set.versions.map(\.firstDay) == days && set.versions.map(\.version) == ["3.1", "3.2", "<b>3.3</b>"])
    #expect(set.versions.map(\.exposures) == [1120, 1120, 1120])
    let bytes = ComparisonDocument.render(set, .html)
    let drawing = try #require(try DrawnPage(bytes).drawings.first { $0.title.hasPrefix("Difference day by day") })
    // The first days are not drawn: nothing is known of the difference then.
    let marks = marked(drawing)
    #expect(marks.count == 2, "\(marks)")
    for (mark, day) in zip(marks, days.dropFirst()) { #expect(abs(mark - Double(day)) < 0.1, "\(mark), \(day)") }
    let page = try PageTree(bytes)
    let description = try #require(page.drawings.first { $0.title.hasPrefix("Difference day by day") }).description
    #expect(description.contains("versions of the app: 3.2 on 2026-02-09 and <b>3.3</b> on 2026-02-23"))
    #expect(page.text.contains("Thin upright lines") && page.text.contains("<b>3.3</b>"))
    #expect(page.scripts.isEmpty && page.elements.isSubset(of: PageTree.known) && page.figuresWithoutTable == 0)
    // Neither text nor JSON has them.
    #expect(!String(decoding: ComparisonDocument.render(set, .text), as: UTF8.self).contains("3.2 on"))
  }

  @Test func aReportMarksThemInItsWeeks() throws {
    let report = Self.releases.report(asOf: SampleComparisons.start + 43 * millisecondsPerDay) {
      $0.countsVersions = true
    }
    #expect(report.versions.map(\.version) == ["3.1", "3.2", "<b>3.3</b>"])
    let bytes = ReportDocument.render(report, .html)
    let drawings = try DrawnPage(bytes).drawings.filter { $0.title.hasPrefix("Grant rate by week") }
    #expect(!drawings.isEmpty)
    for drawing in drawings {
      let marks = marked(drawing)
      #expect(marks.count == 2)
      // A week is as wide as any other, its point in the middle; a Monday is three sevenths before it.
      for (mark, version) in zip(marks, report.versions.dropFirst()) {
        let week = CalendarWeek(day: version.firstDay)
        #expect(abs(mark - (Double(week.index) - 3.0 / 7)) < 0.02, "\(mark), \(week.text)")
      }
    }
    let page = try PageTree(bytes)
    #expect(page.text.contains("Versions with more than 1") && page.text.contains("2026-02-09"))
    #expect(page.figuresWithoutTable == 0 && page.scripts.isEmpty)
    let bare = Self.releases.report(asOf: SampleComparisons.start + 43 * millisecondsPerDay)
    #expect(
      bare.versions.isEmpty
        && !String(decoding: ReportDocument.render(bare, .html), as: UTF8.self).contains("Thin upright"))
  }

  /// One in a hundred exactly is not more than one in a hundred.
  @Test func rareVersionsAreNotMarked() {
    var histories = SampleComparisons.users(perDay: 100, grants: [40], days: 1)
    histories.versions = ["", "3.1", "3.2", "3.3"]
    for i in histories.users.indices {
      let version: UInt32 = i < 1 ? 2 : i < 3 ? 3 : 1
      for event in histories.users[i].indices { histories.users[i][event].version = version }
    }
    let report = histories.report(asOf: SampleComparisons.start + 3 * millisecondsPerDay) { $0.countsVersions = true }
    #expect(report.versions.map(\.version) == ["3.1", "3.3"])
  }
}
