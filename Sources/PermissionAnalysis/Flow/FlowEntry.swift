// The figures of the flows of a week, or of all weeks.

import PermissionEvents

/// Flows of one week or of all, and of all flows or only first or later ones. All figures but `flows` and `pending` are of
/// settled flows.
public struct FlowEntry: Sendable {
  /// Which flows of a user.
  public enum Which: String, Sendable, CaseIterable {
    case all
    /// The first flow of a user up to `as_of`, in the whole log.
    case first
    /// All but the first.
    case later
  }

  /// A list of up to eight permissions, in the order of the asks.
  public struct List: Sendable, Hashable {
    public let permissions: [String]
    public let flows: Int
  }

  /// The grants of a permission at a position of its flow, or after an outcome. Rates are over the base.
  public struct Grants: Sendable, Hashable {
    public let permission: String
    /// `1`, `2`, `3`, `4_up`; or the outcome before: `none`, `granted`, `denied`, `skipped`, `dropped_off`, `restricted`.
    public let group: String
    public let base, granted: Int

    /// nil without a base.
    public var rate: Estimate? { .rate(granted, base) }

    /// This rate minus another one, with its interval (Miettinen–Nurminen). Nil without a base.
    public func difference(from other: Grants) -> Estimate? {
      .difference((granted, base), (other.granted, other.base))
    }
  }

  /// nil for all weeks.
  public let week: CalendarWeek?
  public let which: Which
  public let flows, pending: Int
  /// Users with a settled flow.
  public let users: Int
  /// Bytewise.
  public let lists: [List]
  /// Every list and its prefixes, in bytewise order.
  public let tree: [FlowNode]
  /// By permission, then by position or outcome; of one permission if the report is.
  public let byPosition, byOutcomeBefore: [Grants]
  /// nil unless a flow was declared.
  public let declared: DeclaredFlow?

  public var settled: Int { flows - pending }
  /// Flows of more than eight steps.
  public var more: Int { tree.reduce(0) { $0 + $1.more } }

  package static let figures: [FigureNode<FlowEntry>] = [
    .text("week", "of the first exposure; null for all weeks", .week) { $0.week?.text },
    .text("which", "all flows, the first of each user, or later ones") { $0.which.rawValue },
    .count("flows", "flows that began", .flows) { $0.flows },
    .count("pending", "flows with a response window that is not over at as_of", .flows) { $0.pending },
    .count("settled", "flows minus pending ones: all further figures are of these", .flows) { $0.settled },
    .count("users", "users with a settled flow", .users) { $0.users },
    .count("more", "flows of more than eight steps", .flows) { $0.more },
    .list(
      "lists",
      [
        .texts("permissions", "in the order in which they were asked for") { $0.permissions },
        .count("flows", "flows that asked for exactly these", .flows) { $0.flows },
      ], place: { [.permissions($0.permissions)] }
    ) { $0.lists },
    .list("tree", FlowNode.figures, place: { [.permissions($0.prefix)] }) { $0.tree },
    .list(
      "by_position", Grants.figures("position", "1, 2, 3 or 4_up"),
      place: { [.column("permission", $0.permission), .column("group", $0.group)] }
    ) { $0.byPosition },
    .list(
      "by_outcome_before", Grants.figures("before", "none, or the outcome of the step before"),
      place: { [.column("permission", $0.permission), .column("group", $0.group)] }
    ) { $0.byOutcomeBefore },
    .object("declared", DeclaredFlow.figures, place: { [.permissions($0.permissions)] }) { $0.declared },
  ]
}

extension FigureSubject {
  fileprivate static func permissions(_ names: [String]) -> FigureSubject {
    .column("permissions", names.joined(separator: " > "))
  }
}

extension FlowEntry.Grants {
  fileprivate static func figures(_ group: StaticString, _ meaning: StaticString) -> [FigureNode<FlowEntry.Grants>] {
    [
      .text("permission", "its name") { $0.permission }, .text(group, meaning) { $0.group },
      .count("base", "journeys that are not restricted") { $0.base },
      .count("granted", "first answer granted", over: { $0.base }) { $0.granted },
      .estimate("rate", "granted of the base", over: { $0.base }) { $0.rate },
    ]
  }
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

  fileprivate static let figures: [FigureNode<FlowNode>] = [
    .texts("prefix", "what flows begin with") { $0.prefix },
    .count("flows", "flows that begin so", .flows) { $0.flows },
    .object("outcomes", FlowOutcomes.figures) { $0.outcomes },
    .count("ended", "flows that ended here", .flows) { $0.ended },
    .object("ended_by_outcome", FlowOutcomes.figures) { $0.endedByOutcome },
    .count("more", "flows with a ninth step", .flows) { $0.more },
    .count("went_on", "flows with a next step", .flows) { $0.wentOn },
  ]
}

