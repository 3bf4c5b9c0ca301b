// Reference methods for rates.

import Testing

@testable import Statistics

extension ReferenceTests {
  static let proportionMethods: [String: Check] = [
    "wilson_ci": { item, check in
      let got = try #require(try Wilson.interval(item.sample("x", "n"), confidence: item.confidence))
      interval(got, check)
      if try item.int("x") == 0 { #expect(got.low == 0) }
      if try item.int("x") == item.int("n") { #expect(got.high == 1) }
    },
    "clopper_pearson_ci": { item, check in
      interval(try ClopperPearson.interval(item.sample("x", "n"), confidence: item.confidence), check)
    },
    "newcombe_diff_ci": { item, check in
      interval(try Newcombe.differenceInterval(item.first, item.second, confidence: item.confidence), check)
      check.equal("diff", BinomialSample.exactDifference(try item.first, try item.second))
    },
    "miettinen_nurminen_diff_ci": { item, check in
      interval(
        try MiettinenNurminen.differenceInterval(item.first, item.second, confidence: item.confidence), check)
      check.equal("diff", BinomialSample.exactDifference(try item.first, try item.second))
    },
    "miettinen_nurminen_ratio_ci": { item, check in
      let (one, two) = (try item.first, try item.second)
      interval(MiettinenNurminen.ratioInterval(one, two, confidence: try item.confidence), check)
      let (p1, p2) = (try #require(one.rate), try #require(two.rate))
      check.equal("ratio", p1 == 0 && p2 == 0 ? nil : p1 / p2)
    },
    "agresti_caffo_diff_ci": { item, check in
      interval(try AgrestiCaffo.differenceInterval(item.first, item.second, confidence: item.confidence), check)
    },
    "katz_log_ratio_ci": { item, check in
      let got = try #require(try Katz.ratioInterval(item.first, item.second, confidence: item.confidence))
      check.equal("ratio", got.ratio)
      check.equal("se_log", got.logStandardError)
      interval(got.interval, check)
    },
    "relative_lift_delta_ci": { item, check in
      let got = try #require(try RelativeLift.delta(item.first, item.second, confidence: item.confidence))
      check.equal("lift", got.lift)
      check.equal("se", got.standardError)
      check.equal("dof", got.degreesOfFreedom)
      check.equal("lo_t", got.studentInterval.low)
      check.equal("hi_t", got.studentInterval.high)
      check.equal("lo_z", got.normalInterval.low)
      check.equal("hi_z", got.normalInterval.high)
      check.equal("p_t", got.studentP)
    },
    "two_proportion_z_pooled": { item, check in
      let got = try #require(try PooledZ.test(item.first, item.second))
      check.equal("z", got.z)
      check.equal("p_two_sided", got.pValue)
      if item.expected["log10_p"] != nil { check.equal("log10_p", got.log10PValue) }
    },
    "noninferiority_score_test": { item, check in
      let got = try #require(try NonInferiority.test(item.first, item.second, margin: item.double("margin")))
      check.equal("z", got.z)
      check.equal("p_one_sided", got.oneSidedP)
    },
    "fisher_exact": { item, check in
      let (a, b, c, d) = (try item.int("a"), try item.int("b"), try item.int("c"), try item.int("d"))
      let got = try #require(
        FisherExact.test(
          try BinomialSample(successes: a, trials: a + b), try BinomialSample(successes: c, trials: c + d)))
      check.equal("p_two_sided", got.twoSided)
      check.equal("p_midp_two_sided", got.midP)
      check.equal("p_midp_observed_only", got.midPObservedOnly)
      check.equal("p_less", got.less)
      check.equal("p_greater", got.greater)
    },
    "phi_coefficient": { item, check in
      let got = try #require(
        PhiCoefficient.table(
          try item.int("a"), try item.int("b"), try item.int("c"), try item.int("d"),
          confidence: try item.confidence))
      check.equal("phi", got.value)
      check.equal("chi2", got.chiSquare)
      check.equal("p_chi2", got.pValue)
      interval(got.interval, check)
    },
    "p_adjust": { item, check in
      let p = try item.doubles("p").map(Optional.init)
      check.equal("holm", MultipleTesting.holm(p))
      check.equal("bh", MultipleTesting.benjaminiHochberg(p))
      check.equal("by", MultipleTesting.benjaminiYekutieli(p))
      check.equal("bonferroni", MultipleTesting.bonferroni(p))
    },
  ]

  static func interval(_ got: Interval?, _ check: ReferenceCheck, low: String = "lo", high: String = "hi") {
    check.equal(low, got?.low)
    check.equal(high, got?.high)
  }
}
