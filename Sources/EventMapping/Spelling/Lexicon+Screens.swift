// Words of screens: the app's own and the system's, the actions there, and the way to the Settings app.

import PermissionEvents

extension Lexicon {
  mutating func addScreens() {
    add("permission permissions perm perms authorization authorisation opt_in optin ", .marker)
    add("access", [.marker, .filler])
    add("status state", .neutral)
    add(
      """
      primer priming pre_prompt preprompt soft_prompt softprompt soft_ask softask explanation explainer rationale education
      nudge pre_permission prepermission pre soft pre_ask preask pre_dialog pre_alert custom_prompt custom_dialog
      permission_primer pitch teaser carousel coach_mark coachmark reprompt second_chance educational warmup warm_up disclosure custom our
      """, .own)
    add("prompt prompts prompted", .prompt)
    add("dialog dialogue", [.prompt])
    add("alert request requests popup pop_up ask asks triggered", .weakPrompt)
    add("requested asked", [.weakPrompt, .asked])
    add("request requests ask asks prompted triggered requesting asking", .asked)
    add("system native sys", .system)
    // The system's name beside a screen means the system's own screen, in any form.
    for system in ["os", "system", "native", "sys", "ios", "i_os", "apple", "android"] {
      for screen in wordList("prompt alert dialog dialogue popup pop_up sheet modal screen") {
        add("\(system)_\(screen)", [.prompt, .system])
      }
    }
    add("hard_ask hardask", [.prompt, .system])
    add("screen page step slide view_controller", .page)
    add(
      "modal sheet banner card overlay bottom_sheet interstitial tooltip popover snackbar toast drawer",
      [.page, .overlay])
    add("intro introduction onboarding walkthrough tutorial tour upsell welcome setup set_up info video widget", .page)
    add(
      """
      shown show viewed view displayed display presented impression impressions seen appeared appear did_appear
      viewed_event view_event shows displays opened_screen loaded visible
      """, .shown)
    add("tapped tap clicked click pressed press continue continued engaged opened open selected next proceed", .tapped)
    add("ok okay got_it button btn cta", .tapped)
    add(
      "result results response responded answer answered outcome decision decided choice selected completed action resolved",
      .answer)
    addSettings()
  }

  /// Pages on which the system never asks.
  static let neverSystem = wordSet(
    """
    banner card overlay bottom_sheet interstitial tooltip popover snackbar toast drawer
    """)
  /// Words of an answer that may as well say whether a prompt was let through: `prompt_not_allowed`.
  static let lettingThrough = wordSet(
    """
    allowed disallowed not_allowed didnt_allow did_not_allow permitted forbidden prohibited not_permitted wasnt_allowed
    isnt_allowed hasnt_been_allowed not_been_allowed wasnt_permitted isnt_permitted hasnt_been_permitted not_been_permitted
    """)

  /// Words between a screen and what became of it.
  static let passives: Set<String> = ["was", "is", "has", "been", "being", "were", "got", "be"]

  private mutating func addSettings() {
    add("settings", .settings)
    add(
      """
      settings_prompt settings_alert settings_dialog settings_popup settings_modal settings_banner open_settings_shown
      settings_redirect_shown open_settings_prompt open_settings_alert open_settings_dialog go_to_settings_prompt
      go_to_settings_alert go_to_settings_dialog
      """, .settingsPrompt)
    add(
      """
      settings_opened opened_settings open_settings go_to_settings settings_tapped settings_clicked redirected_to_settings
      redirect_to_settings navigate_to_settings navigated_to_settings sent_to_settings went_to_settings
      """, .settingsOpened)
    // Settings alone may be the app's own list of switches.
    for system in ["system", "ios", "i_os", "os", "app", "device", "phone", "iphone"] {
      add(
        """
        opened_\(system)_settings \(system)_settings_opened open_\(system)_settings \(system)_settings_open
        go_to_\(system)_settings
        """, [.settingsOpened, .system])
    }
    for way in ["in", "from", "via", "through"] {
      add(
        "\(way)_settings \(way)_system_settings \(way)_ios_settings \(way)_i_os_settings \(way)_os_settings",
        .inSettings)
    }
  }

