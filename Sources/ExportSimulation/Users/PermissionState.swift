// Where a user stands with one permission.

import PermissionEvents

struct PermissionState {
  enum Phase: UInt8 {
    case unasked
    /// Skipped, or dropped off: the prompt may come (again).
    case open
    /// Denied: a Settings prompt may come, or the user turns it on alone.
    case denied
    case granted, grantedPartly
    /// Nothing more happens.
    case closed
  }

  var phase = Phase.unasked
  /// The journey began with the app's explanation, so that its screens carry the message.
  var isExplained = false
  /// What the app finds when it looks.
  var status = AuthorizationStatus.notDetermined
  /// Day of the last answer (or drop-off).
  var day = 0

  /// Nothing changes on the day exactly four weeks later. The follow-up of the report's figures ends on it, and with this
  /// rule it is plain what lies inside: the truth needs no assumption about the hour of the visits.
  func canChange(on today: Int) -> Bool { today > day && today != day + Self.followUpDays }

  static let followUpDays = 28
}
