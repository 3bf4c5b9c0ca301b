// Canonical CSV. No value of the made-up app needs quotes.

import PermissionEvents

struct CSVFormat: LineFormat {
  private let words: LineWords
  private let tails: [[UInt8]]

  init(_ words: LineWords) {
    self.words = words
    tails = words.countries.map { Array(",ios,\($0.locale),\($0.code)\r\n".utf8) }
  }

  func header(into out: inout LineBuffer) {
    out.text("event_id,user_id,timestamp,event,permission,status,variant,experiment,surface,feature,app_version,")
    out.text("os_version,platform,locale,country\r\n")
  }

  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer) {
    let comma = UInt8(ascii: ",")
    let id = user.eventID(event.serial)
    out.uuid(id.high, id.low, uppercase: true)
    out.byte(comma)
    out.uuid(user.idHigh, user.idLow, uppercase: true)
    out.byte(comma)
    out.time(event.time, words.dates)
    out.text("Z,")
    out.bytes(words.kinds[Int(event.kind.rawValue)])
    out.byte(comma)
    let hasPermission = event.permission != SimulatedEvent.absent
    if hasPermission { out.bytes(words.permissions[Int(event.permission)]) }
    out.byte(comma)
    out.bytes(words.statuses[Int(event.status.rawValue)])
    out.byte(comma)
    if event.message != .none { out.byte(event.letter) }
    out.byte(comma)
    if event.message != .none, hasPermission { out.bytes(words.experiments[Int(event.permission)]) }
    out.byte(comma)
    if event.hasSurface { out.bytes(words.surfaces[Int(event.permission)]) }
    out.byte(comma)
    if event.feature != SimulatedEvent.absent { out.bytes(words.features[Int(event.feature)]) }
    out.byte(comma)
    out.bytes(words.appVersions[Int(event.appVersion)])
    out.byte(comma)
    out.bytes(words.osVersions[Int(event.osVersion)])
    out.bytes(tails[user.country])
  }
}