/// The number of journeys with each outcome. No journey is pending.
public struct FlowOutcomes: Sendable, Hashable {
  public internal(set) var granted = 0, denied = 0, skipped = 0, droppedOff = 0, restricted = 0

  package init() {}

  public var total: Int { granted + denied + skipped + droppedOff + restricted }

  fileprivate static let figures: [FigureNode<FlowOutcomes>] = [
    .count("granted", "the last permission's first answer granted", .flows) { $0.granted },
    .count("denied", "denied", .flows) { $0.denied }, .count("skipped", "skipped", .flows) { $0.skipped },
    .count("dropped_off", "no answer in time", .flows) { $0.droppedOff },
    .count("restricted", "denied, the user had no choice", .flows) { $0.restricted },
  ]

  package mutating func add(_ other: FlowOutcomes) {
    granted += other.granted
    denied += other.denied
    skipped += other.skipped
    droppedOff += other.droppedOff
    restricted += other.restricted
  }

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

/// The progress of flows that begin like a declared one.
public struct DeclaredFlow: Sendable {
  public let permissions: [String]
  /// By permission the number of flows that asked for it and for all before it, in this order; other permissions may
  /// come in between.
  public let reached: [Int]
  /// The number of `reached` flows that answered the step.
  public let answered: [Int]
  /// From the first screen to the answer of the last permission, in milliseconds.
  public let duration: TimeSummary

  /// Flows that began with the first permission.
  public var started: Int { reached.first ?? 0 }
  /// Flows that answered the last one.
  public var completed: Int { answered.last ?? 0 }
  /// Completed of started. Nil if no flow started.
  public var completedRate: Estimate? { .rate(completed, started) }
  /// By permission the number of flows that reached it and went no further. For the last, the flows without an answer.
  public var left: [Int] { zip(reached, reached.dropFirst() + [completed]).map { $0 - $1 } }

  private struct Step {
    let flow: DeclaredFlow
    let place: Int
  }

  fileprivate static let figures: [FigureNode<DeclaredFlow>] = [
    .texts("permissions", "the declared steps") { $0.permissions },
    .count("started", "flows that began with the first permission", .flows) { $0.started },
    .inJSON([
      .counts("reached", "by step, flows that asked for it and all before it", .flows) { $0.reached },
      .counts("answered", "by step, flows that answered it", .flows) { $0.answered },
    ]),
    .inTables([
      .list(
        "",
        [
          .count("reached", "flows that asked for the step and all before it", .flows, over: { $0.flow.started }) {
            $0.flow.reached[$0.place]
          },
          .count("answered", "flows that answered it", .flows, over: { $0.flow.started }) {
            $0.flow.answered[$0.place]
          },
          .count("left", "flows that went no further", .flows, over: { $0.flow.started }) { $0.flow.left[$0.place] },
        ],
        place: { [.column("permission", $0.flow.permissions[$0.place]), .column("group", "\($0.place + 1)")] }
      ) { flow in flow.permissions.indices.map { Step(flow: flow, place: $0) } }
    ]),
    .count("completed", "flows that answered the last permission", .flows, over: { $0.started }) { $0.completed },
    .inJSON([.times("duration_ms", "from the first screen to the last answer") { $0.duration }]),
    .inTables([
      .group(
        "duration_ms",
        [
          .number("mean", "from the first screen to the last answer", .milliseconds, over: { $0.duration.count }) {
            $0.duration.mean
          },
          .number("p50", "its median", .milliseconds, over: { $0.duration.count }) { $0.duration.p50 },
          .number("p90", "its 90th percentile", .milliseconds, over: { $0.duration.count }) { $0.duration.p90 },
          .number("p99", "its 99th percentile", .milliseconds, over: { $0.duration.count }) { $0.duration.p99 },
        ])
    ]),
  ]
}

// MARK: The entries of a report of flows
// Each is made when it is asked for: a log may have a million different lists.

/// Entries in their order: all weeks, then week by week; for each all flows, first flows, later flows.
public struct FlowEntries: RandomAccessCollection, Sendable {
  /// A list of permissions, as indices of their names in bytewise order.
  struct List: Sendable {
    var place: FlowSums.WeekKey
    var permissions: [UInt32]
    var counts: [Int64]
  }

  struct Step: Sendable {
    /// The index of its name.
    var permission: Int
    var key: FlowSums.StepKey
    var counts: [Int64]
  }

  private struct Key: Sendable {
    var week: Int64?
    var which: FlowEntry.Which
  }

  private let keys: [Key]
  /// Bytewise.
  private let names: [String]
  /// Ordered by their permissions; by week and of all weeks.
  private let lists: [Int64?: [List]]
  private let steps: [Int64?: [Step]]
  private let sums: FlowSums
  private let declared: [String]

  public var startIndex: Int { 0 }
  public var endIndex: Int { keys.count }

