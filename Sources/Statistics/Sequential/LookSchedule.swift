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
    /// The looks whose margins are not much below the largest, exact ones first.
    var near: [Near] = []

    struct Near: Sendable {
      /// Exact looks come first.
      let look: Int
      let margin: Double
      /// The error allowed there alone; 0 in the exact phase.
      let increment: Double
    }
  }

  /// A look whose margin is this far below the largest does not have the largest at another alpha, but for exceptions
  /// that are looked for: all margins rise nearly at the same slope.
  private static let far = 1.0

  /// - Parameters:
  ///   - isEstimated: whether the size at the first crossing is computed.
  ///   - needsMargin: false if only the bounds and the crossing are wanted. Then the margin of normal looks is not computed.
  ///   - count: of the normal looks, the first ones; nil for all.
  func evaluate(
    _ spending: AlphaSpending, alpha: Double, isEstimated: Bool = false, needsMargin: Bool = true, count: Int? = nil
  ) -> Evaluation {
    var result = Evaluation()
    var phase = ExactPhase()
    for (index, look) in exact.enumerated() {
      let step = phase.look(look, allowed: spending.spent(look.time, alpha: alpha))
      result.exact.append(step)
      result.margin = max(result.margin, step.margin)
      result.near.append(.init(look: index, margin: step.margin, increment: 0))
      if step.crossingP != nil, result.crossingP == nil { result.crossingP = step.crossingP }
    }
    var path = SequentialBoundaries(unchecked: alpha, spending, alreadySpent: phase.spent)
    if isEstimated, result.crossingP == nil { path.exits = ExitPaths() }
    for (index, look) in normal.prefix(count ?? normal.count).enumerated() {
      let before = path.spent
      let boundary = path.advance(to: look.time)
      let isCrossed = abs(look.z) >= boundary.bound
      result.normal.append(NormalStep(bound: boundary.bound, spent: path.spent, isCrossed: isCrossed))
      guard boundary.bound.isFinite, needsMargin || isCrossed && result.crossingP == nil else { continue }
      let increment = boundary.cumulativeAlpha - before
      // Nearly all looks are far from their bounds.
      if !isCrossed, path.isExitMore(than: increment * Elementary.exp(Self.far - result.margin), look.z) { continue }
      let exit = path.exitProbability(look.z)
      let margin = Elementary.log(increment / exit)
      // The bound decides, even if the last digits of the two logarithms disagree.
      let decided = isCrossed ? max(0, margin) : min(margin, -1e-15)
      result.margin = max(result.margin, decided)
      result.near.append(.init(look: exact.count + index, margin: decided, increment: increment))
      if isCrossed, result.crossingP == nil { result.crossingP = min(boundary.cumulativeAlpha, before + exit) }
      if isCrossed, let exits = path.exits {
        result.estimate = exits.estimate(look.z)
        path.exits = nil
      }
    }
    if exact.isEmpty { result.boundaries = path }
    result.near.removeAll { $0.margin < result.margin - Self.far }
    return result
  }

  /// The smallest alpha in (`above`, 1] at which a look crosses, none crossing at `above` itself; 1 if none does at 1.
  ///
  /// `result`: that at `above`. A look with the margin m at alpha would cross if alpha were alpha · exp(−m) and the
  /// paths before it did not change: the chance of being as far out over the look's share of the error. This need
  /// changes slowly with alpha, so inverse interpolation through a few alphas finds where it equals alpha; exact to
  /// about 1e-8. Looks in an exact phase make it jump, and what they used moves the bounds after it both ways: then it
  /// is an alpha at which a look crosses and just below which none does, to 1e-6.
  func sequentialP(_ spending: AlphaSpending, above: Double, _ result: Evaluation) -> Double {
    var needs = AlphaNeeds()
    // Without any error before it, a look's chance of being as far out is that of a single look.
    for near in result.near where exact.isEmpty {
      let single = NormalDistribution.twoSidedP(normal[near.look].z)
      needs.add(near.look, alpha: 0, need: above * single / near.increment)
    }
    needs.add(above, result)
    func count(_ result: Evaluation) -> Int { max(0, (result.near.last?.look ?? 0) + 1 - exact.count) }
    var (low, high) = (above, Double.infinity)
    // Where none of all looks crosses, and whether each evaluation is of all.
    var (sure, isWhole) = (above, false)
    // The looks up to the last one that may be the first to cross, but near the end all at least once.
    var looks = count(result)
    var (isComplete, margin) = (false, result.margin)
    var widths = [Double.infinity]
    while high > low * (1 + 1e-6), widths.count < 200 {
      var next = needs.crossing
      let change = abs(next / needs.alpha - 1)
      // No other look has a need that is less, for none has a larger margin.
      if exact.isEmpty, isComplete, abs(margin) < 1e-4, change < 1e-5, next > low, next < high { return min(next, 1) }
      // Just beyond it, so that the bracket closes.
      if !exact.isEmpty { next *= needs.alpha < next ? 1 + 3e-7 : 1 - 3e-7 }
      widths.append(high / low - 1)
      let isSlow = widths.count > 4 && widths[widths.count - 1] > widths[widths.count - 4] / 2
      if isSlow || !(next > low && next < high) { next = high.isFinite ? (low * high).squareRoot() : 2 * low }
      next = min(next, 1)
      if change < 0.02 || high < 1.05 * low || isSlow || next == 1 { looks = normal.count }
      let value = evaluate(spending, alpha: next, count: looks)
      margin = value.margin
      isComplete = (isComplete || looks == normal.count) && abs(margin) < 0.1
      if margin >= 0 {
        high = next
        // Perhaps a look that was left out crosses earlier; if that is far away, none is left out from here on.
        if looks == normal.count { (low, isWhole) = (sure, isWhole || margin > 0.1) }
      } else {
        low = next
        if looks == normal.count { sure = next }
      }
      if low >= 1 { return 1 }
      needs.add(next, value)
      looks = isWhole ? normal.count : count(value)
    }
    return min(1, max(high, above.nextUp))
  }
}

/// By look, the alpha that it would need to cross, as it is seen from several alphas.
private struct AlphaNeeds {
  /// `excess`: the need less alpha; the look crosses where it is 0 or less.
  private var points: [Int: [(alpha: Double, excess: Double)]] = [:]
  private var near: [Int] = []
  /// That was added last.
  private(set) var alpha = 0.0

  mutating func add(_ look: Int, alpha: Double, need: Double) {
    points[look, default: []].append((alpha, need - alpha))
  }

  mutating func add(_ alpha: Double, _ result: LookSchedule.Evaluation) {
    self.alpha = alpha
    near = result.near.map(\.look)
    for near in result.near { add(near.look, alpha: alpha, need: alpha * Elementary.exp(-near.margin)) }
  }

  /// The smallest alpha at which a look crosses, by a polynomial through the last four points of each.
  var crossing: Double {
    near.reduce(Double.infinity) { smallest, look in
      var found = 0.0
      let points = (points[look] ?? []).suffix(4)
      if points.count == 1, let point = points.first { return min(smallest, point.alpha + point.excess) }
      for (index, point) in points.enumerated() {
        var term = point.alpha
        for (other, another) in points.enumerated() where other != index && another.excess != point.excess {
          term *= another.excess / (another.excess - point.excess)
        }
        found += term
      }
      return found > 0 ? min(smallest, found) : smallest
    }
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
      pValue = result.crossingP ?? plan.sequentialP(spending, above: alpha, result)
    }
  }
}
