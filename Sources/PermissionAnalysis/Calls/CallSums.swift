// How fast prompts were answered, by permission and platform: the data that separates calls that returned at once
// from people's answers.

package import Folding
import PermissionEvents

/// Counts of prompts and answers of some users, over all journeys up to as_of, even if the question is filtered.
package struct CallSums: FoldSums {
  package static let name = "calls 1"
  package static var layout: SumsLayout<Self> { [.part(\.units), .part(\.journeys)] }

  package struct Unit: SumKey, Comparable {
    package var permission: [UInt8] = []
    /// Of the prompt; empty for none.
    package var platform: [UInt8] = []

    package init() {}
    package init(permission: [UInt8], platform: [UInt8]) { (self.permission, self.platform) = (permission, platform) }

    package mutating func visit(_ parts: inout KeyParts) {
      parts.name("permission", &permission)
      parts.nameOrNone("platform", &platform)
    }

    package static func < (a: Self, b: Self) -> Bool {
      if a.permission != b.permission { return a.permission.lexicographicallyPrecedes(b.permission) }
      return a.platform.lexicographicallyPrecedes(b.platform)
    }
  }

  package struct Counts: SumRow, Hashable {
    /// Prompts with an answer; of them those whose answer came at once, and those with both times in whole seconds.
    package var answered: Int64 = 0, atOnce: Int64 = 0, wholeSeconds: Int64 = 0
    /// Users whose calls all returned at once, so they saw no dialog.
    package var notAsked: Int64 = 0
    /// Prompts by `CallTime`.
    package var times = [Int64](repeating: 0, count: CallTime.count)

    package init() {}

    package init?(_ row: SumTable.Row, width: Int) {
      self.init([Int64](row, width: width) ?? [])
      guard atOnce <= answered, wholeSeconds <= answered, notAsked <= atOnce, times.reduce(0, &+) == answered else {
        return nil
      }
    }

    private init(_ all: [Int64]) {
      (answered, atOnce, wholeSeconds, notAsked) = (all[0], all[1], all[2], all[3])
      times = Array(all[4...])
    }

    private var all: [Int64] { [answered, atOnce, wholeSeconds, notAsked] + times }
    package var row: SumTable.Row { SumTable.Row(all) }

    package mutating func add(_ other: Self) throws(SumsError) {
      var sums = all
      try sums.add(other.all)
      self = Self(sums)
    }

    package static func + (a: Self, b: Self) -> Self {
      // Sums from a file may have any size. Overflow gives wrong numbers, but does not trap.
      Self(zip(a.all, b.all).map { $0 &+ $1 })
    }
  }

  package var units = CountTable<Unit, Counts>(
    "calls",
    columns: ["answered", "at_once", "whole_seconds", "not_asked"] + CallTime.edges.map { "up_to_\($0)_ms" }
      + ["longer"])
  /// By permission: journeys with a stored screen, and journeys with an answer.
  package var journeys = CountTable<[UInt8], [Int64]>("screens_of", columns: ["screens", "answers"])

  package init() {}

  /// Units of the permissions with some answer that came at once.
  package var notable: [(unit: Unit, counts: Counts)] {
    let permissions = Set(units.rows.filter { $0.value.atOnce > 0 }.map(\.key.permission))
    return units.rows.filter { permissions.contains($0.key.permission) && $0.value.answered > 0 }
      .sorted { $0.key < $1.key }.map { (unit: $0.key, counts: $0.value) }
  }

  /// How finely the times of a permission's answers are known: 60 000 ms if they are whole minutes, 1000 if they are
  /// whole seconds, else 1.
  package func timeStep(_ permission: [UInt8]) -> Milliseconds {
    let units = units.rows.filter { $0.key.permission == permission && $0.value.answered > 0 }
    guard !units.isEmpty, units.allSatisfy({ $0.value.areInSeconds }) else { return 1 }
    return units.allSatisfy { $0.value.areInMinutes } ? 60_000 : 1000
  }

  /// Whether users answered about a permission, and no users saw a screen of it.
  package func isAnsweredAlone(_ permission: [UInt8]) -> Bool {
    journeys[permission].map { $0[0] == 0 && $0[1] > 0 } ?? false
  }

  package func of(_ permission: [UInt8]) -> CallSums {
    var sums = CallSums()
    sums.units.rows = units.rows.filter { $0.key.permission == permission }
    sums.journeys[permission] = journeys[permission]
    return sums
  }

  /// Whether on some platform prompts of a permission are logged together with their answers, so their times mean nothing.
  func areLoggedTogether(_ permission: [UInt8]) -> Bool {
    units.rows.contains { $0.key.permission == permission && $0.value.areLoggedTogether }
  }

  package func checkCounts() throws(SumsError) {
    guard units.rows.keys.allSatisfy({ journeys[$0.permission]?[0] ?? 0 > 0 }) else {
      throw units.shape.damaged("has prompts of a permission that has no screens")
    }
  }
}

extension CallSums.Counts {
  /// Prompt and answer are logged together: hardly any answer takes as long as a dialog does. Then the times mean nothing.
  package var areLoggedTogether: Bool { answered > 0 && Int128(answered - atOnce) * 100 < Int128(answered) }

  /// Whether the times are whole seconds, too coarse to show answers at once.
  package var areInSeconds: Bool { answered > 0 && Int128(wholeSeconds) * 100 >= Int128(answered) * 99 }

  /// None of the times is below a minute and above 0. A few times in whole seconds may look so, too; rounded to
  /// minutes they are still true.
  fileprivate var areInMinutes: Bool {
    zip(CallTime.edges, times).allSatisfy { edge, prompts in prompts == 0 || edge == 0 || edge > 50_000 }
  }

  /// A tenth or more of many answers took their time: more users will hardly change that.
  var isSurelyApplied: Bool {
    answered >= 1000 && Int128(answered - atOnce) * 10 >= Int128(answered)
      && Int128(wholeSeconds) * 10 <= Int128(answered) * 9
  }

  /// Answers that came at once are the system's.
  package var isApplied: Bool { !areLoggedTogether && !areInSeconds }
}
