// One event as the oracle sees it, the order of events within a journey, and what a status means for a permission.

import Foundation

/// One row of an exported log, already read: names and ids as text, time as UTC milliseconds.
///
/// `Hashable` compares Swift strings; wherever ids decide something the oracle compares their bytes.
public struct OracleEvent: Hashable, Sendable {
  public var userID: String
  public var eventID: String
  /// UTC milliseconds since 1970.
  public var timestamp: Int
  /// One of ``oracleKinds``.
  public var event: String
  public var permission: String?
  public var status: String?
  public var variant, experiment, surface, feature, appVersion, osVersion, platform, locale, country: String?

  public init(
    userID: String, eventID: String, timestamp: Int, event: String, permission: String? = nil, status: String? = nil,
    variant: String? = nil, experiment: String? = nil, surface: String? = nil, feature: String? = nil,
    appVersion: String? = nil, osVersion: String? = nil, platform: String? = nil, locale: String? = nil,
    country: String? = nil
  ) {
    self.userID = userID
    self.eventID = eventID
    self.timestamp = timestamp
    self.event = event
    self.permission = permission
    self.status = status
    self.variant = variant
    self.experiment = experiment
    self.surface = surface
    self.feature = feature
    self.appVersion = appVersion
    self.osVersion = osVersion
    self.platform = platform
    self.locale = locale
    self.country = country
  }

  /// The property of this event with that JSON name; an empty string is absent.
  public func property(_ name: String) -> String? {
    let value: String? =
      switch name {
      case "variant": variant
      case "experiment": experiment
      case "surface": surface
      case "feature": feature
      case "app_version": appVersion
      case "os_version": osVersion
      case "platform": platform
      case "locale": locale
      case "country": country
      default: nil
      }
    return value == "" ? nil : value
  }
}

/// The thirteen kinds, "in the order that breaks ties within one millisecond".
public let oracleKinds = [
  "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "settings_opened",
  "re_enabled", "revoked", "status_checked", "feature_used", "app_active", "app_installed",
]

/// The properties that a report can be broken down by, by their JSON names.
public let oracleProperties = [
  "variant", "experiment", "surface", "feature", "app_version", "os_version", "platform", "locale", "country",
]

extension OracleEvent {
  /// "Screen event: `explanation_shown` or `prompt_shown`."
  var isScreen: Bool { event == "explanation_shown" || event == "prompt_shown" }
  /// The four kinds that can answer a screen.
  var isAnswer: Bool { ["granted", "re_enabled", "denied", "skipped"].contains(event) }
  /// "`re_enabled` counts as granted."
  var isGrant: Bool { event == "granted" || event == "re_enabled" }
  /// "Found on: `granted`, `re_enabled`, or a `status_checked` whose status means on or partial (any but `not_determined`,
  /// `restricted`, `denied`; without a status: no finding)."
  var findsOn: Bool {
    guard event == "status_checked" else { return isGrant }
    return status.map { !["", "not_determined", "restricted", "denied", "declined_sharing"].contains($0) } ?? false
  }
  /// "The two before the last are engagement."
  var isEngagement: Bool { event == "feature_used" || event == "app_active" }
  /// "The last three need no permission": they belong to none, whatever they carry.
  var isOfPermission: Bool { !isEngagement && event != "app_installed" }
}

/// The bytes of an id or a name: "byte strings, compared bytewise, never as Swift Strings".
struct Bytes: Hashable, Comparable {
  let utf8: [UInt8]

  init(_ text: String) { utf8 = Array(text.utf8) }

  static func < (left: Bytes, right: Bytes) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
}

/// A journey's order: time, then the order of kinds, then `event_id` bytewise.
func isEarlier(_ left: OracleEvent, _ right: OracleEvent) -> Bool {
  if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
  let leftKind = oracleKinds.firstIndex(of: left.event) ?? oracleKinds.count
  let rightKind = oracleKinds.firstIndex(of: right.event) ?? oracleKinds.count
  if leftKind != rightKind { return leftKind < rightKind }
  return Bytes(left.eventID) < Bytes(right.eventID)
}

/// "An event is the same event when `user_id` and `event_id` are the same"; within one ingest "the least copy" wins. The order of
/// the events that stay is that of their first copies.
func withoutDuplicates(_ events: [OracleEvent]) -> [OracleEvent] {
  var seen: Set<[Bytes]> = []
  return leastFirst(events).filter { seen.insert([Bytes($0.userID), Bytes($0.eventID)]).inserted }
}

/// The same events with the copies of each in the order in which they win: "timestamp, then its line as `export` writes it,
/// bytewise". The places that copies of one event have they have still, so that the first is the least also for a log that
/// takes the events in several ingests, one after the other.
public func leastFirst(_ events: [OracleEvent]) -> [OracleEvent] {
  var places: [[Bytes]: [Int]] = [:]
  for (place, event) in events.enumerated() {
    places[[Bytes(event.userID), Bytes(event.eventID)], default: []].append(place)
  }
  var result = events
  for copies in places.values where copies.count > 1 {
    let sorted = copies.map { events[$0] }.sorted {
      $0.timestamp != $1.timestamp ? $0.timestamp < $1.timestamp : exportedLine($0) < exportedLine($1)
    }
    for (place, event) in zip(copies, sorted) { result[place] = event }
  }
  return result
}

/// The event "as `export` writes it": ids as strings, absent fields left out, as few escapes as the export has.
private func exportedLine(_ event: OracleEvent) -> Bytes {
  let fields: [(String, String?)] =
    [
      ("event_id", event.eventID), ("user_id", event.userID), ("timestamp", rfc3339(event.timestamp)),
      ("event", event.event), ("permission", event.permission), ("status", event.status),
    ] + oracleProperties.map { ($0, event.property($0)) }
  let members = fields.compactMap { name, value -> String? in
    guard let value, !value.isEmpty else { return nil }
    return "\"\(name)\":\"" + value.unicodeScalars.map(escaped).joined() + "\""
  }
  return Bytes("{" + members.joined(separator: ",") + "}")
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar.value {
  case 0x22, 0x5C: "\\" + String(scalar)
  case 0x0A: "\\n"
  case 0x0D: "\\r"
  case 0x09: "\\t"
  case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: String(format: "\\u%04x", scalar.value)
  default: String(scalar)
  }
}

/// "Partial access: status `limited`, `provisional`, `ephemeral`, `write_only` (except for `calendars_write_only`),
/// or `when_in_use` for `location_always`."
func isPartial(status: String?, permission: String) -> Bool {
  switch status {
  case "limited", "provisional", "ephemeral", "reduced_accuracy", "allowed_once": true
  case "write_only": permission != "calendars_write_only"
  case "when_in_use": permission == "location_always"
  default: false
  }
}

/// Denied, or an age range that is not shared.
func isDenial(_ status: String?) -> Bool { ["denied", "declined_sharing"].contains(status) }

/// A status that means on, whole: there has to be a status, and it is neither partial nor a refusal.
///
/// Reading: `authorized full_access always`, `when_in_use` except for `location_always`, and `write_only` only for
/// `calendars_write_only`.
func isOn(status: String?, permission: String) -> Bool {
  switch status {
  case "authorized", "full_access", "always", "approved_with_data_access": true
  case "when_in_use": permission != "location_always"
  case "write_only": permission == "calendars_write_only"
  default: false
  }
}
