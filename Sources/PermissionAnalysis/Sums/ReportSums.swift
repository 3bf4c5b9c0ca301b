// The sums of a report: everything that it says comes from these.

public import Folding
import PermissionEvents

/// What a report counted of some users.
public struct ReportSums: FoldSums {
  public static let name = "report 5"

  var users: Int64 = 0
  var events: Int64 = 0
  /// Users with any event in the 28 days up to as_of.
  var activeUsers: Int64 = 0
  var groups = GroupedSums()
  /// By permission (nil for kinds that belong to none) and index of the ISO week: counts by raw value of `EventKind`.
  var activity: [ActivityKey: [Int64]] = [:]
  /// Active users by permission: on, partial, off, restricted, undecided.
  var reach: [[UInt8]: [Int64]] = [:]
  var evidence = EvidenceSums()
  /// Of the exposures of the interval; empty unless the question asks for them.
  var versions = VersionSums()
  /// By permission: base and granted, by `TimingPlace`.
  var timing: [[UInt8]: [Int64]] = [:]
  /// How fast prompts were answered.
  package var calls = CallSums()
  /// Of the question, that a log has.
  package var known = NameSums()

  struct ActivityKey: Hashable, Comparable, Sendable {
    var permission: [UInt8]?
    var week: Int64

    /// None before all names, as tables have it.
    static func < (a: Self, b: Self) -> Bool {
      if a.permission == b.permission { return a.week < b.week }
      guard let left = a.permission, let right = b.permission else { return a.permission == nil }
      return left.lexicographicallyPrecedes(right)
    }
  }

  public init() {}

  /// How many users and events were counted.
  package var counted: (users: Int64, events: Int64) { (users, events) }

  /// True if nobody was counted.
  package var isEmpty: Bool { events == 0 }

  public mutating func add(_ other: ReportSums) throws(SumsError) {
    known.add(other.known)
    try calls.add(other.calls)
    users = try CheckedSum.add(users, other.users)
    events = try CheckedSum.add(events, other.events)
    activeUsers = try CheckedSum.add(activeUsers, other.activeUsers)
    try groups.add(other.groups)
    for (key, counts) in other.activity { try SumKeys.add(counts, to: &activity[key]) }
    for (permission, states) in other.reach { try SumKeys.add(states, to: &reach[permission]) }
    try evidence.add(other.evidence)
    try versions.add(other.versions)
    for (permission, counts) in other.timing { try SumKeys.add(counts, to: &timing[permission]) }
  }
}

extension ReportSums {
  private static let emptyTotals = SumTable("totals", keys: [], columns: ["users", "events", "active_users"])
  private static let emptyActivity = SumTable("activity", keys: ["permission", "week", "kind"], columns: ["events"])
  private static let emptyReach = SumTable("reach", keys: ["permission"], columns: ReachTable.states)

  public var tables: [SumTable] {
    var totals = Self.emptyTotals
    totals.setRow([], SumTable.Row([users, events, activeUsers]))
    // In the order of the rows, which are then not sorted one by one.
    let kinds = EventKind.names.map { Array($0.utf8) }.enumerated().sorted {
      $0.element.lexicographicallyPrecedes($1.element)
    }
    let activity = self.activity.sorted { $0.key < $1.key }.flatMap { key, counts in
      let week = SumKeys.week(key.week)
      return kinds.map {
        (key: [key.permission, week, $0.element] as SumTable.Key, row: SumTable.Row([counts[$0.offset]]))
      }
    }
    var reach = Self.emptyReach
    for (permission, states) in self.reach { reach.setRow([permission], SumTable.Row(states)) }
    return [totals] + groups.tables() + [
      Self.emptyActivity.filled(activity), reach, evidence.table, versions.table, TimingSums.table(timing), known.table,
    ] + calls.tables
  }

  public init(tables: [SumTable]) throws(SumsError) {
    guard tables.count == 11 else { throw SumsError(.otherFold, "a report has eleven tables, and not \(tables.count)") }
    let totals = try tables.table(like: Self.emptyTotals).rows[[]] ?? SumTable.Row()
    users = try SumKeys.count(totals[0])
    events = try SumKeys.count(totals[1])
    activeUsers = try SumKeys.count(totals[2])
    groups = try GroupedSums(tables: tables)
    for (key, row) in try tables.table(like: Self.emptyActivity).orderedRows {
      let permission = key[0] == nil ? nil : try SumKeys.present(key[0])
      guard let kind = EventKind.names.firstIndex(where: { key[2] == Array($0.utf8) }) else {
        throw SumsError(.damaged, "table activity has a kind that this version does not know")
      }
      let place = ActivityKey(permission: permission, week: try SumKeys.week(key[1]))
      activity[place, default: [Int64](repeating: 0, count: EventKind.names.count)][kind] = try SumKeys.count(row[0])
    }
    for (key, row) in try tables.table(like: Self.emptyReach).orderedRows {
      let states = try SumKeys.counts(row, ReachTable.states.count)
      guard states.allSatisfy({ $0 <= SumKeys.mostUsers }) else {
        throw SumsError(.damaged, "table reach has too many users")
      }
      guard states.reduce(0, +) <= activeUsers else {
        throw SumsError(.damaged, "table reach has more users than were active")
      }
      reach[try SumKeys.present(key[0])] = states
    }
    evidence = try EvidenceSums(tables)
    versions = try VersionSums(tables)
    timing = try TimingSums.counts(tables)
    known = try NameSums(tables)
    calls = try CallSums(tables: tables)
    guard activeUsers <= users, users <= events else {
      throw SumsError(.damaged, "table totals has more users than events")
    }
  }
}

extension ReportSums {
  /// Sums that a file brought may be of another question than the file says.
  package func check(of question: ReportQuestion) throws(SumsError) {
    try groups.check(properties: question.properties.count)
    try checkTiming(question)
  }

  /// Every journey of the base is in one class of each classification, unless there is a breakdown, under which there is none.
  /// Sums that a file brought may contradict that.
  private func checkTiming(_ question: ReportQuestion) throws(SumsError) {
    guard question.hasTiming else {
      guard timing.isEmpty else {
        throw SumsError(.damaged, "table timing has journeys, and under a breakdown there are none")
      }
      return
    }
    var journeys: [[UInt8]: SIMD2<Int64>] = [:]
    for (slot, key) in groups.keys.enumerated() {
      let outcomes = Outcome.base.map { groups.integer(slot, Counter.granted.rawValue + $0.rawValue) }
      let counts = SIMD2(outcomes.reduce(0, &+), outcomes.first ?? 0)
      if counts != .zero { journeys[groups.permissions[Int(key.permission)], default: .zero] &+= counts }
    }
    for (permission, counts) in timing where TimingSums.journeys(counts) == .zero && journeys[permission] == nil {
      journeys[permission] = .zero
    }
    guard journeys == timing.mapValues(TimingSums.journeys) else {
      throw SumsError(.damaged, "table timing has other journeys than table groups")
    }
  }
}
