// Finds the experiments of a log: which messages were shown in them, to how many users, and on which days.

import Folding
import PermissionEvents

/// Counts, for each experiment and permission, the users by the message that exposed them first and by the day of it.
package struct ExperimentFold: Fold, ~Copyable {
  private let contexts: HistoryContexts
  private let asOf: Milliseconds
  private let zone: ZoneTable
  /// By context the number of its experiment and permission plus one; 0 for screens of none.
  private let pairs: [Int]
  /// By that number the last user who was exposed in it.
  private var lastUsers: [Int]
  /// By permission code the last user who was exposed at all.
  private var lastExposed: [Int]
  private var users = 0
  /// Users by context and day of their exposure.
  private var exposed: [[DayNumber: Int64]]
  private var days = DayCursor()

  /// What is asked of the log.
  package static let selection = HistorySelection(variants: true)

  /// - Parameter permission: the only one to look at; nil for all.
  package init(asOf: Milliseconds, zone: ZoneTable, permission: String?, contexts: HistoryContexts) {
    self.contexts = contexts
    self.asOf = asOf
    self.zone = zone
    let only = permission.map { Array($0.utf8) }
    var numbers: [SIMD2<UInt32>: Int] = [:]
    pairs = contexts.contexts.map { context in
      guard context.permission != 0, context.experiment != 0,
        only == nil || only == contexts.permissions[Int(context.permission)]
      else { return 0 }
      let pair = SIMD2(context.permission, context.experiment)
      let number = numbers[pair] ?? numbers.count + 1
      numbers[pair] = number
      return number
    }
    lastUsers = [Int](repeating: 0, count: numbers.count + 1)
    lastExposed = [Int](repeating: 0, count: contexts.permissions.count)
    exposed = [[DayNumber: Int64]](repeating: [:], count: contexts.contexts.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ExperimentSums) {
    users += 1
    for i in 0..<user.eventCount {
      let context = user.context(i)
      let pair = pairs[context]
      let permission = contexts.contexts[context].permission
      guard permission != 0, exposes(user.unsafeCodes[i], permission) else { continue }
      let time = user.time(i)
      if time > asOf { break }
      lastExposed[Int(permission)] = users
      guard pair != 0, lastUsers[pair] != users else { continue }
      lastUsers[pair] = users
      exposed[context][days.day(of: time, in: zone), default: 0] += 1
    }
  }

  /// Screens expose, and so does a first answer that stands for one.
  private func exposes(_ code: UInt32, _ permission: UInt32) -> Bool {
    if contexts.isAnsweredAlone(permission) {
      return KindSet.results.contains(code) && lastExposed[Int(permission)] != users
    }
    return KindSet.screens.contains(code) || CheckedStatus.isRefusal(code) && lastExposed[Int(permission)] != users
  }

  package mutating func finish(into sums: inout ExperimentSums) {
    for (context, days) in zip(contexts.contexts, exposed) {
      let permission = contexts.permissions[Int(context.permission)]
      let experiment = contexts.experiments[Int(context.experiment)]
      let variant = contexts.variants[Int(context.variant)]
      for (day, count) in days {
        // A walk does not count to 2^62.
        try? sums.exposed.add(
          count, to: .init(permission: permission, experiment: experiment, variant: variant, day: day))
      }
    }
  }
}

/// Users by experiment, permission, message and day of their first screen.
package struct ExperimentSums: FoldSums {
  package static let name = "experiments 1"
  package static var layout: SumsLayout<Self> { SumsLayout(\.exposed) }

  struct Key: SumKey {
    var permission: [UInt8] = []
    var experiment: [UInt8] = []
    /// Empty for a screen without a variant.
    var variant: [UInt8] = []
    var day: DayNumber = 0

    mutating func visit(_ parts: inout KeyParts) {
      parts.name("permission", &permission)
      parts.name("experiment", &experiment)
      parts.nameOrNone("variant", &variant)
      parts.day("day", &day)
    }
  }

  var exposed = CountTable<Key, Int64>("exposures", columns: ["users"])

  package init() {}
}
