// Counts of flows under the codes of one walk: what the fold writes to.

import Buffers
import PermissionEvents

/// Counters of flows by week, list of permissions, and outcomes. Owned by one thread.
struct FlowTable: ~Copyable {
  /// Weeks of first flows and of later ones: `key(week:isFirst:)`.
  private(set) var places = SlotTable()
  /// `FlowCounter.count` integers for each slot of `places`.
  private(set) var counters = Buffer<Int64>()
  /// Lists as a tree: the node before, and the permission that follows. A node's number is its slot plus one; 0 has no step.
  private var nodes = SlotTable()
  /// By node number how many steps it has.
  private var depths = Buffer<UInt8>(repeating: 0, count: 1)
  /// A node and a slot of `places`.
  private(set) var lists = SlotTable()
  /// By slot of `lists` the first of its integers, as `FlowSums.lists` has them.
  private var offsets = Buffer<Int>()
  private var outcomes = Buffer<Int64>()
  /// A slot of `places`, a permission, its position, and the outcome before it.
  private(set) var steps = SlotTable()
  /// Journeys of the base and granted ones, for each slot of `steps`.
  private(set) var grants = Buffer<Int64>()
  /// What the sums will take, by `FlowSums`.
  private(set) var size = 0

  static func key(week: Int64, isFirst: Bool) -> UInt64 { UInt64(bitPattern: week) << 1 | (isFirst ? 0 : 1) }
  static func week(_ key: UInt64) -> Int64 { Int64(bitPattern: key) >> 1 }
  static func isFirst(_ key: UInt64) -> Bool { key & 1 == 0 }

  /// The slot of a week's first or later flows.
  @inline(__always)
  mutating func place(week: Int64, isFirst: Bool) -> Int {
    let place = places.slot(Self.key(week: week, isFirst: isFirst))
    if place * FlowCounter.count >= counters.count {
      counters.extend(to: (place + 1) * FlowCounter.count, repeating: 0)
    }
    return place
  }

  @inline(__always)
  func add(_ value: Int64 = 1, to counter: Int, at place: Int) {
    counters[place * FlowCounter.count + counter] += value
  }

  @inline(__always)
  mutating func node(_ node: Int, then permission: UInt32) -> Int {
    let next = nodes.slot(UInt64(node) << 32 | UInt64(permission)) + 1
    if next >= depths.count { depths.append(depths[node] + 1) }
    return next
  }

  /// Where the outcomes of a list are added to; valid until the next list.
  @inline(__always)
  mutating func outcomes(of node: Int, at place: Int) -> UnsafeMutablePointer<Int64> {
    let list = lists.slot(UInt64(node) << 32 | UInt64(place))
    if list >= offsets.count {
      offsets.append(outcomes.count)
      let steps = Int(depths[node])
      outcomes.extend(to: outcomes.count + FlowSums.width(steps: steps), repeating: 0)
      size += FlowSums.size(steps: steps)
    }
    return outcomes.unsafeAddress + offsets[list]
  }

  /// Counts a step of a flow, if it is in the base.
  @inline(__always)
  mutating func addStep(_ step: FlowStep, number: Int, before: Int, at place: Int) {
    guard step.outcome <= UInt8(Outcome.droppedOff.rawValue) else { return }
    let position = min(number, FlowPosition.count - 1)
    let key = UInt64(place) << 40 | UInt64(step.permission) << 5 | UInt64(position * FlowBefore.count + before)
    let slot = steps.slot(key)
    if slot * 2 >= grants.count {
      grants.extend(to: (slot + 1) * 2, repeating: 0)
      size += FlowSums.sizeOfStep
    }
    grants[slot * 2] += 1
    grants[slot * 2 + 1] += step.outcome == UInt8(Outcome.granted.rawValue) ? 1 : 0
  }

  /// The permissions of a list, by its slot, and the slot of its week.
  func list(_ slot: Int) -> (permissions: [UInt32], place: Int) {
    let key = lists.keys[slot]
    var permissions: [UInt32] = []
    var node = Int(key >> 32)
    while node > 0 {
      let step = nodes.keys[node - 1]
      permissions.append(UInt32(truncatingIfNeeded: step))
      node = Int(step >> 32)
    }
    return (permissions.reversed(), Int(key & 0xFFFF_FFFF))
  }

  func integers(_ slot: Int) -> [Int64] {
    let end = slot + 1 < offsets.count ? offsets[slot + 1] : outcomes.count
    return outcomes.span.extracting(offsets[slot]..<end).withUnsafeBufferPointer { Array($0) }
  }

  func step(_ slot: Int) -> (place: Int, permission: UInt32, position: Int, before: Int) {
    let key = steps.keys[slot]
    let kind = Int(key & 31)
    return (Int(key >> 40), UInt32(truncatingIfNeeded: key >> 5), kind / FlowBefore.count, kind % FlowBefore.count)
  }
}

