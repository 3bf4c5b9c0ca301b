// Boundaries for a declared number of looks.

/// A group-sequential design: two-sided boundaries at declared looks.
///
/// By the recursion of `SequentialBoundaries`. Five O'Brien–Fleming looks at 0.05 give 4.8769, 3.3570, 2.6803, 2.2898,
/// 2.0310, as published.
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

  /// More equal looks than anybody declares; it bounds memory and time.
  public static let mostLooks = 10_000

  /// One for each look.
  public let boundaries: [Boundary]
  public let alpha: Double
  private let path: SequentialBoundaries

  /// `fractions`: information at the looks over that planned, rising, above 0 and, `AlphaSpending.open` excepted, at most
  /// 1.
  public init(fractions: [Double], alpha: Double = 0.05, spending: AlphaSpending) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    guard !fractions.isEmpty else { throw .tooFew(name: "looks", have: 0, need: 1) }
    var path = try SequentialBoundaries(alpha: alpha, spending: spending)
    let end: Double = if case .open = spending { .greatestFiniteMagnitude } else { 1 }
    for (index, fraction) in fractions.enumerated() {
      let previous = index == 0 ? 0 : fractions[index - 1]
      guard fraction > previous, fraction <= end else { throw .looksNotRising(index: index) }
    }
    self.alpha = alpha
    boundaries = fractions.map { fraction in
      let look = path.advance(to: fraction)
      return Boundary(
        fraction: fraction, bound: look.bound, cumulativeAlpha: look.cumulativeAlpha,
        nominalP: NormalDistribution.twoSidedP(look.bound))
    }
    self.path = path
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
  public func crossingProbability(drift: Double) -> Double { path.crossingProbability(drift: drift) }
}
