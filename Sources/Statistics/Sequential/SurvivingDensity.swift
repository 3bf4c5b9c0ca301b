// The density of a Brownian path that has not crossed a symmetric boundary yet.

/// The sub-density f of the score S(t) = z √t over paths inside all bounds so far, on quadrature nodes.
///
/// S is a Brownian motion without drift, f is symmetric, and only the half line x ≥ 0 is kept. Source: P. Armitage, C. K.
/// McPherson and B. C. Rowe, JRSS A 132 (1969) 235, doi:10.2307/2343787.
///
/// f is smooth up to the bound `edge` and 0 beyond it. The rule of equal steps h is exact to rounding for smooth
/// functions that fall to 0 at both ends, so x = edge − ρ(edge − u) is integrated over u: ρ is the integral of Φ, so x
/// is u itself as far as the bound is far, and comes ever closer to it, doubly exponentially. Source: L. N. Trefethen
/// and J. A. C. Weideman, SIAM Review 56 (2014) 385, doi:10.1137/130932132.
struct SurvivingDensity: Sendable {
  /// Between nodes, in standard deviations of the smaller of two steps: to this look, and to the next.
  private static let nodeSpacing = 0.6
  /// c of Φ(c u): how sharply the nodes turn to the bound.
  private static let bend = 0.7
  /// Φ(−tail), 3e-13, is nothing.
  private static let tail = 7.2
  /// What goes farther than this many standard deviations in a step is left out: 1e-15.
  fileprivate static let reach = 8.0

  /// The time of the nodes.
  private(set) var time = 0.0
  /// Rising, from 0 on.
  private var nodes: [Double] = [0]
  /// Density times quadrature weight. Before the first look all mass is at 0, half of it on this side.
  private var masses: [Double] = [0.5]
  /// Of the first nodes, which are its multiples; 0 before the first look.
  private var spacing = 0.0
  private var evenCount = 1

  /// A bound on memory. Steps of a millionth of the time, the smallest that occur, need some ten thousand.
  private static let mostNodes = 100_000.0

  /// P(not crossed before, |S| ≥ x a step later).
  ///
  /// 2 ∫ f(y) [Q((x − y)/s) + Q((x + y)/s)] dy, Q the upper tail from erfc, s = √step.
  func exit(_ x: Double, deviation s: Double) -> Double { exitSeries(x, deviation: s)[0] }

  /// The same, with its derivatives in x: the first by s, the second by s², the third by s³.
  func exitSeries(_ x: Double, deviation s: Double) -> SIMD4<Double> {
    var sum = SIMD4<Double>.zero
    // The first look has its whole tail.
    let reach = spacing > 0 ? Self.reach : .infinity
    func add(_ mass: Double, _ u: Double) {
      let density = NormalDistribution.density(u)
      sum += 2 * mass * SIMD4(NormalDistribution.upperTail(u), -density, u * density, (1 - u * u) * density)
    }
    for index in nodes.indices.reversed() {
      let u = (x - nodes[index]) / s
      if u > reach { break }
      if u > -reach { add(masses[index], u) } else { sum[0] += 2 * masses[index] }
    }
    for index in nodes.indices {
      let u = (x + nodes[index]) / s
      if u > reach { break }
      add(masses[index], u)
    }
    return sum
  }

  /// Whether `exit(x)` is certainly more than that: of the paths beyond x half are still there a step later, or more.
  func isMore(than probability: Double, beyond x: Double) -> Bool {
    var sum = 0.0
    for index in nodes.indices.reversed() where nodes[index] >= x {
      sum += masses[index]
      if sum > probability { return true }
    }
    return false
  }

  /// Goes on to `newTime` with the paths whose |S| stays below `edge` there.
  ///
  /// f'(x) = ∫ f(y) [φ((x − y)/s) + φ((x + y)/s)]/s dy. `nextDeviation`: of the step that follows.
  mutating func advance(to newTime: Double, edge: Double, nextDeviation: Double) {
    let s = (newTime - time).squareRoot()
    let layer = Self.tail / Self.bend
    let scale = max(min(s, nextDeviation, edge / layer), Self.nodeSpacing * edge / Self.mostNodes)
    let step = Self.nodeSpacing * scale
    let kernel = NormalStep(
      even: masses[..<evenCount], spacing: spacing, nodes: nodes[evenCount...], masses: masses[evenCount...],
      deviation: s)
    (time, spacing, evenCount, nodes, masses) = (newTime, step, 0, [], [])
    guard edge > 0, kernel.hasMass else { return }
    let count = Int((edge / scale + layer) / Self.nodeSpacing) + 1
    nodes.reserveCapacity(count)
    var weights: [Double] = []
    weights.reserveCapacity(count)
    for index in 0..<count {
      let even = Double(index) * step
      let v = (edge - even) / scale
      let u = Self.bend * v
      if index == 0 || u >= Self.tail {
        evenCount += 1
        nodes.append(even)
        weights.append(index == 0 ? 0.5 * step : step)
      } else {
        let cumulative = NormalDistribution.cumulative(u)
        let distance = v * cumulative + NormalDistribution.density(u) / Self.bend
        nodes.append(edge - scale * max(0, distance))
        weights.append(cumulative * step)
      }
    }
    masses = kernel.densities(at: nodes, evenCount: evenCount, spacing: step)
    for index in masses.indices { masses[index] *= weights[index] }
  }

