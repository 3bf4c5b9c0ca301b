// Reference methods for repeated looks.

import Testing

@testable import Statistics

extension ReferenceTests {
  static let sequentialMethods: [String: Check] = [
    "asymptotic_confidence_sequence": { item, check in
      let alpha = try item.double("alpha")
      let planned = try item.int("tuning_n")
      let sequence = try AsymptoticConfidenceSequence(plannedUsers: planned, alpha: alpha)
      let got = try sequence.evaluate(item.first, item.second).get()
      check.equal("diff", got.difference)
      check.equal("rho", try NormalMixture(plannedUsers: planned, alpha: alpha).rhoSquared.squareRoot())
      check.equal("halfwidth", (got.interval.high - got.interval.low) / 2)
      check.equal("log_evalue", got.logEValue)
      check.equal("always_valid_p", got.pValue)
      interval(got.interval, check)
      #expect(abs(got.log10PValue - min(0, -got.logEValue / NormalDistribution.ln10)) < 1e-14)
    },
    "asymptotic_cs_one_sided": { item, check in
      let got = try OneSidedNormalMixture.bound(
        scaledVariance: item.double("s2"), users: item.double("n"), plannedUsers: item.int("tuning_n"),
        alpha: item.double("alpha"))
      check.equal("rho", got.rho)
      check.equal("halfwidth", got.halfWidth)
    },
    "msprt_normal_mixture": { item, check in
      let got = try MixtureSPRT.test(
        difference: item.double("diff"), variance: item.double("variance_of_diff"),
        mixingVariance: item.double("tau2"))
      check.equal("likelihood_ratio", got.likelihoodRatio)
      check.equal("p", got.pValue)
    },
    "bernoulli_confidence_sequence": { item, check in
      let sequence = try BernoulliConfidenceSequence(tuningTrials: item.int("t_opt"), alpha: item.double("alpha"))
      interval(sequence.interval(try item.sample("x", "n")), check)
    },
    "group_sequential_bounds": { item, check in
      let spending: AlphaSpending
      switch try item.string("spending") {
      case "obrien_fleming": spending = .obrienFleming
      case "pocock": spending = .pocock
      case "power2": spending = .power(2)
      default: throw StatisticsError.notFinite(name: "spending")
      }
      let design = try GroupSequential(
        fractions: item.doubles("information_fractions"), alpha: item.double("alpha_two_sided"), spending: spending)
      check.equal("z_bounds", design.boundaries.map(\.bound))
      check.equal("cumulative_alpha", design.boundaries.map(\.cumulativeAlpha))
      check.equal("final_nominal_p", design.boundaries.last?.nominalP)
    },
  ]
}
