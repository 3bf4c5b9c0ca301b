// The sums of flows: everything that is said of them comes from these.

public import Folding
import PermissionEvents

/// What a question about flows counted of some users.
public struct FlowSums: FoldSums, NamedSums {
  public static let name = "flow 3"

  /// Flows of one week that asked for the same permissions in the same order.
  struct ListKey: Hashable, Sendable {
    var place: Place
    /// Places in `names`, of the first `FlowQuestion.mostSteps` steps.
    var permissions: [UInt32]
  }

  /// A week's first flows of users, or later ones.
  struct Place: Hashable, Sendable {
    /// Index of the ISO week.
    var week: Int64
    var isFirst: Bool
  }

  struct StepKey: Hashable, Sendable {
    var place: Place
    /// Place in `names`.
    var permission: UInt32
    /// Numbers in `FlowPosition.names` and `FlowBefore.names`.
    var position, before: Int
  }

  struct UsersKey: Hashable, Sendable {
    /// Index of the ISO week; nil for all.
    var week: Int64?
    /// Of later flows alone.
    var isLater: Bool
  }

  var names = NameList()
  /// For each step how many journeys had each outcome, then how many flows that go on past the last step had each outcome there.
  var lists: [ListKey: [Int64]] = [:]
  /// Journeys of the base and granted ones.
  var steps: [StepKey: [Int64]] = [:]
  /// By `FlowCounter`.
  var places: [Place: [Int64]] = [:]
  var durations: [Place: BucketCounts] = [:]
  var users: [UsersKey: Int64] = [:]
  /// Steps, values of conditions, and all permissions, that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()
  private var size = 0
  private var room = GroupRoom()
  private var failure: SumsError?

  public init() {}

  public mutating func add(_ other: FlowSums) throws(SumsError) {
    if let failure = failure ?? other.failure { throw failure }
    // In place: sums may have many parts, each of which is added to the same counts.
    try calls.add(other.calls)
    if places.isEmpty {
      let sum = calls
      adopt(other)
      calls = sum
      return
    }
    known.add(other.known)
    let own = other.names.names.map { names.place(of: $0) }
    for (key, counts) in other.lists {
      try add(counts, to: ListKey(place: key.place, permissions: key.permissions.map { own[Int($0)] }))
    }
    for (key, counts) in other.steps {
      var key = key
      key.permission = own[Int(key.permission)]
      try add(counts, to: key)
    }
    for (place, counts) in other.places { try SumKeys.add(counts, to: &places[place]) }
    for (place, times) in other.durations { try durations[place, default: BucketCounts()].add(times) }
    for (key, count) in other.users { users[key] = try CheckedSum.add(users[key] ?? 0, count) }
    try check()
  }

  mutating func add(_ counts: [Int64], to key: ListKey) throws(SumsError) {
    if lists[key] == nil { size += Self.size(steps: key.permissions.count) }
    try SumKeys.add(counts, to: &lists[key])
  }

  mutating func add(_ counts: [Int64], to key: StepKey) throws(SumsError) {
    if steps[key] == nil { size += Self.sizeOfStep }
    try SumKeys.add(counts, to: &steps[key])
  }

  // MARK: Room

  /// Integers of a list.
  static func width(steps: Int) -> Int {
    steps * Outcome.settled.count + (steps == FlowQuestion.mostSteps ? Outcome.settled.count : 0)
  }

  /// The first integer of flows that go on past the last step.
  static let more = FlowQuestion.mostSteps * Outcome.settled.count

  /// Bytes that a list takes, about.
  static func size(steps: Int) -> Int { 160 + 48 * steps }
  static let sizeOfStep = 160

  static func tooMany(bytes: Int) -> SumsError {
    SumsError(
      .tooManyGroups,
      "the users divide into too many flows (lists of permissions by week): their sums take more than the "
        + "\(bytes >> 20) MB that there are for them")
  }

  /// Throws if the flows could not be counted, or have no room.
  package func check() throws(SumsError) {
    if let failure { throw failure }
    if size > room.bytes { throw Self.tooMany(bytes: room.bytes) }
  }
}

extension FlowSums {
  /// What one walk counted.
  /// - Parameters:
  ///   - permissions: names by code.
  ///   - times: durations of declared flows by slot of the table's places.
  ///   - failure: why that is not all.
  init(
    _ table: borrowing FlowTable, _ permissions: [[UInt8]], _ times: [BucketCounts], _ users: borrowing FlowUsers,
    failure: SumsError?, room: GroupRoom
  ) {
    (self.failure, self.room, size) = (failure, room, table.size)
    var placesOfSlots: [Place] = []
    for slot in 0..<table.places.count {
      let key = table.places.keys[slot]
      let place = Place(week: FlowTable.week(key), isFirst: FlowTable.isFirst(key))
      placesOfSlots.append(place)
      let start = slot * FlowCounter.count
      places[place] = (0..<FlowCounter.count).map { table.counters[start + $0] }
      if times[slot].total > 0 { durations[place] = times[slot] }
    }
    for slot in 0..<table.lists.count {
      let list = table.list(slot)
      let own = list.permissions.map { names.place(of: permissions[Int($0)]) }
      lists[ListKey(place: placesOfSlots[list.place], permissions: own)] = table.integers(slot)
    }
    for slot in 0..<table.steps.count {
      let step = table.step(slot)
      let key = StepKey(
        place: placesOfSlots[step.place], permission: names.place(of: permissions[Int(step.permission)]),
        position: step.position, before: step.before)
      steps[key] = [table.grants[slot * 2], table.grants[slot * 2 + 1]]
    }
    for slot in 0..<users.weeks.count {
      let key = users.weeks.keys[slot]
      self.users[UsersKey(week: FlowUsers.week(key), isLater: FlowUsers.isLater(key))] = users.counts[slot]
    }
    if users.all > 0 { self.users[UsersKey(week: nil, isLater: false)] = users.all }
    if users.later > 0 { self.users[UsersKey(week: nil, isLater: true)] = users.later }
  }
}
