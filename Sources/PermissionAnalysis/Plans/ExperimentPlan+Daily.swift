// The rule in force in a plan: looks on every finished day, with this plan and without one, by exact computation.

import Statistics

extension ExperimentPlan {
  /// Looks are planned as if one look's users came over so many days if nobody knows how many come on one.
  private static let assumedDays = 60.0
  /// Looks up to one look's users that are computed; of an experiment of years not every day.
  private static let mostLooks = 365.0
  /// What daily looks with a plan take, over one look: for the plan's number of users that are given.
  private static let plannedInflation = 1.28
  /// N* without a plan.
  private static let unplannedUsers = 5000

  func daily(isPlanned: Bool, alpha: Double) -> PlanRow? {
    isReverse ? detectable(isPlanned: isPlanned, alpha: alpha) : required(isPlanned: isPlanned, alpha: alpha)
  }

  /// What a user of all arms adds to a pair, as users at an even split: of the pair that learns slowest.
  private var informationShare: Double {
    let ratios = question.ratios
    let sum = ratios.reduce(0, +)
    return ratios.dropFirst().map { 4 * $0 / ((1 + $0) * sum) }.min() ?? 1
  }

  /// Users of a pair a day, at an even split; nil is unknown.
  private var pairUsersPerDay: Double? {
    baseline.exposuresPerDay.map { $0 * baseline.countedShare * informationShare }.flatMap { $0 > 0 ? $0 : nil }
  }

  private func looks(
    isPlanned: Bool, _ planned: Int, alpha: Double, aDay: Double
  ) -> OpenRulePower.Looks? {
    try? OpenRulePower.Looks(
      plannedUsers: isPlanned ? planned : Self.unplannedUsers,
      exponent: isPlanned ? SavedPlan.plannedExponent : PlanFacts.unplannedExponent, alpha: alpha, usersADay: aDay)
  }

  private func required(isPlanned: Bool, alpha: Double) -> PlanRow? {
    guard let changed = changedRate, let planned = plannedUsers, planned < 1_000_000_000_000,
      let one = SampleSize.perArm(
        baseline: baseline.rate, effect: changed - baseline.rate, alpha: alpha, power: question.power)
    else { return nil }
    let fixed = 2 * one.controlExact
    let aDay = max(pairUsersPerDay ?? fixed / Self.assumedDays, fixed / Self.mostLooks)
    guard let looks = looks(isPlanned: isPlanned, planned, alpha: alpha, aDay: aDay),
      let needed = OpenRulePower.requirement(
        looks, baseline: baseline.rate, effect: changed - baseline.rate, power: question.power)
    else { return nil }
    var row = PlanRow(design: .daily(isPlanned: isPlanned), inflation: Double(needed.users) / fixed)
    solveUsers(&row, alpha: alpha)
    return row
  }

  private func detectable(isPlanned: Bool, alpha: Double) -> PlanRow? {
    var row = PlanRow(design: .daily(isPlanned: isPlanned), inflation: 1)
    setGiven(&row)
    guard let all = row.users.map(Double.init) else { return nil }
    let users = all * informationShare
    let days = min(max(Double(row.days ?? Int(Self.assumedDays)), 1), Self.mostLooks)
    let planned = max(2, Int(min(users / Self.plannedInflation, 1e12)))
    guard let looks = looks(isPlanned: isPlanned, planned, alpha: alpha, aDay: users / days),
      let found = OpenRulePower.detectableEffect(
        looks, baseline: baseline.rate, days: Int(days), power: question.power)
    else { return nil }
    row.detectableUp = found.up
    row.detectableDown = found.down
    let effect = found.up ?? found.down.map { -$0 }
    guard
      let one = effect.flatMap({
        SampleSize.perArm(baseline: baseline.rate, effect: $0, alpha: alpha, power: question.power)
      })
    else { return nil }
    row.inflation = users / (2 * one.controlExact)
    return row
  }
}
