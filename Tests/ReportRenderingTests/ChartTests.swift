// The parts that charts are made of.

import PermissionAnalysis
import Testing

@testable import ReportRendering

@Suite struct ChartTests {
  @Test(
    arguments: [
      (-0.01, 0.02), (-0.2, 0.3), (0, 0), (0.1, 0.4), (-3, 5), (-0.0001, 0.0001), (.nan, .infinity), (-1, 1),
    ] as [(Double, Double)])
  func pointAxesHoldZeroAndWhatTheyShow(from: Double, to: Double) {
    let axis = ChartAxis(from: from, to: to)
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
    arguments: [
      ([0.12, 0.13], 0.1, 0.15), ([0.3, 0.6], 0, 0.6), ([0.41, 0.52], 0.4, 0.55), ([0, 1], 0, 1), ([0.001], 0, 0.0015),
      ([0.97, 1], 0.95, 1), ([0.5], 0.47, 0.53), ([-3, 7, .nan], 0, 1), ([], 0, 1), ([0], 0, 0.001),
    ] as [([Double], Double, Double)])
  func axesOfSharesFitThem(shares: [Double], low: Double, high: Double) {
    let axis = ChartAxis(shares)
    #expect(abs(axis.low - low) < 1e-9 && abs(axis.high - high) < 1e-9, "\(axis.low) to \(axis.high)")
  }

  /// Ends at round numbers, with labels that say exactly where they are.
  @Test func axesOfSharesHoldWhatTheyShow() {
    var numbers = SampleNumbers(seed: 4)
    for _ in 0..<2000 {
      let shares = (0..<3).map { _ in Double(numbers.below(1000)) / Double(numbers.below(5) * 900 + 1000) }
      let axis = ChartAxis(shares, startsAtZero: numbers.isTrue(percent: 30))
      #expect(axis.low <= (shares.min() ?? 0) + 1e-9 && axis.high >= (shares.max() ?? 0) - 1e-9, "\(shares)")
      #expect((2...7).contains(axis.ticks.count) && axis.low >= 0 && axis.high <= 1 + 1e-9, "\(shares)")
      #expect(axis.ticks.first == axis.low && axis.ticks.last == axis.high)
      for tick in axis.ticks {
        let said = Double(axis.text(tick).dropLast(2)).map { $0 / 100 } ?? .nan
        #expect(abs(said - tick) < 1e-9, "\(axis.text(tick)) for \(tick)")
      }
      // No more than a step is empty at each end, unless it begins at 0.
      let step = axis.ticks[1] - axis.ticks[0]
      #expect(axis.high - (shares.max() ?? 0) < max(step, 0.05) + 1e-9, "\(shares): \(axis.ticks)")
    }
  }

  /// A handful of people does not choose the axis of all.
  @Test func smallBasesDoNotWidenTheAxis() {
    let many = (rate: Estimate(0.12, low: 0.1, high: 0.14), base: 1000)
    let few = (rate: Estimate(1, low: 0.34, high: 1), base: 2)
    let axis = ChartAxis(rates: [many, many, few])
    #expect(axis.high < 0.16, "\(axis.ticks)")
    #expect(ChartAxis(rates: [few]).high == 1)
  }

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
        == "<p title=\"&quot;&lt;&amp;&#39;&gt;\">&lt;b&gt;&amp;&quot;&#39;\\u{1B}</p>")
  }
}
