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
