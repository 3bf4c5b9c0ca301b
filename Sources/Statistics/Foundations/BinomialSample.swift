// Successes among trials: the sufficient statistic of a rate.

/// A count of successes among trials.
@frozen
public struct BinomialSample: Sendable, Hashable {
  public let successes: Int
  public let trials: Int

  /// Throws `StatisticsError.countsOutOfRange` unless 0 ≤ successes ≤ trials.
  public init(successes: Int, trials: Int) throws(StatisticsError) {
    guard successes >= 0, successes <= trials else { throw .countsOutOfRange(successes: successes, trials: trials) }
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

  /// p̂(1 − p̂) of a sample with trials.
  var spread: Double { Double(successes) / Double(trials) * (Double(failures) / Double(trials)) }

  /// Wald's variance of the rate of a sample with trials, p̂(1 − p̂)/n.
  var waldVariance: Double { spread / Double(trials) }

  /// The same trials with the outcome's meaning turned round.
  public var complement: BinomialSample { BinomialSample(unchecked: failures, trials: trials) }

  /// The two samples taken together. Sums past `Int.max` stay at `Int.max`.
  public static func + (left: BinomialSample, right: BinomialSample) -> BinomialSample {
    BinomialSample(unchecked: left.successes.clampedSum(right.successes), trials: left.trials.clampedSum(right.trials))
  }

  public static func += (left: inout BinomialSample, right: BinomialSample) { left = left + right }

  public static var empty: BinomialSample { BinomialSample(unchecked: 0, trials: 0) }
}

extension Int {
  /// The whole part, clamped to the range; 0 for NaN.
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

// MARK: A closed interval of real numbers

/// A confidence or credible interval. `high` is infinite if there is no upper limit.
public struct Interval: Sendable, Hashable {
  public var low: Double
  public var high: Double

  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// centre ± reach.
  init(_ centre: Double, plusMinus reach: Double) { self.init(low: centre - reach, high: centre + reach) }

  /// ratio ×/÷ factor, for intervals on the scale of the logarithm.
  init(_ ratio: Double, timesOrOver factor: Double) { self.init(low: ratio / factor, high: ratio * factor) }

  /// Whether the value is inside, ends included.
  public func contains(_ value: Double) -> Bool { low <= value && value <= high }
}

// MARK: The reasons for which this library declines to give a number

/// Why an input was not accepted, or why a number is not given.
///
/// Every case carries the facts that explain the refusal, and `sentence` is its text in plain English.
public enum StatisticsError: Error, Sendable, Hashable {
  /// Successes have to be at least 0 and at most the trials.
  case countsOutOfRange(successes: Int, trials: Int)
  case negativeCount(Int)
  /// A probability, a confidence or an alpha that must be strictly between 0 and 1.
  case notAProbability(name: String, value: Double)
  /// A quantity that has to be finite and above zero.
  case notPositive(name: String, value: Double)
  case notFinite(name: String)
  /// Two lists that have to be of one length.
  case lengthsDiffer(Int, Int)
  /// Fewer observations than the method needs.
  case tooFew(name: String, have: Int, need: Int)
  /// More of something than the method is built for.
  case tooMany(name: String, have: Int, most: Int)
  /// All weights of a split are zero.
  case noWeight
  /// An arm has users, but the split gives it none; arms count from 0.
  case unexpectedArm(index: Int, observed: Int)
  /// Information fractions of the looks have to rise, above 0 and at most 1; the look counts from 0.
  case looksNotRising(index: Int)
  /// There is no variance, so no scale is known.
  case noVariance
  /// The quantile's neighbourhood leaves the sample; `need` observations would hold it.
  case quantileOutsideSample(have: Int, need: Int)

  /// The refusal in plain English.
  public var sentence: String {
    switch self {
    case .countsOutOfRange(let successes, let trials): "\(successes) successes in \(trials) trials are not possible."
    case .negativeCount(let count): "A count cannot be \(count)."
    case .notAProbability(let name, let value): "\(name) must be between 0 and 1, both excluded; it is \(value)."
    case .notPositive(let name, let value): "\(name) has to be above 0; it is \(value)."
    case .notFinite(let name): "\(name) has to be finite."
    case .lengthsDiffer(let first, let second):
      "The lists must have the same length; they have \(first) and \(second) elements."
    case .tooFew(let name, let have, let need): "There are \(have) \(name); at least \(need) are needed."
    case .tooMany(let name, let have, let most): "There are \(have) \(name); at most \(most) are allowed."
    case .noWeight: "The weights of the split are all zero."
    case .unexpectedArm(let index, let observed): "Arm \(index + 1) has \(observed) users, but the split gives it none."
    case .looksNotRising(let index): "Look \(index + 1) must be after the previous look, above 0 and at most 1."
    case .noVariance: "The observations do not vary."
    case .quantileOutsideSample(let have, let need):
      "\(have) observations are too few for this quantile's interval; \(need) are needed."
    }
  }
}

extension StatisticsError: CustomStringConvertible {
  public var description: String { sentence }
}
