// A number with its interval, as the figures carry it.

import Statistics

/// A value with its 95 % interval; the bounds are nil if there is no interval.
public struct Estimate: Sendable, Hashable {
  public internal(set) var value: Double
  public internal(set) var low: Double?
  public internal(set) var high: Double?

  public init(_ value: Double, _ interval: Interval? = nil) {
    self.init(value, low: interval?.low, high: interval?.high)
  }

  public init(_ value: Double, low: Double?, high: Double?) {
    self.value = value
    self.low = low
    self.high = high
  }

  /// A value with its normal interval.
  init(_ value: Double, standardError: Double) {
    let reach = 1.959963984540054 * standardError
    self.init(value, low: value - reach, high: value + reach)
  }

  /// A rate with its Wilson interval; nil if the denominator is 0.
  static func rate(_ successes: Int, _ trials: Int) -> Estimate? {
    guard let sample = try? BinomialSample(successes: successes, trials: trials), let rate = sample.rate else {
      return nil
    }
    return Estimate(rate, Wilson.interval(sample))
  }

  /// The difference of two rates, first minus second, with its Miettinen-Nurminen interval.
  package static func difference(_ first: (Int, Int), _ second: (Int, Int)) -> Estimate? {
    guard let a = try? BinomialSample(successes: first.0, trials: first.1),
      let b = try? BinomialSample(successes: second.0, trials: second.1)
    else { return nil }
    return difference(a, b)
  }

  /// The difference of two rates, first minus second, with its Miettinen-Nurminen interval; nil without trials.
  static func difference(_ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95) -> Estimate? {
    guard let rateA = first.rate, let rateB = second.rate else { return nil }
    return Estimate(rateA - rateB, MiettinenNurminen.differenceInterval(first, second, confidence: confidence))
  }
}
