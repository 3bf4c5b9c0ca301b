// Exact looks while there are too few events for a normal statistic.

/// One look of the exact phase.
struct ExactLook: Sendable {
  let day: Int
  let time: Double
  let z: Double
  /// Events of B so far.
  let events: Int
  /// Users that are new since the look before, day by day.
  let blocks: [HypergeometricBlock]
}

/// Conditional looks at the events of B, given each day's users of both arms and its events in both arms together.
///
/// Under no difference the events of B on a day are hypergeometric and days are independent, whatever the rate, the split
/// and their changes. The distribution of their sum over paths that have crossed nothing is convolved day by day; each side
/// stops at the counts whose chance fits into what half of a(t) leaves it. The error is at most a(t), exactly. Source: D.
/// Y. Lin, L. J. Wei and D. L. DeMets, Biometrics 47 (1991) 1399.
struct ExactPhase: Sendable {
  struct Step: Sendable {
    /// It crosses at `lower` events of B or fewer, or at `upper` or more.
    let lower: Int?
    let upper: Int?
    /// Chance to have crossed so far, by side.
    let spentLow: Double
    let spentUp: Double
    /// If this look crosses: twice what its side spent before and the chance of being as far out here.
    let crossingP: Double?
    /// The larger of both sides' ln(error left/chance of being as far out); from 0 on it crosses.
    let margin: Double
  }

  private(set) var spentLow = 0.0
  private(set) var spentUp = 0.0
  var spent: Double { spentLow + spentUp }

  /// Chances of `offset`, `offset` + 1, … events of B on paths that have not crossed.
  private var offset = 0
  private var masses: [Double] = [1]

  /// States below this chance at the ends are dropped, so that very uneven splits stay cheap.
  private static let leastMass = 1e-25
  /// For sums that are equal but for their last digits.
  private static let slack = 1 + 1e-9

  /// The next look, at which both sides together may have spent `allowed`.
  mutating func look(_ look: ExactLook, allowed: Double) -> Step {
    for block in look.blocks { convolve(block) }
    let (before, above) = ((low: spentLow, up: spentUp), allowed / 2 - spentUp)
    let below = allowed / 2 - spentLow
    // Counts beyond the ends are as unlikely as the ends, or less.
    let seen = max(0, min(masses.count - 1, look.events < offset ? 0 : look.events - offset))
    let asHigh = masses.dropFirst(seen).reversed().reduce(0, +)
    let asLow = masses.prefix(seen + 1).reduce(0, +)

    var upper = masses.count
    var tail = 0.0
    while upper > 0, tail + masses[upper - 1] <= above * Self.slack {
      upper -= 1
      tail += masses[upper]
    }
    let isUpper = upper < masses.count
    spentUp += tail
    var lower = -1
    tail = 0
    while lower + 1 < upper, tail + masses[lower + 1] <= below * Self.slack {
      lower += 1
      tail += masses[lower]
    }
    spentLow += tail
    let bounds = (lower: lower >= 0 ? offset.clampedSum(lower) : nil, upper: isUpper ? offset.clampedSum(upper) : nil)
    masses = Array(masses[(lower + 1)..<upper])
    offset = offset.clampedSum(lower + 1)
    var crossingP: Double?
    if let bound = bounds.lower, look.events <= bound { crossingP = min(allowed, 2 * (before.low + asLow)) }
    if let bound = bounds.upper, look.events >= bound { crossingP = min(allowed, 2 * (before.up + asHigh)) }
    // The counts decide, even if the last digits of the logarithms disagree.
    let margin = max(Self.margin(above, asHigh), Self.margin(below, asLow))
    return Step(
      lower: bounds.lower, upper: bounds.upper, spentLow: spentLow, spentUp: spentUp, crossingP: crossingP,
      margin: crossingP == nil ? min(margin, -1e-15) : max(margin, 0))
  }

  private static func margin(_ left: Double, _ chance: Double) -> Double {
    guard left > 0, chance > 0 else { return -.infinity }
    return Elementary.log(left / chance)
  }

