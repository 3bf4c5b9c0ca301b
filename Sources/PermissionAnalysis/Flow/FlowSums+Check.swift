// Whether sums of flows can be those of any users, and are small enough for figures.

import Folding
import PermissionEvents

extension FlowSums {
  /// Throws if the tables contradict one another.
  func checkCounts() throws(SumsError) {
    try checkTotals()
    var settled: [Place: Int64] = [:]
    for (key, counts) in lists {
      let flows = counts.prefix(Outcome.settled.count).reduce(0, +)
      for step in key.permissions.indices.dropFirst() {
        let start = step * Outcome.settled.count
        guard counts[start..<start + Outcome.settled.count].reduce(0, +) == flows else {
          throw Self.damaged("a step of a list has another number of flows than the first")
        }
      }
      if key.permissions.count == FlowQuestion.mostSteps {
        let last = Self.more - Outcome.settled.count
        guard Outcome.settled.indices.allSatisfy({ counts[Self.more + $0] <= counts[last + $0] }) else {
          throw Self.damaged("more flows go on past the last step than reach it")
        }
      }
      settled[key.place, default: 0] += flows
    }
    for counts in steps.values where counts[1] > counts[0] { throw Self.damaged("more is granted than was asked for") }
    guard settled.keys.allSatisfy({ places[$0] != nil }), steps.keys.allSatisfy({ places[$0.place] != nil }) else {
      throw Self.damaged("there are flows in no week")
    }
    for (place, counts) in places {
      guard counts[FlowCounter.settled] == settled[place] ?? 0 else {
        throw Self.damaged("the lists of a week are not its flows")
      }
      try checkDeclared(counts, durations[place]?.total ?? 0)
    }
    guard durations.keys.allSatisfy({ places[$0] != nil }) else { throw Self.damaged("there are times in no week") }
    try checkUsers(settled)
  }

  private func checkDeclared(_ counts: [Int64], _ times: Int64) throws(SumsError) {
    var before = counts[FlowCounter.settled]
    var isTimed = times == 0
    for step in 0..<FlowQuestion.mostSteps {
      let (reached, answered) = (counts[FlowCounter.reached + step], counts[FlowCounter.answered + step])
      guard reached <= before, answered <= reached else { throw Self.damaged("a step is reached too often") }
      isTimed = isTimed || answered == times
      before = reached
    }
    // Which step is the last one is the question's to say.
    guard isTimed else { throw Self.damaged("the times of the declared flow are not those of any step") }
  }

  private func checkUsers(_ settled: [Place: Int64]) throws(SumsError) {
    var all: [Int64?: (flows: Int64, later: Int64)] = [:]
    for (place, flows) in settled {
      for week in [place.week, nil] {
        var known = all[week] ?? (0, 0)
        known.flows += flows
        known.later += place.isFirst ? 0 : flows
        all[week] = known
      }
    }
    for (key, count) in users {
      let flows = all[key.week] ?? (0, 0)
      guard count <= (key.isLater ? flows.later : flows.flows) else { throw Self.damaged("more users than flows") }
    }
  }

  /// Throws if sums over all weeks are larger than figures are made of, so that none of them needs a check.
  package func checkTotals() throws(SumsError) {
    var total: Int64 = 0
    for counts in lists.values { for count in counts { total = try CheckedSum.add(total, count) } }
    for counts in steps.values { for count in counts { total = try CheckedSum.add(total, count) } }
    for count in users.values { total = try CheckedSum.add(total, count) }
    for times in durations.values { total = try CheckedSum.add(total, times.total) }
    var duration: Int64 = 0
    for counts in places.values {
      for count in counts.dropLast() { total = try CheckedSum.add(total, count) }
      duration = try CheckedSum.add(duration, counts[FlowCounter.duration])
    }
    guard total <= 1 << 50 else { throw SumsError(.overflow, "the sums of flows are larger than figures are made of") }
  }
}
