// How platforms and vendors spell the authorization statuses.

import PermissionEvents

package enum StatusWords {
  private static let words: [(status: AuthorizationStatus, words: [String])] = [
    (.notDetermined, ["not_determined", "undetermined", "default", "prompt", "not_asked"]),
    (.restricted, ["restricted"]),
    (.denied, ["denied", "sharing_denied", "not_authorized", "blocked", "not_allowed", "declined", "disabled", "off"]),
    (.limited, ["limited", "authorized_limited", "granted_limited"]),
    (.provisional, ["provisional"]),
    (.ephemeral, ["ephemeral"]),
    (.writeOnly, ["write_only"]),
    (.fullAccess, ["full_access"]),
    (.whenInUse, ["when_in_use", "authorized_when_in_use", "while_using", "while_in_use"]),
    (.always, ["always", "authorized_always"]),
    (
      .authorized,
      [
        "authorized", "authorised", "granted", "allowed", "allowed_always", "approved", "sharing_authorized", "enabled",
        "on",
      ]
    ),
  ]

  /// The status that a value means, in any spelling; nil where it is none.
  package static func status(_ value: some Collection<UInt8>) -> AuthorizationStatus? {
    let name = NormalName(value).text
    return words.first { $0.words.contains(name) }?.status
  }

  /// Statuses that say more than granted or denied.
  static let telling: Set<AuthorizationStatus> = [
    .restricted, .limited, .provisional, .ephemeral, .writeOnly, .fullAccess, .whenInUse, .always,
  ]
}
