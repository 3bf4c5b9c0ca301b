// The density of a Brownian path that has not crossed a boundary yet.

/// The sub-density of the score W(t) = z(t) √t over paths inside all bounds so far, on quadrature nodes.
struct SequentialPath {
  private let drift: Double
  private var time = 0.0
  private var nodes: [Double] = [0]
  /// Density times quadrature weight; before the first look all mass is at 0.
  private var masses: [Double] = [1]

  init(drift: Double) { self.drift = drift }

  /// P(not crossed before, |z| ≥ bound at this look).
  func crossing(at fraction: Double, bound: Double) -> Double {
    let edge = bound * fraction.squareRoot()
    let step = (fraction - time).squareRoot()
    let shift = drift * (fraction - time)
    var sum = 0.0
    for (node, mass) in zip(nodes, masses) {
      let centre = node + shift
      let above = NormalDistribution.upperTail((edge - centre) / step)
      let below = NormalDistribution.upperTail((edge + centre) / step)
      sum += mass * (above + below)
    }
    return sum
  }

  /// The bound that is crossed for the first time here with the given probability.
  func bound(at fraction: Double, crossing probability: Double) -> Double {
    guard probability > 0 else { return .infinity }
    let goal = Elementary.log(probability)
    let start = max(0.1, -NormalDistribution.quantile(min(0.49, probability / 2)))
    return RootFinder.solve(
      low: 0, high: 40, starts: (start, start * 0.9), positiveBelow: true, relative: 1e-12
    ) { Elementary.log(max(crossing(at: fraction, bound: $0), 1e-300)) - goal }
  }

  /// Goes on with the paths inside the bound. `nextStep` is the information until the look after.
  mutating func advance(to fraction: Double, bound: Double, nextStep: Double) {
    let step = (fraction - time).squareRoot()
    let shift = drift * (fraction - time)
    // Ten standard deviations hold all mass if no bound does.
    let root = fraction.squareRoot()
    let low = max(-bound, drift * root - 10) * root
    let high = min(bound, drift * root + 10) * root
    guard low < high else {
      nodes = []
      masses = []
      return
    }
    let scale = min(step, nextStep.squareRoot())
    let panels = max(1, min(400, Int(((high - low) / (2 * scale)).rounded(.up))))
    let rule = GaussLegendre.order20
    let half = (high - low) / Double(2 * panels)
    var newNodes: [Double] = []
    var newMasses: [Double] = []
    newNodes.reserveCapacity(panels * 20)
    newMasses.reserveCapacity(panels * 20)
    for panel in 0..<panels {
      let centre = low + half * Double(2 * panel + 1)
      for (x, weight) in zip(rule.nodes, rule.weights) {
        let point = centre + half * x
        var density = 0.0
        for (node, mass) in zip(nodes, masses) {
          density += mass * NormalDistribution.density((point - node - shift) / step)
        }
        newNodes.append(point)
        newMasses.append(density / step * weight * half)
      }
    }
    nodes = newNodes
    masses = newMasses
    time = fraction
  }
}
