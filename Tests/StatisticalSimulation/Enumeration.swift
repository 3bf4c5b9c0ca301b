// Exact probabilities of what an interval or a test does, by going over all tables of two arms.

import Foundation
import Statistics

/// Two arms with their true rates.
public struct TwoArms: Sendable {
  public var control: (users: Int, rate: Double)
  public var treatment: (users: Int, rate: Double)

  public init(control: (users: Int, rate: Double), treatment: (users: Int, rate: Double)) {
    self.control = control
    self.treatment = treatment
  }

  public var difference: Double { treatment.rate - control.rate }
  public var ratio: Double { treatment.rate / control.rate }

  /// The probability that a condition holds of (treatment, control); tables of less than 1e-12 are left out of an arm.
  public func probability(_ holds: (BinomialSample, BinomialSample) -> Bool) throws -> Double {
    let first = Self.masses(treatment)
    let second = Self.masses(control)
    var total = 0.0
    for (x1, p1) in first {
      let a = try BinomialSample(successes: x1, trials: treatment.users)
      for (x2, p2) in second where holds(a, try BinomialSample(successes: x2, trials: control.users)) {
        total += p1 * p2
      }
    }
    return total
  }

  private static func masses(_ arm: (users: Int, rate: Double)) -> [(Int, Double)] {
    let n = Double(arm.users)
    return (0...arm.users).compactMap { x in
      let k = Double(x)
      var log = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
      if x > 0 { log += k * Foundation.log(arm.rate) }
      if x < arm.users { log += (n - k) * log1p(-arm.rate) }
      let mass = exp(log)
      return mass > 1e-12 ? (x, mass) : nil
    }
  }
}

/// Coverage of nominal 95 % intervals.
public enum Coverage {
  /// The grid that docs/statistics.md lists: users of control and treatment, and their rates.
  public static let grid: [TwoArms] = {
    let sizes = [(50, 50), (100, 100), (200, 200), (100, 300)]
    let rates = [(0.02, 0.05), (0.1, 0.1), (0.1, 0.2), (0.3, 0.35), (0.5, 0.5), (0.5, 0.6), (0.6, 0.9), (0.9, 0.95)]
    return sizes.flatMap { n in
      rates.map { TwoArms(control: (n.0, $0.0), treatment: (n.1, $0.1)) }
    }
  }()

  public static func miettinenNurminen(_ arms: TwoArms) throws -> Double {
    try arms.probability { MiettinenNurminen.differenceInterval($0, $1)?.contains(arms.difference) == true }
  }

  /// Rates from 1 to 99 % in steps of 7, each with each: the least, the mean and the greatest coverage.
  public static func range(
    users: Int, _ coverage: (TwoArms) throws -> Double
  ) throws -> (least: Double, mean: Double, greatest: Double) {
    let rates = stride(from: 0.01, through: 0.995, by: 0.07)
    let all = try rates.flatMap { p in
      try rates.map { q in try coverage(TwoArms(control: (users, p), treatment: (users, q))) }
    }
    return (all.min() ?? 0, all.reduce(0, +) / Double(max(1, all.count)), all.max() ?? 0)
  }

  public static func miettinenNurminenRatio(_ arms: TwoArms) throws -> Double {
    try arms.probability { MiettinenNurminen.ratioInterval($0, $1)?.contains(arms.ratio) == true }
  }

  public static func newcombe(_ arms: TwoArms) throws -> Double {
    try arms.probability { Newcombe.differenceInterval($0, $1)?.contains(arms.difference) == true }
  }

  public static func katz(_ arms: TwoArms) throws -> Double {
    try arms.probability { Katz.ratioInterval($0, $1)?.interval.contains(arms.ratio) == true }
  }

  /// p̂ ± 1.96 of the unpooled error, as many products have it; no variance is no interval.
  public static func wald(_ arms: TwoArms) throws -> Double {
    try arms.probability { first, second in
      guard let p = first.rate, let q = second.rate else { return false }
      let error = (p * (1 - p) / Double(first.trials) + q * (1 - q) / Double(second.trials)).squareRoot()
      return error > 0 && abs(p - q - arms.difference) <= 1.959963984540054 * error
    }
  }
}
