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

  /// The node after another one.
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

  /// Counts a step of a flow; those that are not of the base count for nothing here.
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
}

extension FlowTable {
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

  /// Its integers.
  func integers(_ slot: Int) -> [Int64] {
    let end = slot + 1 < offsets.count ? offsets[slot + 1] : outcomes.count
    return outcomes.span.extracting(offsets[slot]..<end).withUnsafeBufferPointer { Array($0) }
  }

  /// What a slot of `steps` is of.
  func step(_ slot: Int) -> (place: Int, permission: UInt32, position: Int, before: Int) {
    let key = steps.keys[slot]
    let kind = Int(key & 31)
    return (
      Int(key >> 40), UInt32(truncatingIfNeeded: key >> 5), kind / FlowBefore.count, kind % FlowBefore.count
    )
  }
}
