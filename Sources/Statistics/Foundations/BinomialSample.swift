// Successes among trials: the sufficient statistic of a rate.

/// A count of successes among trials.
@frozen
public struct BinomialSample: Sendable, Hashable {
  public let successes: Int
  public let trials: Int

  /// Throws `StatisticsError.countsOutOfRange` unless 0 ≤ successes ≤ trials.
  public init(successes: Int, trials: Int) throws(StatisticsError) {
    guard successes >= 0, successes <= trials else {
      throw .countsOutOfRange(successes: successes, trials: trials)
    }
    self.successes = successes
    self.trials = trials
  }

  private init(unchecked successes: Int, trials: Int) {
    self.successes = successes
    self.trials = trials
  }

  /// Successes over trials; nil for no trials.
  public var rate: Double? { trials == 0 ? nil : Double(successes) / Double(trials) }

  public var failures: Int { trials - successes }

  /// The same trials with the outcome's meaning turned round.
  public var complement: BinomialSample { BinomialSample(unchecked: failures, trials: trials) }

  /// The two samples taken together. Sums past `Int.max` stay at `Int.max`.
  public static func + (left: BinomialSample, right: BinomialSample) -> BinomialSample {
    BinomialSample(
      unchecked: left.successes.clampedSum(right.successes),
      trials: left.trials.clampedSum(right.trials)
    )
  }

  public static func += (left: inout BinomialSample, right: BinomialSample) { left = left + right }

  /// No trials.
  public static var empty: BinomialSample { BinomialSample(unchecked: 0, trials: 0) }
}

extension Int {
  /// The whole part, kept inside the range; 0 for what is not a number.
  init(clamped value: Double) {
    if value.isNaN {
      self = 0
    } else {
      self = value >= 0x1p62 ? .max : value <= -0x1p62 ? .min : Int(value)
    }
  }

  /// The sum, kept at the end of the range if it would leave it.
  func clampedSum(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return self < 0 ? .min : .max
  }
}

extension BinomialSample {
  /// rate(first) − rate(second) from integer cross products, so that close rates lose no digits; nil without trials.
  public static func exactDifference(_ first: BinomialSample, _ second: BinomialSample) -> Double? {
    guard first.trials > 0, second.trials > 0 else { return nil }
    let cross =
      Int128(first.successes) * Int128(second.trials) - Int128(second.successes) * Int128(first.trials)
    return Double(cross) / Double(first.trials) / Double(second.trials)
  }
}