  /// Values of a source that mean the system's Settings app.
  static let settingsSource = wordSet(
    """
    settings system_settings settings_app ios_settings app_settings os_settings device_settings iphone_settings
    phone_settings
    """)
  static let screenEvents = wordSet(
    """
    screen screen_view screen_viewed screen_shown viewed_screen view_screen screenview page_view page_viewed
    amplitude_screen_viewed loaded_a_screen pageview view viewed screen_presented
    """)
  static let buttonEvents = wordSet(
    """
    button_tapped button_clicked button_click button_tap button_pressed tap click clicked tapped element_clicked
    element_tapped cta_clicked cta_tapped amplitude_element_tapped autocapture tapped_button clicked_button
    """)

  // MARK: How apps, platforms and vendors call the permissions. A word is a permission only if it is certain: `order_tracking` is
  // not the system's tracking, `reminder_permission` mostly asks for notifications, `health` is two permissions.

  /// A permission a line, and the words for it.
  private static let certain = """
    notifications: notifications notification push pushes push_notification push_notifications remote_notification
      remote_notifications web_push web_push_notifications apns post_notifications local_notifications
      local_notification push_alerts un_user_notification user_notifications user_notification usernotifications pn
      pns notif notifs
    camera: camera av_capture_device_video
    photo_library: photo_library photos photo_gallery camera_roll read_media_images read_media_video read_media_visual_user_selected
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
    bluetooth: bluetooth ble core_bluetooth bluetooth_connect bluetooth_scan bluetooth_advertise bluetooth_always bluetooth_peripheral
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
    media_library: media_library apple_music music_library read_media_audio
    homekit: homekit home_kit
    nearby_interaction: nearby_interaction nearby_interactions uwb uwb_ranging
    focus_status: focus_status
    """

  /// Words that are a permission's beside a marker alone. Those of `uncertain` are never certain in a name: a property must say so.
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
    alarms: alarms alarm_kit alarmkit
    age_range: age_range
    family_controls: family_controls
    location_temporary_accuracy: location_temporary_accuracy
    financial_data: financial_data
    identity_document: identity_document
    health_clinical: health_clinical
    game_center_friends: game_center_friends
    nfc: nfc
    fall_detection: fall_detection
    sensorkit: sensorkit
    critical_messaging: critical_messaging
    tv_provider: tv_provider
    critical_alerts: critical_alerts
    time_sensitive: time_sensitive
    accessory_setup: accessory_setup
    wifi_aware: wifi_aware
    journaling_suggestions: journaling_suggestions
    world_sensing: world_sensing
    hand_tracking: hand_tracking
    main_camera: main_camera
    accessory_tracking: accessory_tracking
    desktop_folder: desktop_folder
    documents_folder: documents_folder
    downloads_folder: downloads_folder
    network_volumes: network_volumes
    removable_volumes: removable_volumes
    file_provider: file_provider
    apple_events: apple_events
    system_administration: system_administration
    audio_capture: audio_capture
    app_data: app_data
    screen_capture: screen_capture
    body_sensors: body_sensors body_sensors_background
    nearby_devices: nearby_devices
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
  static let uncertain: Set<String> = [
    "reminder", "reminders", "health", "healthkit", "health_kit", "mail", "financial_data", "identity_document",
    "system_administration", "tv_provider", "app_data", "file_provider",
  ]
  /// Words that may be before a word like `tracking` without changing its meaning.
  static let beforeFragile = wordSet(
    """
    ios i_os os system native user the for to of app onboarding iphone web push
    """)

  /// Names of permissions that are certain as the value of a property for permissions, but not in a name of many words.
  static let asValue: [String: String] = [
    "reminder": "reminders", "reminders": "reminders", "mail": "mail", "focus": "focus_status",
    "alarm_kit": "alarms", "alarmkit": "alarms", "declared_age_range": "age_range", "nfc_reader": "nfc",
    "finance_kit": "financial_data", "financekit": "financial_data", "sensor_kit": "sensorkit",
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
