// How the events of some new users fall on the two arms by chance.

/// New users of both arms, and the events among them, of which it is not said in which arm they were.
struct BlockMargins: Sendable, Hashable {
  let a: Int
  let b: Int
  let events: Int
  let users: Int

  /// From `before` to `now`; nil if any count fell, or if the users of both arms are more than an `Int` holds.
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
