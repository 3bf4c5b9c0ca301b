// The parts that charts are made of.

import Testing

@testable import ReportRendering

@Suite struct ChartTests {
  @Test(
    arguments: [
      (-0.01, 0.02), (-0.2, 0.3), (0, 0), (0.1, 0.4), (-3, 5), (-0.0001, 0.0001), (.nan, .infinity), (-1, 1),
    ] as [(Double, Double)])
  func pointAxesHoldZeroAndWhatTheyShow(from: Double, to: Double) {
    let axis = PointAxis(from: from, to: to)
    #expect(axis.low <= 0 && axis.high > 0 && axis.low < axis.high)
    #expect(axis.ticks.contains { abs($0) < 1e-12 })
    #expect(axis.ticks.first == axis.low && axis.ticks.last == axis.high && axis.ticks.count <= 8)
    if from.isFinite { #expect(axis.low <= max(-1, from) + 1e-12) }
    if to.isFinite { #expect(axis.high >= min(1, to) - 1e-12) }
  }

  @Test func scalesAreStraightLines() {
    let scale = Scale(low: 0, high: 4, start: 10, end: 50)
    #expect(scale(0) == 10 && scale(1) == 20 && scale(4) == 50)
    #expect(Scale(low: 1, high: 1, start: 10, end: 50)(1) == 10)
  }

  @Test(
    arguments: [(0.0, 0.1), (0.1, 0.1), (0.11, 0.2), (0.79, 0.8), (0.81, 1), (1, 1), (.nan, 1)] as [(Double, Double)])
  func axesOfSharesEndAtPlainNumbers(share: Double, top: Double) { #expect(Plot.top(for: share) == top) }

  @Test func theLastTickIsAlwaysLabelled() {
    for count in 1..<120 {
      let labelled = Plot.labelled(count, most: 7)
      #expect(labelled.contains(count - 1) && labelled.count <= 7 && labelled.allSatisfy { (0..<count).contains($0) })
    }
    #expect(Plot.labelled(0, most: 7).isEmpty)
  }

  @Test func textAndAttributesAreEscapedAndNothingElseIsNeeded() {
    var page = Markup()
    page.element("p", ["title": "\"<&'>"], text: "<b>&\"'\u{1B}")
    #expect(
      String(decoding: page.bytes, as: UTF8.self)
        == "<p title=\"&quot;&lt;&amp;&#39;&gt;\">&lt;b&gt;&amp;&quot;&#39;\u{FFFD}</p>")
  }
}
