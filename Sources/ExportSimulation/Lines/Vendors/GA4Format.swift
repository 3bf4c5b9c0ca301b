// GA4 and Firebase: rows of the BigQuery export as JSON, numbers of 64 bits as strings, parameters as an array.

import PermissionEvents

struct GA4Format: LineFormat {
  private let words: LineWords
  /// Answers are one event with a parameter.
  private let names = VendorNames(
    explanationShown: "permission_explanation_shown", promptShown: "permission_prompt_shown",
    granted: "permission_result", denied: "permission_result", skipped: "permission_explanation_skipped",
    settingsPromptShown: "permission_settings_prompt_shown", settingsOpened: "permission_settings_opened",
    revoked: "permission_revoked", statusChecked: "permission_status_checked", featureUsed: "feature_used",
    appActive: "session_start")
  private let devices: [[UInt8]]
  private let place: [UInt8]

  init(_ words: LineWords) {
    self.words = words
    devices = words.countries.map {
      Array(
        """
        ","language":"\($0.locale.lowercased().replacing("_", with: "-"))","is_limited_ad_tracking":"Yes",\
        "time_zone_offset_seconds":"\($0.hours * 3600)"},"geo":{"country":"\($0.name)"},\
        "app_info":{"id":"com.example.app","version":"
        """.utf8)
    }
    place = Array(
      """
      ","install_source":"iTunes","firebase_app_id":"1:123:ios:abc"},"stream_id":"2100450278","platform":"IOS",\
      "is_active_user":true,"batch_event_index":"
      """.utf8)
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    out.text("{\"event_date\":\"")
    let date = words.dates[floorDivide(event.time, millisecondsPerDay)]
    for byte in date where byte != UInt8(ascii: "-") { out.byte(byte) }
    out.text("\",\"event_timestamp\":\"")
    out.decimal(event.time)
    out.text("000\",\"event_name\":\"")
    out.text(names[event.kind])
    out.text("\",\"event_params\":[{\"key\":\"firebase_event_origin\",\"value\":{\"string_value\":\"app\"}}")
    parameters(event, &out)
    out.text("],\"event_bundle_sequence_id\":\"")
    out.decimal(Int64(event.serial >> 3) + 1)
    out.text("\",\"event_server_timestamp_offset\":\"431207\",\"user_id\":")
    if user.hasLoggedIn(event) {
      out.text("\"")
      out.account(user)
      out.text("\"")
    } else {
      out.text("null")
    }
    out.text(",\"user_pseudo_id\":\"")
    out.hexadecimal(user.idHigh, bytes: 8, uppercase: true)
    out.hexadecimal(user.idLow, bytes: 8, uppercase: true)
    out.text("\",\"privacy_info\":{\"analytics_storage\":\"Yes\",\"ads_storage\":\"No\",")
    out.text("\"uses_transient_token\":\"No\"},\"user_properties\":[],\"device\":{\"category\":\"mobile\",")
    out.text("\"mobile_brand_name\":\"Apple\",\"operating_system\":\"IOS\",\"operating_system_version\":\"iOS ")
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.bytes(devices[user.country])
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.bytes(place)
    out.decimal(Int64(event.serial & 7))
    out.text("\"}\n")
  }

  private func parameters(_ event: SimulatedEvent, _ out: inout LineBuffer) {
    if event.feature != SimulatedEvent.absent { parameter("feature", words.features[Int(event.feature)], &out) }
    guard event.permission != SimulatedEvent.absent else { return }
    parameter("permission", words.permissions[Int(event.permission)], &out)
    switch event.kind {
    case .granted, .reEnabled: parameter("result", words.kinds[Int(EventKind.granted.rawValue)], &out)
    case .denied: parameter("result", words.kinds[Int(EventKind.denied.rawValue)], &out)
    default: break
    }
    if event.status != .none { parameter("status", words.statuses[Int(event.status.rawValue)], &out) }
    if event.message != .none {
      parameter("variant", [event.letter], &out)
      parameter("experiment", words.experiments[Int(event.permission)], &out)
    }
    if event.hasSurface { parameter("surface", words.surfaces[Int(event.permission)], &out) }
    if event.kind == .reEnabled { parameter("source", Array("settings".utf8), &out) }
  }

  @inline(__always)
  private func parameter(_ key: StaticString, _ value: [UInt8], _ out: inout LineBuffer) {
    out.text(",{\"key\":\"")
    out.text(key)
    out.text("\",\"value\":{\"string_value\":\"")
    out.bytes(value)
    out.text("\"}}")
  }
}
