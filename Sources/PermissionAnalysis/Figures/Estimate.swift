// A number with its interval, as the figures carry it.

import Statistics

/// A value with its 95 % interval; the bounds are nil where there is no interval.
package struct Estimate: Sendable, Hashable {
  package var value: Double
  package var low: Double?
  package var high: Double?

  package init(_ value: Double, _ interval: Interval? = nil) {
    self.value = value
    low = interval?.low
    high = interval?.high
  }

  /// A rate with its Wilson interval; nil where the denominator is 0.
  static func rate(_ successes: Int, _ trials: Int) -> Estimate? {
    guard let sample = try? BinomialSample(successes: successes, trials: trials), let rate = sample.rate else {
      return nil
    }
    return Estimate(rate, Wilson.interval(sample))
  }

  /// The difference of two rates, first minus second, with its Miettinen-Nurminen interval.
  static func difference(_ first: (Int, Int), _ second: (Int, Int)) -> Estimate? {
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
