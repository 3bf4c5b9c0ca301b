// The page of a comparison: well formed, and its chart says when it was decided.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ComparisonHTMLTests {
  private static let sets: [(name: String, set: ComparisonSet)] = [
    ("won", SampleComparisons.won), ("running", SampleComparisons.running), ("too early", SampleComparisons.tooEarly),
    ("no difference", SampleComparisons.noDifference), ("few events", SampleComparisons.fewEvents),
    ("declared", SampleComparisons.declared), ("always valid", SampleComparisons.alwaysValid),
    ("first look", SampleComparisons.firstLook),
  ]

  private static let parsed = Result {
    try sets.map { (name: $0.name, set: $0.set, page: try PageTree(ComparisonDocument.render($0.set, .html))) }
  }

  @Test func pagesAreWellFormedAndStandAlone() throws {
    for (name, _, page) in try Self.parsed.get() {
      #expect(page.scripts.isEmpty && page.elements.isSubset(of: PageTree.known), "\(name): \(page.elements)")
      #expect(Set(page.ids).count == page.ids.count, "\(name)")
      for id in page.references { #expect(page.ids.contains(id), "\(name): \(id)") }
      #expect(page.figuresWithoutTable == 0, "\(name)")
      for value in page.coordinates {
        #expect(value.allSatisfy { "0123456789.- MLZ".contains($0) }, "\(name): \(value)")
      }
    }
  }

  @Test func theChartMarksTheDayOfTheDecision() throws {
    for (name, set, page) in try Self.parsed.get() {
      let pair = set.pairs[0]
      guard let day = pair.decidedOn else {
        #expect(!page.text.contains("decided on 20"), "\(name)")
        continue
      }
      let date = CivilDate(day).text
      #expect(page.text.contains("decided on \(date)"), "\(name)")
      let drawing = try #require(page.drawings.first { $0.title.hasPrefix("Difference day by day") })
      let number = try #require(pair.decidedDay)
      #expect(drawing.description.contains("It was decided on \(date) (day\u{A0}\(number))."), "\(name)")
    }
  }

  /// The scale fits the later days, when intervals are narrow; what decided stays in it, however long ago that was.
  @Test func theIntervalThatDecidedIsWithinTheScale() throws {
    let long = SampleComparisons.compare(
      SampleComparisons.users(perDay: 40, grants: [30, 60], days: 200), asOfDay: 200)
    let pair = try #require(long.pairs.first)
    let day = try #require(pair.decidedOn)
    #expect(pair.series.count > 150 && (pair.decidedDay ?? 0) < 40)
    let look = try #require(pair.series.first { $0.day == day }?.look?.estimate)
    let scale = try #require(SequenceChart.Axes(long.pairs)).points
    for value in [look.value, try #require(look.low), try #require(look.high)] {
      #expect((scale.low...scale.high).contains(value), "\(value) in \(scale)")
    }
  }

  /// What a table says of a day is what the comparison says.
  @Test func theTableHasUsersLooksAndBoundsOfEachDay() throws {
    for (name, set, _) in try Self.parsed.get() {
      let pair = set.pairs[0]
      var (a, b) = (0, 0)
      let rows = SequenceChart.table(pair).entries.compactMap { entry -> (String, [String])? in
        guard case .row(let name, let cells, _) = entry else { return nil }
        return (name, cells.map(\.text))
      }
      #expect(rows.count == pair.series.count, "\(name)")
      for (point, row) in zip(pair.series, rows) {
        a += point.a.trials
        b += point.b.trials
        #expect(
          row.0.hasPrefix(CivilDate(point.day).text) && row.0.hasSuffix("decided") == (point.day == pair.decidedOn))
        #expect(row.1[0] == NumberText.count(a) && row.1[1] == NumberText.count(b), "\(name), \(row)")
        #expect((row.1[3] == "–") == (point.look == nil) && (row.1[5] == "–") == isWithoutBound(point.look))
      }
      #expect(a == pair.a.trials && b == pair.b.trials, "\(name)")
    }
  }

  private func isWithoutBound(_ look: PermissionAnalysis.Comparison.Look?) -> Bool {
    guard let look else { return true }
    return look.boundary == .interval
  }
}
