// PostHog's batch export as JSON lines.

import PermissionEvents

struct PostHogFormat: LineFormat {
  private let words: LineWords
  private let names = VendorNames(
    explanationShown: "permission_primer_shown", promptShown: "permission_prompt_shown",
    granted: "permission_granted", denied: "permission_denied", skipped: "permission_primer_skipped",
    settingsPromptShown: "permission_settings_prompt_shown", settingsOpened: "permission_settings_opened",
    revoked: "permission_revoked", statusChecked: "permission_status_checked", featureUsed: "feature_used",
    appActive: "Application Opened")
  private let places: [[UInt8]]

  init(_ words: LineWords) {
    self.words = words
    places = words.countries.map {
      Array(
        "\",\"$timezone\":\"\($0.zone)\",\"$locale\":\"\($0.locale)\",\"$geoip_country_code\":\"\($0.code)\"},".utf8)
    }
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let id = user.eventID(event.serial)
    out.text("{\"uuid\":\"")
    out.uuid(id.high, id.low)
    out.text("\",\"event\":\"")
    out.text(names[event.kind])
    out.text("\",\"distinct_id\":\"")
    if user.hasLoggedIn(event) {
      out.account(user)
    } else {
      out.uuid(user.idHigh, user.idLow, uppercase: true)
    }
    out.text("\",\"person_id\":\"")
    out.uuid(user.idLow, user.key)
    out.text("\",\"properties\":{\"$lib\":\"posthog-ios\",\"$lib_version\":\"3.19.0\",")
    out.text("\"$os\":\"iOS\",\"$device_id\":\"")
    out.uuid(user.idHigh, user.idLow, uppercase: true)
    out.text("\",")
    if event.message != .none {
      out.text("\"$feature/")
      out.bytes(words.experiments[Int(event.permission)])
      out.text("\":\"")
      out.byte(event.letter)
      out.text("\",")
    }
    out.properties(event, words, VendorKeys())
    out.text("\"$os_version\":\"")
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.text("\",\"$app_version\":\"")
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.bytes(places[user.country])
    out.text("\"person_properties\":{},\"elements_chain\":\"\",\"timestamp\":\"")
    time(event.time, &out)
    out.text("\",\"created_at\":\"")
    time(event.received, &out)
    out.text("\",\"_inserted_at\":\"")
    time(event.received + 4000, &out)
    out.text("\"}\n")
  }

  /// `2025-11-24T18:03:21.412000+00:00`.
  private func time(_ time: Milliseconds, _ out: inout LineBuffer) {
    out.time(time, words.dates)
    out.text("000+00:00")
  }
}
