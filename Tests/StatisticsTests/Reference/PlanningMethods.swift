// Reference methods for planning, and for trust in the data.

import Testing

@testable import Statistics

extension ReferenceTests {
  static let planningMethods: [String: Check] = [
    "sample_size_two_proportions": { item, check in
      let control = try item.double("control")
      let plan = try #require(
        SampleSize.perArm(
          baseline: control, effect: try item.double("treatment") - control, alpha: try item.double("alpha"),
          power: try item.double("power"), ratio: try item.double("ratio_treatment_to_control")))
      check.equal("n_control_exact", plan.controlExact)
      check.equal("n_control", plan.control)
      check.equal("n_treatment", plan.treatment)
    },
    "power_two_proportions": { item, check in
      check.equal(
        "power",
        PowerAnalysis.power(
          control: try item.double("control"), treatment: try item.double("treatment"),
          controlUsers: try item.int("n_control"), treatmentUsers: try item.int("n_treatment"),
          alpha: try item.double("alpha")))
    },
    "mde_two_proportions": { item, check in
      let got = try #require(
        PowerAnalysis.minimumDetectableEffect(
          control: try item.double("control"), controlUsers: try item.int("n_control"),
          treatmentUsers: try item.int("n_treatment"), alpha: try item.double("alpha"),
          power: try item.double("power")))
      check.equal("mde_up", got.up)
      check.equal("mde_down", got.down)
    },
    "srm_chi_square": { item, check in
      let got = try ChiSquare.sampleRatio(observed: item.ints("observed"), weights: item.doubles("weights"))
      check.equal("chi2", got.statistic)
      check.equal("df", got.degreesOfFreedom)
      check.equal("p", got.pValue)
    },
    "stratified_proportions": { item, check in
      let strata = try #require(item.inputs["strata"] as? [[String: Int]])
      let got = try Stratified.compare(
        strata.map { stratum in
          func sample(_ x: String, _ n: String) throws -> BinomialSample {
            try BinomialSample(successes: #require(stratum[x]), trials: #require(stratum[n]))
          }
          return Stratified.Stratum(first: try sample("x1", "n1"), second: try sample("x2", "n2"))
        }
      ).get()
      check.equal("pooled_diff", got.pooledDifference)
      check.equal("stratum_diffs", got.differences)
      check.equal("poststratified_diff", got.postStratifiedDifference)
      check.equal("poststratified_se", got.postStratifiedError)
      check.equal("mantel_haenszel_diff", got.mantelHaenszelDifference)
      check.equal("cmh_chi2", got.associationChiSquare)
      check.equal("cmh_p", got.associationP)
      check.equal("heterogeneity_Q", got.heterogeneity)
      check.equal("heterogeneity_df", got.heterogeneityDegreesOfFreedom)
      check.equal("heterogeneity_p", got.heterogeneityP)
      check.mark("simpson_reversal")
      #expect(got.simpsonReversal == item.expected["simpson_reversal"] as? Bool)
    },
    "novelty_trend_wls": { item, check in
      let days = zip(try item.doubles("daily_diff"), try item.doubles("daily_se")).enumerated().map {
        NoveltyTrend.Day(day: $0.offset, difference: $0.element.0, standardError: $0.element.1)
      }
      let got = try NoveltyTrend.fit(days).get()
      check.equal("slope", got.slope)
      check.equal("slope_se", got.slopeError)
      check.equal("z", got.z)
      check.equal("p", got.pValue)
      check.equal("intercept_at_mean", got.meanDifference)
      #expect(got.isFading)
    },
  ]
}