  init(_ sums: FlowSums, steps declared: [String], permission: String?) {
    let known = Set(sums.lists.rows.keys.flatMap(\.permissions)).union(sums.steps.rows.keys.map(\.permission))
    let order = known.sorted { $0.lexicographicallyPrecedes($1) }
    var ranks: [[UInt8]: UInt32] = [:]
    for (rank, name) in order.enumerated() { ranks[name] = UInt32(truncatingIfNeeded: rank) }
    names = order.map { String(bounded: $0) }
    let all = sums.lists.rows.map { key, counts in
      List(place: key.place, permissions: key.permissions.compactMap { ranks[$0] }, counts: counts.integers)
    }.sorted { $0.permissions.lexicographicallyPrecedes($1.permissions) }
    var lists: [Int64?: [List]] = [nil: all]
    for list in all { lists[list.place.week, default: []].append(list) }
    self.lists = lists
    let only = permission.map { Array($0.utf8) }
    var steps: [Int64?: [Step]] = [:]
    for (key, counts) in sums.steps.rows where only == nil || only == key.permission {
      guard let rank = ranks[key.permission] else { continue }
      let step = Step(permission: Int(rank), key: key, counts: counts)
      for week in [nil, key.place.week] { steps[week, default: []].append(step) }
    }
    self.steps = steps
    self.sums = sums
    self.declared = declared
    keys = Self.keys(sums)
  }

  /// An entry is there if it has flows; that of all flows always is.
  private static func keys(_ sums: FlowSums) -> [Key] {
    var known: [Int64?: Set<FlowEntry.Which>] = [nil: [.all]]
    for place in sums.places.rows.keys {
      for week in [nil, place.week] { known[week, default: []].formUnion([.all, place.isFirst ? .first : .later]) }
    }
    return known.keys.sorted { $0 ?? .min < $1 ?? .min }.flatMap { week in
      FlowEntry.Which.allCases.filter { known[week]?.contains($0) ?? false }.map { Key(week: week, which: $0) }
    }
  }

  public subscript(_ number: Int) -> FlowEntry {
    let key = keys[number]
    let tree = FlowTree((lists[key.week] ?? []).lazy.filter { key.which.includes($0.place) }, names)
    let places = sums.places.rows.filter { key.which.includes($0.key) && (key.week == nil || key.week == $0.key.week) }
    let counts = places.values.reduce([Int](repeating: 0, count: FlowCounter.count)) { total, counts in
      zip(total, counts).map { $0 + Int($1) }
    }
    // A user has one first flow.
    let users =
      key.which == .first
      ? counts[FlowCounter.settled]
      : Int(sums.users[FlowSums.UsersKey(week: key.week, isLater: key.which == .later)] ?? 0)
    return FlowEntry(
      week: key.week.map { CalendarWeek(index: $0) }, which: key.which,
      flows: counts[FlowCounter.pending] + counts[FlowCounter.settled], pending: counts[FlowCounter.pending],
      users: users, lists: tree.lists, tree: tree.nodes,
      byPosition: grants(key, FlowPosition.names, \.position),
      byOutcomeBefore: grants(key, FlowBefore.names, \.before),
      declared: declared.isEmpty ? nil : flow(counts, places.keys.compactMap { sums.durations[$0] }))
  }

  private func grants(_ key: Key, _ groups: [String], _ group: KeyPath<FlowSums.StepKey, Int>) -> [FlowEntry.Grants] {
    // By permission and group.
    var totals: [Int: (base: Int, granted: Int)] = [:]
    for step in steps[key.week] ?? [] where key.which.includes(step.key.place) {
      let place = step.permission * groups.count + step.key[keyPath: group]
      let known = totals[place] ?? (0, 0)
      totals[place] = (known.base + Int(step.counts[0]), known.granted + Int(step.counts[1]))
    }
    return totals.sorted { $0.key < $1.key }.map { place, total in
      FlowEntry.Grants(
        permission: names[place / groups.count], group: groups[place % groups.count], base: total.base,
        granted: total.granted)
    }
  }

  private func flow(_ counts: [Int], _ times: [BucketCounts]) -> DeclaredFlow {
    func steps(_ counter: Int) -> [Int] { declared.indices.map { counts[counter + $0] } }
    let histogram = TimeHistogram()
    for times in times { histogram.add(times) }
    let count = times.reduce(0) { $0 + Int($1.total) }
    return DeclaredFlow(
      permissions: declared, reached: steps(FlowCounter.reached), answered: steps(FlowCounter.answered),
      duration: TimeSummary(count, sum: counts[FlowCounter.duration], [histogram]))
  }
}

extension FlowEntry.Which {
  func includes(_ place: FlowSums.WeekKey) -> Bool {
    switch self {
    case .all: true
    case .first: place.isFirst
    case .later: !place.isFirst
    }
  }
}
