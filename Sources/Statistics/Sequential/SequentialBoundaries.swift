// Boundaries of |z| at looks one after the other, without an end.

/// Boundaries at looks whose times become known one after the other.
///
/// At a look at information time t the score S(t) = z √t is a Brownian motion under no difference. The bound c is the
/// value of |z| that paths which have crossed nothing before reach with exactly the error that the spending function
/// allows since the look before: P(crossed at this look) = a(t) − spent. There is no limit on the number of looks nor on t,
/// and a bound depends only on the times up to it. Chances are exact to about 1e-15, and bounds
/// to 1e-11 for alpha above 1e-4. Sources: P. Armitage, C. K. McPherson
/// and B. C. Rowe, JRSS A 132 (1969) 235, doi:10.2307/2343787; K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659;
/// E. Slud and L. J. Wei, JASA 77 (1982) 862; M. A. Proschan, K. K. G. Lan and J. T. Wittes, Statistical Monitoring of
/// Clinical Trials (2006), doi:10.1007/978-0-387-44970-8.
public struct SequentialBoundaries: Sendable {
  /// The bound of a look.
  public struct Boundary: Sendable, Hashable {
    /// Information over the planned information.
    public let time: Double
    /// The look crosses if |z| reaches the bound; infinite if no error can be spent here.
    public let bound: Double
    /// The error allowed up to here, a(time). If the bound is infinite, this error is not used yet but carried forward.
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
  /// Nor a look before this time, whose deviation has no square above 0.
  static let leastTime = 1e-150

  private var spentBefore: Double
  private var density = SurvivingDensity()
  /// |S| at the last finite bound. Its density is not on nodes yet, because they depend on the time of the next look.
  private var open: (time: Double, edge: Double)?
  private var lastTime = 0.0
  private var boundBefore = Double.infinity
  /// Kept up to the first crossing, for the estimate there; nil if it is not asked for.
  var exits: ExitPaths?

  /// `alreadySpent`: error used by other means before the first look, to be taken off. Throws for alpha outside (0, 1), an
  /// exponent of the spending that is not above 0, and error already spent outside [0, 1].
  public init(
    alpha: Double = 0.05, spending: AlphaSpending, alreadySpent: Double = 0
  ) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    try spending.checkExponent()
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
    if increment >= Self.leastIncrement, time >= Self.leastTime, time - density.time >= Self.leastStep * time {
      let edge = crossing(increment, at: time)
      bound = edge / time.squareRoot()
      spent = allowed
      open = (time, edge)
      exits?.append(density, to: time, edge: edge)
    }
    // A look that nothing can cross removes no path, so the density need not go there.
    let boundary = Boundary(time: time, bound: bound, cumulativeAlpha: allowed)
    boundBefore = last?.bound ?? .infinity
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
    return density.exit(abs(z) * lastTime.squareRoot(), deviation: (lastTime - density.time).squareRoot())
  }

  /// Whether `exitProbability` is certainly more than that, seen cheaply.
  func isExitMore(than probability: Double, _ z: Double) -> Bool {
    density.isMore(than: probability, beyond: abs(z) * lastTime.squareRoot())
  }

  /// The chance to have crossed at any look so far if S(t) has the mean drift · t, either side. Error already spent before
  /// the first look is not in it.
  public func crossingProbability(drift: Double) -> Double {
    // Far beyond any drift that leaves a path inside, and before squares overflow.
    guard abs(drift) < 1e100 else { return drift.isNaN ? .nan : open == nil && density.time == 0 ? 0 : 1 }
    return Self.crossingProbability(density(suiting: drift), drift)
  }

  private static func crossingProbability(_ density: SurvivingDensity, _ drift: Double) -> Double {
    min(1, max(0, 1 - density.survival(drift: drift)))
  }

  /// What is left inside the last bound, on nodes that suit a drift of this size.
  private func density(suiting drift: Double) -> SurvivingDensity {
    var density = density
    if let (time, edge) = open {
      // The tilted density changes by a factor of e² over this at most.
      density.advance(to: time, edge: edge, nextDeviation: drift == 0 ? .infinity : 2 / abs(drift))
    }
    return density
  }

