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

  @Test(arguments: [(0.03, 2), (0.1, 2), (0.05, 3)])
  func theDailyRuleTakesFewUsersAndSimulationsAgree(_ effect: Double, _ exponent: Double) throws {
    let shape = DailyCounts(baseline: 0.5, effect: effect)
    let planned =
      exponent == 3 ? Int(try #require(shape.fixedHorizon).rounded(.up)) : try shape.unplannedRule().plannedUsers
    // 60 of the 140 days: 80 % are decided before.
    let exact = try DailyCounts(baseline: 0.5, effect: effect, usersADay: shape.usersADay, days: 60)
      .exactPower(plannedUsers: planned, exponent: exponent)
    let users = try #require(shape.inflation { $0 <= 60 ? exact[$0 - 1] : 1 })
    #expect(users <= (exponent == 3 ? 1.3 : 1.4), "\(users)")
    let short = DailyCounts(baseline: 0.5, effect: effect, usersADay: shape.usersADay, days: 36)
    let outcome = try #require(
      try RuleSimulation(short, tests: 200, seed: Self.seed)
        .run([.daily(plannedUsers: planned, exponent: exponent)]).first)
    #expect(
      outcome.disagreement(with: Array(exact.prefix(36))) == nil,
      "seed \(Self.seed): \(outcome.power(by: 35)), \(exact[34])")
  }

  @Test func theDailyRuleFindsFewFalseWinners() throws {
    let none = DailyCounts(baseline: 0.5, effect: 0, usersADay: 30, days: 90)
    let rules = [DecisionRule.daily(plannedUsers: 1680, exponent: 2), .daily(plannedUsers: 3130, exponent: 3)]
    for outcome in try RuleSimulation(none, tests: 300, seed: Self.seed).run(rules) {
      #expect(Double(outcome.wrong) <= 0.085 * Double(outcome.tests), "seed \(Self.seed): \(outcome.wrong)")
    }
  }

  @Test func aPathOfCountsCrossesWhenItsBoundariesSay() throws {
    #expect(
      try RuleSimulation(DailyCounts(baseline: 0.4, effect: 0.1), tests: 20, seed: Self.seed).disagreements() == 0)
  }

  @Test func theEstimateAtTheDecisionIsNotTooLarge() throws {
    // Half of the tests decide in 60 days, or more.
    let shape = DailyCounts(baseline: 0.5, effect: 0.05, usersADay: 45, days: 60)
    let sizes = try StoppedSizes(shape, tests: 400, seed: Self.seed).run()
    #expect(sizes.decided >= 0.5 && sizes.meanRaw > 0.056, "seed \(Self.seed): \(sizes)")
    #expect((0.4...0.62).contains(sizes.below), "seed \(Self.seed): \(sizes)")
    #expect(sizes.covered >= 0.92, "seed \(Self.seed): \(sizes)")
  }

  @Test func fewEventsFindFewFalseWinners() throws {
    let shape = DailyCounts(baseline: 0.01, effect: 0, usersADay: 50, days: 40)
    let share = try RareOutcomes(shape, tests: 60, seed: Self.seed).run().daily.share
    #expect(share <= 0.12, "seed \(Self.seed): \(share)")
  }

  @Test func checksCryWolfSeldom() throws {
    let shape = DailyCounts(baseline: 0.5, effect: 0.05, usersADay: 45, days: 60)
    let novelty = try NoveltyAlarms(shape, tests: 200, seed: Self.seed).shares()
    #expect(novelty.afterCrossing <= 0.03, "seed \(Self.seed): \(novelty)")
    #expect(novelty.tenLooks > 0.03, "seed \(Self.seed): \(novelty)")
    let ratio = try SampleRatioAlarms(weights: [1, 1], usersADay: 100, days: 60, tests: 200, seed: Self.seed).shares()
    #expect(ratio.sequential <= 0.03, "seed \(Self.seed): \(ratio)")
    let fault = SampleRatioAlarms(
      weights: [1, 1], truth: [45, 55], usersADay: 100, days: 60, tests: 30, seed: Self.seed)
    #expect(try fault.shares().sequential >= 0.9, "seed \(Self.seed)")
  }

  @Test func anExplainingPropertySavesUsers() throws {
    let rule = AdjustedRule(
      shares: [0.5, 0.5], rates: [0.15, 0.85], effect: 0.05, usersALook: 500, looks: 8, plannedUsers: 5000, tests: 100,
      seed: Self.seed)
    let power = try rule.power()
    #expect((power.adjusted.last ?? 0) > (power.plain.last ?? 1) + 0.1, "seed \(Self.seed): \(power)")
  }
}
