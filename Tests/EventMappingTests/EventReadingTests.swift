// Names as apps spell them, and what they mean.

import PermissionEvents
import Testing

@testable import EventMapping

/// `kind permission status`, `nothing` or `unknown`.
private func reading(_ name: String, _ properties: [WritableKeyPath<TellingProperties, [UInt8]?>: String] = [:])
  -> String
{
  var telling = TellingProperties()
  for (key, value) in properties { telling[keyPath: key] = Array(value.utf8) }
  return reading(name, telling)
}

extension TellingProperties {
  /// One result or status, for short.
  fileprivate var result: [UInt8]? {
    get { results.first }
    set { results = [newValue].compactMap { $0 } }
  }
  fileprivate var status: [UInt8]? {
    get { statuses.first }
    set { statuses = [newValue].compactMap { $0 } }
  }
}

private func reading(_ name: String, _ telling: TellingProperties) -> String {
  let usual = EventReading(name: NormalName(name), properties: telling)
  switch usual.meaning {
  case .event(let kind):
    let permission = usual.permission.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    return kind.name + " " + permission + (usual.status.map { " " + $0.name } ?? "")
  case .nothing: return "nothing"
  case .unknown: return "unknown"
  }
}

@Suite struct EventReadingTests {
  @Test func oneNameInManySpellings() {
    for name in [
      "Push Permission Denied", "push_permission_denied", "pushPermissionDenied", "PushPermissionDenied",
      "PUSH_PERMISSION_DENIED", "push-permission-denied", "Push: Permission [Denied]", "$push.permission.denied",
      "push permission  denied",
    ] {
      #expect(NormalName(name).text == "push_permission_denied", "\(name)")
      #expect(reading(name) == "denied notifications", "\(name)")
    }
    #expect(NormalName("HTTPError").text == "http_error")
    #expect(NormalName("iOS18Prompt").text == "i_os18_prompt")
    #expect(NormalName("").isEmpty && NormalName("$[]").isEmpty)
  }

