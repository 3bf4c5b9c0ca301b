// Times as charts draw them: bins of half an octave.

import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct TimeDistributionTests {
  @Test func edgesGrowByTheSquareRootOfTwo() {
    #expect(TimeDistribution.edge(0) == 1000 && TimeDistribution.edge(2) == 2000 && TimeDistribution.edge(-2) == 500)
    #expect(TimeDistribution.edge(20) == 1_024_000 && TimeDistribution.edge(-8) == 62.5)
    for half in -8..<50 {
      let ratio = TimeDistribution.edge(half + 1) / TimeDistribution.edge(half)
      #expect(abs(ratio - 2.0.squareRoot()) < 1e-12)
    }
  }

  @Test func everyTimeIsInItsBin() throws {
    let times: [Milliseconds] = [0, 3, 62, 63, 500, 999, 1000, 1001, 1413, 1416, 2000, 90_000, 2_419_200_000]
    for time in times {
      let histogram = TimeHistogram()
      histogram.add(TimeBucket.index(time), count: 2)
      let bin = try #require(TimeDistribution(histogram).bins.first)
      #expect(bin.count == 2)
      #expect(bin.half == TimeDistribution.lowest || Double(time) >= bin.start * 0.999, "\(time)")
      #expect(Double(time) < bin.end * 1.001, "\(time)")
    }
  }

  @Test func countsAddUp() {
    let histogram = TimeHistogram()
    var all = 0
    for time in stride(from: 1 as Milliseconds, to: 3_000_000, by: 977) {
      histogram.add(TimeBucket.index(time))
      all += 1
    }
    let bins = TimeDistribution(histogram).bins
    #expect(bins.reduce(0) { $0 + $1.count } == all)
    #expect(zip(bins, bins.dropFirst()).allSatisfy { $0.half < $1.half })
    #expect(TimeDistribution(TimeHistogram()).bins.isEmpty)
  }
}
