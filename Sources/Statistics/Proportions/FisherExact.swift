// Fisher's exact test of a fourfold table, with the mid-p value.

/// Fisher's exact test and its mid-p value.
///
/// Two-sided: the sum over tables no likelier than the observed one, with R's relative slack of 1e-7 for ties (J. O.
/// Irwin, 1935). Mid-p: the tables less likely, and half of those equally likely (H. O. Lancaster, JASA 56 (1961) 223;
/// K. F. Hirji). The exact test is conservative, the mid-p close to its level.
public struct FisherExact: Sendable, Hashable {
  public let twoSided: Double
  /// Half of every table as likely as the observed one.
  public let midP: Double
  /// Half of the observed table only.
  public let midPObservedOnly: Double
  /// P(X ≤ observed), X the successes of the first sample.
  public let less: Double
  /// P(X ≥ observed).
  public let greater: Double
  /// log10 of `midP`, also below the smallest double.
  public let log10MidP: Double

  /// nil if either has no trials.
  public static func test(_ first: BinomialSample, _ second: BinomialSample) -> FisherExact? {
    guard first.trials > 0, second.trials > 0 else { return nil }
    return Hypergeometric(first, second).test()
  }
}

/// The successes of the first sample given all margins.
private struct Hypergeometric {
  let observed: Int
  let low: Int
  let high: Int
  let drawn: Int
  let marked: Int
  let others: Int

  init(_ first: BinomialSample, _ second: BinomialSample) {
    drawn = first.trials
    marked = first.successes.clampedSum(second.successes)
    others = first.failures.clampedSum(second.failures)
    observed = first.successes
    low = max(0, drawn - others)
    high = min(drawn, marked)
  }

  private func logMass(_ x: Int) -> Double {
    DiscreteMass.logHypergeometric(Double(x), drawn: Double(drawn), marked: Double(marked), others: Double(others))
  }

  /// P(x + 1) / P(x).
  private func ratio(_ x: Int) -> Double {
    Double(marked - x) / Double(x + 1) * (Double(drawn - x) / Double(others - drawn + x + 1))
  }

  /// Σ P(y)/P(x) for y from x outwards, x included, on the falling side.
  private func tail(from x: Int, upwards: Bool) -> Double {
    var sum = 1.0
    var term = 1.0
    var y = x
    while upwards ? y < high : y > low {
      term *= upwards ? ratio(y) : 1 / ratio(y - 1)
      y += upwards ? 1 : -1
      sum += term
      if term < sum * 1e-18 { break }
    }
    return sum
  }

  /// The likeliest count, ⌊(n + 1)(K + 1)/(N + 2)⌋.
  private var mode: Int {
    let top = (Int128(drawn) + 1) * (Int128(marked) + 1)
    let value = top / (Int128(marked) + Int128(others) + 2)
    return min(high, max(low, Int(value)))
  }

  func test() -> FisherExact {
    let slack = 1e-7
    let logObserved = logMass(observed)
    let mass = Elementary.exp(logObserved)
    let mode = mode
    let below = observed <= mode
    func relative(_ x: Int) -> Double { x == observed ? 1 : Elementary.exp(logMass(x) - logObserved) }
    // All in units of the observed table's probability.
    let near = tail(from: observed, upwards: !below)
    var far = 0.0
    var ties = 1.0
    // At the mode the neighbour on the near side can be as likely.
    let neighbour = below ? observed - 1 : observed + 1
    if neighbour >= low, neighbour <= high, relative(neighbour) >= 1 - slack { ties += relative(neighbour) }
    // The first table on the other side of the mode that is no likelier.
    var inside = below ? max(observed, mode) : min(observed, mode)
    var outside = below ? high.clampedSum(1) : low - 1
    while abs(outside - inside) > 1 {
      let middle = inside + (outside - inside) / 2
      if relative(middle) <= 1 + slack { outside = middle } else { inside = middle }
    }
    // The table just inside may be the neighbour of the observed one at the mode, as likely as it.
    if inside != observed, relative(inside) <= 1 + slack { outside = inside }
    if outside >= low, outside <= high, outside != observed {
      let first = relative(outside)
      far = first * tail(from: outside, upwards: below)
      if abs(first - 1) <= slack { ties += first }
    }
    let whole = near + far
    let nearProbability = min(1, mass * near)
    let farther = min(1, max(0, 1 - mass * (near - 1)))
    let logMid = logObserved + Elementary.log(whole - ties / 2)
    return FisherExact(
      twoSided: min(1, mass * whole), midP: min(1, Elementary.exp(logMid)),
      midPObservedOnly: min(1, mass * (whole - 0.5)), less: below ? nearProbability : farther,
      greater: below ? farther : nearProbability, log10MidP: min(0, logMid / NormalDistribution.ln10))
  }
}