  @Test(arguments: [
    ("push_soft_prompt_shown", "explanation_shown notifications"), ("push_soft_prompt_enable_tapped", "nothing"),
    ("push_soft_prompt_later_tapped", "skipped notifications"),
    ("push_permission_requested", "prompt_shown notifications"),
    ("push_permission_granted", "granted notifications"), ("push_token_registered", "unknown"),
    ("push_permission_prompt_viewed", "prompt_shown notifications"),
    ("push_subscription_disabled", "revoked notifications"),
    ("push_nudge_viewed", "explanation_shown notifications"), ("push_nudge_dismissed", "skipped notifications"),
    ("push_prompt_shown", "prompt_shown notifications"),
    ("notification_primer_shown", "explanation_shown notifications"),
    ("notification_primer_accepted", "nothing"), ("notification_primer_skipped", "skipped notifications"),
    ("notification_permission_prompt_shown", "prompt_shown notifications"),
    ("WEB_PUSH_PERMISSION_DENIED", "denied notifications"),
    ("Web Push Notifications Prompt Viewed", "prompt_shown notifications"),
    ("Web Push Notifications Prompt Dismissed", "skipped notifications"),
    ("Web Push Notifications Prompt Blocked", "denied notifications"),
    ("Web Push Notifications Prompt Clicked", "unknown"),
    ("Notification Permission Prompt Shown", "prompt_shown notifications"),
    ("Notification Enabled", "granted notifications"),
    ("Notification Disabled", "revoked notifications"), ("Consent Updated", "unknown"),
    ("camera_permission_not_granted", "denied camera"),
    ("Location Always Permission Granted", "granted location_always"),
    ("location_permission_skipped", "skipped location_when_in_use"),
    ("PhotoLibraryPermissionLimited", "granted photo_library limited"),
    ("microphone_rationale_shown", "explanation_shown microphone"), ("att_prompt_shown", "prompt_shown tracking"),
    ("contacts_permission_settings_prompt_shown", "settings_prompt_shown contacts"),
    ("camera_permission_settings_opened", "settings_opened camera"),
    ("push_permission_re_enabled", "re_enabled notifications"), ("push_permission_revoked", "revoked notifications"),
    // Not about permissions, though the words are near.
    ("push_notification_received", "unknown"), ("Notification Opened", "unknown"),
    ("notification_dismissed", "unknown"),
    ("friend_request_notification", "unknown"), ("camera_enabled", "unknown"), ("photo_viewed", "unknown"),
    ("session_start", "unknown"),
  ]) func names(name: String, meaning: String) { #expect(reading(name) == meaning) }

  @Test(arguments: [
    ("Photo Permission Limited", "granted photo_library limited"),
    ("push_permission_provisional_granted", "granted notifications provisional"),
    ("calendar_permission_full_access_granted", "granted calendars full_access"),
    ("location_permission_granted_when_in_use", "granted location_when_in_use"),
    ("location_permission_granted_always", "granted location_always"),
    ("location_permission_always_granted", "granted location_always"),
    ("locationPermissionGrantedAlways", "granted location_always"),
    ("camera_permission_restricted", "denied camera restricted"),
  ]) func aNameSaysTheStatusToo(name: String, meaning: String) { #expect(reading(name) == meaning) }

  @Test(arguments: [
    "push_permission_already_granted", "Notification Permission Previously Denied",
    "notification_permission_not_denied",
    "will_request_push_permission", "push_permission_request_failed", "push_permission_denied_prompt_shown",
    "permission_denied_alert_shown", "Email Notification Disabled", "sms_notifications_enabled",
    "email_notifications_turned_on", "Email Notification Permission Granted", "Order Notification Allowed",
    "Push Campaign Accepted", "Friend Request Notification Accepted", "camera_filter_granted",
    "camera_and_microphone_granted", "In-App Notifications Enabled",
  ]) func whatMayMeanSomethingElseIsLeftAlone(name: String) { #expect(reading(name) == "unknown") }

  @Test(arguments: [
    ("Microphone Access Denied", "denied microphone"), ("att_authorized", "granted tracking"),
    ("App Tracking Denied", "denied tracking"), ("push_notifications_enabled", "granted notifications"),
    ("camera_not_granted", "denied camera"), ("Web Push Notifications Unsubscribed", "revoked notifications"),
    ("notifications_enabled_in_settings", "re_enabled notifications"),
    ("notifications_not_allowed", "denied notifications"), ("location_always_granted", "granted location_always"),
    ("In-App Push Primer Shown", "explanation_shown notifications"),
    ("Health Data Read Access Granted", "granted health_read"), ("Health Data Access Granted", "granted -"),
    ("location_services_enabled", "unknown"),
  ]) func namesWithoutTheWordPermission(name: String, meaning: String) { #expect(reading(name) == meaning) }

  @Test func propertiesThatSayTheContraryLeaveItOpen() {
    #expect(reading("push_permission_granted", [\.result: "false"]) == "unknown")
    #expect(reading("push_permission_granted", [\.result: "denied"]) == "unknown")
    #expect(reading("push_permission_granted", [\.status: "denied"]) == "unknown")
    #expect(reading("push_permission_granted", [\.status: "not_determined"]) == "unknown")
    #expect(reading("push_permission_denied", [\.status: "authorized"]) == "unknown")
    #expect(reading("push_permission_denied", [\.result: "yes"]) == "unknown")
    #expect(reading("push_permission_denied", [\.status: "default"]) == "skipped notifications not_determined")
    #expect(reading("push_permission_granted", [\.result: "true"]) == "granted notifications")
    #expect(reading("push_permission_denied", [\.result: "not allowed"]) == "denied notifications")
    #expect(reading("granted", [\.permission: "camera", \.status: "denied"]) == "unknown")
    #expect(
      reading("push_permission_already_granted", [\.status: "authorized"])
        == "status_checked notifications authorized")
    #expect(reading("screen_view", [\.screen: "camera_permission_denied"]) == "unknown")
  }

  @Test func aResultPropertySaysTheOutcome() {
    let name = "notification_permission_result"
    for value in ["granted", "allowed", "accepted", "yes", "true", "Opted In", "Allow"] {
      #expect(reading(name, [\.result: value]) == "granted notifications", "\(value)")
    }
    #expect(reading(name, [\.result: "authorized"]) == "granted notifications authorized")
    // A number is another thing to each framework.
    for value in ["0", "1", "2", "-1"] { #expect(reading(name, [\.result: value]) == "unknown", "\(value)") }
    for value in ["denied", "declined", "no", "false", "blocked", "notAuthorized", "Don’t Allow"] {
      #expect(reading(name, [\.result: value]) == "denied notifications", "\(value)")
    }
    for value in ["dismissed", "later"] {
      #expect(reading(name, [\.result: value]) == "skipped notifications", "\(value)")
    }
    #expect(reading(name, [\.result: "default"]) == "skipped notifications not_determined")
    #expect(reading(name, [\.result: "limited"]) == "granted notifications limited")
    #expect(reading(name, [\.result: "restricted"]) == "denied notifications restricted")
    #expect(reading(name, [\.result: "error"]) == "unknown")
    #expect(reading(name) == "unknown")
    #expect(reading("permission_event", [\.result: "prompt_shown", \.permission: "camera"]) == "prompt_shown camera")
    #expect(reading("permission_request", [\.result: "granted", \.permission: "camera"]) == "granted camera")
    #expect(reading("permission_request", [\.result: "error", \.permission: "camera"]) == "unknown")
    #expect(reading("primer_answered", [\.result: "accepted", \.permission: "camera"]) == "nothing")
  }

  @Test func aStatusAloneIsALook() {
    #expect(
      reading("notification_permission", [\.status: "notDetermined"]) == "status_checked notifications not_determined")
    #expect(
      reading("Notification Permission Status", [\.status: "authorized"]) == "status_checked notifications authorized")
    #expect(reading("notification_prompt_answered", [\.status: "denied"]) == "denied notifications denied")
    #expect(
      reading("notification_permission_result", [\.status: "not determined"]) == "skipped notifications not_determined")
  }

  @Test func theSettingsAppMakesAReturn() {
    #expect(reading("push_permission_granted", [\.source: "settings"]) == "re_enabled notifications")
    #expect(reading("push_permission_granted", [\.source: "System Settings"]) == "re_enabled notifications")
    #expect(reading("push_permission_denied", [\.source: "settings"]) == "revoked notifications")
    #expect(reading("push_permission_granted", [\.source: "onboarding"]) == "granted notifications")
  }

  @Test func genericScreensAndButtons() {
    #expect(reading("screen_view", [\.screen: "NotificationPrimer"]) == "explanation_shown notifications")
    #expect(reading("$screen", [\.screen: "camera_permission"]) == "explanation_shown camera")
    #expect(reading("Screen Viewed", [\.screen: "System Push Prompt"]) == "prompt_shown notifications")
    #expect(reading("screen_view", [\.screen: "Home"]) == "unknown")
    #expect(reading("screen_view", [\.screen: "Camera"]) == "unknown")
    #expect(reading("Button Tapped", [\.screen: "Push Primer", \.button: "Not Now"]) == "skipped notifications")
    #expect(reading("Button Tapped", [\.screen: "Push Primer", \.button: "Allow"]) == "nothing")
    #expect(reading("Button Tapped", [\.screen: "Home", \.button: "Not Now"]) == "unknown")
  }

  @Test func permissionsComeFromPropertiesFirst() {
    #expect(reading("Permission Granted", [\.permission: "Push Notifications"]) == "granted notifications")
    // A name and a property of two permissions: nobody knows which one it was.
    #expect(reading("push_permission_granted", [\.permission: "camera"]) == "unknown")
    #expect(reading("location_permission_granted", [\.permission: "location_always"]) == "granted location_always")
    #expect(reading("permission_granted", [\.permissionHint: "NSMicrophoneUsageDescription"]) == "granted microphone")
    #expect(reading("permission_granted", [\.permissionHint: "soft"]) == "unknown")
    #expect(reading("permission_granted", [\.permission: "brain"]) == "granted brain")
  }

  @Test func anEventNamedAsAKindIsOfIt() {
    for kind in EventKind.allCases {
      let words = kind.name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
      for name in [kind.name, words.joined(separator: " "), words.joined()] {
        #expect(reading(name, [\.permission: "camera"]) == kind.name + " camera", "\(name)")
      }
    }
    #expect(reading("skipped") == "unknown")
    #expect(reading("Feature Used") == "feature_used -")
  }

  @Test func everyStatusAndPermissionReadsItself() {
    for status in AuthorizationStatus.allCases where status != .none {
      #expect(StatusWords.status(Array(status.name.utf8)) == status)
    }
    for permission in PermissionCode.taxonomy {
      #expect(PermissionWords.permission(value: Array(permission.utf8)) == permission)
      // In a name, reminders are as often the app's own, and mail is no permission.
      let isCertain = !Lexicon.uncertain.contains(permission)
      #expect(
        reading(permission + "_permission_granted").hasPrefix("granted " + (isCertain ? permission : "-")),
        "\(permission)")
    }
    for (text, status) in [
      ("authorizedWhenInUse", AuthorizationStatus.whenInUse), ("Full Access", .fullAccess), ("sharingDenied", .denied),
      ("not determined", .notDetermined), ("allowedAlways", .authorized), ("writeOnly", .writeOnly),
    ] { #expect(StatusWords.status(Array(text.utf8)) == status) }
    #expect(StatusWords.status(Array("ok".utf8)) == nil)
  }

  @Test func propertiesAreFoundInTheirSpellings() {
    let variants = PropertySpelling.variants(of: "message_variant")
    for spelling in [
      "message_variant", "messageVariant", "MessageVariant", "Message Variant", "message variant", "message-variant",
      "MESSAGE_VARIANT",
    ] { #expect(variants.contains(spelling)) }
    #expect(PropertySpelling.variants(of: "$os") == ["$os"])
    #expect(Set(variants).count == variants.count)
  }
}
