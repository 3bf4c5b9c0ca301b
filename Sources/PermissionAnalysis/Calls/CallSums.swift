// How fast prompts were answered, by permission and platform: what tells calls that returned at once from people's answers.

import Folding
import PermissionEvents

/// What some users' prompts and answers say. Counts of all journeys up to as_of, whatever a question is narrowed to.
package struct CallSums: Sendable {
  package struct Unit: Hashable, Sendable, Comparable {
    package var permission: [UInt8]
    /// Of the prompt; empty for none.
    package var platform: [UInt8]

    package static func < (a: Self, b: Self) -> Bool {
      if a.permission != b.permission { return a.permission.lexicographicallyPrecedes(b.permission) }
      return a.platform.lexicographicallyPrecedes(b.platform)
    }
  }

  /// The counts of a unit.
  package struct Counts: Hashable, Sendable {
    /// Prompts with an answer; of them those whose answer came at once, and those with both times in whole seconds.
    package var answered: Int64 = 0
    package var atOnce: Int64 = 0
    package var wholeSeconds: Int64 = 0
    /// Users whose calls all returned at once: nobody saw anything.
    package var notAsked: Int64 = 0
    /// Prompts by `CallTime`.
    package var times = [Int64](repeating: 0, count: CallTime.count)

    package init() {}

    var all: [Int64] { [answered, atOnce, wholeSeconds, notAsked] + times }

    package static func + (a: Self, b: Self) -> Self {
      var sum = a
      // Sums that a file brought may be of any size: what is shown of them may be wrong, and nothing traps.
      sum.answered &+= b.answered
      sum.atOnce &+= b.atOnce
      sum.wholeSeconds &+= b.wholeSeconds
      sum.notAsked &+= b.notAsked
      for place in sum.times.indices { sum.times[place] &+= b.times[place] }
      return sum
    }
  }

  package var units: [Unit: Counts] = [:]
  /// By permission: journeys with a stored screen, and journeys with an answer.
  package var journeys: [[UInt8]: SIMD2<Int64>] = [:]

  package init() {}

  /// Units of the permissions of which some answer came at once: of others there is nothing to say.
  package var notable: [(unit: Unit, counts: Counts)] {
    let permissions = Set(units.filter { $0.value.atOnce > 0 }.map(\.key.permission))
    return units.filter { permissions.contains($0.key.permission) && $0.value.answered > 0 }.sorted { $0.key < $1.key }
      .map { (unit: $0.key, counts: $0.value) }
  }

  /// Whether users answered about a permission, and nobody saw a screen of it.
  package func isAnsweredAlone(_ permission: [UInt8]) -> Bool {
    journeys[permission].map { $0[0] == 0 && $0[1] > 0 } ?? false
  }

  /// Those of one permission.
  package func of(_ permission: [UInt8]) -> CallSums {
    var sums = CallSums()
    sums.units = units.filter { $0.key.permission == permission }
    sums.journeys = journeys.filter { $0.key == permission }
    return sums
  }

  /// True if on some platform prompts of a permission are logged together with their answers, so that their times say nothing.
  func areLoggedTogether(_ permission: [UInt8]) -> Bool {
    units.contains { $0.key.permission == permission && $0.value.areLoggedTogether }
  }

  package mutating func add(_ other: CallSums) throws(SumsError) {
    for (unit, counts) in other.units {
      var all: [Int64]? = units[unit]?.all
      try SumKeys.add(counts.all, to: &all)
      if let all { units[unit] = Counts(all) }
    }
    for (permission, counts) in other.journeys {
      let known = journeys[permission] ?? .zero
      journeys[permission] = SIMD2(
        try CheckedSum.add(known[0], counts[0]), try CheckedSum.add(known[1], counts[1]))
    }
  }

  // MARK: Tables

  private static let emptyUnits = SumTable(
    "calls", keys: ["permission", "platform"],
    columns: ["answered", "at_once", "whole_seconds", "not_asked"]
      + CallTime.edges.map { "up_to_\($0)_ms" } + ["longer"])
  private static let emptyJourneys = SumTable("screens_of", keys: ["permission"], columns: ["screens", "answers"])

  package var tables: [SumTable] {
    var units = Self.emptyUnits
    for (unit, counts) in self.units {
      units.setRow([unit.permission, unit.platform.isEmpty ? nil : unit.platform], SumTable.Row(counts.all))
    }
    var journeys = Self.emptyJourneys
    for (permission, counts) in self.journeys { journeys.setRow([permission], SumTable.Row([counts[0], counts[1]])) }
    return [units, journeys]
  }

  package static let tableCount = 2

  package init(tables: [SumTable]) throws(SumsError) {
    for (key, row) in try tables.table(like: Self.emptyUnits).orderedRows {
      let counts = Counts(try SumKeys.counts(row, 4 + CallTime.count))
      guard counts.all.allSatisfy({ $0 <= SumKeys.mostUsers }), counts.atOnce <= counts.answered,
        counts.wholeSeconds <= counts.answered, counts.notAsked <= counts.atOnce,
        counts.times.reduce(0, &+) == counts.answered
      else { throw SumsError(.damaged, "table calls contradicts itself") }
      units[Unit(permission: try SumKeys.present(key[0]), platform: key[1] ?? [])] = counts
    }
    for (key, row) in try tables.table(like: Self.emptyJourneys).orderedRows {
      let counts = try SumKeys.counts(row, 2)
      guard counts.allSatisfy({ $0 <= SumKeys.mostUsers }) else {
        throw SumsError(.damaged, "table screens_of has too many journeys")
      }
      journeys[try SumKeys.present(key[0])] = SIMD2(counts[0], counts[1])
    }
    guard units.keys.allSatisfy({ journeys[$0.permission]?[0] ?? 0 > 0 }) else {
      throw SumsError(.damaged, "table calls has prompts of a permission without screens")
    }
  }
}

extension CallSums.Counts {
  fileprivate init(_ all: [Int64]) {
    (answered, atOnce, wholeSeconds, notAsked) = (all[0], all[1], all[2], all[3])
    times = Array(all[4...])
  }

  /// Prompt and answer are logged together: hardly any answer takes the time that a dialog takes. Then the times say nothing.
  package var areLoggedTogether: Bool { answered > 0 && Int128(answered - atOnce) * 100 < Int128(answered) }

  /// The times are whole seconds, and do not tell what came at once.
  package var areInSeconds: Bool { answered > 0 && Int128(wholeSeconds) * 100 >= Int128(answered) * 99 }

  /// A tenth or more of many answers took their time: more users will hardly change that.
  var isSurelyApplied: Bool {
    answered >= 1000 && Int128(answered - atOnce) * 10 >= Int128(answered)
      && Int128(wholeSeconds) * 10 <= Int128(answered) * 9
  }

  /// Answers that came at once are the system's.
  package var isApplied: Bool { !areLoggedTogether && !areInSeconds }
}
