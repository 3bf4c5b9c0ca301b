// How many of the active users are on, partial, off, restricted or undecided, by permission, under the codes of one walk.

import PermissionEvents

/// Counts of users by the last word of their journeys. Owned by one thread.
struct ReachTable: ~Copyable {
  static let states = ["on", "partial", "off", "restricted", "undecided"]

  /// By code of the permission, then by state.
  private let counts: FlatBuffer<Int64>

  init(permissions: Int) { counts = FlatBuffer(repeating: 0, count: permissions * Self.states.count) }

  func add(permission: UInt32, _ access: Access) {
    let state =
      switch access {
      case .on: 0
      case .partial: 1
      case .off: 2
      case .restricted: 3
      case .undecided: 4
      }
    counts[Int(permission) * Self.states.count + state] += 1
  }

  /// On, partial, off, restricted, undecided.
  func states(permission: Int) -> [Int64] { Self.states.indices.map { counts[permission * Self.states.count + $0] } }

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
