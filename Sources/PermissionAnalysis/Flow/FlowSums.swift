// The sums of flows: all figures come from these.

public import Folding
import PermissionEvents

/// The counts of a question about flows, for some users.
public struct FlowSums: FoldSums {
  public static let name = "flow 3"
  public static var layout: SumsLayout<Self> {
    [
      .part(\.limit), .part(\.lists), .part(\.steps), .part(\.places), .part(\.durations), .part(\.users),
      .part(\.known), .part(\.calls),
    ]
  }

  private var limit = SumsLimit()
  /// For each step how many journeys had each outcome, then how many flows that go on past the last step had each outcome there.
  var lists = CountTable<ListKey, ListCounts>("lists", columns: listColumns, bound: CheckedSum.limit)
  /// Journeys of the base and granted ones.
  var steps = CountTable<StepKey, [Int64]>("steps", columns: ["base", "granted"], bound: CheckedSum.limit)
  /// By `FlowCounter`.
  var places = CountTable<WeekKey, [Int64]>("flows", columns: FlowCounter.names, bound: CheckedSum.limit)
  var durations = CountTable<WeekKey, BucketCounts>(times: "durations")
  var users = CountTable<UsersKey, Int64>("users", columns: ["users"])
  /// Steps, values of conditions, and all permissions, that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()

  private static let listColumns =
    (1...FlowQuestion.mostSteps).flatMap { number in Outcome.settled.map { "step_\(number)_\($0.name)" } }
    + Outcome.settled.map { "more_\($0.name)" }

  public init() {}

  // MARK: Keys

  /// A week's first flows of users, or later ones.
  struct WeekKey: SumKey {
    /// Index of the ISO week.
    var week: Int64 = 0
    var isFirst = false

    mutating func visit(_ parts: inout KeyParts) {
      parts.week("week", &week)
      parts.word("flow", &isFirst, no: "later", yes: "first")
    }
  }

  /// Flows of one week that asked for the same permissions in the same order.
  struct ListKey: SumKey {
    var place = WeekKey()
    /// Of the first `FlowQuestion.mostSteps` steps.
    var permissions: [[UInt8]] = []

    private static let steps = (1...FlowQuestion.mostSteps).map { "step_\($0)" }

    mutating func visit(_ parts: inout KeyParts) {
      place.visit(&parts)
      for step in 0..<FlowQuestion.mostSteps {
        var name = step < permissions.count ? permissions[step] : []
        parts.nameOrNone(Self.steps[step], &name)
        // Reads one more. After a gap, or with a repeated name, the list is too short.
        if permissions.count == step, !name.isEmpty, !permissions.contains(name) { permissions.append(name) }
      }
    }
  }

  struct StepKey: SumKey {
    var place = WeekKey()
    var permission: [UInt8] = []
    /// Numbers in `FlowPosition.names` and `FlowBefore.names`.
    var position = 0, before = 0

    private static let positions = SumKeys.words(FlowPosition.names)
    private static let outcomes = SumKeys.words(FlowBefore.names)

    mutating func visit(_ parts: inout KeyParts) {
      place.visit(&parts)
      parts.name("permission", &permission)
      parts.word("position", &position, of: Self.positions)
      parts.word("before", &before, of: Self.outcomes)
    }
  }

  struct UsersKey: SumKey {
    /// Index of the ISO week; nil for all.
    var week: Int64?
    /// Of later flows alone.
    var isLater = false

    mutating func visit(_ parts: inout KeyParts) {
      parts.part("week", &week, { $0.map { CalendarWeek(index: $0).bytes } }) { part in
        part == nil ? .some(nil) : part.week.map { .some($0) }
      }
      parts.word("flow", &isLater, no: "all", yes: "later")
    }
  }

  /// The outcomes of a list, as many as it has steps.
  struct ListCounts: SumRow {
    var integers: [Int64] = []

    init() {}
    init(_ integers: [Int64]) { self.integers = integers }

