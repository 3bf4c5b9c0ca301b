// The keys of an Info.plist that hold usage sentences: the permissions of each, and since when another key replaces it.

/// A key whose text the system shows when it asks for a permission.
public struct UsageKey: Sendable, Hashable {
  /// What happens if an app asks without it.
  public enum Consequence: Sendable, Hashable {
    /// The system ends the app.
    case crash
    /// The system does not ask, and the app gets nothing.
    case notAsked
    /// Apple requires it, but does not document what happens without it.
    case required
    /// The system asks with a text of its own.
    case plainQuestion
  }

  /// A newer key that replaces it.
  public struct Successor: Sendable, Hashable {
    public let key: String
    /// The first version of the system that asks for it.
    public let iOS: Int
    /// Nil if macOS never used the old one.
    public let macOS: Int?
  }

  public let name: String
  /// The names of the permissions that need it, the main one first.
  public let permissions: [String]
  public let consequence: Consequence
  /// The only system that reads it; nil for iOS, most others too.
  let onlyOn: AppPurposes.System?
  /// The first version of iOS that uses it, if earlier versions used another key for the permission, or none.
  public let since: Int?
  public let successor: Successor?

  /// Apple's page about the key.
  public var source: String {
    "https://developer.apple.com/documentation/bundleresources/information-property-list/" + name.lowercased()
  }

  /// Returns the key with a name. Nil for keys of permissions outside the taxonomy.
  public static func named(_ name: String) -> UsageKey? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Whether a name is a key with a usage sentence, also of permissions outside the taxonomy.
  public static func isUsageKey(_ name: String) -> Bool {
    name.hasSuffix("UsageDescription") && (name.hasPrefix("NS") || name.hasPrefix("NFC"))
  }

  /// The name without a platform and a kind of device: `NSCameraUsageDescription-iphoneos~ipad` is that key on such devices.
  package static func withoutDevice(_ name: String) -> String {
    var rest = name[...]
    for suffix in ["~iphone", "~ipod", "~ipad", "-iphoneos", "-iphonesimulator", "-macos", "-macosx"]
    where rest.hasSuffix(suffix) {
      rest = rest.dropLast(suffix.count)
    }
    return String(rest)
  }

  /// The key that systems before `since` read instead. Nil if they read none.
  public var older: UsageKey? {
    guard since != nil else { return nil }
    if let key = Self.all.first(where: { $0.successor?.key == name }) { return key }
    switch name {
    case "NSPhotoLibraryAddUsageDescription": return Self.named("NSPhotoLibraryUsageDescription")
    case "NSCalendarsWriteOnlyAccessUsageDescription": return Self.named("NSCalendarsUsageDescription")
    default: return nil
    }
  }

  /// The first version of a system that asks for it, as `iOS 17`; nil if all do, or it is not known.
  func first(on system: AppPurposes.System) -> String? {
    switch system {
    case .iOS: since.map { "iOS \($0)" }
    case .macOS: older?.successor?.macOS.map { "macOS \($0)" }
    case .other: nil
    }
  }

  init(
    _ name: String, _ permissions: [String], _ consequence: Consequence = .crash, since: Int? = nil,
    successor: Successor? = nil, onlyOn: AppPurposes.System? = nil
  ) {
    (self.name, self.permissions, self.consequence, self.onlyOn) = (name, permissions, consequence, onlyOn)
    (self.since, self.successor) = (since, successor)
  }

  // MARK: Keys by permission, from Apple's pages on each key (`UsageKey.source`; versions are those of "Availability" there)
  // Apple writes in https://developer.apple.com/documentation/uikit/requesting-access-to-protected-resources what
  // happens without a key, and for location in
  // https://developer.apple.com/documentation/corelocation/requesting-authorization-to-use-location-services.

