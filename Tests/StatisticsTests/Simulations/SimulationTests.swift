// Short runs of what docs/statistics.md prints from long ones: coverage, false winners, planned power.

import StatisticalSimulation
import Testing

@Suite struct SimulationTests {
  /// The grid of the documentation, the tables of its smaller arms.
  static let grid = Coverage.grid.filter { $0.control.users <= 50 }
  static let seed: UInt64 = 20_260_401

  @Test(arguments: grid.indices) func miettinenNurminenCoversFrom94To98Percent(_ place: Int) throws {
    let arms = Self.grid[place]
    let covered = try Coverage.miettinenNurminen(arms)
    #expect((0.94...0.98).contains(covered), "\(arms): \(covered)")
    let ratio = try Coverage.miettinenNurminenRatio(arms)
    #expect((0.94...0.98).contains(ratio), "\(arms): \(ratio)")
  }

  @Test func commonIntervalsDoNot() throws {
    let arms = TwoArms(control: (50, 0.02), treatment: (50, 0.05))
    #expect(try Coverage.katz(arms) < 0.6)
    #expect(try Coverage.wald(arms) < 0.92)
    #expect(try Coverage.newcombe(arms) > 0.985)
  }

  @Test func alwaysValidFindsFewWinnersOver200LooksAndNaiveMany() throws {
    let peeking = Peeking(tests: 150, looks: 200, usersALook: 20, rate: 0.5, seed: Self.seed)
    let found = try peeking.winners([.alwaysValid, .naive])
    #expect(try #require(found[.alwaysValid]) <= 0.05, "seed \(Self.seed): \(found)")
    #expect(try #require(found[.naive]) >= 0.25, "seed \(Self.seed): \(found)")
  }

  @Test func declaredLooksAndGuardrailsKeepTheirError() throws {
    let looks = Peeking(tests: 400, looks: 5, usersALook: 400, rate: 0.3, seed: Self.seed)
    #expect(try #require(try looks.winners([.looks])[.looks]) <= 0.08, "seed \(Self.seed)")
    var guardrail = Peeking(tests: 150, looks: 100, usersALook: 40, rate: 0.8, seed: Self.seed)
    guardrail.difference = -0.02
    #expect(try #require(try guardrail.winners([.guardrail])[.guardrail]) <= 0.05, "seed \(Self.seed)")
  }

  @Test func powerAtThePlannedSizeIsWithinTwoPoints() throws {
    // The smallest plans; the others are printed by the script.
    let plan = PlannedPower(baseline: 0.5, effect: 0.2)
    let (_, one) = try plan.oneLook()
    #expect(abs(one - 0.8) < 0.02, "\(one)")
    let plans = [PlannedPower(baseline: 0.5, effect: 0.12), PlannedPower(baseline: 0.2, effect: 0.1)]
    for plan in plans {
      let (_, always) = try plan.alwaysValid()
      #expect(abs(always - 0.8) < 0.02, "\(plan): \(always)")
    }
    let (_, looks) = try plan.looks(tests: 1500, seed: Self.seed)
    #expect(abs(looks - 0.8) < 0.04, "seed \(Self.seed): \(looks)")
  }

  @Test func noveltySeldomCriesWolf() {
    let share = NoveltyAlarms.share(
      tests: 2000, days: 14, users: 20, rate: 0.5, difference: 0.05, seed: Self.seed)
    #expect(share < 0.003, "seed \(Self.seed): \(share)")
  }
}
