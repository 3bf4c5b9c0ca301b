// Snowplow's enriched events: 131 tab-separated columns without a header, most of them empty.

import PermissionEvents

struct SnowplowFormat: LineFormat {
  private let words: LineWords
  private let names: [StaticString]

  init(_ words: LineWords) {
    self.words = words
    // Permission events are one self-describing event with an action.
    names = [
      "explanation_shown", "prompt_shown", "granted", "denied", "explanation_skipped", "settings_prompt_shown",
      "settings_opened", "granted", "revoked", "status_checked",
    ]
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let id = user.eventID(event.serial)
    out.text("example-ios\tmob\t")
    time(event.received + 3000, &out)
    out.text("\t")
    time(event.received, &out)
    out.text("\t")
    time(event.time + user.clockSkew, &out)
    out.text("\tunstruct\t")
    out.uuid(id.high, id.low)
    out.text("\t\tcore\tios-6.0.9\tssc-3.2.0-kinesis\tsnowplow-enrich-kinesis-5.1.1\t")
    if user.hasLoggedIn(event) { out.account(user) }
    out.text("\t203.0.113.24\t\t\t\t")
    out.uuid(user.key, user.idHigh)
    out.text("\t")
    for byte in words.countries[user.country].code.utf8 { out.byte(byte) }
    tabs(34, &out)  // to column 52
    contexts(event, user, &out)
    tabs(6, &out)  // to column 58
    payload(event, &out)
    tabs(42, &out)  // to column 100
    for byte in words.countries[user.country].zone.utf8 { out.byte(byte) }
    tabs(19, &out)  // to column 119
    time(event.received - 240 + user.clockSkew, &out)
    tabs(5, &out)  // to column 124
    time(event.time, &out)
    if event.permission != SimulatedEvent.absent {
      out.text("\tcom.example\tpermission_event\tjsonschema\t1-0-0\t\t\n")
    } else if event.kind == .featureUsed {
      out.text("\tcom.example\tfeature_used\tjsonschema\t1-0-0\t\t\n")
    } else {
      out.text("\tcom.snowplowanalytics.snowplow\tapplication_foreground\tjsonschema\t1-0-0\t\t\n")
    }
  }

  private func contexts(_ event: SimulatedEvent, _ user: SimulatedUser, _ out: inout LineBuffer) {
    out.text("{\"schema\":\"iglu:com.snowplowanalytics.snowplow/contexts/jsonschema/1-0-0\",\"data\":[")
    out.text("{\"schema\":\"iglu:com.snowplowanalytics.snowplow/client_session/jsonschema/1-0-2\",")
    out.text("\"data\":{\"userId\":\"")
    out.uuid(user.idHigh, user.idLow)
    out.text("\",\"sessionId\":\"")
    out.uuid(user.idLow, user.idHigh)
    out.text("\",\"sessionIndex\":1,\"storageMechanism\":\"LOCAL_STORAGE\",\"previousSessionId\":null,")
    out.text("\"firstEventId\":null}},")
    out.text("{\"schema\":\"iglu:com.snowplowanalytics.snowplow/mobile_context/jsonschema/1-0-3\",")
    out.text("\"data\":{\"osType\":\"ios\",\"osVersion\":\"")
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.text("\",\"deviceManufacturer\":\"Apple Inc.\",\"deviceModel\":\"iPhone16,2\"}},")
    out.text("{\"schema\":\"iglu:com.snowplowanalytics.mobile/application/jsonschema/1-0-0\",")
    out.text("\"data\":{\"version\":\"")
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.text("\",\"build\":\"812\"}}]}")
  }

  private func payload(_ event: SimulatedEvent, _ out: inout LineBuffer) {
    out.text("{\"schema\":\"iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0\",")
    out.text("\"data\":{\"schema\":")
    if event.permission != SimulatedEvent.absent {
      out.text("\"iglu:com.example/permission_event/jsonschema/1-0-0\",\"data\":{\"action\":\"")
      out.text(names[Int(event.kind.rawValue)])
      out.text("\",")
    } else if event.kind == .featureUsed {
      out.text("\"iglu:com.example/feature_used/jsonschema/1-0-0\",\"data\":{")
    } else {
      out.text("\"iglu:com.snowplowanalytics.snowplow/application_foreground/jsonschema/1-0-0\",\"data\":{")
    }
    out.properties(event, words, VendorKeys())
    out.text("\"build\":\"812\"}}}")
  }

  private func tabs(_ count: Int, _ out: inout LineBuffer) {
    for _ in 0..<count { out.byte(9) }
  }

  /// `2025-11-24 18:03:21.412`.
  private func time(_ time: Milliseconds, _ out: inout LineBuffer) {
    out.time(time, words.dates, mark: UInt8(ascii: " "))
  }
}