  private mutating func convolve(_ block: HypergeometricBlock) {
    guard !masses.isEmpty else { return }
    var sums = [Double](repeating: 0, count: masses.count + block.masses.count - 1)
    for (i, mass) in masses.enumerated() {
      for (j, chance) in block.masses.enumerated() { sums[i + j] += mass * chance }
    }
    let first = sums.firstIndex { $0 >= Self.leastMass } ?? sums.count
    let last = sums.lastIndex { $0 >= Self.leastMass } ?? -1
    masses = first <= last ? Array(sums[first...last]) : []
    offset = offset.clampedSum(block.offset).clampedSum(first)
  }
}

// MARK: How the events of some new users fall on the two arms by chance

/// New users of both arms, and the events among them, without the arm of each event.
struct BlockMargins: Sendable, Hashable {
  let a: Int
  let b: Int
  let events: Int
  let users: Int

  /// From `before` to `now`; nil if any count fell, or if the users of both arms together exceed an `Int`.
  init?(from before: ArmsAtLook, to now: ArmsAtLook) {
    a = now.a.trials - before.a.trials
    b = now.b.trials - before.b.trials
    let gainA = now.a.successes - before.a.successes
    let gainB = now.b.successes - before.b.successes
    guard gainA >= 0, gainA <= a, gainB >= 0, gainB <= b else { return nil }
    let (users, overflow) = a.addingReportingOverflow(b)
    guard !overflow else { return nil }
    self.users = users
    events = gainA.clampedSum(gainB)
  }

  /// The variance of the events in B: a b m (N − m)/(N² (N − 1)).
  var variance: Double {
    let n = Double(a) + Double(b)
    guard n > 1 else { return 0 }
    return Double(a) / n * (Double(b) / n) * Double(events) * ((n - Double(events)) / (n - 1))
  }
}

/// The distribution of the events in B given the margins of a block under no difference: hypergeometric.
struct HypergeometricBlock: Sendable {
  /// The count that the first mass belongs to.
  let offset: Int
  let masses: [Double]

  /// Outwards from the likeliest count, ⌊(b + 1)(m + 1)/(N + 2)⌋, until the masses are below 1e-26 of it.
  init(_ margins: BlockMargins) {
    let (a, b, events) = (margins.a, margins.b, margins.events)
    let users = margins.users
    let low = max(0, events - a)
    let high = min(b, events)
    let likeliest = (Int128(b) + 1) * (Int128(events) + 1) / (Int128(users) + 2)
    let mode = min(high, max(low, Int(clamping: likeliest)))
    /// P(x + 1)/P(x)
    func ratio(_ x: Int) -> Double {
      let fewer = Double(a - events + x) + 1
      return Double(events - x) / (Double(x) + 1) * (Double(b - x) / fewer)
    }
    var above: [Double] = [1]
    var x = mode
    while x < high, let last = above.last, last > 1e-26 {
      above.append(last * ratio(x))
      x += 1
    }
    var below: [Double] = []
    var mass = 1.0
    x = mode
    while x > low, mass > 1e-26 {
      x -= 1
      mass /= ratio(x)
      below.append(mass)
    }
    let sum = above.reduce(0, +) + below.reduce(0, +)
    offset = x
    masses = (below.reversed() + above).map { $0 / sum }
  }
}

// MARK: The density of a Brownian path that has not crossed a symmetric boundary yet

/// The sub-density f of the score S(t) = z √t over paths inside all bounds so far, on quadrature nodes.
///
/// S is a Brownian motion without drift, f is symmetric, and only the half line x ≥ 0 is kept. Source: P. Armitage, C. K.
/// McPherson and B. C. Rowe, JRSS A 132 (1969) 235, doi:10.2307/2343787.
struct SurvivingDensity: Sendable {
  /// The time of the nodes.
  private(set) var time = 0.0
  /// Rising, from 0 on.
  private var nodes: [Double] = [0]
  /// Density times quadrature weight. Before the first look all mass is at 0, half of it on this side.
  private var masses: [Double] = [0.5]
  /// Half the width of a panel of twelve nodes.
  private var half = 0.0

