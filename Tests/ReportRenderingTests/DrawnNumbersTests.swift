// What pages draw is what JSON says: every point, end of an interval, length of a bar, to half a pixel, read back through
// the axes' own labels.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct DrawnNumbersTests {
  private static let end = SampleHistories.sampleEnd
  private static let monday = SampleHistories.monday

  private static func reports() -> [(name: String, report: Report)] {
    let app = SampleHistories.app()
    return [
      ("all", app.report(asOf: end)), ("by variant", app.report(asOf: end) { $0.properties = [.variant] }),
      ("cut", app.report(asOf: end) { $0.from = monday + 16 * millisecondsPerDay }),
      ("first days", app.report(asOf: monday + 2 * millisecondsPerDay)),
      ("another draw", SampleHistories.app(seed: 7).report(asOf: end)), ("two users", twoUsers().report(asOf: end)),
      ("rare", rare().report(asOf: end)), ("with a gap", app.report(asOf: end + 21 * millisecondsPerDay)),
      ("calls", CallChartTests.histories.report(asOf: end)),
    ]
  }

  private static func twoUsers() -> SampleHistories {
    var histories = SampleHistories()
    for (user, kind) in [EventKind.granted, .denied].enumerated() {
      let time = monday + Milliseconds(user) * millisecondsPerDay
      histories.users.append([
        .init(time: time, kind: .promptShown, permission: 1), .init(time: time + 4000, kind: kind, permission: 1),
        .init(time: time + millisecondsPerDay, kind: .appActive),
      ])
    }
    return histories
  }

  /// One in a hundred grants, and hardly anybody comes back.
  private static func rare() -> SampleHistories {
    var histories = SampleHistories()
    for user in 0..<1200 {
      let time = monday + Milliseconds(user) * 3_000_000
      histories.users.append([
        .init(time: time, kind: .promptShown, permission: 1),
        .init(time: time + 4000 + Milliseconds(user), kind: user % 97 == 0 ? .granted : .denied, permission: 1),
      ])
    }
    return histories
  }

  @Test func reportsDrawTheirNumbers() throws {
    var compared = 0
    for (name, report) in Self.reports() {
      let problems = try DrawnReport(report).problems()
      #expect(problems.found.isEmpty, "\(name): \(problems.found.prefix(8).joined(separator: "\n"))")
      compared += problems.compared
    }
    #expect(compared > 3000)
  }

  /// In the first days B is far behind A, then equal: the axis is for what follows.
  static let outlier = SampleComparisons.compare(
    {
      var histories = SampleComparisons.users(perDay: 3, grants: [90, 45], days: 7, seed: 3)
      histories.users += SampleComparisons.users(perDay: 120, grants: [50, 50], days: 30, from: 7).users
      return histories
    }(), asOfDay: 38)

  static let three = SampleComparisons.compare(
    SampleComparisons.users(perDay: 30, grants: [40, 55, 41], days: 28), asOfDay: 28, names: ["A", "B", "C"])

  private static let sets: [(name: String, set: ComparisonSet)] = [
    ("won", SampleComparisons.won), ("running", SampleComparisons.running), ("too early", SampleComparisons.tooEarly),
    ("no difference", SampleComparisons.noDifference), ("few events", SampleComparisons.fewEvents),
    ("declared", SampleComparisons.declared), ("always valid", SampleComparisons.alwaysValid),
    ("first look", SampleComparisons.firstLook), ("outlier", outlier), ("three", three),
  ]

  @Test func comparisonsDrawTheirNumbers() throws {
    for (name, set) in Self.sets {
      let problems = try DrawnComparison(set).problems()
      #expect(problems.found.isEmpty, "\(name): \(problems.found.prefix(8).joined(separator: "\n"))")
    }
  }

  /// What lies beyond the axis keeps its place, and is cut off there.
  @Test func nothingIsMovedToTheEdge() throws {
    let page = try DrawnComparison(Self.outlier).page
    let days = try #require(page.charts.first { $0.title.hasPrefix("Difference day by day") })
    let beyond = days.series.flatMap { series in
      series.marks.flatMap(\.points).filter { !days.y.isWithin($0.y) }.map { _ in series }
    }
    #expect(beyond.count > 4 && beyond.allSatisfy(\.isClipped))
  }

  @Test func noDifferenceIsDrawnByTheIntervalThatItRestsOn() throws {
    let pair = SampleComparisons.noDifference.pairs[0]
    let none = try #require(pair.monitoring.noDifference)
    let drawn = try #require(pair.headline)
    #expect(pair.decision == .noDifference && drawn.low == none.low && drawn.high == none.high)
    #expect(drawn.low >= -pair.needed.minimumEffect && drawn.high <= pair.needed.minimumEffect)
  }

  // MARK: The reader sees what is wrong

  /// A page with one of its coordinates changed.
  private static func page(_ bytes: [UInt8], in title: String, _ pattern: Regex<Substring>, to text: String) -> [UInt8]
  {
    var page = String(decoding: bytes, as: UTF8.self)
    guard let start = page.range(of: title)?.upperBound, let place = page[start...].firstMatch(of: pattern)?.range
    else {
      return bytes
    }
    page.replaceSubrange(place, with: text)
    return Array(page.utf8)
  }

  @Test func aMovedMarkIsFound() throws {
    let report = SampleHistories.app().report(asOf: Self.end)
    let bytes = ReportDocument.render(report, .html)
    for (title, pattern, text) in [
      ("Grant rate by week, ", /cy="[0-9.]+" r="3.4"/, "cy=\"26\" r=\"3.4\""),
      ("Enabled later, ", /d="M[0-9.]+ [0-9.]+L/, "d=\"M60 40L"),
      ("Retention by outcome, ", /cy="[0-9.]+" r="4" class="dot"\/><\/g><g class="denied"/, ""),
      (
        "From the first screen to the grant, ",
        /data-series="Granted"><title>[^<]*<\/title><rect x="0" y="[0-9.]+" width="[0-9.]+"/,
        "data-series=\"Granted\"><rect x=\"0\" y=\"9\" width=\"1.5\""
      ),
      ("Time to answer, ", /height="[0-9.]+" class="fill"/, "height=\"3\" class=\"fill\""),
      ("Time to answer, ", /30&nbsp;s|30\u{A0}s|10\u{A0}s|3\u{A0}s/, "7\u{A0}s"),
    ] as [(String, Regex<Substring>, String)] where !text.isEmpty {
      let changed = Self.page(bytes, in: title, pattern, to: text)
      #expect(changed != bytes, "\(title): nothing to change")
      #expect(try !DrawnReport(report, page: changed).problems().found.isEmpty, "\(title)")
    }
    let calls = CallChartTests.histories.report(asOf: Self.end)
    let called = ReportDocument.render(calls, .html)
    let lower = Self.page(
      called, in: "data-series=\"prompts\"", /height="[0-9.]+" class="fill"/, to: "height=\"3\" class=\"fill\"")
    #expect(lower != called)
    #expect(try !DrawnReport(calls, page: lower).problems().found.isEmpty)
    let set = Self.outlier
    let comparison = ComparisonDocument.render(set, .html)
    let clamped = Self.page(comparison, in: "data-series=\"difference\"", /M[0-9.-]+ [0-9.-]+L/, to: "M44 208L")
    #expect(clamped != comparison)
    #expect(try !DrawnComparison(set, page: clamped).problems().found.isEmpty)
  }
}
