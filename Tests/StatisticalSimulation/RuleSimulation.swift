// Rules of decision side by side, on the same experiments.

import Statistics

/// A way to decide that is looked at every day from the seventh on.
public enum DecisionRule: Sendable {
  /// Open-ended looks; t = 1 at the planned users, error spent α tʳ/(1 + tʳ).
  case daily(plannedUsers: Int, exponent: Double)
  /// The asymptotic confidence sequence, with its gate.
  case alwaysValid(plannedUsers: Int)
}

/// What one rule did in many experiments of one shape.
public struct RuleOutcome: Sendable {
  /// By experiment: the day of the first crossing, if there was one.
  public internal(set) var crossings: [Int?] = []
  /// Crossed first on the side of the worse message, or on any side without an effect.
  public internal(set) var wrong = 0
  /// Winners of the first kind: ten looks, each decided by its present interval alone.
  public internal(set) var seen = 0
  /// Of these, how many had no winner at a later one of the ten looks.
  public internal(set) var takenBack = 0

  public var tests: Int { crossings.count }

  /// The share that crossed by the end of a day.
  public func power(by day: Int) -> Double {
    Double(crossings.count { $0.map { $0 <= day } ?? false }) / Double(tests)
  }

  /// Days to the decision; who had none counts with all days.
  public func meanDays(of days: Int) -> Double {
    Double(crossings.reduce(0) { $0 + ($1 ?? days) }) / Double(tests)
  }
}

public struct RuleSimulation: Sendable {
  /// The ten looks of Scripts/simulate-decisions.
  static let looks = Array(stride(from: 6, through: 60, by: 6))

  public let shape: DailyCounts
  public let tests: Int
  public let seed: UInt64

  public init(_ shape: DailyCounts, tests: Int, seed: UInt64) {
    self.shape = shape
    self.tests = tests
    self.seed = seed
  }

  /// All rules see the same experiments.
  public func run(_ rules: [DecisionRule]) throws -> [RuleOutcome] {
    var numbers = SeededNumbers(seed: seed)
    let readers = try rules.map { try Reader($0, shape) }
    var outcomes = rules.map { _ in RuleOutcome() }
    for _ in 0..<tests {
      let days = try shape.draw(&numbers)
      for (place, reader) in readers.enumerated() {
        let sides = (1...shape.days).map { $0 < DailyCounts.firstLook ? 0 : reader.side(days[$0 - 1], $0) }
        outcomes[place].add(sides, effect: shape.effect)
      }
    }
    return outcomes
  }

  /// In how many experiments the default rule's own path of looks crosses on another day, or on another side, than the boundaries
  /// that are worked out once.
  public func disagreements() throws -> Int {
    var numbers = SeededNumbers(seed: seed)
    let rule = try shape.unplannedRule()
    let reader = try Reader(.daily(plannedUsers: rule.plannedUsers, exponent: rule.exponent), shape)
    return try (0..<tests).count { _ in
      let days = try shape.draw(&numbers)
      let path = try rule.path(days, firstLook: DailyCounts.firstLook - 1)
      let expected = (DailyCounts.firstLook...shape.days).first { reader.side(days[$0 - 1], $0) != 0 }
      guard let crossing = path.crossing else { return expected != nil }
      let look = path.looks[crossing]
      guard let expected, look.day == expected - 1 else { return true }
      return reader.side(days[expected - 1], expected) != (look.isHigher ? 1 : -1)
    }
  }
}

extension RuleOutcome {
  /// - Parameter sides: by day, whether the present interval lies above 0 (1), below (−1) or on both sides (0).
  mutating func add(_ sides: [Int], effect: Double) {
    let first = sides.firstIndex { $0 != 0 }
    crossings.append(first.map { $0 + 1 })
    if let first, Double(sides[first]) * effect <= 0 { wrong += 1 }
    let read = RuleSimulation.looks.filter { $0 <= sides.count }.map { sides[$0 - 1] }
    guard let win = read.firstIndex(where: { $0 != 0 }) else { return }
    seen += 1
    if read[win...].contains(where: { $0 != read[win] }) { takenBack += 1 }
  }
}

/// A rule with all that does not depend on the outcomes worked out once: as many users come every day, so the boundaries
/// are the same in every experiment.
private struct Reader {
  private let sequence: AsymptoticConfidenceSequence?
  private var bounds: [Double] = []

  init(_ rule: DecisionRule, _ shape: DailyCounts) throws {
    switch rule {
    case .alwaysValid(let planned): sequence = try AsymptoticConfidenceSequence(plannedUsers: planned)
    case .daily(let planned, let exponent):
      sequence = nil
      bounds = try shape.boundaries(plannedUsers: planned, exponent: exponent).map(\.bound)
    }
  }

  func side(_ arms: ArmsAtLook, _ day: Int) -> Int {
    if let sequence {
      guard case .success(let statement) = sequence.evaluate(arms.b, arms.a) else { return 0 }
      return statement.interval.low > 0 ? 1 : statement.interval.high < 0 ? -1 : 0
    }
    let z = MiettinenNurminen.scoreAtZero(arms.b, arms.a) ?? 0
    let bound = bounds[day - DailyCounts.firstLook]
    return z >= bound ? 1 : z <= -bound ? -1 : 0
  }
}

extension DailyCounts {
  /// Of the days from the seventh on.
  func boundaries(plannedUsers: Int, exponent: Double) throws -> [SequentialBoundaries.Boundary] {
    var boundaries = try SequentialBoundaries(spending: .open(exponent: exponent))
    return try (Self.firstLook...days).map { try boundaries.look(at: Double(users($0)) / Double(plannedUsers)) }
  }

  /// The chance to have crossed by the end of each day, from the first on, exactly for a normal z.
  public func exactPower(plannedUsers: Int, exponent: Double) throws -> [Double] {
    let drift = drift(plannedUsers: plannedUsers)
    var boundaries = try SequentialBoundaries(spending: .open(exponent: exponent))
    return try (1...days).map { day in
      guard day >= Self.firstLook else { return 0 }
      _ = try boundaries.look(at: Double(users(day)) / Double(plannedUsers))
      return boundaries.crossingProbability(drift: drift)
    }
  }
}

extension RuleOutcome {
  /// The first of some days by whose end the share that crossed is over three standard errors off the exact one; nil if none is.
  public func disagreement(with exact: [Double]) -> Int? {
    [DailyCounts.firstLook, 20, DailyCounts.horizonDay, 50, 70].first { day in
      guard exact.indices.contains(day - 1) else { return false }
      let share = exact[day - 1]
      let error = (share * (1 - share) / Double(tests)).squareRoot()
      return abs(power(by: day) - share) > 3 * error + 1 / Double(tests)
    }
  }
}
