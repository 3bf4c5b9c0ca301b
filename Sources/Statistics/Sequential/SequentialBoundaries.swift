// Boundaries of |z| at looks one after the other, without an end.

/// Boundaries at looks whose times become known one after the other.
///
/// At a look at information time t the score S(t) = z √t is a Brownian motion under no difference. The bound c is the
/// value of |z| that paths which have crossed nothing before reach with exactly the error that the spending function
/// allows since the look before: P(crossed at this look) = a(t) − spent. There is no limit on the number of looks nor on t,
/// and a bound depends only on the times up to it. Bounds are exact to about 1e-13. Sources: P. Armitage, C. K. McPherson
/// and B. C. Rowe, JRSS A 132 (1969) 235, doi:10.2307/2343787; K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659;
/// E. Slud and L. J. Wei, JASA 77 (1982) 862; M. A. Proschan, K. K. G. Lan and J. T. Wittes, Statistical Monitoring of
/// Clinical Trials (2006), doi:10.1007/978-0-387-44970-8.
public struct SequentialBoundaries: Sendable {
  /// What a look stops at.
  public struct Boundary: Sendable, Hashable {
    /// Information over the planned information.
    public let time: Double
    /// The look crosses if |z| reaches it; infinite if nothing can be spent here.
    public let bound: Double
    /// The error allowed up to here, a(time). Where the bound is infinite it is not used yet but carried forward.
    public let cumulativeAlpha: Double
  }

  public let alpha: Double
  public let spending: AlphaSpending
  /// Error really used up to and with the look just made.
  public private(set) var spent: Double
  /// The look just made; nil before the first.
  public private(set) var last: Boundary?

  /// Less error than this is not worth a bound: it is carried forward.
  static let leastIncrement = 1e-12
  /// Nor is a look that is closer to the one before, as a share of its time: its quadrature would be needlessly fine.
  static let leastStep = 1e-6

  private var spentBefore: Double
  private var density = SurvivingDensity()
  /// |S| at the last finite bound, whose density is not on nodes yet: they depend on when the next look is.
  private var open: (time: Double, edge: Double)?
  private var lastTime = 0.0

  /// `alreadySpent`: error used by other means before the first look, to be taken off. Throws for alpha outside (0, 1), an
  /// exponent of the spending that is not above 0, and error already spent outside [0, 1].
  public init(
    alpha: Double = 0.05, spending: AlphaSpending, alreadySpent: Double = 0
  ) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    try spending.check()
    guard alreadySpent >= 0, alreadySpent <= 1 else {
      throw .notAProbability(name: "error already spent", value: alreadySpent)
    }
    self.init(unchecked: alpha, spending, alreadySpent: alreadySpent)
  }

  init(unchecked alpha: Double, _ spending: AlphaSpending, alreadySpent: Double) {
    self.alpha = alpha
    self.spending = spending
    spent = alreadySpent
    spentBefore = alreadySpent
  }

  /// The bound at the next look; infinite if less than 1e-12 may be spent, or if the time grew by less than a millionth.
  /// Times rise strictly, else `looksNotRising` (its index is 0 for a first look that is not
  /// above 0, else 1).
  public mutating func look(at time: Double) throws(StatisticsError) -> Boundary {
    guard time > lastTime, time.isFinite else { throw .looksNotRising(index: last == nil ? 0 : 1) }
    return advance(to: time)
  }

  /// As `look(at:)`, of a time that is known to rise.
  mutating func advance(to time: Double) -> Boundary {
    if let (from, edge) = open {
      let step = max(time - from, Self.leastStep * time)
      density.advance(to: from, edge: edge, nextDeviation: step.squareRoot())
      open = nil
    }
    lastTime = time
    spentBefore = spent
    let allowed = spending.spent(time, alpha: alpha)
    let increment = allowed - spent
    var bound = Double.infinity
    if increment >= Self.leastIncrement, time - density.time >= Self.leastStep * time {
      let edge = crossing(increment, at: time)
      bound = edge / time.squareRoot()
      spent = allowed
      open = (time, edge)
    }
    // A look that nothing can cross removes no path, so the density need not go there.
    let boundary = Boundary(time: time, bound: bound, cumulativeAlpha: allowed)
    last = boundary
    return boundary
  }

  /// The stage-wise p-value of z at the look just made: the error spent before it, and the chance to cross nothing before
  /// and be at least as far out here. 1 before the first look, 0 below the smallest double.
  ///
  /// At most `cumulativeAlpha` exactly if |z| reaches the bound. Source: K. Fairbanks and R. Madsen, Biometrika 69 (1982)
  /// 69; C. Jennison and B. W. Turnbull, Group Sequential Methods (2000), section 8.4.
  public func stagewiseP(_ z: Double) -> Double {
    guard last != nil, !z.isNaN else { return 1 }
    return min(1, spentBefore + exitProbability(z))
  }

  /// The chance, under no difference, to cross nothing before the look just made and reach |z| there.
  func exitProbability(_ z: Double) -> Double {
    guard abs(z).isFinite else { return 0 }
    return density.exit(abs(z) * lastTime.squareRoot(), deviation: (lastTime - density.time).squareRoot()).probability
  }

  /// The chance to have crossed at any look so far if S(t) has the mean drift · t, either side. Error already spent before
  /// the first look is not in it.
  public func crossingProbability(drift: Double) -> Double {
    // Far beyond any drift that leaves a path inside, and before squares overflow.
    guard abs(drift) < 1e100 else { return drift.isNaN ? .nan : open == nil && density.time == 0 ? 0 : 1 }
    var density = density
    if let (time, edge) = open {
      // The tilted density changes by a factor of e⁴ over a panel at most.
      density.advance(to: time, edge: edge, nextDeviation: drift == 0 ? .infinity : 2 / abs(drift))
    }
    return min(1, max(0, 1 - density.survival(drift: drift)))
  }

  /// The x for which the exit from the density is `probability`: Newton's steps on its logarithm, which is concave, kept in
  /// a bracket.
  private func crossing(_ probability: Double, at time: Double) -> Double {
    let s = (time - density.time).squareRoot()
    guard probability < density.exit(0, deviation: s).probability else { return 0 }
    let goal = Elementary.log(probability)
    var low = 0.0
    var high = 40 * time.squareRoot()
    var x = (last?.bound ?? .infinity) * density.time.squareRoot()
    if !(x > low && x < high) { x = -NormalDistribution.quantile(min(0.4, probability / 2)) * time.squareRoot() }
    for _ in 0..<200 {
      let (value, slope) = density.exit(x, deviation: s)
      let excess = value > 0 ? Elementary.log(value) - goal : -.infinity
      if excess == 0 { break }
      if excess > 0 { low = x } else { high = x }
      var next = x - excess * value / slope
      if !(next > low && next < high) { next = low + (high - low) / 2 }
      let change = abs(next - x)
      x = next
      if change <= 1e-15 * x || high - low <= 4e-16 * high { break }
    }
    return x
  }
}