  /// The nodes above `least` with their masses, rising, those below 0 included. Before the first look all mass is at 0.
  func upperSide(from least: Double) -> (nodes: ArraySlice<Double>, masses: ArraySlice<Double>) {
    guard spacing > 0 else { return ([0], [1]) }
    let first = nodes.firstIndex { $0 >= least } ?? nodes.count
    let below = nodes.firstIndex { -$0 < least } ?? nodes.count
    guard below > 0 else { return (nodes[first...], masses[first...]) }
    return (nodes[..<below].reversed().map { -$0 } + nodes[first...], masses[..<below].reversed() + masses[first...])
  }

  /// P(not crossed) so far, under no difference.
  var survival: Double { 2 * masses.reduce(0, +) }

  /// P(not crossed) if S has the mean drift · t: ∫ f(y) exp(drift · y − drift² t/2) dy over both sides.
  func survival(drift: Double) -> Double {
    let centre = drift * drift * time / 2
    return zip(nodes, masses).reduce(0) { sum, point in
      let (y, mass) = point
      return sum + mass * (Elementary.exp(drift * y - centre) + Elementary.exp(-drift * y - centre))
    }
  }
}

// MARK: One step of a Brownian motion from the nodes of one density to those of the next

/// Σ mass · φ((x − y)/s)/s over the nodes y of a density and their mirrors −y, for many x.
///
/// Most nodes are equally spaced: from one to the next exp(−(x − y)²/2s²) changes by a factor that itself changes by a
/// constant one. The others need an exponential for each pair, four at once, but for x that are equally spaced.
private struct NormalStep {
  /// Masses of the multiples of `spacing` from −(n − 1) to n − 1.
  private let even: [Double]
  private let last: Int
  private let spacing: Double
  /// Rising; the last ones are filled up with masses of 0.
  private let nodes: [SIMD4<Double>]
  private let masses: [SIMD4<Double>]
  private let s: Double
  /// −1/2s².
  private let scale: Double
  private let reach: Double

  /// Rounding grows with the square of the number of multiplications.
  private static let run = 64

  init(
    even: ArraySlice<Double>, spacing: Double, nodes: ArraySlice<Double>, masses: ArraySlice<Double>,
    deviation s: Double
  ) {
    last = even.count - 1
    self.spacing = spacing
    self.s = s
    scale = -0.5 / (s * s)
    reach = SurvivingDensity.reach * s
    self.even = even.dropFirst().reversed() + [2 * (even.first ?? 0)] + even.dropFirst()
    func groups(_ values: ArraySlice<Double>, filledWith end: Double) -> [SIMD4<Double>] {
      stride(from: values.startIndex, to: values.endIndex, by: 4).map { start in
        var group = SIMD4(repeating: end)
        for lane in 0..<min(4, values.endIndex - start) { group[lane] = values[start + lane] }
        return group
      }
    }
    self.nodes = groups(nodes, filledWith: nodes.last ?? 0)
    self.masses = groups(masses, filledWith: 0)
  }

  var hasMass: Bool { last >= 0 }

  /// At rising `targets`, of which the first are multiples of `spacing`.
  func densities(at targets: [Double], evenCount: Int, spacing: Double) -> [Double] {
    var sums = [Double](repeating: 0, count: targets.count)
    even.withUnsafeBufferPointer { even in
      for start in stride(from: 0, to: targets.count, by: 4) {
        let count = min(4, targets.count - start)
        var x = SIMD4(repeating: targets[start + count - 1])
        for lane in 0..<count { x[lane] = targets[start + lane] }
        let sum = fromEven(x, even)
        for lane in 0..<count { sums[start + lane] = sum[lane] }
      }
    }
    if let origin = nodes.first?[0] {
      nodes.withUnsafeBufferPointer { nodes in
        masses.withUnsafeBufferPointer { masses in
          addOthers(to: &sums, origin, nodes, masses, evenCount, spacing)
          for index in evenCount..<max(evenCount, targets.count) {
            sums[index] += fromOthers(targets[index], nodes, masses)
          }
          for index in targets.indices {
            if origin + targets[index] > reach { break }
            sums[index] += fromOthers(-targets[index], nodes, masses)
          }
        }
      }
    }
    let factor = 0.39894228040143267794 / s
    for index in sums.indices { sums[index] *= factor }
    return sums
  }

