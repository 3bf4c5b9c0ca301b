// The twelve kinds of event. A kind's raw value is stored in the log and breaks ties within one
// millisecond, so neither the values nor their order can change.

/// What happened, in the order that breaks ties between events of one millisecond.
public enum EventKind: UInt8, CaseIterable, Sendable {
  case explanationShown = 0
  case promptShown = 1
  case granted = 2
  case denied = 3
  case skipped = 4
  case settingsPromptShown = 5
  case settingsOpened = 6
  case reEnabled = 7
  case revoked = 8
  case statusChecked = 9
  case featureUsed = 10
  case appActive = 11

  public static let names: [String] = [
    "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "settings_opened",
    "re_enabled", "revoked", "status_checked", "feature_used", "app_active",
  ]

  public var name: String { Self.names[Int(rawValue)] }

  /// Use of the app; carries no permission in the figures.
  public var isEngagement: Bool { self == .featureUsed || self == .appActive }

  /// The app's own explanation or the system's dialog.
  public var isScreen: Bool { self == .explanationShown || self == .promptShown }
}
