// One step of a Brownian motion from quadrature panels to many points.

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
    for place in 0..<4 { first[place] = Elementary.exp(distance * outer[place]) }
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
