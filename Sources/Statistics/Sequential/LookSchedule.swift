// Looks with their data, evaluated for any alpha.

/// The looks and their data: everything that does not depend on alpha.
struct LookSchedule: Sendable {
  struct Normal: Sendable {
    let day: Int
    let time: Double
    let z: Double
  }

  /// Come first.
  var exact: [ExactLook] = []
  var normal: [Normal]

  struct NormalStep: Sendable {
    let bound: Double
    let spent: Double
    let isCrossed: Bool
  }

  struct Evaluation: Sendable {
    var exact: [ExactPhase.Step] = []
    var normal: [NormalStep] = []
    /// The stage-wise p of the first look that crossed.
    var crossingP: Double?
    /// The largest over the looks of ln(error allowed there/chance of being as far out): from 0 on it crosses.
    var margin = -Double.infinity
    /// Of the first look that crossed; nil in the exact phase, and if it is not asked for.
    var estimate: StagewiseEstimate?
    /// The boundaries so far; nil after exact looks.
    var boundaries: SequentialBoundaries?
  }

  /// - Parameters:
  ///   - isEstimated: whether the size at the first crossing is computed.
  ///   - needsMargin: false if only the bounds and the crossing are wanted. Then the margin of normal looks is not computed.
  func evaluate(
    _ spending: AlphaSpending, alpha: Double, isEstimated: Bool = false, needsMargin: Bool = true
  ) -> Evaluation {
    var result = Evaluation()
    var phase = ExactPhase()
    for look in exact {
      let step = phase.look(look, allowed: spending.spent(look.time, alpha: alpha))
      result.exact.append(step)
      result.margin = max(result.margin, step.margin)
      if step.crossingP != nil, result.crossingP == nil { result.crossingP = step.crossingP }
    }
    var path = SequentialBoundaries(unchecked: alpha, spending, alreadySpent: phase.spent)
    if isEstimated, result.crossingP == nil { path.exits = ExitPaths() }
    for look in normal {
      let before = path.spent
      let boundary = path.advance(to: look.time)
      let isCrossed = abs(look.z) >= boundary.bound
      result.normal.append(NormalStep(bound: boundary.bound, spent: path.spent, isCrossed: isCrossed))
      guard boundary.bound.isFinite, needsMargin || isCrossed && result.crossingP == nil else { continue }
      let exit = path.exitProbability(look.z)
      let margin = Elementary.log((boundary.cumulativeAlpha - before) / exit)
      // The bound decides, even if the last digits of the two logarithms disagree.
      result.margin = max(result.margin, isCrossed ? max(0, margin) : min(margin, -1e-15))
      if isCrossed, result.crossingP == nil { result.crossingP = min(boundary.cumulativeAlpha, before + exit) }
      if isCrossed, let exits = path.exits {
        result.estimate = exits.estimate(look.z)
        path.exits = nil
      }
    }
    if exact.isEmpty { result.boundaries = path }
    return result
  }

  /// The smallest alpha in (`above`, 1] at which a look crosses, none crossing at `above` itself; 1 if none does at 1.
  ///
  /// `margin`: that at `above`. A bracketed search in ln alpha, in which the margin of normal looks rises nearly at slope 1.
  /// The exact phase makes it jump, and what it used moves the bounds after it both ways: then it is an alpha at which a
  /// look crosses and just below which none does.
  func sequentialP(_ spending: AlphaSpending, above: Double, margin: Double) -> Double {
    func evaluate(_ log: Double) -> Double {
      // Of all looks: one that crosses at a smaller alpha may come after the first that crosses at this one.
      self.evaluate(spending, alpha: Elementary.exp(log)).margin
    }
    var (low, lowMargin) = (Elementary.log(above), min(margin, 0))
    // Nearly slope 1: one step comes close, and mostly a little beyond.
    var least = 1e-9
    while true {
      let next = lowMargin.isFinite ? min(0, low + max(-lowMargin, least)) : 0
      least *= 4
      let value = evaluate(next)
      if value >= 0 {
        let root = root(evaluate, (low, lowMargin), (next, value))
        return min(1, max(Elementary.exp(root), above.nextUp))
      }
      if next >= 0 { return 1 }
      (low, lowMargin) = (next, value)
    }
  }

