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
  @inline(__always)
  static func access(_ events: some JourneyEvents, permission: PermissionCode) -> Access {
    guard let last = events.last(.telling) else { return .undecided }
    return switch events.kind(last) {
    case KindCode.granted, KindCode.reEnabled: events.isPartial(last, permission: permission) ? .partial : .on
    case KindCode.denied, KindCode.revoked: events.status(last) == .restricted ? .restricted : .off
    default: events.status(last).access(permission: permission)
    }
  }
}