    init?(_ row: SumTable.Row, width: Int) {
      let steps = (row.columns.last ?? 0) / Outcome.settled.count + 1
      integers = [Int64](row, width: FlowSums.width(steps: min(steps, FlowQuestion.mostSteps))) ?? []
    }

    var row: SumTable.Row { integers.row }
    mutating func add(_ other: Self) throws(SumsError) { try integers.add(other.integers) }
  }

  // MARK: Room

  static func width(steps: Int) -> Int {
    steps * Outcome.settled.count + (steps == FlowQuestion.mostSteps ? Outcome.settled.count : 0)
  }

  /// The first integer of flows that go on past the last step.
  static let more = FlowQuestion.mostSteps * Outcome.settled.count

  /// Bytes that a list takes, about.
  static func size(steps: Int) -> Int { 160 + 48 * steps }
  static let sizeOfStep = 160

  static func tooMany(_ room: GroupRoom) -> SumsError {
    room.tooMany("the users divide into too many flows (lists of permissions by week)")
  }

  /// Throws if the flows could not be counted, or exceed the memory.
  public func checkRoom() throws(SumsError) {
    try limit.checkSize()
    let size = lists.rows.keys.reduce(steps.rows.count * Self.sizeOfStep) {
      $0 + Self.size(steps: $1.permissions.count)
    }
    if size > limit.room.bytes { throw Self.tooMany(limit.room) }
  }
}

// MARK: A walk

extension FlowSums {
  /// - Parameter times: durations of declared flows by slot of the table's places.
  init(
    _ table: borrowing FlowTable, _ permissions: [[UInt8]], _ times: [BucketCounts], _ users: borrowing FlowUsers,
    failure: SumsError?, room: GroupRoom
  ) {
    limit = SumsLimit(room: room, failure: failure)
    var placesOfSlots: [WeekKey] = []
    for slot in 0..<table.places.count {
      let key = table.places.keys[slot]
      let place = WeekKey(week: FlowTable.week(key), isFirst: FlowTable.isFirst(key))
      placesOfSlots.append(place)
      let start = slot * FlowCounter.count
      places[place] = (0..<FlowCounter.count).map { table.counters[start + $0] }
      if times[slot].total > 0 { durations[place] = times[slot] }
    }
    for slot in 0..<table.lists.count {
      let list = table.list(slot)
      let names = list.permissions.map { permissions[Int($0)] }
      lists[ListKey(place: placesOfSlots[list.place], permissions: names)] = ListCounts(table.integers(slot))
    }
    for slot in 0..<table.steps.count {
      let step = table.step(slot)
      let key = StepKey(
        place: placesOfSlots[step.place], permission: permissions[Int(step.permission)], position: step.position,
        before: step.before)
      steps[key] = [table.grants[slot * 2], table.grants[slot * 2 + 1]]
    }
    for slot in 0..<users.weeks.count {
      let key = users.weeks.keys[slot]
      self.users[UsersKey(week: FlowTable.week(key), isLater: !FlowTable.isFirst(key))] = users.counts[slot]
    }
    if users.all > 0 { self.users[UsersKey(week: nil, isLater: false)] = users.all }
    if users.later > 0 { self.users[UsersKey(week: nil, isLater: true)] = users.later }
  }

  // MARK: Checks

