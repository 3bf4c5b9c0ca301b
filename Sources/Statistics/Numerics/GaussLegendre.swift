// Gauss–Legendre quadrature.

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

  static let order20 = GaussLegendre(order: 20)
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
