// Reference methods for beta posteriors.

import Testing

@testable import Statistics

extension ReferenceTests {
  static let bayesianMethods: [String: Check] = [
    "beta_binomial": { item, check in
      let (b, a) = (try item.sample("xB", "nB"), try item.sample("xA", "nA"))
      let prior = try prior(item)
      check.equal("prob_B_beats_A", BetaBinomial.probabilityGreater(b, than: a, prior: prior))
      check.equal("expected_loss_choose_B", BetaBinomial.expectedLoss(choosing: b, over: a, prior: prior))
      check.equal("expected_loss_choose_A", BetaBinomial.expectedLoss(choosing: a, over: b, prior: prior))
      check.equal("mean_diff", BetaBinomial.meanDifference(b, a, prior: prior))
      interval(
        BetaBinomial.differenceInterval(b, a, confidence: try item.double("cred"), prior: prior), check,
        low: "diff_lo", high: "diff_hi")
    },
    "beta_binomial_jeffreys": { item, check in
      check.equal(
        "prob_B_beats_A",
        BetaBinomial.probabilityGreater(
          try item.sample("xB", "nB"), than: try item.sample("xA", "nA"), prior: try prior(item)))
    },
    "beta_prob_best": { item, check in
      let arms = try #require(item.inputs["arms"] as? [[String: Int]])
      let samples = try arms.map { arm in
        try BinomialSample(successes: #require(arm["x"]), trials: #require(arm["n"]))
      }
      check.equal("prob_best", BetaBinomial.probabilityBest(samples, prior: try prior(item)))
    },
  ]

  private static func prior(_ item: ReferenceCase) throws -> BetaPrior {
    try BetaPrior(alpha: item.double("prior_alpha"), beta: item.double("prior_beta"))
  }
}
