// Keys by permission, from Apple's pages on each key (`UsageKey.source`; versions are those of "Availability" there). Apple writes in
// https://developer.apple.com/documentation/uikit/requesting-access-to-protected-resources what happens without a key, and
// for location in https://developer.apple.com/documentation/corelocation/requesting-authorization-to-use-location-services.

extension UsageKey {
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
  ]

  /// What an app needs to ask for a permission: of each set one key, and the first of a set is the one to add. Empty for notifications
  /// and mail, which take none, and for permissions outside the taxonomy.
  ///
  /// Names in a log are coarser than keys: an app that only adds photos may log `photo_library`. So a key of the neighbouring
  /// permission is enough, and no app is said to crash that does not.
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

  /// All keys that serve a permission, those that are mainly for it first.
  static func keys(of permission: String) -> [String] {
    let keys = all.filter { $0.permissions.contains(permission) }
    return (keys.filter { $0.permissions.first == permission } + keys.filter { $0.permissions.first != permission })
      .map(\.name)
  }
}
