// What is said of the size of a difference at the look that found it.

import Statistics

public struct StoppedSizes: Sendable {
  public let shape: DailyCounts
  public let tests: Int
  public let seed: UInt64

  public init(_ shape: DailyCounts, tests: Int, seed: UInt64) {
    (self.shape, self.tests, self.seed) = (shape, tests, seed)
  }

  /// Shares are of the tests that decided, but for `decided`, which is of all; differences are shares of 1.
  public struct Sizes: Sendable {
    public let decided: Double
    /// Means of the raw difference at the decision and of the estimate.
    public let meanRaw, meanEstimate: Double
    /// Of all tests: those whose estimate is below the true difference, and those that did not decide.
    public let below: Double
    /// Whose stage-wise interval has the true difference.
    public let covered: Double
  }

  /// The rule without a plan, read every day from the seventh on.
  public func run() throws -> Sizes {
    var numbers = SeededNumbers(seed: seed)
    let rule = try shape.unplannedRule()
    var found: [(raw: Double, estimate: Double, interval: Interval)] = []
    for _ in 0..<tests {
      let days = try shape.draw(&numbers)
      let path = try rule.path(days + [days[shape.days - 1].certain()], firstLook: DailyCounts.firstLook - 1)
      guard let crossing = path.crossing, path.looks[crossing].day < shape.days else { continue }
      let day = days[path.looks[crossing].day]
      guard let raw = BinomialSample.exactDifference(day.b, day.a),
        let estimate = path.estimate?.difference(day.b, day.a)
      else { continue }
      found.append((raw, estimate.value, estimate.interval))
    }
    let count = Double(found.count)
    func mean(_ value: (Int) -> Double) -> Double { found.indices.reduce(0) { $0 + value($1) } / max(1, count) }
    return Sizes(
      decided: count / Double(tests), meanRaw: mean { found[$0].raw }, meanEstimate: mean { found[$0].estimate },
      // Who has not decided by the end will say less than those who did: its estimate is below.
      below: (mean { found[$0].estimate < shape.effect ? 1 : 0 } * count + Double(tests) - count) / Double(tests),
      covered: mean { found[$0].interval.contains(shape.effect) ? 1 : 0 })
  }

  /// The share of the tests that decided.
  public func decided() throws -> Double {
    var numbers = SeededNumbers(seed: seed)
    let rule = try shape.unplannedRule()
    let decided = try (0..<tests).count { _ in
      let days = try shape.draw(&numbers)
      let path = try rule.path(days + [days[shape.days - 1].certain()], firstLook: DailyCounts.firstLook - 1)
      return path.crossing.map { path.looks[$0].day < shape.days } ?? false
    }
    return Double(decided) / Double(tests)
  }
}