/// Numbers from 0 for keys, in the order in which they come: open addressing, so most look-ups are one read.
struct SlotTable: ~Copyable {
  /// By slot.
  private(set) var keys = Buffer<UInt64>()
  /// By position the slot plus one; 0 is free. The number of positions is a power of two.
  private var places = Buffer<UInt32>(repeating: 0, count: 64)

  var count: Int { keys.count }

  /// The slot of a key; one that is new gets the next one.
  @inline(__always)
  mutating func slot(_ key: UInt64) -> Int {
    let mask = places.count - 1
    var place = Self.place(key) & mask
    while true {
      let known = places[place]
      if known == 0 { return insert(key) }
      let slot = Int(known) - 1
      if keys[slot] == key { return slot }
      place = (place + 1) & mask
    }
  }

  @inline(never)
  private mutating func insert(_ key: UInt64) -> Int {
    if keys.count * 2 >= places.count { grow() }
    put(key, slot: keys.count)
    keys.append(key)
    return keys.count - 1
  }

  private mutating func grow() {
    places = Buffer(repeating: 0, count: places.count * 2)
    for slot in 0..<keys.count { put(keys[slot], slot: slot) }
  }

  private func put(_ key: UInt64, slot: Int) {
    let mask = places.count - 1
    var place = Self.place(key) & mask
    while places[place] != 0 { place = (place + 1) & mask }
    places[place] = UInt32(truncatingIfNeeded: slot + 1)
  }

  /// Mixes all bits into the low ones (the finalizer of SplitMix64).
  @inline(__always)
  private static func place(_ key: UInt64) -> Int {
    var mixed = key
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 31)) & 0x7FFF_FFFF)
  }
}

/// The lists of an entry with their flows, and all their prefixes.
struct FlowTree {
  private(set) var lists: [FlowEntry.List] = []
  private(set) var nodes: [FlowNode] = []

  /// - Parameters:
  ///   - lists: in bytewise order; one may come several times, of several weeks.
  ///   - names: of permissions, in bytewise order.
  init(_ lists: some Sequence<FlowEntries.List>, _ names: [String]) {
    let outcomes = Outcome.settled.count
    var before: [UInt32]?
    // Indices in `nodes` of the prefixes of the current list.
    var path: [Int] = []
    var flows = 0
    func end(_ permissions: [UInt32]) {
      self.lists.append(FlowEntry.List(permissions: permissions.map { names[Int($0)] }, flows: flows))
      flows = 0
    }
    for list in lists {
      let permissions = list.permissions
      if let before, before != permissions { end(before) }
      let common = zip(permissions, before ?? []).prefix { $0 == $1 }.count
      path.removeLast(path.count - min(common, path.count))
      before = permissions
      for step in permissions.indices {
        if step >= path.count {
          path.append(nodes.count)
          nodes.append(FlowNode(prefix: permissions[...step].map { names[Int($0)] }))
        }
        nodes[path[step]].outcomes.add(list.counts[step * outcomes..<(step + 1) * outcomes])
      }
      flows += list.counts.prefix(outcomes).reduce(0) { $0 + Int($1) }
      guard let last = path.last else { continue }
      nodes[last].endedByOutcome.add(list.counts[(permissions.count - 1) * outcomes..<permissions.count * outcomes])
      if permissions.count == FlowQuestion.mostSteps {
        let more = list.counts[FlowSums.more...]
        nodes[last].endedByOutcome.add(more, -1)
        nodes[last].more += more.reduce(0) { $0 + Int($1) }
      }
    }
    if let before { end(before) }
  }
}

// MARK: How many users have flows in a week, and at all: a user with several counts once

/// Users with settled flows. Owned by one thread.
struct FlowUsers: ~Copyable {
  /// Weeks of all flows, and of later ones, with users.
  private(set) var weeks = SlotTable()
  /// Users by slot of `weeks`.
  private(set) var counts = Buffer<Int64>()
  private(set) var all: Int64 = 0, later: Int64 = 0
  /// Keys that the user at hand was counted under.
  private var seen = Buffer<UInt64>()
  private var isInAll = false, isInLater = false

  mutating func begin() {
    seen.removeAll()
    (isInAll, isInLater) = (false, false)
  }

  mutating func add(week: Int64, isFirst: Bool) {
    isInAll = true
    note(FlowTable.key(week: week, isFirst: true))
    guard !isFirst else { return }
    isInLater = true
    note(FlowTable.key(week: week, isFirst: false))
  }

  mutating func end() {
    all += isInAll ? 1 : 0
    later += isInLater ? 1 : 0
  }

  private mutating func note(_ key: UInt64) {
    // From the end: flows come in the order of time.
    var i = seen.count - 1
    while i >= 0, seen[i] != key { i -= 1 }
    guard i < 0 else { return }
    seen.append(key)
    let slot = weeks.slot(key)
    if slot >= counts.count { counts.append(0) }
    counts[slot] += 1
  }
}