  /// The point at which the margin turns from below 0 to 0 or above: false position (the Illinois variant: an end that
  /// stays twice counts half), halving if that is slow. Exact to 1e-9 or better, and to 1e-6 if the margin jumps.
  private func root(
    _ evaluate: (Double) -> Double, _ below: (at: Double, margin: Double), _ above: (at: Double, margin: Double)
  ) -> Double {
    let tolerance = 1e-6
    var (low, high) = (below, above)
    var (lowWeight, highWeight) = (1.0, 1.0)
    var wasAbove: Bool?
    var width = high.at - low.at
    for step in 1...100 where high.at - low.at > tolerance && high.margin > 1e-10 {
      var next = low.at + (high.at - low.at) / 2
      let slow = step % 3 == 0 && high.at - low.at > width / 4
      if step % 3 == 0 { width = high.at - low.at }
      if !slow, low.margin.isFinite, high.margin.isFinite {
        let (down, up) = (low.margin * lowWeight, high.margin * highWeight)
        // Just beyond the root, so that the bracket closes from above.
        let secant = high.at - up * (high.at - low.at) / (up - down) + tolerance / 20
        next = min(max(secant, low.at + tolerance / 2), high.at - tolerance / 20)
      }
      let value = evaluate(next)
      let isAbove = value >= 0
      let hasStayed = isAbove == wasAbove
      wasAbove = isAbove
      if isAbove {
        (high, highWeight, lowWeight) = ((next, value), 1, hasStayed ? lowWeight / 2 : 1)
      } else {
        (low, lowWeight, highWeight) = ((next, value), 1, hasStayed ? highWeight / 2 : 1)
      }
    }
    // A margin without a jump is straight over so short a way.
    if high.at - low.at <= tolerance, high.margin - low.margin < 1e-4 {
      return high.at - high.margin * (high.at - low.at) / (high.margin - low.margin)
    }
    return high.at
  }
}

// MARK: A path of looks at two arms, and its first crossing

/// Two arms at the end of a finished day: all users whose outcome is known by then.
public struct ArmsAtLook: Sendable, Hashable {
  /// The control.
  public let a: BinomialSample
  /// The treatment.
  public let b: BinomialSample

  public init(a: BinomialSample, b: BinomialSample) {
    self.a = a
    self.b = b
  }
}

/// Looks in their order, each with its bound, and the first look that crossed.
///
/// The first crossing decides and stays. Later looks only continue the bounds and intervals. Differences are B − A.
public struct LookPath: Sendable {
  /// The bound of a look.
  public enum Boundary: Sendable, Hashable {
    /// |z| from which it crosses; infinite if nothing is spent here.
    case normal(Double)
    /// Events of B so far: the look crosses at `lower` or fewer, or at `upper` or more. Nil if no count would cross.
    case exact(lower: Int?, upper: Int?)
  }

  public struct Look: Sendable {
    /// Index in the given days.
    public let day: Int
    /// Information over that planned.
    public let time: Double
    /// The score statistic of no difference; 0 without variance.
    public let z: Double
    public let boundary: Boundary
    /// Error of both sides really used up to here.
    public let spent: Double
    public let isCrossed: Bool
    /// B above A.
    public let isHigher: Bool
    /// The repeated interval of B − A; nil in the exact phase and if only z is known.
    ///
    /// Miettinen and Nurminen's with the bound for z, so it leaves out 0 exactly if the look crosses; [−1, 1] if the
    /// bound is infinite. Adjusted: the Mantel–Haenszel difference ± bound · Sato's error, which may disagree. All of a
    /// path's intervals together hold the true difference with 1 − alpha.
    public let interval: Interval?
    /// B − A, the centre of the interval: the difference of the two rates, or Mantel–Haenszel's. Nil if there is no
    /// interval.
    public let difference: Double?
  }

