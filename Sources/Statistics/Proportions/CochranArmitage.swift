// Does a rate rise or fall along ordered groups?

/// The Cochran–Armitage test for a linear trend of rates, with the groups' places as scores, without a correction for
/// continuity.
///
/// W. G. Cochran, Biometrics 10 (1954) 417; P. Armitage, Biometrics 11 (1955) 375; A. Agresti, "Categorical Data Analysis"
/// (3rd ed. 2013), 5.3.5.
public struct CochranArmitage: Sendable, Hashable {
  /// z: above 0 if the rate rises.
  public let statistic: Double
  /// Of no trend, two-sided.
  public let pValue: Double

  /// The test of groups in their order; an empty group keeps its place. Nil below two groups with trials, or if none or all of the
  /// trials succeeded.
  public static func trend(_ groups: [BinomialSample]) -> CochranArmitage? {
    var (trials, successes) = (0.0, 0.0)
    for group in groups {
      trials += Double(group.trials)
      successes += Double(group.successes)
    }
    guard groups.count(where: { $0.trials > 0 }) > 1, successes > 0, successes < trials else { return nil }
    let rate = successes / trials
    let mean = groups.enumerated().reduce(0.0) { $0 + Double($1.offset) * Double($1.element.trials) } / trials
    // Scores less their mean, so that large counts cancel nothing.
    var (excess, spread) = (0.0, 0.0)
    for (place, group) in groups.enumerated() {
      let score = Double(place) - mean
      excess += score * (Double(group.successes) - Double(group.trials) * rate)
      spread += score * score * Double(group.trials)
    }
    let z = excess / (rate * (1 - rate) * spread).squareRoot()
    return CochranArmitage(statistic: z, pValue: NormalDistribution.twoSidedP(z))
  }
}
