// The tables of the rules of decision.

import Foundation
import StatisticalSimulation

/// Jobs on all cores, their results in order.
func atOnce<Result: Sendable>(_ jobs: [@Sendable () throws -> Result]) async throws -> [Result] {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    for (place, job) in jobs.enumerated() { group.addTask { (place, try job()) } }
    var results: [Int: Result] = [:]
    for try await (place, result) in group { results[place] = result }
    return jobs.indices.compactMap { results[$0] }
  }
}

func decimals(_ value: Double?, _ digits: Int = 2) -> String { value.map { String(format: "%.\(digits)f", $0) } ?? "–" }

func printRules(tests: Int, seed: UInt64) async throws {
  let effects = [0.03, 0.05, 0.1].map { DailyCounts(baseline: 0.5, effect: $0) }
  let none = DailyCounts(baseline: 0.5, effect: 0, usersADay: 45, days: 140)
  print(
    "\nRules of decision, \(tests) experiments a row, looked at every day from the seventh on; rate of A 0.5, 35 days to"
  )
  print("the fixed horizon (one look, 80 % power), 140 days in all. Users over those of the fixed horizon.\n")
  print(
    "| points | rule | false or wrong winners | users for 80 %: exact | simulated | mean users to a decision "
      + "| decided by the fixed horizon: exact | simulated | taken back if each of ten looks is read alone |")
  print("|---|---|---|---|---|---|---|---|---|")
  let rows = try await atOnce(
    ([none] + effects).enumerated().map { place, shape in
      { @Sendable in try ruleRows(shape, tests: tests, seed: seed + UInt64(place)) }
    })
  for row in rows.joined() { print(row) }
}

/// One shape's lines, one for each rule.
private func ruleRows(_ shape: DailyCounts, tests: Int, seed: UInt64) throws -> [String] {
  let planned = shape.fixedHorizon.map { Int($0.rounded(.up)) } ?? 3130
  let unplanned = try shape.unplannedRule()
  let daily: [(name: String, users: Int, exponent: Double)] = [
    ("daily", unplanned.plannedUsers, unplanned.exponent), ("daily, with a plan", planned, 3),
  ]
  let rules = daily.map { DecisionRule.daily(plannedUsers: $0.users, exponent: $0.exponent) }
  let outcomes = try RuleSimulation(shape, tests: tests, seed: seed).run(
    rules + [.alwaysValid(plannedUsers: unplanned.plannedUsers)])
  return try outcomes.enumerated().map { place, outcome in
    let rule = place < daily.count ? daily[place] : nil
    let exact = try rule.map { try shape.exactPower(plannedUsers: $0.users, exponent: $0.exponent) }
    var columns = [shape.effect == 0 ? "none" : decimals(shape.effect * 100, 0), rule?.name ?? "always valid"]
    columns.append(percent(Double(outcome.wrong) / Double(tests)))
    if let fixed = shape.fixedHorizon {
      columns.append(decimals(exact.flatMap { exact in shape.inflation { exact[$0 - 1] } }))
      columns.append(decimals(shape.inflation(outcome.power(by:))))
      columns.append(decimals(outcome.meanDays(of: shape.days) * Double(shape.users(1)) / fixed))
      columns.append(exact.map { percent($0[DailyCounts.horizonDay - 1]) } ?? "–")
      columns.append(percent(outcome.power(by: DailyCounts.horizonDay)))
      if let exact, let day = outcome.disagreement(with: exact) {
        columns[1] += " (**off the exact figure on day \(day)**)"
      }
    } else {
      columns += ["", "", "", "", ""]
    }
    columns.append("\(outcome.takenBack) of \(outcome.seen)")
    return "| " + columns.joined(separator: " | ") + " |"
  }
}

func printRareOutcomes(tests: Int, seed: UInt64) async throws {
  print("\nFew events, the default rule (exact looks, then boundaries), \(tests) experiments a row:\n")
  print("| rates | users a day | days | decided: daily | always valid | 80 % decided by day: daily | always valid |")
  print("|---|---|---|---|---|---|---|")
  let shapes = [
    (0.01, 0.0, 50, 90), (0.002, 0, 200, 60), (0, 0.012, 50, 60), (0.001, 0.005, 150, 60), (0.002, 0.004, 200, 60),
  ].map { DailyCounts(baseline: $0.0, effect: $0.1, usersADay: $0.2, days: $0.3) }
  let found = try await atOnce(
    shapes.enumerated().map { place, shape in
      { @Sendable in try RareOutcomes(shape, tests: tests, seed: seed + UInt64(place)).run() }
    })
  for (shape, (daily, valid)) in zip(shapes, found) {
    let rates = "\(decimals(shape.baseline * 100, 1)) % and \(decimals((shape.baseline + shape.effect) * 100, 1)) %"
    let days = [daily.day80, valid.day80].map { $0.map(String.init) ?? "–" }
    print(
      "| \(rates) | \(shape.users(1)) | \(shape.days) | \(percent(daily.share)) | \(percent(valid.share)) | "
        + days.joined(separator: " | ") + " |")
  }
}
