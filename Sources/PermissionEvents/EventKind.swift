// The kinds of event. A kind's raw value breaks ties within one millisecond, and ids that are made of an
// event's content hold it, so neither the values nor their order can change; new kinds are appended.

/// What happened, in the order that breaks ties between events of one millisecond.
public enum EventKind: UInt8, BitwiseCopyable, CaseIterable, Sendable {
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
  case appInstalled = 12

  public static let names: [String] = [
    "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "settings_opened",
    "re_enabled", "revoked", "status_checked", "feature_used", "app_active", "app_installed",
  ]

  public var name: String { Self.names[Int(rawValue)] }

  /// What an event of a kind is about. Raw values are stored in the log.
  public enum Class: UInt8, Sendable {
    /// A permission, which the event names.
    case permission = 0
    /// Use of the app; carries no permission in the figures.
    case engagement = 1
    /// The app as a whole, as its install; carries no permission in the figures.
    case app = 2
  }

  @inlinable public var eventClass: Class {
    switch self {
    case .featureUsed, .appActive: .engagement
    case .appInstalled: .app
    default: .permission
    }
  }

  /// Use of the app; carries no permission in the figures.
  public var isEngagement: Bool { eventClass == .engagement }

  /// True if an event of this kind is refused without a permission.
  @inlinable public var needsPermission: Bool { eventClass == .permission }

  /// The app's own explanation or the system's dialog.
  public var isScreen: Bool { self == .explanationShown || self == .promptShown }

  /// How many kinds the first release had: figures name each of them, and a later one only if there is an event of it.
  public static let firstRelease = 12

  /// The names of the kinds that figures of activity list, in order.
  /// - Parameter counts: rows of numbers of events, each by raw value.
  public static func listed(_ counts: some Sequence<[Int]>) -> ArraySlice<String> {
    let used = counts.reduce(firstRelease) { max($0, ($1.lastIndex { $0 > 0 } ?? 0) + 1) }
    return names.prefix(used)
  }
}
