// Sample size, power and detectable effects hang together.

import Statistics
import Testing

@Suite struct PlanningTests {
  @Test func unreachablePlans() {
    #expect(SampleSize.perArm(baseline: 0.995, effect: 0.01) == nil)
    #expect(SampleSize.perArm(baseline: 0.005, effect: -0.01) == nil)
    #expect(SampleSize.perArm(baseline: 0.5, effect: 0) == nil)
    #expect(SampleSize.perArm(baseline: 0.5, effect: 0.1, alpha: 0) == nil)
    #expect(SampleSize.perArm(baseline: 0.5, effect: 0.1, power: 1) == nil)
    #expect(SampleSize.perArm(baseline: 0.5, effect: 0.1, ratio: 0) == nil)
    #expect(SampleSize.perArm(baseline: 0.5, effect: 1e-9) == nil)
    #expect(SampleSize.perArm(baseline: .nan, effect: 0.1) == nil)
    #expect(SampleSize.perArm(baseline: 0, effect: 0.01) != nil)
    #expect(SampleSize.perArm(baseline: 1, effect: -0.01) != nil)
  }

  @Test(arguments: [(0.3, 0.02), (0.02, 0.01), (0.9, -0.05), (0.5, 0.3)])
  func theSizeHasThePower(_ baseline: Double, _ effect: Double) throws {
    let plan = try #require(SampleSize.perArm(baseline: baseline, effect: effect, ratio: 1.5))
    let power = PowerAnalysis.power(
      control: baseline, treatment: baseline + effect, controlUsers: plan.control, treatmentUsers: plan.treatment)
    #expect(try #require(power) >= 0.8 - 1e-3 && power ?? 1 < 0.82, "\(plan)")
    let detectable = try #require(
      PowerAnalysis.minimumDetectableEffect(
        control: baseline, controlUsers: plan.control, treatmentUsers: plan.treatment))
    let got = try #require(effect > 0 ? detectable.up : detectable.down)
    #expect(close(got, abs(effect), relative: 0.03), "\(got)")
  }

  @Test func effectsOutOfReach() throws {
    let few = try #require(PowerAnalysis.minimumDetectableEffect(control: 0.9, controlUsers: 10, treatmentUsers: 10))
    #expect(few.up == nil && few.down != nil)
    let zero = try #require(PowerAnalysis.minimumDetectableEffect(control: 0, controlUsers: 500, treatmentUsers: 500))
    #expect(zero.down == nil && (zero.up ?? 0) > 0.005)
    #expect(PowerAnalysis.power(control: 0.5, treatment: 0.6, controlUsers: 0, treatmentUsers: 3) == nil)
    #expect(PowerAnalysis.power(control: 0, treatment: 1, controlUsers: 9, treatmentUsers: 9) == 1)
  }
}
