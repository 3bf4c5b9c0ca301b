// A bracketing root finder with the speed of the secant method.

/// Finds the root of a function that changes its sign once in a bracket.
enum RootFinder {
  /// The root of `f` in [low, high].
  ///
  /// Secant steps from two starts, kept inside a bracket that every evaluation narrows; where a step leaves the
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