  /// `crossingProbability` of many drifts of the same path.
  ///
  /// Nodes of a larger drift suit as well, so they are kept until they are more than four times too fine.
  public struct CrossingChances {
    private let path: SequentialBoundaries
    private var known: (drift: Double, density: SurvivingDensity)?

    public init(_ path: SequentialBoundaries) { self.path = path }

    public mutating func probability(drift: Double) -> Double {
      let size = abs(drift)
      guard size < 1e100, size > 0 else { return path.crossingProbability(drift: drift) }
      if let known, size <= known.drift, size * 4 >= known.drift {
        return SequentialBoundaries.crossingProbability(known.density, drift)
      }
      let density = path.density(suiting: drift)
      known = (size, density)
      return SequentialBoundaries.crossingProbability(density, drift)
    }
  }

  /// The x for which the exit from the density is `probability`: Newton's steps on its logarithm, which is concave, kept in
  /// a bracket. Close to it, the exit's own series.
  private func crossing(_ probability: Double, at time: Double) -> Double {
    let s = (time - density.time).squareRoot()
    guard probability < density.survival else { return 0 }
    let goal = Elementary.log(probability)
    var low = 0.0
    var high = 40 * time.squareRoot()
    var x = start * time.squareRoot()
    if !(x > low && x < high) { x = -NormalDistribution.quantile(min(0.4, probability / 2)) * time.squareRoot() }
    for _ in 0..<200 {
      let exit = density.exitSeries(x, deviation: s)
      let excess = exit[0] > 0 ? Elementary.log(exit[0]) - goal : -.infinity
      if excess == 0 { break }
      if excess > 0 { low = x } else { high = x }
      var change = -excess * exit[0] / exit[1]
      if abs(change) < 0.05 {
        for _ in 0..<3 {
          let value = exit[0] - probability + change * (exit[1] + change / 2 * (exit[2] + change / 3 * exit[3]))
          change -= value / (exit[1] + change * (exit[2] + change / 2 * exit[3]))
        }
      }
      // The first term that is left out is the fifth.
      if abs(change) < 1e-3 { return x + s * change }
      var next = x + s * change
      if !(next > low && next < high) { next = low + (high - low) / 2 }
      x = next
      if high - low <= 4e-16 * high { break }
    }
    return x
  }

  /// From the two bounds before it, the next bound nearly.
  private var start: Double {
    guard let last, last.bound.isFinite else { return .infinity }
    return boundBefore.isFinite ? 2 * last.bound - boundBefore : last.bound
  }
}

// MARK: How much of the allowed error may be used by a look

/// A spending function a(t) of a two-sided error, t the information at a look over the planned information.
public enum AlphaSpending: Sendable, Hashable {
  /// 4(1 − Φ(z_{1 − α/4}/√t)): hardly anything early. Source: K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659,
  /// doi:10.1093/biomet/70.3.659.
  case obrienFleming
  /// α ln(1 + (e − 1)t): nearly even. The same source.
  case pocock
  /// α tᵠ for the exponent φ > 0. Source: K. Kim and D. L. DeMets, Biometrika 74 (1987) 149.
  case power(Double)
  /// α tʳ/(1 + tʳ) for the exponent r > 0: half of α at the planned information, and always below α, so that looks need
  /// no end. Any increasing function with the limit α keeps the error (the first source).
  case open(exponent: Double)