  /// In the order of the taxonomy, older keys after newer ones.
  public static let all: [UsageKey] = [
    UsageKey("NSCameraUsageDescription", ["camera"]),
    UsageKey("NSPhotoLibraryUsageDescription", ["photo_library", "photo_library_add"]),
    UsageKey("NSPhotoLibraryAddUsageDescription", ["photo_library_add", "photo_library"], since: 11),
    UsageKey("NSMicrophoneUsageDescription", ["microphone"]),
    UsageKey("NSLocationWhenInUseUsageDescription", ["location_when_in_use", "location_always"], .notAsked),
    UsageKey(
      "NSLocationUsageDescription", ["location_when_in_use", "location_always"], .required,
      successor: Successor(key: "NSLocationWhenInUseUsageDescription", iOS: 8, macOS: nil)),
    UsageKey("NSLocationAlwaysAndWhenInUseUsageDescription", ["location_always"], .notAsked, since: 11),
    UsageKey(
      "NSLocationAlwaysUsageDescription", ["location_always"], .notAsked,
      successor: Successor(key: "NSLocationAlwaysAndWhenInUseUsageDescription", iOS: 11, macOS: nil)),
    UsageKey("NSContactsUsageDescription", ["contacts"]),
    UsageKey("NSCalendarsFullAccessUsageDescription", ["calendars", "calendars_write_only"], since: 17),
    UsageKey("NSCalendarsWriteOnlyAccessUsageDescription", ["calendars_write_only", "calendars"], since: 17),
    UsageKey(
      "NSCalendarsUsageDescription", ["calendars", "calendars_write_only"],
      successor: Successor(key: "NSCalendarsFullAccessUsageDescription", iOS: 17, macOS: 14)),
    UsageKey("NSRemindersFullAccessUsageDescription", ["reminders"], since: 17),
    UsageKey(
      "NSRemindersUsageDescription", ["reminders"],
      successor: Successor(key: "NSRemindersFullAccessUsageDescription", iOS: 17, macOS: 14)),
    UsageKey("NSBluetoothAlwaysUsageDescription", ["bluetooth"], since: 13),
    UsageKey(
      "NSBluetoothPeripheralUsageDescription", ["bluetooth"],
      successor: Successor(key: "NSBluetoothAlwaysUsageDescription", iOS: 13, macOS: nil)),
    UsageKey("NSFaceIDUsageDescription", ["face_id"], .required),
    UsageKey("NSHealthShareUsageDescription", ["health_read"]),
    UsageKey("NSHealthUpdateUsageDescription", ["health_write"]),
    UsageKey("NSMotionUsageDescription", ["motion"]),
    UsageKey("NSSpeechRecognitionUsageDescription", ["speech"]),
    UsageKey("NSUserTrackingUsageDescription", ["tracking"], since: 14),
    UsageKey("NSLocalNetworkUsageDescription", ["local_network"], .plainQuestion, since: 14),
    UsageKey("NSSiriUsageDescription", ["siri"]),
    UsageKey("NSAppleMusicUsageDescription", ["media_library"]),
    UsageKey("NSHomeKitUsageDescription", ["homekit"]),
    UsageKey("NSNearbyInteractionUsageDescription", ["nearby_interaction"], .required, since: 15),
    UsageKey(
      "NSNearbyInteractionAllowOnceUsageDescription", ["nearby_interaction"], .required,
      successor: Successor(key: "NSNearbyInteractionUsageDescription", iOS: 15, macOS: nil)),
    UsageKey("NSFocusStatusUsageDescription", ["focus_status"], .required, since: 15),
    UsageKey("NSAlarmKitUsageDescription", ["alarms"], .notAsked, since: 26),
    UsageKey("NSFinancialDataUsageDescription", ["financial_data"], .required, since: 17),
    UsageKey("NSIdentityUsageDescription", ["identity_document"], .required, since: 16),
    UsageKey("NSHealthClinicalHealthRecordsShareUsageDescription", ["health_clinical"], .required, since: 12),
    UsageKey("NSGKFriendListUsageDescription", ["game_center_friends"], .notAsked, since: 14),
    UsageKey("NFCReaderUsageDescription", ["nfc"], .required, since: 11),
    UsageKey("NSSensorKitUsageDescription", ["sensorkit"], .notAsked, since: 14),
    UsageKey("NSCriticalMessagingUsageDescription", ["critical_messaging"], .required, since: 18),
    UsageKey("NSVideoSubscriberAccountUsageDescription", ["tv_provider"], .required),
    UsageKey("NSFallDetectionUsageDescription", ["fall_detection"], onlyOn: .other),
    UsageKey("NSWorldSensingUsageDescription", ["world_sensing"], .required, onlyOn: .other),
    UsageKey("NSHandsTrackingUsageDescription", ["hand_tracking"], .required, onlyOn: .other),
    UsageKey("NSMainCameraUsageDescription", ["main_camera"], .required, onlyOn: .other),
    UsageKey("NSAccessoryTrackingUsageDescription", ["accessory_tracking"], .required, onlyOn: .other),
    UsageKey("NSDesktopFolderUsageDescription", ["desktop_folder"], .plainQuestion, onlyOn: .macOS),
    UsageKey("NSDocumentsFolderUsageDescription", ["documents_folder"], .plainQuestion, onlyOn: .macOS),
    UsageKey("NSDownloadsFolderUsageDescription", ["downloads_folder"], .plainQuestion, onlyOn: .macOS),
    UsageKey("NSNetworkVolumesUsageDescription", ["network_volumes"], .plainQuestion, onlyOn: .macOS),
    UsageKey("NSRemovableVolumesUsageDescription", ["removable_volumes"], .plainQuestion, onlyOn: .macOS),
    UsageKey("NSFileProviderDomainUsageDescription", ["file_provider"], .plainQuestion, onlyOn: .macOS),
    UsageKey("NSAppleEventsUsageDescription", ["apple_events"], .required, onlyOn: .macOS),
    UsageKey("NSSystemAdministrationUsageDescription", ["system_administration"], .required, onlyOn: .macOS),
    UsageKey("NSAudioCaptureUsageDescription", ["audio_capture"], .required, onlyOn: .macOS),
    UsageKey("NSAppDataUsageDescription", ["app_data"], .plainQuestion, onlyOn: .macOS),
  ]

