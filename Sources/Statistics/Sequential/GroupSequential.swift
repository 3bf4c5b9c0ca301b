// Boundaries for a declared number of looks.

/// A group-sequential design: two-sided boundaries at declared looks.
///
/// The joint density of the statistic over the looks by the recursion of P. Armitage, C. K. McPherson and B. C. Rowe
/// (JRSS A 132 (1969) 235) on Gauss–Legendre panels no wider than two standard deviations of the next step. Five
/// O'Brien–Fleming looks at 0.05 give 4.8769, 3.3570, 2.6803, 2.2898, 2.0310, as published.
public struct GroupSequential: Sendable {
  /// What a look stops at.
  public struct Boundary: Sendable, Hashable {
    /// Share of the planned information.
    public let fraction: Double
    /// Stop if |z| reaches this; infinite if no error is spent at this look.
    public let bound: Double
    /// Error spent up to here.
    public let cumulativeAlpha: Double
    /// The two-sided p-value that the bound stands for.
    public let nominalP: Double
  }

  /// More looks than anybody declares; the work grows with the square of the steps' fineness.
  public static let mostLooks = 200

  /// One for each look.
  public let boundaries: [Boundary]
  public let alpha: Double

  /// `fractions`: information at the looks over that planned, rising, above 0 and at most 1.
  public init(fractions: [Double], alpha: Double = 0.05, spending: AlphaSpending) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    guard !fractions.isEmpty else { throw .tooFew(name: "looks", have: 0, need: 1) }
    guard fractions.count <= Self.mostLooks else {
      throw .tooMany(name: "looks", have: fractions.count, most: Self.mostLooks)
    }
    if case .power(let exponent) = spending, !(exponent > 0) {
      throw .notPositive(name: "spending exponent", value: exponent)
    }
    for (index, fraction) in fractions.enumerated() {
      let previous = index == 0 ? 0 : fractions[index - 1]
      guard fraction > previous, fraction <= 1 else { throw .looksNotRising(index: index) }
    }
    self.alpha = alpha
    var boundaries: [Boundary] = []
    var path = SequentialPath(drift: 0)
    var spent = 0.0
    for (index, fraction) in fractions.enumerated() {
      let cumulative = spending.spent(fraction, alpha: alpha)
      let bound = path.bound(at: fraction, crossing: max(0, cumulative - spent))
      let next = index + 1 < fractions.count ? fractions[index + 1] - fraction : fraction
      path.advance(to: fraction, bound: bound, nextStep: next)
      boundaries.append(
        Boundary(
          fraction: fraction, bound: bound, cumulativeAlpha: cumulative,
          nominalP: NormalDistribution.twoSidedP(bound)))
      spent = cumulative
    }
    self.boundaries = boundaries
  }

  /// `count` looks at equal steps. Throws for fewer than one.
  public init(equalLooks count: Int, alpha: Double = 0.05, spending: AlphaSpending) throws(StatisticsError) {
    guard count > 0 else { throw .tooFew(name: "looks", have: count, need: 1) }
    guard count <= Self.mostLooks else { throw .tooMany(name: "looks", have: count, most: Self.mostLooks) }
    let fractions = (1...count).map { Double($0) / Double(count) }
    try self.init(fractions: fractions, alpha: alpha, spending: spending)
  }

  /// The repeated confidence interval of a difference at a look (from 0): d̂ ± bound · SE. nil without such a look.
  public func interval(difference: Double, standardError: Double, look: Int) -> Interval? {
    guard boundaries.indices.contains(look) else { return nil }
    return Interval(difference, plusMinus: boundaries[look].bound * standardError)
  }

  /// The chance that any look crosses its bound, if the statistic at full information has this mean.
  public func crossingProbability(drift: Double) -> Double {
    var path = SequentialPath(drift: drift)
    var crossed = 0.0
    for (index, look) in boundaries.enumerated() {
      crossed += path.crossing(at: look.fraction, bound: look.bound)
      let next = index + 1 < boundaries.count ? boundaries[index + 1].fraction - look.fraction : look.fraction
      path.advance(to: look.fraction, bound: look.bound, nextStep: next)
    }
    return min(1, crossed)
  }
}

/// A spending function α*(t) of a two-sided error, t the share of the planned information.
public enum AlphaSpending: Sendable, Hashable {
  /// 4(1 − Φ(z_{1 − α/4}/√t)): hardly anything early. Source: K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659.
  case obrienFleming
  /// α ln(1 + (e − 1)t): nearly even. The same source.
  case pocock
  /// α tᵠ for the exponent φ > 0. Source: K. Kim and D. L. DeMets, Biometrika 74 (1987) 149.
  case power(Double)

  /// The error spent by the share `t`, 0 at 0 and α at 1.
  public func spent(_ t: Double, alpha: Double) -> Double {
    if t <= 0 { return 0 }
    if t >= 1 { return alpha }
    switch self {
    case .obrienFleming:
      let z = -NormalDistribution.quantile(alpha / 4)
      return 4 * NormalDistribution.upperTail(z / t.squareRoot())
    case .pocock:
      return alpha * Elementary.log1p(1.718281828459045235 * t)
    case .power(let exponent):
      return alpha * Elementary.exp(max(0, exponent) * Elementary.log(t))
    }
  }
}
