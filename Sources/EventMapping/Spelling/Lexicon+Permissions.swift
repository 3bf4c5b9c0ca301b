// How apps, platforms and vendors call the permissions. A permission is what a name says with certainty: `order_tracking` is
// not the system's tracking, `reminder_permission` mostly asks for notifications, `health` is two permissions.

import PermissionEvents

extension Lexicon {
  /// A permission a line, and the words for it.
  private static let certain = """
    notifications: notifications notification push pushes push_notification push_notifications remote_notification
      remote_notifications web_push web_push_notifications apns post_notifications local_notifications
      local_notification push_alerts un_user_notification user_notifications user_notification usernotifications pn
      pns notif notifs
    camera: camera av_capture_device_video
    photo_library: photo_library photos photo_gallery camera_roll read_media_images read_media_visual_user_selected
      photo_album photo_albums photolibrary photokit photo_library_read_write photos_read_write
    photo_library_add: photo_library_add photos_add add_photos photo_add photos_add_only photo_library_add_only
      add_to_photos photo_library_add_usage photos_write photo_library_additions
    microphone: microphone mic record_audio audio_recording microphone_audio
    location_when_in_use: location locations geolocation gps location_when_in_use location_services location_service
      core_location access_fine_location access_coarse_location fine_location coarse_location foreground_location
      location_foreground location_while_using user_location device_location geo_location current_location
      when_in_use_location location_when_in_use_usage
    location_always: location_always always_location background_location location_background
      location_always_and_when_in_use access_background_location always_on_location location_always_usage
      location_always_and_when_in_use_usage location_in_background
    contacts: contacts address_book read_contacts contact_list contacts_list phone_contacts cn_contact
    calendars: calendars calendar read_calendar
    calendars_write_only: calendars_write_only calendar_write_only calendars_write calendar_write write_calendar
      calendars_write_only_access
    reminders: reminders_full_access apple_reminders event_kit_reminders eventkit_reminders ek_reminders
    bluetooth: bluetooth ble core_bluetooth bluetooth_connect bluetooth_scan bluetooth_always bluetooth_peripheral
    face_id: face_id faceid
    health_read: health_read read_health health_share healthkit_read health_kit_read health_data_read
    health_write: health_write write_health health_update healthkit_write health_kit_write health_share_write
      health_data_write
    motion: activity_recognition motion_and_fitness core_motion motion_activity motion_fitness
    speech: speech_recognition speech_recognizer sf_speech_recognizer
    tracking: att idfa app_tracking app_tracking_transparency user_tracking ad_tracking tracking_transparency
      att_tracking att_permission_tracking app_tracking_permission_tracking
    local_network: local_network local_networks nearby_wifi_devices
    siri: siri siri_kit sirikit
    media_library: media_library apple_music music_library
    homekit: homekit home_kit
    nearby_interaction: nearby_interaction nearby_interactions uwb
    focus_status: focus_status
    """

  /// Words that are a permission's beside a marker alone. The last three are never certain in a name: a property must say so.
  private static let fragile = """
    photo_library: photo gallery
    camera: cam
    location_when_in_use: loc
    contacts: contact
    face_id: biometric biometrics biometry
    motion: motion
    speech: speech
    tracking: tracking
    reminders: reminder reminders
    health_read: health healthkit health_kit
    mail: mail
    """

  mutating func addPermissions() {
    addPermissions(Self.certain, fragile: false)
    addPermissions(Self.fragile, fragile: true)
    // The framework's name is a word like permission itself.
    add("att app_tracking_transparency tracking_transparency", .marker)
    add("calendar_event calendar_events event_calendar", .doubt)
  }

  /// A word with a colon is the permission of those after it.
  private mutating func addPermissions(_ table: String, fragile: Bool) {
    var permission = ""
    for word in wordList(table) {
      if word.hasSuffix(":") {
        permission = String(word.dropLast())
      } else {
        add(permission: permission, word, fragile)
      }
    }
  }

  /// Words of permissions that are as often something else, also beside a marker.
  static let uncertain: Set<String> = ["reminder", "reminders", "health", "healthkit", "health_kit", "mail"]
  /// What may be before a word like `tracking` without making another thing of it.
  static let beforeFragile = wordSet(
    """
    ios i_os os system native user the for to of app onboarding iphone web push
    """)

  /// Names of permissions that are certain as the value of a property that holds permissions, and not in a name of many
  /// words.
  static let asValue: [String: String] = [
    "reminder": "reminders", "reminders": "reminders", "mail": "mail", "focus": "focus_status",
  ]

  /// Words around a permission in the constants of frameworks: `NSCameraUsageDescription`,
  /// `android.permission.CAMERA`, `Permission.locationWhenInUse`.
  static let aroundValues = wordSet(
    """
    ns usage description android ios permission permissions access authorization av capture device manager cl ph un cn
    ek hk cb sf mp request system privacy kind type the user apple tcc k center native os app library status service
    services
    """)
}