  /// Throws if the tables contradict one another.
  public func checkCounts() throws(SumsError) {
    try checkTotals()
    var settled: [WeekKey: Int64] = [:]
    for (key, list) in lists.rows {
      let counts = list.integers
      guard counts.count == Self.width(steps: key.permissions.count) else {
        throw Self.damaged("a list has a gap, a permission twice, or outcomes of other steps")
      }
      let flows = counts.prefix(Outcome.settled.count).reduce(0, +)
      for step in key.permissions.indices.dropFirst() {
        let start = step * Outcome.settled.count
        guard counts[start..<start + Outcome.settled.count].reduce(0, +) == flows else {
          throw Self.damaged("a step of a list has a different number of flows than the first step")
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
    for (key, counts) in steps.rows {
      guard counts[1] <= counts[0] else { throw Self.damaged("a step has more grants than journeys") }
      // Only the first step of a flow has no outcome before it.
      guard (key.position == 0) == (key.before == 0) else {
        throw Self.damaged(
          "a first step has an outcome before "
            + "it, or a later step has none")
      }
    }
    guard settled.keys.allSatisfy({ places[$0] != nil }), steps.rows.keys.allSatisfy({ places[$0.place] != nil }) else {
      throw Self.damaged("some flows belong to no week")
    }
    for (place, counts) in places.rows {
      guard counts[FlowCounter.settled] == settled[place] ?? 0 else {
        throw Self.damaged("the lists of a week do not add up to its flows")
      }
      try checkDeclared(counts, durations[place]?.total ?? 0)
    }
    guard durations.rows.keys.allSatisfy({ places[$0] != nil }) else {
      throw Self.damaged("some times belong to no week")
    }
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
    // Only the question knows which step is the last.
    guard isTimed else { throw Self.damaged("the times of the declared flow do not match the answers of any step") }
  }

  private func checkUsers(_ settled: [WeekKey: Int64]) throws(SumsError) {
    var all: [Int64?: (flows: Int64, later: Int64)] = [:]
    for (place, flows) in settled {
      for week in [place.week, nil] {
        var known = all[week] ?? (0, 0)
        known.flows += flows
        known.later += place.isFirst ? 0 : flows
        all[week] = known
      }
    }
    for (key, count) in users.rows {
      let flows = all[key.week] ?? (0, 0)
      guard count <= (key.isLater ? flows.later : flows.flows) else {
        throw Self.damaged("there are more users than flows")
      }
    }
  }

  /// Throws if sums over all weeks are too large, so no single sum needs a check.
  package func checkTotals() throws(SumsError) {
    var total: Int64 = 0
    for counts in lists.rows.values { for count in counts.integers { total = try CheckedSum.add(total, count) } }
    for counts in steps.rows.values { for count in counts { total = try CheckedSum.add(total, count) } }
    for count in users.rows.values { total = try CheckedSum.add(total, count) }
    for times in durations.rows.values { total = try CheckedSum.add(total, times.total) }
    var duration: Int64 = 0
    for counts in places.rows.values {
      for count in counts.dropLast() { total = try CheckedSum.add(total, count) }
      duration = try CheckedSum.add(duration, counts[FlowCounter.duration])
    }
    guard total <= 1 << 50 else { throw SumsError(.overflow, "the sums of flows are too large") }
  }

  private static func damaged(_ what: String) -> SumsError {
    SumsError(.damaged, "the sums of flows contradict themselves: \(what)")
  }
}

// MARK: The counts of the flows of a week, and the classes of their steps

/// Integers of a week's first or later flows: pending and settled flows. Then for a declared flow the number that
/// reached and answered each step, and the total milliseconds of flows that answered the last one.
enum FlowCounter {
  static let pending = 0
  static let settled = 1
  static let reached = 2
  static let answered = reached + FlowQuestion.mostSteps
  static let duration = answered + FlowQuestion.mostSteps
  static let count = duration + 1

  static let names =
    ["pending", "settled"] + (1...FlowQuestion.mostSteps).map { "reached_\($0)" }
    + (1...FlowQuestion.mostSteps).map { "answered_\($0)" } + ["duration_ms"]
}

/// Positions of a step within its flow: first, second, third, and all later ones.
package enum FlowPosition {
  package static let names = ["1", "2", "3", "4_up"]
  static let count = names.count
}

/// The outcome of the step before; none for the first step of a flow.
package enum FlowBefore {
  package static let names = ["none"] + Outcome.settled.map(\.name)
  static let count = names.count
}

extension Outcome {
  /// The outcomes of a journey that is not pending.
  package static let settled = base + [.restricted]

  package var name: String { CounterNames.snakeCase("\(self)") }
}
