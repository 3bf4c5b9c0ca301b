// How apps, platforms and vendors call the permissions.

import PermissionEvents

package enum PermissionWords {
  /// Words by permission; the first that stands in a name decides, so the narrower ones come first.
  private static let words: [(permission: String, words: WordList)] = [
    ("calendars_write_only", ["calendars_write_only", "calendar_write_only", "calendars_write", "calendar_write"]),
    (
      "photo_library_add",
      ["photo_library_add", "photos_add", "add_photos", "photo_add", "photos_add_only", "add_to_photos"]
    ),
    (
      "location_always",
      [
        "location_always", "always_location", "background_location", "location_background",
        "location_always_and_when_in_use",
      ]
    ),
    ("location_when_in_use", ["location", "locations", "geolocation", "gps", "location_when_in_use"]),
    ("health_write", ["health_write", "health_update", "health_share_write"]),
    ("health_read", ["health_read", "health_share", "health", "healthkit", "health_kit", "body_sensors"]),
    ("local_network", ["local_network", "nearby_wifi_devices"]),
    ("media_library", ["media_library", "apple_music", "music_library"]),
    ("nearby_interaction", ["nearby_interaction", "uwb"]),
    ("focus_status", ["focus_status", "focus"]),
    ("face_id", ["face_id", "faceid", "touch_id", "biometric", "biometrics", "biometry"]),
    ("speech", ["speech", "speech_recognition", "speech_recognizer"]),
    (
      "photo_library",
      [
        "photo_library", "photos", "photo", "camera_roll", "gallery", "read_media_images",
        "read_media_visual_user_selected",
      ]
    ),
    ("microphone", ["microphone", "mic", "record_audio", "audio_recording"]),
    ("camera", ["camera"]),
    ("contacts", ["contacts", "contact", "address_book", "read_contacts"]),
    ("calendars", ["calendars", "calendar"]),
    ("reminders", ["reminders", "reminder"]),
    ("bluetooth", ["bluetooth", "ble"]),
    ("motion", ["motion", "fitness", "activity_recognition", "motion_and_fitness"]),
    ("tracking", ["tracking", "att", "idfa", "app_tracking", "app_tracking_transparency", "user_tracking"]),
    ("siri", ["siri"]),
    ("homekit", ["homekit", "home_kit"]),
    ("mail", ["mail"]),
    (
      "notifications",
      ["notifications", "notification", "push", "pushes", "web_push", "apns", "post_notifications", "provisional_push"]
    ),
  ]

  private static let always: WordList = ["always", "background"]
  private static let byPermission = Dictionary(uniqueKeysWithValues: words.map { ($0.permission, $0.words.single) })

  /// The permission that a name speaks of; nil where it is none or not known.
  package static func permission(in name: NormalName) -> String? {
    let found = words.first { name.hasAny($0.words) }?.permission
    // `location_permission_granted_always`: the words need not stand together.
    return found == "location_when_in_use" && name.hasAny(always) ? "location_always" : found
  }

  /// True for the words of a permission.
  static func isWord(_ word: ArraySlice<UInt8>, of permission: String) -> Bool {
    byPermission[permission]?.contains(word) == true
      || (permission == "location_always" && byPermission["location_when_in_use"]?.contains(word) == true)
  }

  /// The permission that the value of a property means; nil where it is not known.
  package static func permission(value: some Collection<UInt8>) -> String? {
    if let exact = PermissionCode.taxonomy.first(where: { $0.utf8.elementsEqual(value) }) { return exact }
    return permission(in: NormalName(value))
  }
}
