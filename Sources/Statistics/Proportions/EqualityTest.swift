// Tests of two rates: equality, and non-inferiority.

/// Pooled z, or Fisher's mid-p if an expected cell is below 5.
public struct EqualityTest: Sendable {
  public enum Method: String, Sendable {
    case z
    case fisherMidP = "fisher_mid_p"
  }

  public let method: Method
  public let pValue: Double
  /// Kept also if `pValue` is below the smallest double.
  public let log10PValue: Double
  /// False if in both arms all users, or no users, had the outcome; `pValue` is then 1 and the method `z`.
  public let hasInformation: Bool

  /// The two-sided test of equal rates; nil if either has no trials.
  public static func primary(_ first: BinomialSample, _ second: BinomialSample) -> EqualityTest? {
    guard let z = PooledZ.test(first, second) else { return nil }
    guard z.hasInformation, smallestExpectedCell(first, second) < 5, let exact = FisherExact.test(first, second) else {
      return EqualityTest(method: .z, pValue: z.pValue, log10PValue: z.log10PValue, hasInformation: z.hasInformation)
    }
    return EqualityTest(method: .fisherMidP, pValue: exact.midP, log10PValue: exact.log10MidP, hasInformation: true)
  }

  /// The smallest of the four expected counts under equal rates.
  static func smallestExpectedCell(_ first: BinomialSample, _ second: BinomialSample) -> Double {
    let both = first + second
    let column = Double(min(both.successes, both.failures))
    return column * (Double(min(first.trials, second.trials)) / Double(both.trials))
  }
}

/// The pooled z-test of equal rates.
///
/// z = (p̂₁ − p̂₂)/√(p̄(1 − p̄)(1/n₁ + 1/n₂)), p = erfc(|z|/√2), never 2(1 − Φ). It is the score test, dual to the
/// Miettinen–Nurminen interval up to the factor N/(N − 1).
public struct PooledZ: Sendable, Hashable {
  public let z: Double
  public let pValue: Double
  public let log10PValue: Double
  /// False if all users, or no users, had the outcome: z is 0 and p is 1 by convention.
  public let hasInformation: Bool

  /// nil if either has no trials.
  public static func test(_ first: BinomialSample, _ second: BinomialSample) -> PooledZ? {
    guard let difference = BinomialSample.exactDifference(first, second) else { return nil }
    let both = first + second
    guard both.successes > 0, both.failures > 0, let pooled = both.rate, let failing = both.complement.rate else {
      return PooledZ(z: 0, pValue: 1, log10PValue: 0, hasInformation: false)
    }
    let variance = pooled * failing * (1 / Double(first.trials) + 1 / Double(second.trials))
    let z = difference / variance.squareRoot()
    return PooledZ(
      z: z, pValue: NormalDistribution.twoSidedP(z), log10PValue: min(0, NormalDistribution.log10TwoSidedP(z)),
      hasInformation: true)
  }
}

/// The score test of H₀: rate(first) − rate(second) ≤ margin, for a margin below 0.
///
/// z = (d̂ − margin)/√V(margin), V Miettinen and Nurminen's variance (C. P. Farrington and G. Manning, Statistics in
/// Medicine 9 (1990) 1447, without N/(N − 1)). p ≤ α exactly if the two-sided 1 − 2α interval starts at the margin
/// or above it.
public struct NonInferiority: Sendable, Hashable {
  public let z: Double
  public let oneSidedP: Double

  /// Nil if either has no trials, the margin is outside (−1, 1), or the variance at the margin is 0.
  public static func test(_ first: BinomialSample, _ second: BinomialSample, margin: Double) -> NonInferiority? {
    guard abs(margin) < 1, let difference = BinomialSample.exactDifference(first, second),
      let variance = MiettinenNurminen.restrictedVariance(first, second, difference: margin), variance > 0
    else { return nil }
    let z = (difference - margin) / variance.squareRoot()
    return NonInferiority(z: z, oneSidedP: NormalDistribution.upperTail(z))
  }

  /// The state of a guardrail by the interval of the difference. "Not significant" is never `safe`.
  public enum State: String, Sendable {
    /// The whole interval is above the margin.
    case safe
    /// The whole interval is below the margin.
    case harmed
    /// The whole interval is below 0, but the margin is inside it.
    case worse
    case undecided
  }

