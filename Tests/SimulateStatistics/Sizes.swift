// The tables of the rule without a plan: the users that it needs, false winners, and sizes of winners.

import StatisticalSimulation
import Statistics

/// Users to a decision over those of one look of 80 % power, by the days that this one look takes: exact.
func printUnplannedUsers() throws {
  print("\nThe rule without a plan, users over those of one look (80 % power), by the days that this takes; exact:\n")
  print("| days of one look | half decided at | 80 % decided at |\n|---|---|---|")
  for days in [7, 10, 14, 21, 28, 35, 42, 56, 70] {
    let effect = 0.04
    let fixed = SampleSize.perArm(baseline: 0.5, effect: effect)?.controlExact ?? 0
    let shape = DailyCounts(
      baseline: 0.5, effect: effect, usersADay: Int((fixed / Double(days)).rounded()), days: 2 * days + 14)
    let rule = try shape.unplannedRule()
    let exact = try shape.exactPower(plannedUsers: rule.plannedUsers, exponent: rule.exponent)
    let users = [0.5, 0.8].map { power in decimals(shape.inflation(at: power) { exact[$0 - 1] }) }
    print("| \(days) | \(users[0]) | \(users[1]) |")
  }
}

func printFalseWinners(tests: Int, seed: UInt64) async throws {
  print("\nFalse winners of the rule without a plan in 60 days, %, \(tests) tests a cell, by rate and users a day:\n")
  let paces = [10, 100, 1000, 5000]
  print("| rate | " + paces.map { "\($0) a day" }.joined(separator: " | ") + " |\n|---|---|---|---|---|")
  let rates = [0.02, 0.1, 0.3, 0.5, 0.9]
  let cells = rates.flatMap { rate in paces.map { (rate, $0) } }
  let found = try await atOnce(
    cells.enumerated().map { place, cell in
      { @Sendable in
        let shape = DailyCounts(baseline: cell.0, effect: 0, usersADay: cell.1 / 2, days: 60)
        return try StoppedSizes(shape, tests: tests, seed: seed + UInt64(place)).decided()
      }
    })
  for (number, rate) in rates.enumerated() {
    let row = found[number * paces.count..<(number + 1) * paces.count].map(percent)
    print("| \(rate) | " + row.joined(separator: " | ") + " |")
  }
}

/// Sizes of winners, and small apps among them.
func printSizes(tests: Int, seed: UInt64) async throws {
  print("\nSizes of winners, in points, \(tests) tests a row, read every day:\n")
  print(
    "| rates | users a day | days | decided, % | mean of the raw difference | of the estimate | not above the truth, % of all "
      + "| intervals with the truth, % |\n|---|---|---|---|---|---|---|---|")
  let shapes = [
    DailyCounts(baseline: 0.5, effect: 0.01, usersADay: 125, days: 60),
    DailyCounts(baseline: 0.5, effect: 0.03, usersADay: 125, days: 60),
    DailyCounts(baseline: 0.5, effect: 0.05, usersADay: 45, days: 60),
    DailyCounts(baseline: 0.5, effect: 0.1, usersADay: 11, days: 60),
    DailyCounts(baseline: 0.33, effect: 0.17, usersADay: 5, days: 30),
    DailyCounts(baseline: 0.06, effect: 0.03, usersADay: 30, days: 60),
    DailyCounts(baseline: 0.02, effect: 0.02, usersADay: 30, days: 60),
  ]
  let found = try await atOnce(
    shapes.enumerated().map { place, shape in
      { @Sendable in try StoppedSizes(shape, tests: tests, seed: seed + UInt64(place)).run() }
    })
  for (shape, sizes) in zip(shapes, found) {
    print(
      "| \(percent(shape.baseline)) and \(percent(shape.baseline + shape.effect)) % | \(shape.users(1)) | \(shape.days) | "
        + [
          percent(sizes.decided), decimals(sizes.meanRaw * 100), decimals(sizes.meanEstimate * 100),
          percent(sizes.below), percent(sizes.covered),
        ].joined(separator: " | ") + " |")
  }
}
