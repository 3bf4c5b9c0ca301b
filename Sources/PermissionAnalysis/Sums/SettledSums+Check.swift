// What the figures of days take for granted, checked in sums that anybody may have written.

import Folding
import PermissionEvents

extension SettledSums {
  /// Throws unless every journey of the arms was settled on some day, and at the end of each day nobody had left who had not
  /// entered, and no metric had more successes than trials.
  /// - Parameter arms: `ArmCounter.places` integers for each number of `ArmPlace`.
  func check(_ arms: [Int64]) throws(SumsError) {
    let armCount = arms.count / (2 * ArmCounter.places)
    var totals = [SettledCounts](repeating: SettledCounts(), count: armCount * SettledPlace.count)
    for cells in strata.values {
      // At the end of the day that was gone through last.
      var known = [SettledCounts](repeating: SettledCounts(), count: totals.count)
      let ordered = cells.sorted { $0.key.day < $1.key.day }
      for (i, (cell, counts)) in ordered.enumerated() {
        known[cell.place] += counts
        // Sums of more would be of no use, and might overflow.
        guard Self.isWhole(known[cell.place]) else { throw Self.contradiction }
        guard i + 1 == ordered.count || ordered[i + 1].key.day > cell.day else { continue }
        for arm in 0..<armCount {
          var remaining = known[SettledPlace.several.number(arm)]
          remaining -= known[SettledPlace.left.number(arm)]
          guard Self.isWhole(remaining), Self.isSample(known[SettledPlace.one.number(arm)]),
            Self.isSample(known[SettledPlace.several.number(arm)]), Self.isSample(remaining)
          else { throw Self.contradiction }
        }
      }
      for place in totals.indices { totals[place] += known[place] }
    }
    for arm in 0..<armCount {
      for place in SettledPlace.allCases {
        let start = ArmPlace.number(arm, isContaminated: place != .one) * ArmCounter.places
        let total = totals[place.number(arm)]
        guard SettledCounts.counters.allSatisfy({ total[$0] == arms[start + $0.rawValue] }) else {
          throw SumsError(.damaged, "the settled days do not add up to the arms")
        }
      }
    }
  }

  private static let contradiction = SumsError(.damaged, "the counts of the settled days contradict each other")

  private static func isWhole(_ counts: SettledCounts) -> Bool { counts.areAll(in: 0...SumKeys.mostUsers) }

  /// Successes are among the trials, and trials among the base.
  private static func isSample(_ counts: SettledCounts) -> Bool {
    let base = Outcome.base.reduce(0) { $0 + counts[$1.rawValue] }
    return counts[.followUpGranted] <= counts[.followUpEligible] && counts[.followUpEligible] <= base
      && counts[.retained] <= counts[.retentionEligible] && counts[.retentionEligible] <= base
  }
}
