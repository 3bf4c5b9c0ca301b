// How platforms and vendors spell the authorization statuses.

import PermissionEvents

package enum StatusWords {
  /// What frameworks and vendors report, in normal form. Those of `AnswerReading` that carry a status count too.
  private static let words: [(status: AuthorizationStatus, words: Set<String>)] = [
    (.notDetermined, ["not_determined", "undetermined", "default", "prompt", "prompt_with_rationale", "not_asked"]),
    (.restricted, ["restricted", "unavailable"]),
    (.denied, ["denied", "off", "no", "false"]),
    (.authorized, ["authorized", "authorised", "granted", "on", "yes", "true"]),
  ]

  /// The status that a value means, in any spelling; nil if it is none, or not known for sure. Numbers are not: 2 is
  /// authorized for notifications and denied for the camera.
  package static func status(_ value: some Collection<UInt8>) -> AuthorizationStatus? {
    let name = NormalName(value)
    // "OK" is a button's title, and of a status mostly the word of an interface that a call went well.
    if name.isDoubtful || name.text == "ok" { return nil }
    if let known = words.first(where: { $0.words.contains(name.text) })?.status { return known }
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
