// Activity counts of the week that the fold is in, for all permissions, as a flat array; a change of the
// week moves them to the table. Users' histories jump between weeks, so several weeks are kept.

import PermissionEvents

struct ActivityCache: Sendable {
  private static let weeks = 64
  private static let kinds = 16
  private let permissions: Int
  private var counts: [Int64]
  private var week: [Int64]

  init(permissions: Int) {
    self.permissions = permissions
    counts = [Int64](repeating: 0, count: Self.weeks * permissions * Self.kinds)
    week = [Int64](repeating: .min, count: Self.weeks)
  }

  @inline(__always)
  mutating func add(_ permission: UInt32, _ kind: Int, week index: Int64, into table: inout ActivityTable) {
    let place = Int(index & Int64(Self.weeks - 1))
    if week[place] != index { replace(place, index, &table) }
    counts[(place * permissions + Int(permission)) * Self.kinds + kind] += 1
  }

  @inline(never)
  private mutating func replace(_ place: Int, _ index: Int64, _ table: inout ActivityTable) {
    flush(place, &table)
    week[place] = index
  }

  private mutating func flush(_ place: Int, _ table: inout ActivityTable) {
    guard week[place] != .min else { return }
    counts.withUnsafeMutableBufferPointer { buffer in
      for permission in 0..<permissions {
        let start = (place * permissions + permission) * Self.kinds
        let slice = buffer[start..<start + Self.kinds]
        guard slice.contains(where: { $0 != 0 }), let base = buffer.baseAddress else { continue }
        table.add(.init(permission: UInt32(permission), week: week[place]), base + start)
        for i in slice.indices { buffer[i] = 0 }
      }
    }
  }

  /// Moves everything to the table.
  mutating func flush(into table: inout ActivityTable) {
    for place in 0..<Self.weeks { flush(place, &table) }
  }
}
