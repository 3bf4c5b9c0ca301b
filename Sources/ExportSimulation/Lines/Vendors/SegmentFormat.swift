// Segment's S3 archive: a call a line, four times, of which `timestamp` is the device's clock corrected by what the server
// saw.

import PermissionEvents

struct SegmentFormat: LineFormat {
  private let words: LineWords
  private let names = VendorNames.titled(appActive: "Application Opened")
  private let keys = VendorKeys(source: "\"from\":\"")
  private let places: [[UInt8]]

  init(_ words: LineWords) {
    self.words = words
    places = words.countries.map {
      Array(
        """
        ","type":"ios"},"ip":"203.0.113.24","library":{"name":"analytics-swift","version":"1.6.2"},\
        "locale":"\($0.locale.replacing("_", with: "-"))","network":{"cellular":false,"wifi":true},\
        "timezone":"\($0.zone)","location":{"country":"\($0.code)"},"os":{"name":"iOS","version":"
        """.utf8)
    }
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let id = user.eventID(event.serial)
    out.text("{\"anonymousId\":\"")
    out.uuid(user.idHigh, user.idLow, uppercase: true)
    out.text("\",\"channel\":\"mobile\",\"context\":{\"app\":{\"build\":\"812\",\"name\":\"Example\",")
    out.text("\"namespace\":\"com.example.app\",\"version\":\"")
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.text("\"},\"device\":{\"adTrackingEnabled\":false,\"id\":\"")
    out.uuid(user.key, user.idLow, uppercase: true)
    out.text("\",\"manufacturer\":\"Apple\",\"model\":\"iPhone16,2")
    out.bytes(places[user.country])
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.text("\"}},\"event\":\"")
    out.text(names[event.kind])
    out.text("\",\"integrations\":{},\"messageId\":\"")
    out.uuid(id.high, id.low, uppercase: true)
    out.text("\",\"originalTimestamp\":\"")
    time(event.time + user.clockSkew, &out)
    out.text("Z\",\"properties\":{")
    out.properties(event, words, keys)
    out.text("\"build\":\"812\"},\"receivedAt\":\"")
    time(event.received, &out)
    out.text("Z\",\"sentAt\":\"")
    time(event.received + user.clockSkew, &out)
    out.text("Z\",\"timestamp\":\"")
    time(event.time, &out)
    out.text("Z\",\"type\":\"track\",")
    if user.hasLoggedIn(event) {
      out.text("\"userId\":\"")
      out.account(user)
      out.text("\",")
    }
    out.text("\"version\":2}\n")
  }

  private func time(_ time: Milliseconds, _ out: inout LineBuffer) { out.time(time, words.dates) }
}
