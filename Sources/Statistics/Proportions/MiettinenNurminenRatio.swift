// Miettinen and Nurminen's score interval for the ratio of two rates.

extension MiettinenNurminen {
  /// The interval of rate(first) / rate(second).
  ///
  /// All R with (p̂₁ − R p̂₀)² ≤ z² [p̃₁(1 − p̃₁)/n₁ + R² p̃₀(1 − p̃₀)/n₀] · N/(N − 1), p̃ the maximum likelihood under
  /// p₁ = R p₀ (the same paper; P. A. R. Koopman, Biometrics 40 (1984) 513, without the factor). `low` is 0 where the
  /// first has no successes, `high` is infinite where the second has none. nil where either has no trials or the
  /// confidence is outside (0, 1).
  public static func ratioInterval(
    _ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95
  ) -> Interval? {
    guard let z = NormalDistribution.criticalValue(confidence: confidence) else { return nil }
    guard first.trials > 0, second.trials > 0 else { return nil }
    guard let difference = BinomialSample.exactDifference(first, second) else { return nil }
    let equation = RatioScore(first: first, second: second, difference: difference, z: z)
    return Interval(
      low: first.successes == 0 ? 0 : equation.limit(side: -1),
      high: second.successes == 0 ? .infinity : equation.limit(side: 1)
    )
  }
}

/// The score equation of a ratio in t = ln R.
///
/// The quadratic of p̃₀ is written in R − 1 and failure counts, where no large terms cancel:
/// B² − 4AC = ((n₁ + x₀)(R − 1) + f₁ − f₀)² + 4 R f₁ f₀, with f the failures.
private struct RatioScore {
  let x1: Double
  let f1: Double
  let n1: Double
  let x0: Double
  let f0: Double
  let n0: Double
  let difference: Double
  let z: Double

  init(first: BinomialSample, second: BinomialSample, difference: Double, z: Double) {
    x1 = Double(first.successes)
    f1 = Double(first.failures)
    n1 = Double(first.trials)
    x0 = Double(second.successes)
    f0 = Double(second.failures)
    n0 = Double(second.trials)
    self.difference = difference
    self.z = z
  }

  /// √V of p̂₁ − R p̂₀ under the ratio 1 + `excess`.
  private func deviation(_ ratio: Double, _ excess: Double) -> Double {
    let c = x1 + x0
    // Near a ratio of 1 the distance from it carries the digits, elsewhere the ratio does.
    let near = abs(excess) < 0.5
    let linear = near ? (n1 + x0) * excess + (f1 - f0) : (n1 + x0) * ratio - (n0 + x1)
    let root = (linear * linear + 4 * ratio * f1 * f0).squareRoot()
    let sum = n1 * ratio + n0 + x1 + x0 * ratio + root
    let p0 = 2 * c / sum
    let p1 = ratio * p0
    // 1 − p̃ from w + root, by the conjugate where w is negative.
    let w0 = near ? (n1 + x0) * excess + (f1 + f0) : (n1 + x0) * ratio + (n0 - x0 - c)
    let q0 = w0 >= 0 ? (w0 + root) / sum : -4 * f0 * excess * c / ((root - w0) * sum)
    let w1 = ratio * f1 + f0 - excess * c
    let q1 = w1 >= 0 ? (w1 + root) / sum : 4 * ratio * f1 * excess * c / ((root - w1) * sum)
    let n = n1 + n0
    let variance = p1 * max(0, q1) / n1 + ratio * ratio * p0 * max(0, q0) / n0
    return (variance * n / (n - 1)).squareRoot()
  }

  /// Below the estimate: p̂₁ − R p̂₀ − z √V; above it the opposite distance. Divided by max(1, R), for a fair scale.
  private func excess(_ t: Double, _ side: Double) -> Double {
    let ratio = Elementary.exp(t)
    let minusOne = Elementary.expm1(t)
    let distance = abs(minusOne) < 0.5 ? difference - minusOne * (x0 / n0) : x1 / n1 - ratio * (x0 / n0)
    return (-side * distance - z * deviation(ratio, minusOne)) / max(1, ratio)
  }

  func limit(side: Double) -> Double {
    let centre = Elementary.log(((x1 + 0.5) / (n1 + 0.5)) / ((x0 + 0.5) / (n0 + 0.5)))
    let spread = (f1 / ((x1 + 0.5) * n1) + f0 / ((x0 + 0.5) * n0) + 1 / (n1 * n1) + 1 / (n0 * n0)).squareRoot()
    let start = centre + side * z * spread
    // Outside the interval the excess is positive, inside it is not: walk to a bracket from the start.
    var outer = start
    var step = max(z * spread / 2, 1e-12)
    var inner = start
    if excess(start, side) > 0 {
      repeat {
        outer = inner
        inner -= side * step
        step *= 2
      } while excess(inner, side) > 0 && abs(inner) < 2000
    } else {
      repeat {
        inner = outer
        outer += side * step
        step *= 2
      } while excess(outer, side) <= 0 && abs(outer) < 2000
    }
    let t = RootFinder.solve(
      low: min(inner, outer), high: max(inner, outer), starts: (inner + (outer - inner) / 3, start),
      positiveBelow: side < 0, absolute: 1e-300
    ) { excess($0, side) }
    return Elementary.exp(t)
  }
}