  /// The keys that an app needs to ask for a permission: one key of each set. The first of a set is the one to add.
  /// Empty for notifications, mail and others that need no key, and for permissions outside the taxonomy.
  ///
  /// Names in a log are coarser than keys: an app that only adds photos may log `photo_library`. So a key of the
  /// neighbouring permission is enough, and permlog never wrongly reports that an app would crash.
  public static func needed(for permission: String) -> [[String]] {
    let location = ["NSLocationWhenInUseUsageDescription", "NSLocationUsageDescription"]
    // The system asks for "always" only if both are there.
    if permission == "location_always" {
      let always = ["NSLocationAlwaysAndWhenInUseUsageDescription", "NSLocationAlwaysUsageDescription"]
      return [always + ["NSLocationUsageDescription"], location]
    }
    if permission == "location_when_in_use" { return [location] }
    let keys = keys(of: permission)
    return keys.isEmpty ? [] : [keys]
  }

  /// The same on a system. On macOS one key is for location, whenever it is used, and Touch ID needs none.
  static func needed(for permission: String, on system: AppPurposes.System) -> [[String]] {
    let only = all.first { $0.permissions.contains(permission) }?.onlyOn
    if let only, only != system { return [] }
    guard system == .macOS else { return needed(for: permission) }
    switch permission {
    case "face_id": return []
    case "location_when_in_use", "location_always":
      let others = keys(of: "location_always").filter { $0 != "NSLocationUsageDescription" }
      return [["NSLocationUsageDescription"] + others]
    default: return needed(for: permission)
    }
  }

  /// Background modes that do nothing without a permission, and keys of which each needs one, the one to add first.
  static let neededByModes: [(mode: String, keys: [String])] = [
    ("bluetooth-central", keys(of: "bluetooth")), ("bluetooth-peripheral", keys(of: "bluetooth")),
    ("location", needed(for: "location_when_in_use").joined() + keys(of: "location_always")),
    ("nearby-interaction", keys(of: "nearby_interaction")),
  ]

  /// All keys of a permission, the keys mainly for it first.
  static func keys(of permission: String) -> [String] {
    let keys = all.filter { $0.permissions.contains(permission) }
    return (keys.filter { $0.permissions.first == permission } + keys.filter { $0.permissions.first != permission })
      .map(\.name)
  }
}
