// Amplitude's export API: an object a line with all keys present, times in UTC with six digits and without a zone.

import PermissionEvents

struct AmplitudeFormat: LineFormat {
  private let words: LineWords
  private let names = VendorNames.titled(appActive: "[Amplitude] Application Opened")
  private let keys = VendorKeys(variant: "\"message_variant\":\"", surface: "\"screen\":\"")
  /// What follows the event's properties, by country.
  private let places: [[UInt8]]

  init(_ words: LineWords) {
    self.words = words
    places = words.countries.map {
      Array(
        """
        ","language":"\($0.language)","device_model":"iPhone16,2","country":"\($0.name)","region":null
        """.utf8)
    }
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let id = user.eventID(event.serial)
    out.text("{\"server_received_time\":\"")
    time(event.received, &out)
    out.text("\",\"app\":187520,\"device_carrier\":null,\"$schema\":13,\"city\":null,\"user_id\":")
    if user.hasLoggedIn(event) {
      out.text("\"")
      out.account(user)
      out.text("\"")
    } else {
      out.text("null")
    }
    out.text(",\"uuid\":\"")
    // A row's own id: a copy of the event has another, the $insert_id is the same.
    out.uuid(id.low ^ UInt64(truncatingIfNeeded: event.received), id.high)
    out.text("\",\"event_time\":\"")
    time(event.time, &out)
    out.text("\",\"platform\":\"iOS\",\"os_version\":\"")
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.text("\",\"amplitude_id\":")
    out.decimal(Int64(user.key >> 24))
    out.text(",\"processed_time\":\"")
    time(event.received + 1820, &out)
    out.text("\",\"version_name\":\"")
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.text("\",\"ip_address\":\"203.0.113.24\",\"paying\":null,\"dma\":null,\"group_properties\":{},")
    out.text("\"user_properties\":{},\"client_upload_time\":\"")
    time(event.received - 240 + user.clockSkew, &out)
    out.text("\",\"$insert_id\":\"")
    out.uuid(id.high, id.low, uppercase: true)
    out.text("\",\"event_type\":\"")
    out.text(names[event.kind])
    out.text("\",\"library\":\"amplitude-swift/1.11.2\",\"amplitude_attribution_ids\":null,")
    out.text("\"device_type\":\"Apple iPhone\",\"device_manufacturer\":\"Apple\",\"start_version\":null,")
    out.text("\"location_lng\":null,\"server_upload_time\":\"")
    time(event.received + 4, &out)
    out.text("\",\"event_id\":")
    out.decimal(Int64(event.serial) + 1)
    out.text(",\"location_lat\":null,\"os_name\":\"ios\",\"amplitude_event_type\":null,\"device_brand\":null,")
    out.text("\"groups\":{},\"event_properties\":{")
    out.properties(event, words, keys)
    out.text("\"build\":\"812\"},\"data\":{},\"device_id\":\"")
    out.uuid(user.idHigh, user.idLow, uppercase: true)
    out.bytes(places[user.country])
    out.text(",\"is_attribution_event\":false,\"adid\":null,\"session_id\":-1,\"device_family\":\"Apple iPhone\",")
    out.text("\"sample_rate\":null,\"idfa\":null,\"client_event_time\":\"")
    time(event.time + user.clockSkew, &out)
    out.text("\"}\n")
  }

  /// `2025-11-24 18:03:21.412000`.
  private func time(_ time: Milliseconds, _ out: inout LineBuffer) {
    out.time(time, words.dates, mark: UInt8(ascii: " "))
    out.text("000")
  }
}
