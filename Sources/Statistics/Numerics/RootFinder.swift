// Finding roots, of real functions and among whole numbers, and adding up areas.

/// Finds the root of a function that changes its sign once in a bracket.
enum RootFinder {
  /// The root of `f` in [low, high].
  ///
  /// Secant steps from two starts, kept inside a bracket that every evaluation narrows; if a step leaves the
  /// bracket, or the bracket has not shrunk enough, it is halved instead, so the cost is bounded. Stops when a step
  /// is below `relative` of the value or `absolute`.
  /// `positiveBelow` says that f > 0 left of the root.
  static func solve(
    low: Double, high: Double, starts: (Double, Double), positiveBelow: Bool,
    relative: Double = 1e-13, absolute: Double = 0, _ f: (Double) -> Double
  ) -> Double {
    var low = low
    var high = high
    func note(_ x: Double, _ value: Double) {
      if (value > 0) == positiveBelow { low = max(low, x) } else { high = min(high, x) }
    }
    var previous = inside(starts.0, low, high)
    var previousValue = f(previous)
    if previousValue == 0 { return previous }
    note(previous, previousValue)
    var current = inside(starts.1, low, high)
    if current == previous { current = low + (high - low) / 2 }
    var width = high - low
    for iteration in 0..<200 {
      let value = f(current)
      if value == 0 { return current }
      note(current, value)
      var next = current - value * (current - previous) / (value - previousValue)
      // Every fourth step has to have halved the bracket, else it is halved outright. The secant's first steps are
      // exempt, because a good start leaves one side of the bracket far away.
      let slow = iteration >= 12 && iteration % 3 == 0 && high - low > width / 2
      if !(next > low && next < high) || slow { next = low + (high - low) / 2 }
      if iteration % 3 == 0 { width = high - low }
      let tolerance = max(absolute, relative * abs(next))
      if abs(next - current) <= tolerance || high - low <= max(absolute, 4e-16 * max(abs(low), abs(high))) {
        return next
      }
      previous = current
      previousValue = value
      current = next
    }
    return current
  }

  private static func inside(_ x: Double, _ low: Double, _ high: Double) -> Double {
    x > low && x < high ? x : low + (high - low) / 2
  }
}

/// Bisection of whole numbers.
enum Bisection {
  /// The first number after `low` from which on a condition holds; `high` if there is no such number before it.
  static func first(after low: Int, upTo high: Int, where holds: (Int) -> Bool) -> Int {
    var low = low
    var high = high
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle }
    }
    return high
  }
}

/// Nodes and weights of Gauss–Legendre quadrature on [−1, 1].
struct GaussLegendre: Sendable {
  let nodes: [Double]
  let weights: [Double]

  /// Newton's method on the Legendre polynomial of the order, from the classic cosine starts.
  init(order n: Int) {
    var nodes = [Double](repeating: 0, count: n)
    var weights = nodes
    for i in 0..<n {
      var x = Elementary.cos(Double.pi * (Double(i) + 0.75) / (Double(n) + 0.5))
      var derivative = 1.0
      for _ in 0..<100 {
        var p0 = 1.0
        var p1 = x
        for k in 2...max(2, n) {
          (p0, p1) = (p1, (Double(2 * k - 1) * x * p1 - Double(k - 1) * p0) / Double(k))
        }
        derivative = Double(n) * (x * p1 - p0) / (x * x - 1)
        let step = p1 / derivative
        x -= step
        if abs(step) < 1e-15 { break }
      }
      nodes[i] = x
      weights[i] = 2 / ((1 - x * x) * derivative * derivative)
    }
    self.nodes = nodes
    self.weights = weights
  }

  static let order64 = GaussLegendre(order: 64)

  /// ∫ f over [low, high] in `panels` equal panels.
  func integrate(_ low: Double, _ high: Double, panels: Int, _ f: (Double) -> Double) -> Double {
    let half = (high - low) / Double(2 * panels)
    var sum = 0.0
    for panel in 0..<panels {
      let centre = low + half * Double(2 * panel + 1)
      for (node, weight) in zip(nodes, weights) { sum += weight * f(centre + half * node) }
    }
    return sum * half
  }
}
