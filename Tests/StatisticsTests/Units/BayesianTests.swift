// Beta posteriors: identities, tails, other priors.

import Testing

@testable import Statistics

@Suite struct BayesianTests {
  @Test func complementsAddUp() throws {
    for (a, b) in [
      (try sample(3, 10), try sample(8, 20)), (try sample(0, 1), try sample(500, 1000)),
      (try sample(40_000, 100_000), try sample(40_500, 100_000)),
    ] {
      let sum = BetaBinomial.probabilityGreater(a, than: b) + BetaBinomial.probabilityGreater(b, than: a)
      #expect(close(sum, 1, relative: 1e-10))
      let lossA = BetaBinomial.expectedLoss(choosing: a, over: b)
      let lossB = BetaBinomial.expectedLoss(choosing: b, over: a)
      #expect(close(lossA - lossB, BetaBinomial.meanDifference(b, a), relative: 1e-9))
    }
  }

  /// From 30-digit sums.
  @Test func smallTails() throws {
    let (more, fewer) = (try sample(300, 1_000_000), try sample(200, 1_000_000))
    #expect(close(BetaBinomial.probabilityGreater(fewer, than: more), 3.6882451456572875e-6, relative: 1e-9))
    #expect(close(BetaBinomial.expectedLoss(choosing: more, over: fewer), 1.6996779550993043e-11, relative: 1e-8))
  }

  @Test func quadratureAgreesWithTheSum() throws {
    // A prior a hair off whole numbers goes through the quadrature.
    let hair = try BetaPrior(alpha: 1 + 1e-12, beta: 1)
    for (a, b) in [
      (try sample(0, 0), try sample(0, 20)), (try sample(3, 10), try sample(5, 12)),
      (try sample(520, 1000), try sample(500, 1000)), (try sample(1, 100_000), try sample(3, 7)),
    ] {
      let exact = BetaBinomial.probabilityGreater(a, than: b)
      #expect(close(BetaBinomial.probabilityGreater(a, than: b, prior: hair), exact, relative: 1e-9, absolute: 1e-12))
    }
  }

  /// No success in either arm puts the mass at a singular end; the value is by adaptive quadrature in 30 digits.
  @Test func jeffreysAtTheEdge() throws {
    let got = BetaBinomial.probabilityGreater(try sample(0, 10), than: try sample(0, 20), prior: .jeffreys)
    #expect(close(got, 0.606292277331791, relative: 1e-6))
  }

  @Test(arguments: [(7, 34, 1, 34), (0, 20, 0, 20), (5234, 10000, 5100, 10000), (999, 1000, 2, 3)])
  func intervalHoldsItsShare(_ table: (Int, Int, Int, Int)) throws {
    let (a, b) = (try sample(table.0, table.1), try sample(table.2, table.3))
    let interval = BetaBinomial.differenceInterval(a, b, confidence: 0.9)
    let (one, two) = (BetaPrior.uniform.posterior(a), BetaPrior.uniform.posterior(b))
    let below = BetaComparison.differenceCumulative(interval.low, one, two)
    let upTo = BetaComparison.differenceCumulative(interval.high, one, two)
    #expect(close(below, 0.05, relative: 1e-8) && close(upTo, 0.95, relative: 1e-8))
    // At no difference the distribution function is P(second > first).
    let zero = BetaComparison.differenceCumulative(0, one, two)
    #expect(close(zero, BetaBinomial.probabilityGreater(b, than: a), relative: 1e-9, absolute: 1e-13))
  }

  @Test func bestOfSeveral() throws {
    let arms = [try sample(45, 100), try sample(52, 100), try sample(50, 100)]
    #expect(close(BetaBinomial.probabilityBest(arms).reduce(0, +), 1, relative: 1e-10))
    let pair = BetaBinomial.probabilityBest([arms[0], arms[1]])
    #expect(close(pair[0], BetaBinomial.probabilityGreater(arms[0], than: arms[1]), relative: 1e-10))
    #expect(BetaBinomial.probabilityBest([]).isEmpty)
    #expect(close(BetaBinomial.probabilityBest([arms[0]]).first, 1, relative: 1e-12))
  }

  /// A billion users against none: P(rate > uniform) is the posterior mean.
  @Test func unevenArms() throws {
    let many = try sample(300_000_000, 1_000_000_000)
    let none = try sample(0, 0)
    let mean = 300_000_001.0 / 1_000_000_002
    #expect(close(BetaBinomial.probabilityGreater(many, than: none), mean, relative: 1e-9))
    #expect(close(BetaBinomial.probabilityGreater(none, than: many), 1 - mean, relative: 1e-9))
    #expect(close(BetaBinomial.differenceInterval(many, none).high, mean - 0.025, relative: 1e-4))
  }

  @Test func priorsAreChecked() {
    #expect(throws: StatisticsError.notPositive(name: "prior alpha", value: 0)) { try BetaPrior(alpha: 0, beta: 1) }
    #expect(throws: StatisticsError.self) { try BetaPrior(alpha: 1, beta: .infinity) }
  }
}
