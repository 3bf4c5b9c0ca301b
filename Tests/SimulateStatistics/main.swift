// The long simulations that give the figures of docs/statistics.md, printed as Markdown. `Scripts/simulate-statistics` calls it.

import Foundation
import StatisticalSimulation

func percent(_ share: Double) -> String { String(format: "%.1f", share * 100) }

let seed: UInt64 = 20_260_401
print("Seed \(seed).\n\nCoverage of nominal 95 % intervals, by enumeration of all tables:\n")
print("| users A, B | rates A, B | Miettinen–Nurminen | Newcombe | Wald | ratio: Miettinen–Nurminen | ratio: Katz |")
print("|---|---|---|---|---|---|---|")
for arms in Coverage.grid {
  let columns = try [
    Coverage.miettinenNurminen(arms), Coverage.newcombe(arms), Coverage.wald(arms),
    Coverage.miettinenNurminenRatio(arms), Coverage.katz(arms),
  ].map(percent)
  print(
    "| \(arms.control.users), \(arms.treatment.users) | \(arms.control.rate), \(arms.treatment.rate) | "
      + columns.joined(separator: " | ") + " |")
}

print("\nThe same over all pairs of rates from 1 to 99 % in steps of 7:\n")
print("| users an arm | least | mean | greatest |\n|---|---|---|---|")
for users in [10, 20, 50, 100] {
  let range = try Coverage.range(users: users, Coverage.miettinenNurminen)
  print("| \(users) | \(percent(range.least)) | \(percent(range.mean)) | \(percent(range.greatest)) |")
}

print("\nTests without a difference that found a winner at any look:\n")
print("| rate | looks | users | always valid | p < 0.05 | P(B > A) beyond 95 % |\n|---|---|---|---|---|---|")
for (rate, looks, users) in [(0.5, 1, 5000), (0.5, 20, 250), (0.5, 200, 50), (0.1, 200, 50), (0.03, 200, 200)] {
  let peeking = Peeking(tests: 4000, looks: looks, usersALook: users, rate: rate, seed: seed)
  let found = try peeking.winners([.alwaysValid, .naive, .bayes])
  let columns = [Peeking.Rule.alwaysValid, .naive, .bayes].map { percent(found[$0] ?? 0) }
  print("| \(rate) | \(looks) | \(peeking.users) | " + columns.joined(separator: " | ") + " |")
}

print("\nDeclared looks without a difference, and guardrails whose true loss is the margin:\n")
print("| rule | looks | wrong |\n|---|---|---|")
for looks in [2, 5, 20] {
  let peeking = Peeking(tests: 10_000, looks: looks, usersALook: 5000 / looks, rate: 0.3, seed: seed)
  print("| declared looks | \(looks) | \(percent(try peeking.winners([.looks])[.looks] ?? 0)) |")
}
var guardrail = Peeking(tests: 4000, looks: 200, usersALook: 50, rate: 0.9, seed: seed)
guardrail.difference = -0.01
print("| guardrail says safe | 200 | \(percent(try guardrail.winners([.guardrail])[.guardrail] ?? 0)) |")

print("\nPower at the planned size, planned for 80 %:\n")
print("| rate of A, difference | one look: users, power | five looks: users, power | always valid: users, power |")
print("|---|---|---|---|")
for plan in PlannedPower.grid {
  let columns = try [plan.oneLook(), plan.looks(tests: 10_000, seed: seed), plan.alwaysValid()].map {
    "\($0.users), \(percent($0.power))"
  }
  print("| \(plan.baseline), \(plan.effect) | " + columns.joined(separator: " | ") + " |")
}

try await printRules(tests: 4000, seed: seed)
try printUnplannedUsers()
try await printFalseWinners(tests: 1000, seed: seed)
try await printSizes(tests: 2000, seed: seed)
try await printRareOutcomes(tests: 1000, seed: seed)
try await printAlarms(tests: 4000, seed: seed)
try await printAdjustment(tests: 1000, seed: seed)