  /// The error spent by the information time `t`: 0 at 0; α from 1 on, `open` excepted, which only approaches it.
  public func spent(_ t: Double, alpha: Double) -> Double {
    if t <= 0 { return 0 }
    if case .open(let exponent) = self {
      // 1/(1 + t⁻ʳ), which neither overflows nor loses the small values.
      return alpha / (1 + Elementary.exp(-max(0, exponent) * Elementary.log(t)))
    }
    if t >= 1 { return alpha }
    switch self {
    case .obrienFleming:
      let z = -NormalDistribution.quantile(alpha / 4)
      return 4 * NormalDistribution.upperTail(z / t.squareRoot())
    case .pocock: return alpha * Elementary.log1p(1.718281828459045235 * t)
    case .power(let exponent), .open(let exponent): return alpha * Elementary.exp(max(0, exponent) * Elementary.log(t))
    }
  }

  /// Throws for an exponent that is not finite and above 0.
  func checkExponent() throws(StatisticsError) {
    switch self {
    case .obrienFleming, .pocock: return
    case .power(let exponent), .open(let exponent):
      guard exponent > 0, exponent.isFinite else { throw .notPositive(name: "spending exponent", value: exponent) }
    }
  }
}

// MARK: Boundaries for a declared number of looks

/// A group-sequential design: two-sided boundaries at declared looks.
///
/// By the recursion of `SequentialBoundaries`. Five O'Brien–Fleming looks at 0.05 give 4.8769, 3.3570, 2.6803, 2.2898,
/// 2.0310, as published.
public struct GroupSequential: Sendable {
  /// The bound of a look.
  public struct Boundary: Sendable, Hashable {
    /// Share of the planned information.
    public let fraction: Double
    /// Stop if |z| reaches this; infinite if no error is spent at this look.
    public let bound: Double
    /// Error spent up to here.
    public let cumulativeAlpha: Double
    /// The two-sided p-value of the bound.
    public let nominalP: Double
  }

  /// More equal looks than any design declares; it bounds memory and time.
  public static let mostLooks = 10_000

  /// One for each look.
  public let boundaries: [Boundary]
  public let alpha: Double
  private let path: SequentialBoundaries

  /// `fractions`: information at the looks over that planned, rising, above 0 and, `AlphaSpending.open` excepted, at most
  /// 1.
  public init(fractions: [Double], alpha: Double = 0.05, spending: AlphaSpending) throws(StatisticsError) {
    guard alpha > 0, alpha < 1 else { throw .notAProbability(name: "alpha", value: alpha) }
    guard !fractions.isEmpty else { throw .tooFew(name: "looks", have: 0, need: 1) }
    var path = try SequentialBoundaries(alpha: alpha, spending: spending)
    let end: Double = if case .open = spending { .greatestFiniteMagnitude } else { 1 }
    for (index, fraction) in fractions.enumerated() {
      let previous = index == 0 ? 0 : fractions[index - 1]
      guard fraction > previous, fraction <= end else { throw .looksNotRising(index: index) }
    }
    self.alpha = alpha
    boundaries = fractions.map { fraction in
      let look = path.advance(to: fraction)
      return Boundary(
        fraction: fraction, bound: look.bound, cumulativeAlpha: look.cumulativeAlpha,
        nominalP: NormalDistribution.twoSidedP(look.bound))
    }
    self.path = path
  }

  /// `count` looks at equal steps. Throws for fewer than one.
  public init(equalLooks count: Int, alpha: Double = 0.05, spending: AlphaSpending) throws(StatisticsError) {
    guard count > 0 else { throw .tooFew(name: "looks", have: count, need: 1) }
    guard count <= Self.mostLooks else { throw .tooMany(name: "looks", have: count, most: Self.mostLooks) }
    let fractions = (1...count).map { Double($0) / Double(count) }
    try self.init(fractions: fractions, alpha: alpha, spending: spending)
  }

  /// The repeated confidence interval of a difference at a look (from 0): d̂ ± bound · SE. nil without such a look.
  public func interval(difference: Double, standardError: Double, look: Int) -> Interval? {
    guard boundaries.indices.contains(look) else { return nil }
    return Interval(difference, plusMinus: boundaries[look].bound * standardError)
  }

  /// The chance that any look crosses its bound, if the statistic at full information has this mean.
  public func crossingProbability(drift: Double) -> Double { path.crossingProbability(drift: drift) }
}
