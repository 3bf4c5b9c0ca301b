// What each look at a comparison saw: the tallies of the metric at the ends of finished days.

import PermissionEvents
import Statistics

/// Settled journeys of a comparison, under its contamination policy, by day.
struct SettledTallies {
  /// What a day adds to an arm within a stratum; below 0 if users leave.
  struct Change {
    let day: DayNumber
    let stratum: Int
    let arm: Int
    let tally: Comparison.Tally
  }

  /// Of finished days, oldest first.
  let changes: [Change]
  let strataCount: Int

  init(_ sums: SettledSums, _ question: ComparisonQuestion) {
    // Strata in one order, so that sums of floating-point numbers are the same whatever order they were added in.
    let strata = sums.strata.sorted { SettledTallies.isBefore($0.key, $1.key) }
    strataCount = strata.count
    var changes: [Change] = []
    for (number, (_, cells)) in strata.enumerated() {
      for (cell, counts) in cells where question.isFinished(cell.day) {
        var tally = counts.tally(question.metric)
        if cell.place % SettledPlace.count == SettledPlace.left.rawValue {
          if question.policy == .first { continue }
          tally = Comparison.Tally(trials: -tally.trials, successes: -tally.successes)
        }
        changes.append(Change(day: cell.day, stratum: number, arm: cell.place / SettledPlace.count, tally: tally))
      }
    }
    self.changes = changes.sorted { $0.day < $1.day }
  }

  /// By value after value, none first, then bytewise.
  private static func isBefore(_ a: SettledSums.Stratum, _ b: SettledSums.Stratum) -> Bool {
    for (left, right) in zip(a.values, b.values) where left != right {
      guard let left else { return true }
      guard let right else { return false }
      return left.lexicographicallyPrecedes(right)
    }
    return false
  }
}

/// Two arms at the end of a finished day: everybody settled by then. Exposures are not counted here.
struct SettledDay: Equatable {
  let day: DayNumber
  let a, b: Comparison.Tally
}

extension ComparisonTallies {
  /// Finished days on which what is known of a pair changed, oldest first.
  ///
  /// A journey belongs to the first day by whose end its metric is settled: t0 + W has passed, and t0 + H for `granted_by_day_28`,
  /// and day 7 for `retention_day_7`. Under `exclude` users leave again on the day by whose end they are known to have
  /// seen several messages. So a day's numbers are the same at every later `as_of`.
  func settledDays(_ pair: Comparison.Pair) -> [SettledDay] {
    var days: [SettledDay] = []
    forEachSettledDay(pair) { day, _ in days.append(day) }
    return days
  }

  /// For each of `settledDays` the strata that somebody is in, the treatment as the first sample. One stratum unless the
  /// question is adjusted.
  func settledStrata(_ pair: Comparison.Pair) -> [[Stratified.Stratum]] {
    var days: [[Stratified.Stratum]] = []
    forEachSettledDay(pair) { _, strata in
      days.append(
        strata.compactMap { a, b in
          guard a.trials + b.trials > 0, let first = b.sample, let second = a.sample else { return nil }
          return Stratified.Stratum(first: first, second: second)
        })
    }
    return days
  }

  private func forEachSettledDay(
    _ pair: Comparison.Pair, _ body: (SettledDay, [(a: Comparison.Tally, b: Comparison.Tally)]) -> Void
  ) {
    var known = (a: Comparison.Tally(), b: Comparison.Tally())
    var strata = [(a: Comparison.Tally, b: Comparison.Tally)](repeating: known, count: settled.strataCount)
    var before = known
    for (i, change) in settled.changes.enumerated() {
      if change.arm == pair.control {
        known.a += change.tally
        strata[change.stratum].a += change.tally
      } else if change.arm == pair.treatment {
        known.b += change.tally
        strata[change.stratum].b += change.tally
      }
      guard i + 1 == settled.changes.count || settled.changes[i + 1].day > change.day, known != before else { continue }
      before = known
      body(SettledDay(day: change.day, a: known.a, b: known.b), strata)
    }
  }
}

extension ComparisonQuestion {
  /// True if a day is over at the moment that is looked from.
  func isFinished(_ day: DayNumber) -> Bool { zone.firstMoment(of: day + 1) <= windows.asOf }
}