  /// Steps of the motion beyond this many standard deviations are left out: below 1e-23.
  private static let reach = 10.0
  /// A bound on memory. Steps of a millionth of the time, the smallest that occur, need a few thousand.
  private static let mostPanels = 10_000.0

  /// P(not crossed before, |S| ≥ x a step later), and its derivative in x.
  ///
  /// 2 ∫ f(y) [Q((x − y)/s) + Q((x + y)/s)] dy, Q the upper tail from erfc, s = √step.
  func exit(_ x: Double, deviation s: Double) -> (probability: Double, slope: Double) {
    var probability = 0.0
    var slope = 0.0
    // The first look has its whole tail.
    let reach = half > 0 ? Self.reach : .infinity
    for index in nodes.indices.reversed() {
      let u = (x - nodes[index]) / s
      if u > reach { break }
      guard u > -Self.reach else {
        probability += masses[index]
        continue
      }
      probability += masses[index] * NormalDistribution.upperTail(u)
      slope += masses[index] * NormalDistribution.density(u)
    }
    for index in nodes.indices {
      let u = (x + nodes[index]) / s
      if u > reach { break }
      probability += masses[index] * NormalDistribution.upperTail(u)
      slope += masses[index] * NormalDistribution.density(u)
    }
    return (2 * probability, -2 * slope / s)
  }

  /// Goes on to `newTime` with the paths whose |S| stays below `edge` there.
  ///
  /// f'(x) = ∫ f(y) [φ((x − y)/s) + φ((x + y)/s)]/s dy on panels of 12 Gauss–Legendre nodes, no wider than `panelWidth` standard
  /// deviations of this step or of the next one (`nextDeviation`).
  mutating func advance(to newTime: Double, edge: Double, nextDeviation: Double, panelWidth: Double = 2) {
    let s = (newTime - time).squareRoot()
    let width = panelWidth * min(s, nextDeviation)
    let panels = max(1, Int(min(Self.mostPanels, (edge / width).rounded(.up))))
    let rule = GaussLegendre.order12
    let half = edge / Double(2 * panels)
    // Before the first look there are no panels.
    let kernel =
      self.half > 0 ? PanelKernel(masses: masses, half: self.half, deviation: s, reach: Self.reach) : nil
    let isEmpty = edge <= 0 || masses.isEmpty
    (time, self.half, nodes, masses) = (newTime, half, [], [])
    guard !isEmpty else { return }
    nodes.reserveCapacity(panels * rule.nodes.count)
    masses.reserveCapacity(panels * rule.nodes.count)
    for panel in 0..<panels {
      let centre = half * Double(2 * panel + 1)
      for (node, weight) in zip(rule.nodes.reversed(), rule.weights.reversed()) {
        let x = centre + half * node
        let density: Double
        if let kernel {
          density = kernel.sum(at: x) + (x < Self.reach * s ? kernel.sum(at: -x) : 0)
        } else {
          density = Elementary.exp(-0.5 * (x / s) * (x / s))
        }
        nodes.append(x)
        masses.append(density * 0.39894228040143267794 / s * weight * half)
      }
    }
  }

  /// The nodes above `least` with their masses, rising, those below 0 included. Before the first look all mass is at 0.
  func upperSide(from least: Double) -> (nodes: ArraySlice<Double>, masses: ArraySlice<Double>) {
    guard half > 0 else { return ([0], [1]) }
    let first = nodes.firstIndex { $0 >= least } ?? nodes.count
    let below = nodes.firstIndex { -$0 < least } ?? nodes.count
    guard below > 0 else { return (nodes[first...], masses[first...]) }
    return (nodes[..<below].reversed().map { -$0 } + nodes[first...], masses[..<below].reversed() + masses[first...])
  }

  /// P(not crossed) so far, under no difference.
  var survival: Double { 2 * masses.reduce(0, +) }

  /// P(not crossed) if S has the mean drift · t: ∫ f(y) exp(drift · y − drift² t/2) dy over both sides.
  func survival(drift: Double) -> Double {
    let centre = drift * drift * time / 2
    return zip(nodes, masses).reduce(0) { sum, point in
      let (y, mass) = point
      return sum + mass * (Elementary.exp(drift * y - centre) + Elementary.exp(-drift * y - centre))
    }
  }
}

