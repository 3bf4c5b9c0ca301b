// Reference methods for means, quantiles, ranks and correlations.

import Testing

@testable import Statistics

extension ReferenceTests {
  // In the file B is the treatment, so it is the first here.
  static let meanMethods: [String: Check] = [
    "welch_t": { item, check in
      let (a, b) = (try item.doubles("A"), try item.doubles("B"))
      let got = try Welch.test(SampleMoments(b), SampleMoments(a)).get()
      check.equal("diff", got.difference)
      check.equal("t", got.t)
      check.equal("df", got.degreesOfFreedom)
      check.equal("p", got.pValue)
      interval(got.interval, check)
      let cap = try #require(Winsorization.pooledCap(a, b, quantile: 0.95))
      check.equal("pooled_p95_cap", cap)
      let capped = try Welch.test(
        SampleMoments(Winsorization.capped(b, at: cap)), SampleMoments(Winsorization.capped(a, at: cap))
      ).get()
      check.equal("winsorized_diff", capped.difference)
      check.equal("winsorized_p", capped.pValue)
    },
    "cuped_diff": { item, check in
      let a = try Cuped.Sample(pre: item.doubles("A_pre"), post: item.doubles("A_post"))
      let b = try Cuped.Sample(pre: item.doubles("B_pre"), post: item.doubles("B_post"))
      let got = try Cuped.compare(b, a, confidence: item.confidence).get()
      check.equal("theta", got.theta)
      check.equal("diff", got.adjusted.difference)
      check.equal("se", got.adjusted.standardError)
      check.equal("dof", got.adjusted.degreesOfFreedom)
      check.equal("p", got.adjusted.pValue)
      check.equal("unadjusted_diff", got.unadjusted.difference)
      check.equal("unadjusted_se", got.unadjusted.standardError)
      interval(got.adjusted.interval, check)
    },
    "ratio_metric_delta": { item, check in
      func metric(_ arm: String) throws -> RatioMetric {
        let (y, z) = (try item.ints(arm + "_num"), try item.ints(arm + "_den"))
        return RatioMetric(
          users: y.count, numerator: y.reduce(0, +), denominator: z.reduce(0, +),
          numeratorSquares: y.reduce(0) { $0 + $1 * $1 }, denominatorSquares: z.reduce(0) { $0 + $1 * $1 },
          products: zip(y, z).reduce(0) { $0 + $1.0 * $1.1 })
      }
      let (a, b) = (try metric("A"), try metric("B"))
      let got = try RatioMetric.difference(b, a, confidence: item.confidence).get()
      check.equal("ratio_A", a.ratio)
      check.equal("ratio_B", b.ratio)
      check.equal("diff", got.difference)
      check.equal("se", got.standardError)
      interval(got.normalInterval, check, low: "lo_z", high: "hi_z")
      interval(got.studentInterval, check, low: "gbstats_lo_t", high: "gbstats_hi_t")
    },
    "mann_whitney": { item, check in
      let a = try Histogram(observations: item.doubles("A"))
      let b = try Histogram(observations: item.doubles("B"))
      let got = try #require(MannWhitney.test(b, a))
      check.equal("U_B", got.u)
      check.equal("prob_superiority", got.probabilityFirstGreater)
      check.equal("p_asymptotic_cc", got.normalP)
      check.equal("p_asymptotic_no_cc", got.normalPUncorrected)
      #expect((got.method == .exact) == (item.expected["p_exact"] != nil))
      if item.expected["p_exact"] != nil { check.equal("p_exact", got.pValue) }
    },
    "quantile_diff_ci": { item, check in
      let (a, b) = (try item.doubles("A").sorted(), try item.doubles("B").sorted())
      let share = try item.double("quantile")
      let (qa, qb) = (try #require(Quantiles.type7(a, share)), try #require(Quantiles.type7(b, share)))
      check.equal("q_A", qa)
      check.equal("q_B", qb)
      check.equal("diff", qb - qa)
      let one = try? Quantiles.estimate(b, share).get()
      let two = try? Quantiles.estimate(a, share).get()
      check.equal("se_A", two?.standardError)
      check.equal("se_B", one?.standardError)
      guard let one, let two else {
        interval(nil, check)
        return
      }
      interval(Quantiles.differenceInterval(one, two, confidence: try item.confidence), check)
      // That engine's errors are √((n − 1)/n) of these, with Welch's t.
      func variance(_ estimate: QuantileEstimate) -> (Double, Double) {
        let n = Double(estimate.count)
        return (estimate.standardError * estimate.standardError * (n - 1) / n, n)
      }
      let welch = try Welch.compare(
        difference: one.value - two.value, variance(one), variance(two), confidence: item.confidence
      ).get()
      interval(welch.interval, check, low: "gbstats_lo", high: "gbstats_hi")
    },
    "quantile_order_statistic_ranks": { item, check in
      let got = try #require(
        Quantiles.rankInterval(
          count: try item.int("n"), quantile: try item.double("quantile"), confidence: try item.confidence))
      check.equal("lower_rank", got.lower)
      check.equal("upper_rank", got.upper)
      check.equal("coverage", got.coverage)
    },
    "point_biserial": { item, check in
      let members = try item.ints("binary")
      let values = try item.doubles("values")
      // One decimal each: tenths are exact integers, and a correlation does not mind the unit.
      func group(_ member: Int) -> [Double] { zip(members, values).filter { $0.0 == member }.map(\.1) }
      let one = IntegerMoments(group(1).map { Int(($0 * 10).rounded()) })
      let two = IntegerMoments(group(0).map { Int(($0 * 10).rounded()) })
      let got = try #require(PointBiserial.correlation(one, two, confidence: try item.confidence))
      check.equal("r", got.value)
      check.equal("p", PointBiserial.pValue(one, two))
      interval(got.interval, check)
      check.equal(
        "spearman",
        RankCorrelation.membership(
          try Histogram(observations: group(1)), try Histogram(observations: group(0))))
    },
  ]
}
