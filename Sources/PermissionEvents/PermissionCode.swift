// The taxonomy of permissions. A permission is a code in a dictionary: 0 is none, 1 to 25 are the
// taxonomy in this order, custom names follow. Codes of the taxonomy are the same in every dictionary.

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
  ]
}

/// Permissions whose answers are no person's: the system hides denials of reading health data, and `mail` says whether an account is set up.
public enum UnansweredPermission: String, CaseIterable, Sendable {
  case healthRead = "health_read"
  case mail
}
