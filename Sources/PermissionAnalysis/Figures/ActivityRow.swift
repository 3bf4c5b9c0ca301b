// How many events of each kind there were.

import PermissionEvents

/// Events of one permission in one week of their own time.
public struct ActivityRow: Sendable {
  /// nil for engagement.
  public let permission: String?
  public let week: ISOWeek
  /// By `EventKind`.
  public let counts: [Int]
}