  /// `margin` is below 0: the loss that is tolerated.
  public static func state(_ interval: Interval, margin: Double) -> State {
    if interval.low > margin { return .safe }
    if interval.high < margin { return .harmed }
    return interval.high < 0 ? .worse : .undecided
  }
}

// MARK: Do several groups share one rate?

/// Pearson's chi-square test of independence of a table of counts, without a correction for continuity.
///
/// K. Pearson, Philosophical Magazine 50 (1900) 157; A. Agresti, "Categorical Data Analysis" (3rd ed. 2013), 3.2.
public struct PearsonChiSquare: Sendable, Hashable {
  /// Σ(O − E)²/E.
  public let statistic: Double
  public let degreesOfFreedom: Int
  /// The upper tail.
  public let pValue: Double
  /// The smallest expected count: below 5, the p-value is rough.
  public let leastExpected: Double

  /// The test that groups have the same distribution: `table[g]` holds the counts of group g.
  ///
  /// Empty groups and columns are left out; nil if fewer than two of either remain, or if the table is not rectangular.
  public static func independence(_ table: [[Int]]) -> PearsonChiSquare? {
    guard let width = table.first?.count, table.allSatisfy({ $0.count == width && $0.allSatisfy { $0 >= 0 } }) else {
      return nil
    }
    let rows = table.map { $0.reduce(0.0) { $0 + Double($1) } }
    let columns = (0..<width).map { column in table.reduce(0.0) { $0 + Double($1[column]) } }
    let total = rows.reduce(0, +)
    let freedom = (rows.filter { $0 > 0 }.count - 1) * (columns.filter { $0 > 0 }.count - 1)
    guard freedom > 0 else { return nil }
    var statistic = 0.0
    var least = Double.infinity
    for (row, counts) in table.enumerated() where rows[row] > 0 {
      for (column, count) in counts.enumerated() where columns[column] > 0 {
        let expected = rows[row] * (columns[column] / total)
        statistic += (Double(count) - expected) * (Double(count) - expected) / expected
        least = min(least, expected)
      }
    }
    return PearsonChiSquare(
      statistic: statistic, degreesOfFreedom: freedom,
      pValue: ChiSquareDistribution.upperTail(statistic, degreesOfFreedom: freedom), leastExpected: least)
  }

  /// The test that samples have the same rate; nil for fewer than two samples with trials, or if no trials or all
  /// trials succeeded.
  public static func equalRates(_ samples: [BinomialSample]) -> PearsonChiSquare? {
    independence(samples.map { [$0.successes, $0.trials - $0.successes] })
  }
}

// MARK: Does a rate rise or fall along ordered groups?

/// The Cochran–Armitage test for a linear trend of rates, with the groups' indices as scores, without a correction for
/// continuity.
///
/// W. G. Cochran, Biometrics 10 (1954) 417; P. Armitage, Biometrics 11 (1955) 375; A. Agresti, "Categorical Data
/// Analysis" (3rd ed. 2013), 5.3.5.
public struct CochranArmitage: Sendable, Hashable {
  /// z: above 0 if the rate rises.
  public let statistic: Double
  /// Of no trend, two-sided.
  public let pValue: Double

  /// The test of groups in their order; an empty group keeps its index. Nil for fewer than two groups with trials, or
  /// if no trials or all trials succeeded.
  public static func trend(_ groups: [BinomialSample]) -> CochranArmitage? {
    var (trials, successes) = (0.0, 0.0)
    for group in groups {
      trials += Double(group.trials)
      successes += Double(group.successes)
    }
    guard groups.count(where: { $0.trials > 0 }) > 1, successes > 0, successes < trials else { return nil }
    let rate = successes / trials
    let mean = groups.enumerated().reduce(0.0) { $0 + Double($1.offset) * Double($1.element.trials) } / trials
    // Scores minus their mean, so that large counts do not cancel.
    var (excess, spread) = (0.0, 0.0)
    for (index, group) in groups.enumerated() {
      let score = Double(index) - mean
      excess += score * (Double(group.successes) - Double(group.trials) * rate)
      spread += score * score * Double(group.trials)
    }
    let z = excess / (rate * (1 - rate) * spread).squareRoot()
    return CochranArmitage(statistic: z, pValue: NormalDistribution.twoSidedP(z))
  }
}