// MARK: One step of a Brownian motion from quadrature panels to many points

/// Σ mass · exp(−(x − y)²/2s²) over the Gauss–Legendre nodes y of equal panels from 0 on, for many x.
///
/// With y = c + o, c the panel's centre, the exponential is exp(−(x − c)²/2s²) · exp((x − c) o/s²) · exp(−o²/2s²): the last
/// factor is part of the weights, and the middle one goes from panel to panel by one multiplication, so that a panel takes
/// one exponential instead of twelve. The rounding of a step of a hundred panels is below 1e-14.
struct PanelKernel {
  /// Twelve nodes: four on one side, their four mirrors, two of each side.
  private typealias Nodes = (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

  private let weights: [Nodes]
  private let half: Double
  private let s: Double
  private let reach: Double
  /// o/s² of the first four and of the two innermost.
  private let outer: SIMD4<Double>
  private let inner: SIMD2<Double>
  private let upwards: Nodes
  private let downwards: Nodes

  /// `masses` by rising node, twelve for each panel of half-width `half`. Panels farther than `reach` s
  /// are left out.
  init(masses: [Double], half: Double, deviation s: Double, reach: Double) {
    self.half = half
    self.s = s
    self.reach = reach + half / s
    let scaled = GaussLegendre.order12.nodes.reversed().map { half / s * $0 }
    func picked(_ values: [Double], from start: Int) -> Nodes {
      func four(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> SIMD4<Double> {
        SIMD4(values[start + a], values[start + b], values[start + c], values[start + d])
      }
      return (four(0, 1, 2, 3), four(11, 10, 9, 8), four(4, 5, 7, 6))
    }
    let fall = scaled.map { Elementary.exp(-0.5 * $0 * $0) }
    let weighted = masses.indices.map { masses[$0] * fall[$0 % 12] }
    weights = stride(from: 0, to: masses.count, by: 12).map { picked(weighted, from: $0) }
    outer = SIMD4(scaled[0], scaled[1], scaled[2], scaled[3]) / s
    inner = SIMD2(scaled[4], scaled[5]) / s
    upwards = picked(scaled.map { Elementary.exp(-2 * half / s * $0) }, from: 0)
    downwards = picked(scaled.map { Elementary.exp(2 * half / s * $0) }, from: 0)
  }

  func sum(at x: Double) -> Double {
    let nearest = min(max(0, (x / (2 * half)).rounded(.down)), Double(weights.count - 1))
    let start = Int(nearest)
    let distance = x - half * (2 * nearest + 1)
    let factors = self.factors(distance)
    return run(from: start, by: 1, distance, factors, upwards)
      + run(
        from: start - 1, by: -1, distance + 2 * half,
        (factors.0 * downwards.0, factors.1 * downwards.1, factors.2 * downwards.2), downwards)
  }

  /// exp((x − c) o/s²) for x − c = `distance`.
  private func factors(_ distance: Double) -> Nodes {
    var first = SIMD4<Double>()
    for index in 0..<4 { first[index] = Elementary.exp(distance * outer[index]) }
    let a = Elementary.exp(distance * inner[0])
    let b = Elementary.exp(distance * inner[1])
    return (first, 1 / first, SIMD4(a, b, 1 / a, 1 / b))
  }

  private func run(from start: Int, by step: Int, _ distance: Double, _ factors: Nodes, _ growth: Nodes) -> Double {
    var sum = 0.0
    var (panel, distance, factors) = (start, distance, factors)
    while panel >= 0, panel < weights.count, abs(distance) <= reach * s {
      let weight = weights[panel]
      let dot = weight.0 * factors.0 + weight.1 * factors.1 + weight.2 * factors.2
      let u = distance / s
      sum += Elementary.exp(-0.5 * u * u) * dot.sum()
      factors = (factors.0 * growth.0, factors.1 * growth.1, factors.2 * growth.2)
      distance -= 2 * half * Double(step)
      panel += step
    }
    return sum
  }
}
