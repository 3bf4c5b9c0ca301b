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

  /// Statuses as they stand in names of events beside an answer. Those that a permission is named for are none.
  private static let inNames: [(status: AuthorizationStatus, words: WordList)] = [
    (.limited, ["limited"]), (.provisional, ["provisional", "provisionally"]), (.ephemeral, ["ephemeral"]),
    (.writeOnly, ["write_only"]), (.fullAccess, ["full_access"]), (.whenInUse, ["when_in_use", "while_using"]),
    (.always, ["always"]), (.restricted, ["restricted"]),
  ]

  /// The status that the name of an answer says, like `push_permission_provisional_granted`; nil where it says none.
  static func status(in name: NormalName, of permission: NormalName) -> AuthorizationStatus? {
    inNames.first { name.hasAny($0.words) && !permission.hasAny($0.words) }?.status
  }

  /// Statuses under which a permission is there.
  static let granting: Set<AuthorizationStatus> = [
    .authorized, .limited, .provisional, .ephemeral, .writeOnly, .fullAccess, .whenInUse, .always,
  ]

  /// Statuses that say more than granted or denied.
  static let telling: Set<AuthorizationStatus> = [
    .restricted, .limited, .provisional, .ephemeral, .writeOnly, .fullAccess, .whenInUse, .always,
  ]
}
