// The figures of the flows of a week, or of all weeks.

import PermissionEvents

/// Flows of one week or of all, and of all flows or only first or later ones. All figures but `flows` and `pending` are of
/// settled flows.
public struct FlowEntry: Sendable {
  /// Which flows of a user.
  public enum Which: String, Sendable, CaseIterable {
    case all
    /// The first of a user up to the moment that is looked from, in the whole log.
    case first
    /// All but the first.
    case later
  }

  /// A list of permissions in the order in which they were asked for, up to eight.
  public struct List: Sendable, Hashable {
    public let permissions: [String]
    public let flows: Int
  }

  /// Where flows with a permission at a position went, or after an outcome. Rates are over the base.
  public struct Grants: Sendable, Hashable {
    public let permission: String
    /// `1`, `2`, `3`, `4_up`; or the outcome before: `none`, `granted`, `denied`, `skipped`, `dropped_off`, `restricted`.
    public let group: String
    public let base, granted: Int

    /// nil without a base.
    public var rate: Estimate? { .rate(granted, base) }

    /// This rate less another one, with its interval (Miettinen–Nurminen); nil without a base.
    public func difference(from other: Grants) -> Estimate? {
      .difference((granted, base), (other.granted, other.base))
    }
  }

  /// nil for all weeks.
  public let week: ISOWeek?
  public let which: Which
  public let flows, pending: Int
  /// Users with a settled flow.
  public let users: Int
  /// Bytewise.
  public let lists: [List]
  /// Every list and what it begins with, bytewise.
  public let tree: [FlowNode]
  /// By permission, then by position or outcome; of one permission if the report is.
  public let byPosition, byOutcomeBefore: [Grants]
  /// nil unless a flow was declared.
  public let declared: DeclaredFlow?

  public var settled: Int { flows - pending }
  /// Flows of more than eight steps.
  public var more: Int { tree.reduce(0) { $0 + $1.more } }
}

/// Flows that began with some permissions in this order.
public struct FlowNode: Sendable, Hashable {
  /// The permissions.
  public let prefix: [String]
  /// Of the last of them.
  public internal(set) var outcomes = FlowOutcomes()
  /// The same of flows that ended there.
  public internal(set) var endedByOutcome = FlowOutcomes()
  /// Flows with a ninth step, which the tree does not have.
  public internal(set) var more = 0

  public var flows: Int { outcomes.total }
  public var ended: Int { endedByOutcome.total }
  public var wentOn: Int { flows - ended - more }
}

/// How many journeys had each outcome. None is pending.
public struct FlowOutcomes: Sendable, Hashable {
  public internal(set) var granted = 0
  public internal(set) var denied = 0
  public internal(set) var skipped = 0
  public internal(set) var droppedOff = 0
  public internal(set) var restricted = 0

  /// None.
  package init() {}

  public var total: Int { granted + denied + skipped + droppedOff + restricted }

  /// - Parameter counts: in the order of `Outcome.settled`.
  mutating func add(_ counts: ArraySlice<Int64>, _ sign: Int = 1) {
    let counts = counts.map { Int($0) * sign }
    granted += counts[0]
    denied += counts[1]
    skipped += counts[2]
    droppedOff += counts[3]
    restricted += counts[4]
  }
}

/// How far flows went that began as a declared one does.
public struct DeclaredFlow: Sendable {
  public let permissions: [String]
  /// By permission how many flows were asked for it and for all before it, in this order; others may lie between.
  public let reached: [Int]
  /// Those of `reached` that were answered.
  public let answered: [Int]
  /// From the first screen to the answer of the last permission, in milliseconds.
  public let duration: TimeSummary

  /// Flows that began with the first permission.
  public var started: Int { reached.first ?? 0 }
  /// Flows that answered the last one.
  public var completed: Int { answered.last ?? 0 }
  /// Completed of started; nil if none did.
  public var completedRate: Estimate? { .rate(completed, started) }
  /// By permission those who reached it and went no further; of the last those who did not answer.
  public var left: [Int] { zip(reached, reached.dropFirst() + [completed]).map { $0 - $1 } }
}
