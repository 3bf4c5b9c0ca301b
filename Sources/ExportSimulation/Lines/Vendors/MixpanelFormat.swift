// Mixpanel's raw export with time_in_ms=true: milliseconds, the device's id before a login and the account's after it.

import PermissionEvents

struct MixpanelFormat: LineFormat {
  private let words: LineWords
  private let names = VendorNames(
    explanationShown: "permission_primer_viewed", promptShown: "permission_prompt_viewed",
    granted: "permission_granted", denied: "permission_denied", skipped: "permission_primer_skipped",
    settingsPromptShown: "permission_settings_prompt_viewed", settingsOpened: "permission_settings_opened",
    revoked: "permission_revoked", statusChecked: "permission_status_checked", featureUsed: "feature_used",
    appActive: "$ae_session")
  private let places: [[UInt8]]

  init(_ words: LineWords) {
    self.words = words
    places = words.countries.map { Array("\",\"mp_country_code\":\"\($0.code)\"}}\n".utf8) }
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let id = user.eventID(event.serial)
    out.text("{\"event\":\"")
    out.text(names[event.kind])
    out.text("\",\"properties\":{\"time\":")
    out.decimal(event.time)
    out.text(",\"distinct_id\":\"")
    if user.hasLoggedIn(event) {
      out.account(user)
      out.text("\",\"$user_id\":\"")
      out.account(user)
    } else {
      out.text("$device:")
      out.uuid(user.idHigh, user.idLow, uppercase: true)
    }
    out.text("\",\"$device_id\":\"")
    out.uuid(user.idHigh, user.idLow, uppercase: true)
    out.text("\",\"$insert_id\":\"")
    out.uuid(id.high, id.low, uppercase: true)
    out.text("\",\"mp_processing_time_ms\":")
    out.decimal(event.received + 900)
    out.text(",\"$os\":\"iOS\",\"mp_lib\":\"swift\",")
    out.properties(event, words, VendorKeys())
    out.text("\"$os_version\":\"")
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.text("\",\"$app_version_string\":\"")
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.bytes(places[user.country])
  }
}