  /// `x` rises.
  private func fromEven(_ x: SIMD4<Double>, _ even: UnsafeBufferPointer<Double>) -> SIMD4<Double> {
    var sum = SIMD4<Double>.zero
    var index = -last
    var end = last
    if spacing > 0 {
      index = max(index, Int(((x[0] - reach) / spacing).rounded(.up)))
      end = min(end, Int(((x[3] + reach) / spacing).rounded(.down)))
    }
    let change = SIMD4(repeating: Elementary.exp(2 * scale * spacing * spacing))
    while index <= end {
      let distance = x - Double(index) * spacing
      var value = Exponential.of(scale * distance * distance)
      // exp(−(d − h)²/2s²) = exp(−d²/2s²) · exp((2dh − h²)/2s²)
      var growth = Exponential.of(scale * spacing * (spacing - 2 * distance))
      for place in index...min(end, index + Self.run - 1) {
        sum += even[place + last] * value
        value *= growth
        growth *= change
      }
      index += Self.run
    }
    return sum
  }

  /// From the nodes that are not equally spaced to x that are.
  ///
  /// With x = o + d and y = o + b, exp(−(x − y)²/2s²) = exp(−d²/2s²) · exp(−b²/2s²) · exp(d b/s²), and the last goes
  /// from one x to the next by one multiplication.
  private func addOthers(
    to sums: inout [Double], _ origin: Double, _ nodes: UnsafeBufferPointer<SIMD4<Double>>,
    _ masses: UnsafeBufferPointer<SIMD4<Double>>, _ evenCount: Int, _ spacing: Double
  ) {
    let begin = max(0, Int(((origin - reach) / spacing).rounded(.up)))
    guard begin < evenCount else { return }
    var others = [SIMD4<Double>](repeating: .zero, count: evenCount - begin)
    for group in nodes.indices {
      let b = nodes[group] - origin
      let growth = Exponential.of(-2 * scale * spacing * b)
      for start in stride(from: begin, to: evenCount, by: Self.run) {
        let d = Double(start) * spacing - origin
        var value = masses[group] * Exponential.of(scale * b * (b - 2 * d))
        for index in start..<min(evenCount, start + Self.run) {
          others[index - begin] += value
          value *= growth
        }
      }
    }
    for index in begin..<evenCount {
      let d = Double(index) * spacing - origin
      sums[index] += Elementary.exp(scale * d * d) * others[index - begin].sum()
    }
  }

  private func fromOthers(
    _ x: Double, _ nodes: UnsafeBufferPointer<SIMD4<Double>>, _ masses: UnsafeBufferPointer<SIMD4<Double>>
  ) -> Double {
    var sum = SIMD4<Double>.zero
    for group in nodes.indices {
      let distance = nodes[group] - x
      if distance[0] > reach { break }
      sum += masses[group] * Exponential.of(scale * distance * distance)
    }
    return sum.sum()
  }
}

/// exp of four numbers at once: of arguments from −700 to 700, to 2e-15 of the value.
enum Exponential {
  @inline(__always) static func of(_ x: SIMD4<Double>) -> SIMD4<Double> {
    // x = n ln 2 + r with |r| ≤ ln 2/2. Adding 1.5 · 2⁵² rounds to a whole number, which is then in the low bits.
    let shifted = x * 1.4426950408889634074 + 6755399441055744
    let n = shifted - 6755399441055744
    let r = x - n * 0.693147180369123816490 - n * 1.90821492927058770002e-10
    var sum = SIMD4(repeating: 1 / 39_916_800.0)
    sum = sum * r + 1 / 3_628_800.0
    sum = sum * r + 1 / 362_880.0
    sum = sum * r + 1 / 40_320.0
    sum = sum * r + 1 / 5_040.0
    sum = sum * r + 1 / 720.0
    sum = sum * r + 1 / 120.0
    sum = sum * r + 1 / 24.0
    sum = sum * r + 1 / 6.0
    sum = sum * r + 0.5
    sum = sum * r + 1
    sum = sum * r + 1
    // 2ⁿ: n into the exponent.
    let bits = unsafeBitCast(shifted, to: SIMD4<UInt64>.self) &<< 52
    return unsafeBitCast(unsafeBitCast(sum, to: SIMD4<UInt64>.self) &+ bits, to: SIMD4<Double>.self)
  }
}
