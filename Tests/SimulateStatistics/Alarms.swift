// The tables of the checks beside a decision, and of the adjustment.

import StatisticalSimulation

func printAlarms(tests: Int, seed: UInt64) async throws {
  print(
    "\nNovelty flagged, \(tests) experiments a row of 60 days: at any of ten looks as before (p < 0.05), and on any day"
  )
  print("from the first crossing on (|z| at least 3.25):\n")
  print("| effect | users a day | ten looks, p < 0.05 | after the crossing, 3.25 |\n|---|---|---|---|")
  let novelty: [(String, Double, Int, Int?)] = [
    ("none", 0, 50, nil), ("+3 points", 0.03, 125, nil), ("+5 points", 0.05, 45, nil), ("+10 points", 0.1, 11, nil),
    ("+10 points, gone in 14 days", 0.1, 100, 14), ("+10 points, gone in 14 days", 0.1, 150, 14),
    ("+10 points, gone in 14 days", 0.1, 250, 14), ("+10 points, gone in 28 days", 0.1, 100, 28),
  ]
  let flagged = try await atOnce(
    novelty.enumerated().map { place, row in
      { @Sendable in
        let shape = DailyCounts(baseline: 0.5, effect: row.1, usersADay: row.2, days: 60)
        return try NoveltyAlarms(shape, fading: row.3, tests: tests, seed: seed + UInt64(place)).shares()
      }
    })
  for (row, shares) in zip(novelty, flagged) {
    print("| \(row.0) | \(2 * row.2) | \(percent(shares.tenLooks)) | \(percent(shares.afterCrossing)) |")
  }

  print(
    "\nSample ratio, looked at every day, \(tests) experiments a row of 90 days with 100 users each: chi-square below 0.001"
  )
  print("(all users, or a day after Holm), and the sequential test at 0.01:\n")
  print("| planned | true | chi-square | sequential |\n|---|---|---|---|")
  let ratios: [([Double], [Double])] = [
    ([50, 50], [50, 50]), ([90, 10], [90, 10]), ([1, 1, 1], [1, 1, 1]), ([50, 50], [47, 53]), ([50, 50], [45, 55]),
  ]
  let alarms = try await atOnce(
    ratios.enumerated().map { place, row in
      { @Sendable in
        try SampleRatioAlarms(
          weights: row.0, truth: row.1, usersADay: 100, days: 90, tests: tests, seed: seed + UInt64(place)
        ).shares()
      }
    })
  for (row, shares) in zip(ratios, alarms) {
    let splits = [row.0, row.1].map { $0.map { decimals($0, 0) }.joined(separator: ":") }
    print("| \(splits.joined(separator: " | ")) | \(percent(shares.chiSquare)) | \(percent(shares.sequential)) |")
  }
}

func printAdjustment(tests: Int, seed: UInt64) async throws {
  print(
    "\nAdjusted by a property, the default rule, \(tests) experiments a row, a look at every 250 users: users for 80 %")
  print("power without and with, on the same experiments:\n")
  print("| users with each value | rates of A | effect in points | without | with | users saved | variance explained |")
  print("|---|---|---|---|---|---|---|")
  let rows: [([Double], [Double], Double)] = [
    ([0.5, 0.5], [0.5, 0.5], 0.05), ([0.7, 0.3], [0.56, 0.36], 0.05), ([0.5, 0.5], [0.3, 0.7], 0.05),
    ([0.5, 0.5], [0.15, 0.85], 0.05), ([0.5, 0.5], [0.3, 0.7], 0),
  ]
  let found = try await atOnce(
    rows.enumerated().map { place, row in
      { @Sendable in
        try AdjustedRule(
          shares: row.0, rates: row.1, effect: row.2, usersALook: 250, looks: 32, plannedUsers: 5000, tests: tests,
          seed: seed + UInt64(place)
        ).power()
      }
    })
  for ((shares, rates, effect), power) in zip(rows, found) {
    var columns = [shares, rates].map { $0.map { decimals($0) }.joined(separator: ", ") }
    columns.append(decimals(effect * 100, 0))
    if effect == 0 {
      columns += [power.plain, power.adjusted].map { percent($0.last ?? 0) + " % false winners" } + [""]
    } else {
      let plain = users(for: 0.8, power.plain)
      let adjusted = users(for: 0.8, power.adjusted)
      columns += [decimals(plain, 0), decimals(adjusted, 0), percent(1 - adjusted / plain) + " %"]
    }
    let mean = zip(shares, rates).reduce(0) { $0 + $1.0 * ($1.1 + effect / 2) }
    let between = zip(shares, rates).reduce(0) {
      $0 + $1.0 * ($1.1 + effect / 2 - mean) * ($1.1 + effect / 2 - mean)
    }
    columns.append(percent(between / (mean * (1 - mean))) + " %")
    print("| " + columns.joined(separator: " | ") + " |")
  }
}

/// Users at which the share is reached, between two looks by a straight line; not a number if it never is.
private func users(for share: Double, _ power: [Double]) -> Double {
  guard let look = power.firstIndex(where: { $0 >= share }) else { return .nan }
  let before = look > 0 ? power[look - 1] : 0
  return 250 * (Double(look) + (share - before) / (power[look] - before))
}
