// What a value says as an authorization status, in the spellings of platforms and vendors.

import PermissionEvents

package enum StatusWords {
  /// The status that a value means, in any spelling; nil if it is none, or not known for sure. Numbers are not: 2 is
  /// authorized for notifications and denied for the camera.
  package static func status(_ value: some Collection<UInt8>) -> AuthorizationStatus? {
    // "OK" is a button's title, and of a status mostly the word of an interface that a call went well.
    if NormalName(value).text == "ok" { return nil }
    let reading = AnswerReading(value)
    guard case .outcome(let said) = reading.said else { return nil }
    if let status = reading.status { return status }
    switch said {
    case .yes: return .authorized
    // Switched off is denied, as far as the system's word goes.
    case .no, .revoked: return .denied
    default: return nil
    }
  }

  /// Statuses under which a permission is there.
  static let granting: Set<AuthorizationStatus> = [
    .authorized, .limited, .provisional, .ephemeral, .writeOnly, .fullAccess, .whenInUse, .always,
  ]
}