  /// All looks, also those after the crossing.
  public let looks: [Look]
  /// Index in `looks` of the first look that crossed.
  public let crossing: Int?
  /// Stage-wise at the crossing, at most alpha. Without one the sequential p, always above alpha: the smallest alpha for
  /// which any look so far would cross. nil without looks, and without a crossing if it is not wanted.
  ///
  /// Sources: K. Fairbanks and R. Madsen, Biometrika 69 (1982) 69; Q. Liu and K. M. Anderson, JASA 103 (2008) 1621.
  public let pValue: Double?
  /// The size at the crossing, corrected for stopping there; nil without a crossing, and for one in the exact phase.
  public let estimate: StagewiseEstimate?
  /// The boundaries, to go on from; nil if the first looks were exact.
  public let boundaries: SequentialBoundaries?

  /// Looks at given times with given z: declared looks, or recorded ones. Intervals are nil; a look's day is its index.
  ///
  /// Throws for lists of different length, times that do not rise from above 0, a z that is not a number, alpha outside
  /// (0, 1) and an exponent of the spending that is not above 0.
  public init(
    times: [Double], z: [Double], spending: AlphaSpending, alpha: Double = 0.05
  ) throws(StatisticsError) {
    guard times.count == z.count else { throw .lengthsDiffer(times.count, z.count) }
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    try spending.checkExponent()
    for (index, time) in times.enumerated() {
      guard time > (index == 0 ? 0 : times[index - 1]), time.isFinite else { throw .looksNotRising(index: index) }
      guard !z[index].isNaN else { throw .notFinite(name: "z") }
    }
    let plan = LookSchedule(
      normal: zip(times, z).enumerated().map { .init(day: $0.offset, time: $0.element.0, z: $0.element.1) })
    self.init(plan, spending: spending, alpha: alpha) { _, _ in nil }
  }

  /// `estimate`: difference and interval of the normal look at this index, for its bound.
  init(
    _ plan: LookSchedule, spending: AlphaSpending, alpha: Double, needsSequentialP: Bool = true,
    estimate: (_ index: Int, _ bound: Double) -> (difference: Double, interval: Interval)?
  ) {
    let result = plan.evaluate(spending, alpha: alpha, isEstimated: true, needsMargin: needsSequentialP)
    self.estimate = result.estimate
    var looks: [Look] = []
    for (look, step) in zip(plan.exact, result.exact) {
      let upwards = step.upper.map { look.events >= $0 } ?? false
      let downwards = step.lower.map { look.events <= $0 } ?? false
      looks.append(
        Look(
          day: look.day, time: look.time, z: look.z, boundary: .exact(lower: step.lower, upper: step.upper),
          spent: step.spentLow + step.spentUp, isCrossed: upwards || downwards,
          isHigher: upwards || (!downwards && look.z > 0), interval: nil, difference: nil))
    }
    for (index, (look, step)) in zip(plan.normal, result.normal).enumerated() {
      let isCrossed = step.isCrossed
      let estimate = estimate(index, step.bound)
      looks.append(
        Look(
          day: look.day, time: look.time, z: look.z, boundary: .normal(step.bound), spent: step.spent,
          isCrossed: isCrossed, isHigher: look.z > 0, interval: estimate?.interval, difference: estimate?.difference))
    }
    self.looks = looks
    boundaries = result.boundaries
    crossing = looks.firstIndex { $0.isCrossed }
    if looks.isEmpty || result.crossingP == nil && !needsSequentialP {
      pValue = nil
    } else {
      pValue = result.crossingP ?? plan.sequentialP(spending, above: alpha, margin: result.margin)
    }
  }
}
