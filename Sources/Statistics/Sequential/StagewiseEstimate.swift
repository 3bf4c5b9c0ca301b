// The size of an effect at the look that found it: a test that stops at a crossing overstates the difference.

/// The median-unbiased drift at the look that crossed, and its 95 % interval.
///
/// S(t) = z √t has the mean θ t. Stage-wise ordering: a crossing on the same side at an earlier look, or at this look with a
/// larger score, is more extreme. G(θ) is the chance, under θ, of a path that is as extreme as the one that was seen, or
/// more; it rises with θ. The estimate is the θ with G = ½: before the test the chance is one half that it comes out above the true
/// θ. G = 0.025 and 0.975 give the interval. With one look this is the drift itself, ± 1.96. Exact to about 1e-9.
/// Sources: D. Siegmund, Biometrika 65 (1978) 341, doi:10.1093/biomet/65.2.341; S. S. Emerson and T. R. Fleming, Biometrika
/// 77 (1990) 875, doi:10.1093/biomet/77.4.875.
public struct StagewiseEstimate: Sendable, Hashable {
  /// θ by planned information; below 0 if z is.
  public let median, low, high: Double
  /// The information time of the look.
  public let time: Double

  /// The same as differences: those at which the Miettinen–Nurminen score is z − θ √t, z the score of the samples. With
  /// one look that is the raw difference with its interval. 0 lies outside exactly if it does for θ. nil if either sample has no
  /// trials.
  public func difference(_ first: BinomialSample, _ second: BinomialSample) -> (value: Double, interval: Interval)? {
    guard let z = MiettinenNurminen.scoreAtZero(first, second),
      let value = Self.difference(first, second, score: z - median * time.squareRoot()),
      let lower = Self.difference(first, second, score: z - low * time.squareRoot()),
      let upper = Self.difference(first, second, score: z - high * time.squareRoot())
    else { return nil }
    return (value, Interval(low: lower, high: upper))
  }

  /// The same of a normal estimate with the standard error `error`, whose statistic is `z`.
  public func difference(_ estimate: Double, error: Double, z: Double) -> (value: Double, interval: Interval) {
    func value(_ drift: Double) -> Double { estimate - (z - drift * time.squareRoot()) * error }
    return (value(median), Interval(low: value(low), high: value(high)))
  }

  private static func difference(_ first: BinomialSample, _ second: BinomialSample, score: Double) -> Double? {
    let interval = MiettinenNurminen.differenceInterval(first, second, bound: abs(score))
    return score > 0 ? interval?.low : interval?.high
  }
}

/// The paths that were still inside before each look, as far as they can leave there.
///
/// Kept while the boundaries are computed, so that any drift needs one sum over nodes and no recursion of its own: with f
/// the density before a look under no drift, P_θ(S > x, inside before) = ∫ f(y) exp(θ y − θ² t/2) Q((x − y − θ Δ)/√Δ) dy.
struct ExitPaths: Sendable {
  private struct Step: Sendable {
    /// Of the nodes, and of the step to the look.
    let time, step: Double
    let edge: Double
    let nodes, masses: ArraySlice<Double>
  }

  private var steps: [Step] = []

  /// P(Z > 8.5) is 1e-17.
  private static let reach = 8.5

  /// A look that some path may cross at |S| = `edge`, after the look at the time of `density`.
  mutating func append(_ density: SurvivingDensity, to time: Double, edge: Double) {
    let step = time - density.time
    // No drift that matters shifts a step by more: 8 is the largest standardized drift of the search below.
    let shift = 8 * step / time.squareRoot()
    let (nodes, masses) = density.upperSide(from: edge - Self.reach * step.squareRoot() - shift)
    steps.append(Step(time: density.time, step: step, edge: edge, nodes: nodes, masses: masses))
  }

  /// The estimate at the last look, whose z is given; nil for a z of 0.
  func estimate(_ z: Double) -> StagewiseEstimate? {
    guard let last = steps.last, z != 0, z.isFinite else { return nil }
    let time = last.time + last.step
    let root = time.squareRoot()
    let size = abs(z)
    func drift(_ chance: Double) -> Double {
      let goal = NormalDistribution.quantile(chance)
      // Nearly straight in θ: with one look it is exactly so.
      return RootFinder.solve(
        low: (size - Self.most) / root, high: (size + Self.most) / root,
        starts: ((size + goal) / root, (0.9 * size + goal - 0.1) / root), positiveBelow: false, absolute: 1e-10 / root
      ) { NormalDistribution.quantile(min(1 - 1e-16, max(1e-300, extreme($0, size * root)))) - goal }
    }
    let (median, low, high) = (drift(0.5), drift(0.025), drift(0.975))
    let sign = z < 0 ? -1.0 : 1
    return StagewiseEstimate(
      median: sign * median, low: min(sign * low, sign * high), high: max(sign * low, sign * high), time: time)
  }

  /// Farther from z no estimate lies, as standardized drifts.
  private static let most = 40.0

  /// P_θ(crossed upwards before the last look, or above x there).
  private func extreme(_ drift: Double, _ x: Double) -> Double {
    var sum = 0.0
    for (index, step) in steps.enumerated() {
      sum += Self.exit(step, drift, above: index + 1 == steps.count ? x : step.edge)
    }
    return min(1, sum)
  }

  private static func exit(_ step: Step, _ drift: Double, above x: Double) -> Double {
    let s = step.step.squareRoot()
    let centre = drift * drift * step.time / 2
    let gap = (x - drift * step.step) / s
    var sum = 0.0
    for (node, mass) in zip(step.nodes, step.masses).reversed() {
      let u = gap - node / s
      if u > reach { break }
      sum += mass * Elementary.exp(drift * node - centre) * NormalDistribution.upperTail(u)
    }
    return sum
  }
}
