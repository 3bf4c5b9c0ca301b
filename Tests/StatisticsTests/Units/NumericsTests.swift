// The special functions against 40-digit values.

import Testing

@testable import Statistics

@Suite struct NumericsTests {
  @Test(arguments: [
    (0.5, 0), (0.975, 1.9599639845400542), (0.3, -0.52440051270804078), (1e-10, -6.3613409024040562),
    (1e-300, -37.047096299361199), (0.999, 3.0902323061678135), (0.0749, -1.4402382675279636),
  ])
  func normalQuantile(_ p: Double, _ want: Double) {
    #expect(close(NormalDistribution.quantile(p), want, relative: 4e-15, absolute: 1e-16))
  }

  @Test func normalQuantileAtTheEnds() {
    #expect(NormalDistribution.quantile(0) == -.infinity)
    #expect(NormalDistribution.quantile(1) == .infinity)
    #expect(NormalDistribution.quantile(-0.1).isNaN && NormalDistribution.quantile(1.1).isNaN)
  }

  @Test(arguments: [
    (5, -6.2416156767266733), (24.9, -136.12841780951449), (25.1, -138.30335356303472), (30, -197.00817926599697),
    (39, -331.97036309736687), (79, -1357.2116873683726), (1000, -217150.33901199872),
  ])
  func logarithmOfTheTail(_ z: Double, _ want: Double) {
    #expect(close(NormalDistribution.log10TwoSidedP(z), want, relative: 1e-13))
    #expect(NormalDistribution.log10TwoSidedP(-z) == NormalDistribution.log10TwoSidedP(z))
  }

  @Test(arguments: [
    (1, 0.95, 12.706204736174705), (1, 0.99, 63.656741162871581), (2, 0.95, 4.3026527297494639),
    (2.5, 0.95, 3.5746548420036832), (2.5, 0.99, 7.1637281389487855), (10, 0.95, 2.2281388519862747),
    (57.8, 0.99, 2.663599138338077), (1000, 0.95, 1.9623390808264085), (123456.5, 0.95, 1.9599832001673623),
    (1e7, 0.99, 2.575829795203749),
  ])
  func studentCritical(_ freedom: Double, _ confidence: Double, _ want: Double) {
    #expect(close(StudentT.criticalValue(confidence: confidence, degreesOfFreedom: freedom), want, relative: 1e-12))
  }

  @Test func studentAgreesWithItself() {
    for freedom in [0.7, 1, 3.3, 30, 1e5] {
      for confidence in [0.01, 0.5, 0.9, 0.999, 0.9999999] {
        let t = StudentT.criticalValue(confidence: confidence, degreesOfFreedom: freedom)
        let p = t.map { StudentT.twoSidedP($0, degreesOfFreedom: freedom) }
        #expect(close(p, 1 - confidence, relative: 1e-10), "\(freedom) \(confidence)")
      }
    }
    #expect(StudentT.criticalValue(confidence: 1, degreesOfFreedom: 3) == nil)
    #expect(StudentT.criticalValue(confidence: 0.95, degreesOfFreedom: 0) == nil)
  }

  @Test(arguments: [
    (0.5, 10, 7.7442164310440836e-6), (1, 3, 0.049787068367863943), (2.5, 1, 0.84914503608460964),
    (50, 80, 0.00013078397659141034), (1000, 900, 0.99945009773428822), (5, 300, 1.7609176946831842e-122),
  ])
  func incompleteGamma(_ a: Double, _ x: Double, _ want: Double) {
    #expect(close(IncompleteGamma.upper(a, x), want, relative: 1e-12))
  }

  @Test(arguments: [
    (0.5, 0.57236494292470009), (3.7, 1.4280723266653879), (15.9, 27.625493215168691), (16.1, 28.173694494813543),
    (1e6, 12815504.569147612),
  ])
  func logGamma(_ x: Double, _ want: Double) {
    #expect(close(LogGamma.value(x), want, relative: 2e-15))
  }

  @Test func binomialMassesAddUp() {
    for (n, p) in [(1, 0.3), (17, 0.02), (400, 0.5), (3000, 0.999)] {
      let sum = (0...n).reduce(0.0) {
        $0 + Elementary.exp(DiscreteMass.logBinomial(Double($1), Double(n - $1), p: p, q: 1 - p))
      }
      #expect(close(sum, 1, relative: 1e-12))
      var running = 0.0
      for k in 0...min(n, 40) {
        running += Elementary.exp(DiscreteMass.logBinomial(Double(k), Double(n - k), p: p, q: 1 - p))
        #expect(close(BinomialDistribution.tails(k, trials: n, p: p).lower, running, relative: 1e-11, absolute: 1e-300))
      }
    }
  }

  @Test func incompleteBetaTailsAddUp() {
    for (a, b) in [(0.5, 0.5), (1, 1), (3, 700), (1e6, 2e6), (1e9, 1e9)] {
      for shift in [-3.0, -1, 0, 0.5, 4] {
        let mean = a / (a + b)
        let x = min(0.999, max(1e-9, mean + shift * (mean * (1 - mean) / (a + b + 1)).squareRoot()))
        let one = IncompleteBeta.tails(x, 1 - x, a: a, b: b)
        let other = IncompleteBeta.tails(1 - x, x, a: b, b: a)
        #expect(abs(one.lower + one.upper - 1) < 1e-15)
        #expect(close(one.lower, other.upper, relative: 1e-7), "\(a) \(b) \(shift)")
      }
    }
    #expect(close(IncompleteBeta.tails(0.3, 0.7, a: 1, b: 1).lower, 0.3, relative: 1e-13))
  }

  @Test func quadratureIsExactForPolynomials() {
    let rule = GaussLegendre(order: 12)
    let got = rule.integrate(0, 2, panels: 3) { x in x * x * x * x * x - 3 * x }
    #expect(close(got, 64.0 / 6 - 6, relative: 1e-13))
    #expect(close(rule.weights.reduce(0, +), 2, relative: 1e-14))
  }

  @Test func rootFinderSurvivesBadStarts() {
    let root = RootFinder.solve(low: -1e6, high: 1e6, starts: (9e5, -9e5), positiveBelow: false) { $0 * $0 * $0 - 8 }
    #expect(close(root, 2, relative: 1e-12))
    let steep = RootFinder.solve(low: 0, high: 700, starts: (1, 2), positiveBelow: false) { Elementary.exp($0) - 1e300 }
    #expect(close(steep, 300 * NormalDistribution.ln10, relative: 1e-12))
  }
}
