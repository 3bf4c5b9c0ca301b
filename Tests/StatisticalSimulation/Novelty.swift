// How often the novelty check cries wolf.

import Statistics

public enum NoveltyAlarms {
  /// The share of tests without any trend that are flagged, with so many days and users a day and arm.
  public static func share(
    tests: Int, days: Int, users: Int, rate: Double, difference: Double, seed: UInt64
  ) -> Double {
    var numbers = SeededNumbers(seed: seed)
    var flagged = 0
    for _ in 0..<tests {
      let counts = (0..<days).map { _ in
        (numbers.successes(of: users, rate: rate), numbers.successes(of: users, rate: rate + difference))
      }
      let n = Double(days * users)
      let p = Double(counts.reduce(0) { $0 + $1.0 }) / n
      let q = Double(counts.reduce(0) { $0 + $1.1 }) / n
      let error = ((p * (1 - p) + q * (1 - q)) / Double(users)).squareRoot()
      let points = counts.enumerated().map { day, count in
        NoveltyTrend.Day(day: day, difference: Double(count.1 - count.0) / Double(users), standardError: error)
      }
      if (try? NoveltyTrend.fit(points).get())?.isFading == true { flagged += 1 }
    }
    return Double(flagged) / Double(tests)
  }
}
