// How often a rule finds a winner when there is none, if the data are looked at again and again.

import Statistics

/// One A/A (or A/B) test after another, looked at while users come.
public struct Peeking: Sendable {
  public enum Rule: String, CaseIterable, Sendable {
    /// The always-valid sequence, with its gate.
    case alwaysValid = "always valid"
    /// The pooled z-test at 5 %.
    case naive = "p < 0.05"
    /// P(B > A) above 95 % or below 5 %.
    case bayes = "P(B > A) beyond 95 %"
    /// O'Brien–Fleming bounds at as many looks as are made, at most 20.
    case looks = "declared looks"
    /// The one-sided sequence of a guardrail whose true loss is the margin: it says safe.
    case guardrail = "guardrail safe at the margin"
  }

  public var tests: Int
  public var looks: Int
  /// Of both arms together at each look.
  public var usersALook: Int
  public var rate: Double
  /// B's rate minus A's.
  public var difference = 0.0
  public var seed: UInt64

  public init(tests: Int, looks: Int, usersALook: Int, rate: Double, seed: UInt64) {
    self.tests = tests
    self.looks = looks
    self.usersALook = usersALook
    self.rate = rate
    self.seed = seed
  }

  public var users: Int { looks * usersALook }

  /// The share of tests in which each rule ever found a winner.
  public func winners(_ rules: [Rule]) throws -> [Rule: Double] {
    var numbers = SeededNumbers(seed: seed)
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: users)
    let oneSided = try AsymptoticConfidenceSequence(plannedUsers: users, alpha: 0.05)
    let design = rules.contains(.looks) ? try GroupSequential(equalLooks: looks, spending: .obrienFleming) : nil
    var found: [Rule: Int] = [:]
    for _ in 0..<tests {
      var a = 0
      var b = 0
      var winners: Set<Rule> = []
      for look in 1...looks {
        let step = usersALook / 2
        a += numbers.successes(of: step, rate: rate)
        b += numbers.successes(of: step, rate: rate + difference)
        let first = try BinomialSample(successes: b, trials: look * step)
        let second = try BinomialSample(successes: a, trials: look * step)
        for rule in rules where !winners.contains(rule) {
          let isWinner: Bool
          switch rule {
          case .alwaysValid:
            isWinner = (try? sequence.evaluate(first, second).get()).map { !$0.interval.contains(0) } ?? false
          case .naive: isWinner = (PooledZ.test(first, second)?.pValue ?? 1) < 0.05
          case .bayes:
            let p = BetaBinomial.probabilityGreater(first, than: second)
            isWinner = p > 0.95 || p < 0.05
          case .looks: isWinner = design.map { abs(Self.z(first, second)) >= $0.boundaries[look - 1].bound } ?? false
          case .guardrail:
            let bounds = try? oneSided.oneSidedBounds(first, second).get()
            isWinner = bounds.map { $0.low > difference } ?? false
          }
          if isWinner { winners.insert(rule) }
        }
      }
      for rule in winners { found[rule, default: 0] += 1 }
    }
    return Dictionary(uniqueKeysWithValues: rules.map { ($0, Double(found[$0] ?? 0) / Double(tests)) })
  }

  private static func z(_ first: BinomialSample, _ second: BinomialSample) -> Double {
    guard let p = first.rate, let q = second.rate else { return 0 }
    let error = (p * (1 - p) / Double(first.trials) + q * (1 - q) / Double(second.trials)).squareRoot()
    return error > 0 ? (p - q) / error : 0
  }
}
