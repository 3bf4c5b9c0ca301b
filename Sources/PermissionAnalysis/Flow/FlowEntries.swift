// The entries of a report of flows. Each is made when it is asked for: a log may have a million different lists.

import PermissionEvents

/// Entries in their order: all weeks, then week by week; of each all flows, first ones, later ones.
public struct FlowEntries: RandomAccessCollection, Sendable {
  /// A list of permissions, under the places of their names in bytewise order.
  struct List: Sendable {
    var place: FlowSums.Place
    var permissions: [UInt32]
    var counts: [Int64]
  }

  struct Step: Sendable {
    /// The place of its name.
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
    names = order.map { String(decoding: $0, as: UTF8.self) }
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
    let tree = FlowTree(
      (lists[key.week] ?? []).lazy.filter { key.which.includes($0.place) }, names)
    let places = sums.places.rows.filter { key.which.includes($0.key) && (key.week == nil || key.week == $0.key.week) }
    let counts = places.values.reduce([Int](repeating: 0, count: FlowCounter.count)) { total, counts in
      zip(total, counts).map { $0 + Int($1) }
    }
    return FlowEntry(
      week: key.week.map { ISOWeek(index: $0) }, which: key.which,
      flows: counts[FlowCounter.pending] + counts[FlowCounter.settled], pending: counts[FlowCounter.pending],
      users: users(key, settled: counts[FlowCounter.settled]), lists: tree.lists, tree: tree.nodes,
      byPosition: grants(key, FlowPosition.names, \.position),
      byOutcomeBefore: grants(key, FlowBefore.names, \.before),
      declared: declared.isEmpty ? nil : flow(counts, places.keys.compactMap { sums.durations[$0] }))
  }

  /// A user has one first flow.
  private func users(_ key: Key, settled: Int) -> Int {
    key.which == .first
      ? settled : Int(sums.users[FlowSums.UsersKey(week: key.week, isLater: key.which == .later)] ?? 0)
  }

  private func grants(
    _ key: Key, _ groups: [String], _ group: KeyPath<FlowSums.StepKey, Int>
  ) -> [FlowEntry.Grants] {
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
      duration: TimeSummary(count, sum: counts[FlowCounter.duration], histogram))
  }
}

extension FlowEntry.Which {
  func includes(_ place: FlowSums.Place) -> Bool {
    switch self {
    case .all: true
    case .first: place.isFirst
    case .later: !place.isFirst
    }
  }
}

extension TimeSummary {
  /// - Parameter sum: of all times, in milliseconds.
  init(_ count: Int, sum: Int, _ histogram: TimeHistogram) {
    guard count > 0 else {
      self.init(count: 0)
      return
    }
    let quantiles = histogram.quantiles([50, 90, 99], of: count)
    self.init(
      count: count, mean: Double(sum) / Double(count), p50: quantiles[0], p90: quantiles[1], p99: quantiles[2])
  }
}
