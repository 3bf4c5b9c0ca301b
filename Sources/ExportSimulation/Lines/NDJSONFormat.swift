// Canonical NDJSON.

import PermissionEvents

struct NDJSONFormat: LineFormat {
  private let words: LineWords
  /// What follows the system's version, by country.
  private let tails: [[UInt8]]

  init(_ words: LineWords) {
    self.words = words
    tails = words.countries.map {
      Array("\",\"platform\":\"ios\",\"locale\":\"\($0.locale)\",\"country\":\"\($0.code)\"}\n".utf8)
    }
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let id = user.eventID(event.serial)
    out.text("{\"event_id\":\"")
    out.uuid(id.high, id.low, uppercase: true)
    out.text("\",\"user_id\":\"")
    out.uuid(user.idHigh, user.idLow, uppercase: true)
    out.text("\",\"timestamp\":\"")
    out.time(event.time, words.dates)
    out.text("Z\",\"event\":\"")
    out.bytes(words.kinds[Int(event.kind.rawValue)])
    if event.permission != SimulatedEvent.absent {
      out.text("\",\"permission\":\"")
      out.bytes(words.permissions[Int(event.permission)])
      if event.status != .none {
        out.text("\",\"status\":\"")
        out.bytes(words.statuses[Int(event.status.rawValue)])
      }
      if event.message != .none {
        out.text("\",\"variant\":\"")
        out.byte(event.letter)
        out.text("\",\"experiment\":\"")
        out.bytes(words.experiments[Int(event.permission)])
      }
      if event.hasSurface {
        out.text("\",\"surface\":\"")
        out.bytes(words.surfaces[Int(event.permission)])
      }
    } else if event.feature != SimulatedEvent.absent {
      out.text("\",\"feature\":\"")
      out.bytes(words.features[Int(event.feature)])
    }
    out.text("\",\"app_version\":\"")
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.text("\",\"os_version\":\"")
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.bytes(tails[user.country])
  }
}
