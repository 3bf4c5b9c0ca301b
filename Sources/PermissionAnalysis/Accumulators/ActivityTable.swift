// How many events of each kind there were, by permission and ISO week of the event itself.

import PermissionEvents

struct ActivityTable: Sendable {
  struct Key: Hashable, Sendable {
    /// Code of the permission; 0 for engagement.
    var permission: UInt32
    var week: Int64
  }

  private(set) var counts: [Key: [Int64]] = [:]

  mutating func add(_ key: Key, _ kinds: UnsafePointer<Int64>) {
    var sums = counts[key] ?? [Int64](repeating: 0, count: EventKind.allCases.count)
    for i in sums.indices { sums[i] += kinds[i] }
    counts[key] = sums
  }

  mutating func merge(_ other: ActivityTable) {
    for (key, kinds) in other.counts { kinds.withUnsafeBufferPointer { if let p = $0.baseAddress { add(key, p) } } }
  }
}
