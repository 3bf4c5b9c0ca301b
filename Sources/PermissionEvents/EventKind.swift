// The kinds of event. A kind's raw value breaks ties within one millisecond, and ids that are made of an
// event's content hold it, so neither the values nor their order can change; new kinds are appended.

/// The kinds of events, in the order that breaks ties between events of one millisecond.
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
  case assigned = 13
  /// Events that an app's recorder could not keep; `LostEvents` has what they say.
  case lost = 14
  /// The system's picker, which gives what a person chooses and needs no permission. A row has four bits for its kind, and this is the last.
  case pickerUsed = 15

  public static let names: [String] = [
    "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "settings_opened",
    "re_enabled", "revoked", "status_checked", "feature_used", "app_active", "app_installed", "assigned",
    "lost", "picker_used",
  ]

  public var name: String { Self.names[Int(rawValue)] }

  /// The subject of events of a kind. Raw values are stored in the log.
  public enum Class: UInt8, Sendable {
    /// A permission, which the event names.
    case permission = 0
    /// Use of the app; carries no permission in the figures.
    case engagement = 1
    /// The user as a whole, as an install or a variant given, or what needs no permission; in no figure of a permission.
    case app = 2
  }

  @inlinable public var eventClass: Class {
    switch self {
    case .featureUsed, .appActive: .engagement
    case .appInstalled, .assigned, .lost, .pickerUsed: .app
    default: .permission
    }
  }

  /// Use of the app; carries no permission in the figures.
  public var isEngagement: Bool { eventClass == .engagement }

  /// Whether an event of this kind is refused without a permission.
  @inlinable public var needsPermission: Bool { eventClass == .permission }

  /// The app's own explanation or the system's dialog.
  public var isScreen: Bool { self == .explanationShown || self == .promptShown }

  /// The number of kinds that histories have. The codes from here on are those of readings, or of nobody.
  public static let ofHistories = 14

  /// The number of kinds in the first release. Figures name each of them, and a later kind only if it has events.
  public static let firstRelease = 12

  /// The names of the kinds that figures of activity list, in order.
  /// - Parameter counts: rows of numbers of events, each by raw value.
  public static func listed(_ counts: some Sequence<[Int]>) -> ArraySlice<String> {
    let used = counts.reduce(firstRelease) { max($0, ($1.lastIndex { $0 > 0 } ?? 0) + 1) }
    return names.prefix(used)
  }
}

// MARK: Authorization statuses as the system reports them, and the access that each grants. Raw values are stored in
// the log (0 means "no status"), so they cannot change.

/// An authorization status; `none` is the absence of one.
public enum AuthorizationStatus: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case none = 0
  case notDetermined = 1
  case restricted = 2
  case denied = 3
  case authorized = 4
  case limited = 5
  case provisional = 6
  case ephemeral = 7
  case fullAccess = 8
  case writeOnly = 9
  case whenInUse = 10
  case always = 11
  // Of 0.4. A row has four bits for its status, and these are the last.
  /// A location that is not exact.
  case reducedAccuracy = 12
  /// Until the app ends, without an act of the user.
  case allowedOnce = 13
  /// The person did not share an age range.
  case declinedSharing = 14
  case approvedWithDataAccess = 15

  /// Of the first release; a part with a later one has a format of its own.
  public static let firstRelease: UInt8 = 12

  /// Names by raw value; the empty name is the absence of a status.
  public static let names: [String] = [
    "", "not_determined", "restricted", "denied", "authorized", "limited", "provisional", "ephemeral", "full_access",
    "write_only", "when_in_use", "always", "reduced_accuracy", "allowed_once", "declined_sharing",
    "approved_with_data_access",
  ]

  public var name: String { Self.names[Int(rawValue)] }
}

/// The surface of a `status_checked` that was made of a property which rows carry again and again: `state:push_enabled`. Such a
/// property is late after an answer: `StateReader` decides which of its values count.
public enum StateSurface {
  public static let prefix = "state:"

  public static func isState(_ surface: [UInt8]) -> Bool { surface.starts(with: prefix.utf8) }
}

/// The access to one permission that a status means.
public enum Access: Int, Sendable {
  case on, partial, off, restricted, undecided
}

extension AuthorizationStatus {
  /// The access that this status means for a permission, by its code in the taxonomy (custom permissions
  /// have codes past it). `write_only` is all there is for `calendars_write_only`, `when_in_use` is half of
  /// `location_always`.
  public func access(permission: PermissionCode) -> Access {
    switch self {
    case .none, .notDetermined: .undecided
    case .restricted: .restricted
    case .denied, .declinedSharing: .off
    case .authorized, .fullAccess, .always, .approvedWithDataAccess: .on
    case .limited, .provisional, .ephemeral, .reducedAccuracy, .allowedOnce: .partial
    case .writeOnly: permission == .calendarsWriteOnly ? .on : .partial
    case .whenInUse: permission == .locationAlways ? .partial : .on
    }
  }

  /// Whether a grant with this status is partial access.
  public func isPartial(permission: PermissionCode) -> Bool { access(permission: permission) == .partial }
}

// MARK: The taxonomy of permissions. A permission is a code in a dictionary: 0 is no permission, 1 to 60 are the
// taxonomy in this order, to which names are only appended, and custom names follow. Codes of the taxonomy are the same in every dictionary.

