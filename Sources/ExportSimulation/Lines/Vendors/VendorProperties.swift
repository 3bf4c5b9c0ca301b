// What all vendors leave to the app: the names of its events and of their properties. Here they are spelled as apps of that
// vendor usually spell them.

import PermissionEvents

/// An app's names for what permlog calls kinds.
struct VendorNames {
  let explanationShown: StaticString
  let promptShown: StaticString
  let granted: StaticString
  let denied: StaticString
  let skipped: StaticString
  let settingsPromptShown: StaticString
  let settingsOpened: StaticString
  let revoked: StaticString
  let statusChecked: StaticString
  let featureUsed: StaticString
  /// The vendor's own event for a session or an opened app.
  let appActive: StaticString

  /// A grant that was found after a visit to Settings has the name of a grant, and its source beside it.
  @inline(__always)
  subscript(_ kind: EventKind) -> StaticString {
    switch kind {
    case .explanationShown: explanationShown
    case .promptShown: promptShown
    case .granted, .reEnabled: granted
    case .denied: denied
    case .skipped: skipped
    case .settingsPromptShown: settingsPromptShown
    case .settingsOpened: settingsOpened
    case .revoked: revoked
    case .statusChecked: statusChecked
    case .featureUsed: featureUsed
    case .appActive: appActive
    // Nobody's made-up app sends it yet.
    case .appInstalled: "app_installed"
    }
  }

  /// `Permission Prompt Shown`, as in Segment's object–action convention.
  static func titled(appActive: StaticString) -> VendorNames {
    VendorNames(
      explanationShown: "Permission Explanation Shown", promptShown: "Permission Prompt Shown",
      granted: "Permission Granted", denied: "Permission Denied", skipped: "Permission Explanation Skipped",
      settingsPromptShown: "Permission Settings Prompt Shown", settingsOpened: "Permission Settings Opened",
      revoked: "Permission Revoked", statusChecked: "Permission Status Checked", featureUsed: "Feature Used",
      appActive: appActive)
  }
}

/// An app's keys for what it says about an event.
struct VendorKeys {
  var status: StaticString = "\"status\":\""
  var variant: StaticString = "\"variant\":\""
  var experiment: StaticString = "\"experiment\":\""
  var surface: StaticString = "\"surface\":\""
  var source: StaticString = "\"source\":\""
}

extension LineBuffer {
  /// The members of a JSON object that the app adds, a comma after each.
  @inline(__always)
  mutating func properties(_ event: SimulatedEvent, _ words: LineWords, _ keys: VendorKeys) {
    if event.feature != SimulatedEvent.absent {
      text("\"feature\":\"")
      bytes(words.features[Int(event.feature)])
      text("\",")
    }
    guard event.permission != SimulatedEvent.absent else { return }
    text("\"permission\":\"")
    bytes(words.permissions[Int(event.permission)])
    text("\",")
    if event.status != .none {
      text(keys.status)
      bytes(words.statuses[Int(event.status.rawValue)])
      text("\",")
    }
    if event.message != .none {
      text(keys.variant)
      byte(event.letter)
      text("\",")
      text(keys.experiment)
      bytes(words.experiments[Int(event.permission)])
      text("\",")
    }
    if event.hasSurface {
      text(keys.surface)
      bytes(words.surfaces[Int(event.permission)])
      text("\",")
    } else if event.kind == .reEnabled {
      text(keys.source)
      text("settings\",")
    }
  }

  /// The account's id, an opaque short name.
  mutating func account(_ user: SimulatedUser) {
    text("u_")
    hexadecimal(user.key, bytes: 4)
  }
}

extension SimulatedEvent {
  /// The message's letter.
  var letter: UInt8 { message == .b ? UInt8(ascii: "B") : UInt8(ascii: "A") }
}

extension SimulatedUser {
  /// The user has logged in by this event: whoever has an account does so after the first dozen.
  func hasLoggedIn(_ event: SimulatedEvent) -> Bool { hasAccount && event.serial >= 12 }
}
