// The density of a Brownian path that has not crossed a symmetric boundary yet.

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
  /// A bound against memory; steps of a millionth of the time, the smallest that are asked for, take a few thousand.
  private static let mostPanels = 10_000.0

  /// P(not crossed before, |S| ≥ x a step later), and its derivative in x.
  ///
  /// 2 ∫ f(y) [Q((x − y)/s) + Q((x + y)/s)] dy, Q the upper tail from erfc, s = √step.
  func exit(_ x: Double, deviation s: Double) -> (probability: Double, slope: Double) {
    var probability = 0.0
    var slope = 0.0
    // The first look has its whole tail.
    let reach = half > 0 ? Self.reach : .infinity
    for place in nodes.indices.reversed() {
      let u = (x - nodes[place]) / s
      if u > reach { break }
      guard u > -Self.reach else {
        probability += masses[place]
        continue
      }
      probability += masses[place] * NormalDistribution.upperTail(u)
      slope += masses[place] * NormalDistribution.density(u)
    }
    for place in nodes.indices {
      let u = (x + nodes[place]) / s
      if u > reach { break }
      probability += masses[place] * NormalDistribution.upperTail(u)
      slope += masses[place] * NormalDistribution.density(u)
    }
    return (2 * probability, -2 * slope / s)
  }

  /// Goes on to `newTime` with the paths whose |S| stays below `edge` there.
  ///
  /// f'(x) = ∫ f(y) [φ((x − y)/s) + φ((x + y)/s)]/s dy on panels of 12 Gauss–Legendre nodes, no wider than two standard
  /// deviations of this step or of the next one (`nextDeviation`).
  mutating func advance(to newTime: Double, edge: Double, nextDeviation: Double) {
    let s = (newTime - time).squareRoot()
    let width = 2 * min(s, nextDeviation)
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
      for (place, weight) in zip(rule.nodes.reversed(), rule.weights.reversed()) {
        let x = centre + half * place
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

  /// P(not crossed) if S has the mean drift · t: ∫ f(y) exp(drift · y − drift² t/2) dy over both sides.
  func survival(drift: Double) -> Double {
    let centre = drift * drift * time / 2
    return zip(nodes, masses).reduce(0) { sum, point in
      let (y, mass) = point
      return sum + mass * (Elementary.exp(drift * y - centre) + Elementary.exp(-drift * y - centre))
    }
  }
}
