// How many of the active users are on, partial, off, restricted or undecided, by permission.

import PermissionEvents

/// Counts of users by the last word of their journeys. Owned by one thread.
struct ReachTable: ~Copyable, @unchecked Sendable {
  static let states = 5

  private(set) var activeUsers: Int64 = 0
  /// By code of the permission, then by `Access`.
  private let counts: FlatBuffer<Int64>

  init(permissions: Int) { counts = FlatBuffer(repeating: 0, count: permissions * Self.states) }

  mutating func addActiveUser() { activeUsers += 1 }

  func add(permission: UInt32, _ access: Access) {
    let state =
      switch access {
      case .on: 0
      case .partial: 1
      case .off: 2
      case .restricted: 3
      case .undecided: 4
      }
    counts[Int(permission) * Self.states + state] += 1
  }

  /// On, partial, off, restricted, undecided.
  func states(permission: Int) -> [Int] { (0..<Self.states).map { Int(counts[permission * Self.states + $0]) } }

  mutating func merge(_ other: borrowing ReachTable) {
    activeUsers += other.activeUsers
    for i in 0..<counts.count { counts[i] += other.counts[i] }
  }

  /// The last word of a journey: what its last telling event says.
  static func access(_ events: JourneyEvents, permission: PermissionCode) -> Access {
    var i = events.count - 1
    while i >= 0 {
      switch events.kind(i) {
      case KindCode.granted, KindCode.reEnabled:
        return events.status(i).isPartial(permission: permission) ? .partial : .on
      case KindCode.denied, KindCode.revoked: return events.status(i) == .restricted ? .restricted : .off
      case KindCode.statusChecked: return events.status(i).access(permission: permission)
      default: i -= 1
      }
    }
    return .undecided
  }
}
