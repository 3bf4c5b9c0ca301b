// The words of the events that the recorder writes: those of permlog's event format.

import Foundation

/// A permission of iOS, by permlog's name for it.
public enum Permission: String, CaseIterable, Codable, Sendable {
  case notifications, camera
  case photoLibrary = "photo_library", photoLibraryAdd = "photo_library_add"
  case microphone
  case locationWhenInUse = "location_when_in_use", locationAlways = "location_always"
  case contacts, calendars
  case calendarsWriteOnly = "calendars_write_only"
  case reminders, bluetooth
  case faceID = "face_id"
  case healthRead = "health_read", healthWrite = "health_write"
  case motion, speech, tracking
  case localNetwork = "local_network"
  case siri
  case mediaLibrary = "media_library", homeKit = "homekit", nearbyInteraction = "nearby_interaction"
  case focusStatus = "focus_status"
  case mail
  // Of other systems of Apple too.
  case alarms, ageRange = "age_range", familyControls = "family_controls"
  case locationTemporaryAccuracy = "location_temporary_accuracy", financialData = "financial_data"
  case identityDocument = "identity_document", healthClinical = "health_clinical"
  case gameCenterFriends = "game_center_friends", nfc, fallDetection = "fall_detection", sensorKit = "sensorkit"
  case criticalMessaging = "critical_messaging", tvProvider = "tv_provider", criticalAlerts = "critical_alerts"
  case timeSensitive = "time_sensitive", accessorySetup = "accessory_setup", wifiAware = "wifi_aware"
  case journalingSuggestions = "journaling_suggestions", worldSensing = "world_sensing"
  case handTracking = "hand_tracking", mainCamera = "main_camera", accessoryTracking = "accessory_tracking"
  case desktopFolder = "desktop_folder", documentsFolder = "documents_folder", downloadsFolder = "downloads_folder"
  case networkVolumes = "network_volumes", removableVolumes = "removable_volumes", fileProvider = "file_provider"
  case appleEvents = "apple_events", systemAdministration = "system_administration", audioCapture = "audio_capture"
  case appData = "app_data", screenCapture = "screen_capture"
}

/// What the system says of a permission.
public enum PermissionStatus: String, Codable, Sendable {
  case notDetermined = "not_determined"
  case restricted, denied, authorized, limited, provisional, ephemeral
  case fullAccess = "full_access", writeOnly = "write_only", whenInUse = "when_in_use"
  case always
  case reducedAccuracy = "reduced_accuracy", allowedOnce = "allowed_once"
  case declinedSharing = "declined_sharing", approvedWithDataAccess = "approved_with_data_access"

  /// Whether the app may use what it asked for, at least in part.
  public var isOn: Bool {
    switch self {
    case .notDetermined, .restricted, .denied, .declinedSharing: false
    default: true
    }
  }
}

/// What happened. `EventKind.lost` is written by the recorder alone.
public enum EventKind: String, Codable, Sendable {
  case explanationShown = "explanation_shown", promptShown = "prompt_shown"
  case granted, denied, skipped
  case settingsPromptShown = "settings_prompt_shown", settingsOpened = "settings_opened"
  case reEnabled = "re_enabled"
  case revoked
  case statusChecked = "status_checked"
  case featureUsed = "feature_used", appActive = "app_active", appInstalled = "app_installed"
  case assigned, lost
  case pickerUsed = "picker_used"

  /// How dear an event is: where there is no room for all, the cheapest go first.
  enum Worth: Int, CaseIterable { case engagement, look, screen, answer, loss }

  var worth: Worth {
    switch self {
    case .featureUsed, .appActive, .pickerUsed: .engagement
    case .statusChecked: .look
    case .explanationShown, .promptShown, .skipped, .settingsPromptShown, .appInstalled: .screen
    case .granted, .denied, .settingsOpened, .reEnabled, .revoked, .assigned: .answer
    case .lost: .loss
    }
  }

  /// iOS ends an app when one of its switches in Settings is turned; after the power fails, too, answers should be there.
  var isSynchronised: Bool { worth.rawValue >= Worth.answer.rawValue }
}

/// A message of an experiment, as `PermissionRecorder.variant(_:of:)` gives it.
public struct Variant: Sendable, Hashable, Codable {
  public var experiment: String
  public var name: String

  public init(experiment: String, name: String) { (self.experiment, self.name) = (experiment, name) }
}

/// An event as its line of JSON has it. The log refuses longer texts than `longest`, so that they are cut here.
struct Event: Codable, Sendable, Equatable {
  var event_id = ""
  var user_id = ""
  var timestamp = ""
  var event: EventKind
  var permission: Permission?
  var status: PermissionStatus?
  var variant: String?
  var experiment: String?
  var surface: String?
  var feature: String?
  var app_version: String?
  var os_version: String?
  var platform: String?
  var locale: String?

  static let longest = 256

  /// Of events that could not be kept: `surface` has their number, their kind and the reason (`12 app_active full`).
  static func lost(_ count: Int, _ key: String) -> Event { Event(event: .lost, surface: "\(count) \(key)") }

  /// The loss that an event tells of, under its key in `JournalState.losses`.
  var loss: (count: Int, key: String)? {
    guard event == .lost, let words = surface?.split(separator: " ", maxSplits: 1), words.count == 2,
      let count = Int(words[0])
    else { return nil }
    return (count, String(words[1]))
  }

  /// With milliseconds and the zone. Dates are fractions of two, so that the milliseconds are counted apart.
  static func timestamp(_ date: Date) -> String {
    let all = (date.timeIntervalSince1970 * 1000).rounded()
    let seconds = (all / 1000).rounded(.down)
    var text = Date(timeIntervalSince1970: seconds).formatted(style)
    text.insert(
      contentsOf: "." + String(Int(all - seconds * 1000) + 1000).dropFirst(),
      at: text.index(text.startIndex, offsetBy: 19))
    return text
  }

  static func date(_ timestamp: String) -> Date? {
    let fraction = Double("0" + timestamp.dropFirst(19).prefix(4)) ?? 0
    return (try? Date(timestamp.prefix(19) + timestamp.dropFirst(23), strategy: style)).map { $0 + fraction }
  }

  private static let style = Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: .autoupdatingCurrent)

  /// A text as the log takes it; nil for an empty one.
  static func bounded(_ text: String?) -> String? {
    guard var text = text.map({ $0.prefix(longest) }) else { return nil }
    while text.utf8.count > longest { text.removeLast() }
    return text.isEmpty ? nil : String(text)
  }

  mutating func bound() {
    for path: WritableKeyPath<Event, String?> in [
      \.variant, \.experiment, \.surface, \.feature, \.app_version, \.os_version, \.platform, \.locale,
    ] { self[keyPath: path] = Self.bounded(self[keyPath: path]) }
  }
}

/// Why an event is not kept.
enum LossReason: String, Sendable {
  /// There was no room, and it was never sent.
  case full
  /// There was no room, and it had been sent without an answer: the server may have it.
  case fullAfterSending = "full_after_sending"
  /// The disk refused it.
  case disk
  /// What the disk gave back was not what was written.
  case damaged

  /// In `JournalState.losses`.
  func key(_ kind: String) -> String { "\(kind) \(rawValue)" }
}