/// A permission's code in an `EventDictionary` or a log's dictionary.
public struct PermissionCode: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let none = PermissionCode(rawValue: 0)
  public static let locationAlways = PermissionCode(rawValue: 7)
  public static let calendarsWriteOnly = PermissionCode(rawValue: 10)
  public static let healthRead = PermissionCode(rawValue: 14)
  public static let mail = PermissionCode(rawValue: 25)

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The taxonomy's names; the name at index i has code i + 1.
  public static let taxonomy: [String] = [
    "notifications", "camera", "photo_library", "photo_library_add", "microphone", "location_when_in_use",
    "location_always", "contacts", "calendars", "calendars_write_only", "reminders", "bluetooth", "face_id",
    "health_read", "health_write", "motion", "speech", "tracking", "local_network", "siri", "media_library", "homekit",
    "nearby_interaction", "focus_status", "mail",
    // Of 0.4: systems since, other systems of Apple, and Android's last two.
    "alarms", "age_range", "family_controls", "location_temporary_accuracy", "financial_data", "identity_document",
    "health_clinical", "game_center_friends", "nfc", "fall_detection", "sensorkit", "critical_messaging",
    "tv_provider", "critical_alerts", "time_sensitive", "accessory_setup", "wifi_aware", "journaling_suggestions",
    "world_sensing", "hand_tracking", "main_camera", "accessory_tracking", "desktop_folder", "documents_folder",
    "downloads_folder", "network_volumes", "removable_volumes", "file_provider", "apple_events",
    "system_administration", "audio_capture", "app_data", "screen_capture", "body_sensors", "nearby_devices",
  ]
}

/// What an event of the kind `lost` says in its `surface`: `12 app_active full`, the number and the kind of events that an app's
/// recorder could not keep, and the reason.
public struct LostEvents: Sendable, Hashable {
  public var count: Int
  /// The name of the kind, or `unknown`.
  public var kind: String
  /// `full`: there was no room; `full_after_sending`: the same, but the log may have them; `disk`: the disk refused them; `damaged`.
  public var reason: String

  /// More than any phone has; sums stay numbers of JSON.
  public static let most = 1_000_000

  /// - Returns: nil for any other text.
  public init?(surface: some Collection<UInt8>) {
    let words = surface.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
      String(bounded: $0)
    }
    guard words.count == 3, let count = Int(words[0]), (1...Self.most).contains(count) else { return nil }
    (self.count, kind, reason) = (count, words[1], words[2])
  }

  public init(count: Int, kind: String, reason: String) {
    (self.count, self.kind, self.reason) = (count, kind, reason)
  }
}

/// Permissions whose answers do not come from a person: the system hides denials of reading health data and records, and `mail`
/// says whether an account is set up.
public enum UnansweredPermission: String, CaseIterable, Sendable {
  case healthRead = "health_read"
  case healthClinical = "health_clinical"
  case mail
}

// MARK: The string fields of an event besides its ids. Their order is stored in the log and cannot change

/// A string field that is kept as a code of a dictionary; code 0 is the absent (or empty) value.
public enum StringField: Int, CaseIterable, Sendable {
  case permission = 0
  case variant, experiment, surface, feature
  case appVersion, osVersion, platform, locale, country

  public static let names: [String] = [
    "permission", "variant", "experiment", "surface", "feature", "app_version", "os_version", "platform", "locale",
    "country",
  ]

  public var name: String { Self.names[rawValue] }

  /// Longest value, in bytes.
  public static let maximumLength = 256
}

/// Codes of some of the string fields, each a code of its field's dictionary, 0 if the value is absent.
public protocol FieldTuple: Hashable, Sendable {
  /// The fields that it has, in the order of a footer of format 1.
  static var fields: [StringField] { get }
  init(_ code: (StringField) -> UInt32)
  /// The code of a field; 0 for one that it does not have.
  subscript(_ field: StringField) -> UInt32 { get }
}

/// Codes of what an event is about.
public struct ContextTuple: Hashable, Sendable {
  public var permission: UInt32
  public var variant: UInt32
  public var experiment: UInt32
  public var surface: UInt32
  public var feature: UInt32
  public var status: AuthorizationStatus

  public init(
    permission: UInt32 = 0, variant: UInt32 = 0, experiment: UInt32 = 0, surface: UInt32 = 0, feature: UInt32 = 0,
    status: AuthorizationStatus = .none
  ) {
    self.permission = permission
    self.variant = variant
    self.experiment = experiment
    self.surface = surface
    self.feature = feature
    self.status = status
  }
}

/// Codes of what the event's device and app were.
public struct AttributeTuple: FieldTuple {
  public var appVersion: UInt32
  public var osVersion: UInt32
  public var platform: UInt32
  public var locale: UInt32
  public var country: UInt32

  public init(
    appVersion: UInt32 = 0, osVersion: UInt32 = 0, platform: UInt32 = 0, locale: UInt32 = 0, country: UInt32 = 0
  ) {
    self.appVersion = appVersion
    self.osVersion = osVersion
    self.platform = platform
    self.locale = locale
    self.country = country
  }

  public static let fields: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]

  public init(_ code: (StringField) -> UInt32) {
    self.init(
      appVersion: code(.appVersion), osVersion: code(.osVersion), platform: code(.platform), locale: code(.locale),
      country: code(.country))
  }

  public subscript(_ field: StringField) -> UInt32 {
    switch field {
    case .appVersion: appVersion
    case .osVersion: osVersion
    case .platform: platform
    case .locale: locale
    case .country: country
    case .permission, .variant, .experiment, .surface, .feature: 0
    }
  }
}
