// How many of the active users are on, partial, off, restricted or undecided, by permission.

import PermissionEvents

struct ReachTable: Sendable {
  static let states = 5

  private(set) var activeUsers: Int64 = 0
  /// By code of the permission, then by `Access`.
  private(set) var counts: [Int64]

  init(permissions: Int) { counts = [Int64](repeating: 0, count: permissions * Self.states) }

  static func index(_ access: Access) -> Int {
    switch access {
    case .on: 0
    case .partial: 1
    case .off: 2
    case .restricted: 3
    case .undecided: 4
    }
  }

  mutating func addActiveUser() { activeUsers += 1 }

  mutating func add(permission: UInt32, _ access: Access) {
    counts[Int(permission) * Self.states + Self.index(access)] += 1
  }

  mutating func merge(_ other: ReachTable) {
    activeUsers += other.activeUsers
    for i in counts.indices { counts[i] += other.counts[i] }
  }

  /// The last word of a journey: what its last telling event says.
  static func access(_ events: JourneyEvents, permission: PermissionCode) -> Access {
    var i = events.count - 1
    while i >= 0 {
      let status = events.status(i)
      switch EventKind(rawValue: events.kind(i)) {
      case .granted, .reEnabled: return status.isPartial(permission: permission) ? .partial : .on
      case .denied, .revoked: return status == .restricted ? .restricted : .off
      case .statusChecked: return status.access(permission: permission)
      default: i -= 1
      }
    }
    return .undecided
  }
}
