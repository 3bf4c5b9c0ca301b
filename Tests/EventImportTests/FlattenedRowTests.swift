// Rows that a table, a warehouse or an app has flattened: what the nested row says is read, or nothing, never the opposite.

import EventMapping
import Foundation
import Testing

@testable import EventImport

/// Where the members of an export's objects are written.
enum Placement: String, CaseIterable {
  case nested, dotted, underscored, container, text, beside

  /// A row in this form.
  /// - Parameters:
  ///   - container: the key of the properties' object.
  ///   - stays: true for members of it that are no property of the app's own.
  func row(_ row: [String: Any], container: String, stays: (String) -> Bool = { _ in false }) -> [String: Any] {
    switch self {
    case .nested: return row
    case .dotted: return Self.flat(row, ".", "")
    case .underscored: return Self.flat(row, "_", "")
    case .container, .text, .beside: break
    }
    var result = row
    guard let properties = row[container] as? [String: Any] else { return row }
    switch self {
    case .container:
      result[container] = nil
      for (key, value) in properties { result["\(container).\(key)"] = value }
    case .text:
      let data = (try? JSONSerialization.data(withJSONObject: properties)) ?? Data()
      result[container] = String(decoding: data, as: UTF8.self)
    default:
      result[container] = properties.filter { stays($0.key) }
      for (key, value) in properties where !stays(key) { result[key] = value }
    }
    return result
  }

  /// All objects as `pandas.json_normalize` has them.
  private static func flat(_ row: [String: Any], _ sign: String, _ before: String) -> [String: Any] {
    var result: [String: Any] = [:]
    for (key, value) in row {
      if let inner = value as? [String: Any], !inner.isEmpty {
        result.merge(flat(inner, sign, before + key + sign)) { first, _ in first }
      } else {
        result[before + key] = value
      }
    }
    return result
  }

  static func lines(_ rows: [[String: Any]]) throws -> String {
    try rows.map {
      String(decoding: try JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys]), as: UTF8.self)
    }.joined(separator: "\n")
  }
}

@Suite struct FlattenedRowTests {
  private static let exports: [(file: String, container: String, mapping: String?)] = [
    ("amplitude/187520_2025-11-24_18#0.json", "event_properties", nil), ("mixpanel/seconds.jsonl", "properties", nil),
    ("mixpanel/milliseconds.jsonl", "properties", nil), ("segment/archive.ndjson", "properties", nil),
    ("ga4/events_20251124.json", "event_params", nil), ("posthog/events.jsonl", "properties", nil),
    ("mappings/braze/custom_events.jsonl", "properties", "mappings/braze/mapping.yaml"),
    ("mappings/onesignal/stream.jsonl", "message", "mappings/onesignal/mapping.yaml"),
    ("mappings/clevertap/page.json", "event_props", "mappings/clevertap/mapping.yaml"),
  ]

  private static func rows(_ file: String) throws -> [[String: Any]] {
    let text = try Samples.text(file)
    if let document = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let records = document["records"] as? [[String: Any]]
    {
      return records
    }
    return try text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// GA4's list of parameters and Braze's text as the objects that they stand for.
  private static func unlisted(_ row: [String: Any], _ container: String) throws -> [String: Any] {
    var row = row
    if let text = row[container] as? String {
      row[container] = try JSONSerialization.jsonObject(with: Data(text.utf8))
    } else if let list = row[container] as? [[String: Any]] {
      row[container] = Dictionary(
        uniqueKeysWithValues: list.compactMap { item in
          (item["value"] as? [String: Any])?.values.first { !($0 is NSNull) }.map { (item["key"] as? String ?? "", $0) }
        })
    }
    return row
  }

  @Test(arguments: exports.map(\.file), Placement.allCases)
  func samplesInAllForms(file: String, placement: Placement) throws {
    let export = try #require(Self.exports.first { $0.file == file })
    var options = testOptions()
    if let mapping = export.mapping {
      // The only mapping of an import reads all files if it recognises none.
      let text = try Samples.text(mapping).replacing("recognise: [/profile, /ts, /event_props]", with: "form: json")
      options.mappings = [try Mapping(yaml: Array(text.utf8), name: mapping)]
      // The preset would read files that the mapping does not recognise.
      options.rows.isFormFixed = mapping.contains("clevertap")
    }
    options.zones = ["Asia/Kolkata": zone("Asia/Kolkata", 5 * hour + hour / 2)]
    let plain = try importPaths([Samples.path(file)], options)
    let rows = try Self.rows(file).map { row in
      placement.row(try Self.unlisted(row, export.container), container: export.container) { key in
        key.hasPrefix("$") || ["time", "distinct_id"].contains(key)
      }
    }
    let outcome = try importText(Placement.lines(rows), options)
    #expect(!plain.events.isEmpty && outcome.rejects.isEmpty)
    #expect(outcome.events.map(\.content) == plain.events.map(\.content))
    #expect(outcome.counts.unmapped == plain.counts.unmapped)
  }

  // MARK: Names, keys, values, places

  private static let vendors: [(vendor: String, container: String)] = [
    ("amplitude", "event_properties"), ("mixpanel", "properties"), ("segment", "properties"), ("ga4", "event_params"),
    ("posthog", "properties"),
  ]

  /// A row of an event with these properties.
  private static func row(_ vendor: String, _ number: Int, _ name: String, _ properties: [String: Any]) -> [String: Any]
  {
    let id = "m\(number)"
    switch vendor {
    case "amplitude":
      return [
        "event_type": name, "device_id": id, "event_time": "2025-11-24 18:03:21.412000", "$insert_id": id,
        "event_properties": properties,
      ]
    case "mixpanel":
      let own: [String: Any] = ["time": 1_764_007_405, "distinct_id": id, "$insert_id": id]
      return ["event": name, "properties": own.merging(properties) { first, _ in first }]
    case "segment":
      return [
        "type": "track", "event": name, "anonymousId": id, "messageId": id, "timestamp": "2025-11-24T18:03:25.957Z",
        "properties": properties,
      ]
    case "ga4":
      return [
        "event_name": name, "user_pseudo_id": id, "event_timestamp": "1764007405717000", "event_params": properties,
      ]
    default:
      return [
        "event": name, "distinct_id": id, "uuid": id, "timestamp": "2025-11-24T18:03:21.412Z", "properties": properties,
      ]
    }
  }

  private struct Case {
    var name: String
    var key: String
    var value: Any
    var saysYes: Bool
  }

  /// Keys that hold an answer, and keys that hold a yes.
  private static let results = [
    "result", "permission.status", "auth_status", "push_status", "final_status", "user_choice", "notification_result",
    "permissionResult", "dialog_response", "Prompt Outcome", "os_decision", "authStatus", "authstatus",
    "permission_answer", "new_permission", "notification_permission_status", "alert_selection", "response.value",
  ]
  private static let flags = [
    "granted", "is_granted", "isGranted", "push_granted", "notification_permission_granted", "was_allowed",
    "permission.granted", "user_accepted", "permission_approved", "response.granted", "is_push_authorized",
  ]

  private static var cases: [Case] {
    var result: [Case] = []
    for name in [
      "Notification Permission Allowed", "notification_permission_denied", "push_permission_result",
      "notification_permission_granted", "Push Permission Declined",
    ] {
      for key in results {
        for (value, saysYes) in [("denied", false), ("granted", true), ("Don’t Allow", false), ("Allow", true)] {
          result.append(Case(name: name, key: key, value: value, saysYes: saysYes))
        }
      }
      for key in flags {
        for (value, saysYes) in [
          (true, true), (false, false), ("0", false), ("1", true), ("no", false), ("True", true), (0, false),
          (0.5 + 0.5, true),
        ] as [(Any, Bool)] {
          result.append(Case(name: name, key: key, value: value, saysYes: saysYes))
        }
      }
      for key in ["denied", "is_denied", "push_permission_denied", "user_declined"] {
        for (value, saysYes) in [(true, false), (false, true)] {
          result.append(Case(name: name, key: key, value: value, saysYes: saysYes))
        }
      }
    }
    return result
  }

  /// What a name says: nil if its properties say it.
  private static func nameSaysYes(_ name: String) -> Bool? {
    let name = name.lowercased()
    return name.hasSuffix("result") ? nil : name.hasSuffix("allowed") || name.hasSuffix("granted")
  }

  /// Properties with an object for a key of two parts, as an app nests them.
  private static func properties(_ key: String, _ value: Any) -> [String: Any] {
    let parts = key.split(separator: ".").map(String.init)
    return parts.count == 2 ? [parts[0]: [parts[1]: value]] : [key: value]
  }

  @Test(arguments: vendors.map(\.vendor), Placement.allCases)
  func nothingIsReversed(vendor: String, placement: Placement) throws {
    let container = try #require(Self.vendors.first { $0.vendor == vendor }).container
    let cases = Self.cases
    let rows = cases.enumerated().map { number, item in
      placement.row(
        Self.row(vendor, number, item.name, Self.properties(item.key, item.value)), container: container
      ) { ["time", "distinct_id", "$insert_id"].contains($0) }
    }
    let outcome = try importText(
      Placement.lines(rows), testOptions(format: try #require(ImportFormat(rawValue: vendor))))
    #expect(outcome.rejects.isEmpty, "\(outcome.rejects.prefix(3))")
    #expect(outcome.events.count >= cases.count * 4 / 10)
    let kinds = Dictionary(outcome.events.map { ($0.user, $0.kind) }) { first, _ in first }
    for (number, item) in cases.enumerated() {
      let kind = kinds["m\(number)"]
      let place: Comment = "\(item.name) \(item.key)=\(item.value): \(kind ?? "-")"
      let agrees = Self.nameSaysYes(item.name).map { $0 == item.saysYes } ?? true
      if agrees {
        // A flag that is false of a no says no yes.
        let isOpen = Self.nameSaysYes(item.name) == nil && item.key.contains("de") && item.value as? Bool == false
        let want = item.saysYes ? "granted" : "denied"
        #expect(kind == want || isOpen && kind == nil || kind == "status_checked" && item.key.contains("tatus"), place)
      } else {
        #expect(kind == nil, place)
      }
    }
  }

  @Test(arguments: ["no_permission", "is_not_granted", "opt_out", "without_permission"])
  func aKeyThatTurnsItsValueIsNoAnswer(key: String) throws {
    let rows = [true, false].enumerated().map { number, value in
      Self.row("segment", number, "push_permission_granted", [key: value])
    }
    let outcome = try importText(Placement.lines(rows))
    #expect(!outcome.events.contains { $0.user == "m0" })
  }

  // MARK: What is of before the event

  @Test(arguments: [
    ("amplitude", "user_properties", "push_enabled"), ("amplitude", "user_properties", "notification_permission"),
    ("amplitude", "user_properties", "permission_result"), ("segment", "context", "traits"),
    ("mixpanel", "properties", "push_enabled"), ("mixpanel", "properties", "notification_permission"),
    ("mixpanel", "properties", "previous_status"), ("posthog", "$set", "push_status"),
    ("segment", "traits", "is_granted"), ("ga4", "user_properties", "granted"),
    ("posthog", "person_properties", "push_enabled"), ("amplitude", "event_properties", "email_status"),
    ("segment", "properties", "camera_status"), ("ga4", "event_params", "location_enabled"),
  ]) func aStateOfBeforeIsNoAnswer(vendor: String, object: String, key: String) throws {
    let container = try #require(Self.vendors.first { $0.vendor == vendor }).container
    for placement in Placement.allCases {
      var rows: [[String: Any]] = []
      for (number, value) in (["denied", "granted", "not_determined"] as [Any] + [true, false]).enumerated() {
        for (offset, name) in ["Notification Permission Granted", "Notification Permission Denied"].enumerated() {
          var row = Self.row(vendor, 2 * number + offset, name, ["screen_id": 7])
          var states = row[object] as? [String: Any] ?? [:]
          states[key] = key == "traits" ? ["push_enabled": value, "status": value] : value
          row[object] = states
          rows.append(
            placement.row(row, container: container) { ["time", "distinct_id", "$insert_id"].contains($0) })
        }
      }
      let outcome = try importText(
        Placement.lines(rows), testOptions(format: try #require(ImportFormat(rawValue: vendor))))
      #expect(outcome.events.count == 10, "\(placement)")
      for event in outcome.events {
        let number = try #require(Int(event.user.dropFirst()))
        #expect(event.kind == (number % 2 == 0 ? "granted" : "denied"), "\(placement)")
      }
    }
  }

  // MARK: Tables

  @Test func columnsOfTablesAreLookedAtToo() throws {
    let mapping = """
      record:
        form: csv
        event: /name
        user: /device
        time: /at
        properties: [/payload]
      fields: {permission: [permission], variant: [variant]}
      """
    let text = """
      name,device,at,payload.permission,payload_variant,payload.auth_status,traits.push_status,is_granted,permission.status
      permission allowed,u1,2025-11-24T18:03:21Z,push,B,,denied,,
      permission allowed,u2,2025-11-24T18:03:21Z,push,B,denied,,,
      permission allowed,u3,2025-11-24T18:03:21Z,push,B,,,false,
      permission allowed,u4,2025-11-24T18:03:21Z,push,B,,,,denied
      permission answered,u5,2025-11-24T18:03:21Z,push,B,,,,denied
      """
    let outcome = try importText(text, testOptions(mapping: mapping))
    #expect(
      outcome.stories == [
        "u1 granted 2025-11-24T18:03:21.000Z B -", "u5 denied 2025-11-24T18:03:21.000Z B denied",
      ])
    #expect(outcome.counts.unmapped == 3)
    // Named by a rule, an event is what the rule says.
    let ruled = try importText(
      text,
      testOptions(mapping: mapping + "\nusual_spellings: false\nrules:\n  - {event: permission allowed, kind: granted}")
    )
    #expect(ruled.events.map(\.kind) == ["granted", "granted", "granted", "granted"])
  }

  @Test func framesAreReadAsTheirLines() throws {
    for name in ArrowSamples.names("/flat") {
      let frame = try importPaths([ArrowSamples.path("flat/" + name)])
      let lines = try importPaths([ArrowSamples.path("flat/" + name, "ndjson")])
      #expect(frame.rejects.isEmpty && lines.rejects.isEmpty)
      #expect(frame.events.map(\.content) == lines.events.map(\.content), "\(name)")
      #expect(frame.counts.unmapped == lines.counts.unmapped)
      // Of each ten rows that are named for a grant, six say so.
      #expect(frame.events.map(\.kind).filter { $0 == "granted" }.count == 6, "\(name)")
      #expect(!frame.events.contains { $0.kind == "denied" } && frame.counts.unmapped == 4)
      #expect(frame.events.allSatisfy { $0.fields["variant"] == "B" })
    }
    #expect(ArrowSamples.names("/flat").count == 8)
  }

  // MARK: Limits

  @Test func moreKeysThanAreToldApartLeaveTheEventUnread() throws {
    var properties: [String: Any] = [:]
    for number in 0..<200 {
      properties["dialog_result_\(String(UnicodeScalar(UInt8(97 + number % 26))))\(number / 26)q"] = "granted"
    }
    let many = Self.row("segment", 0, "push_permission_granted", properties)
    let few = Self.row("segment", 1, "push_permission_granted", ["dialog_result": "granted"])
    let outcome = try importText(
      Placement.lines(
        [few, many, few, many].enumerated().map { number, row in
          row.merging(["messageId": "x\(number)"]) { _, new in new }
        }))
    #expect(outcome.events.map(\.user) == ["m1", "m1"])
    #expect(outcome.counts.unmapped == 2)
  }

  @Test func keysThatNeverRepeatAreForgottenAgain() throws {
    let rows = (0..<40).map { number -> [String: Any] in
      var properties: [String: Any] = ["dialog_result": number % 2 == 0 ? "granted" : "denied"]
      for key in 0..<500 { properties["k\(number)x\(key)"] = ["inner": key] }
      return Self.row("segment", number, "push_permission_granted", properties)
    }
    let outcome = try importText(Placement.lines(rows))
    #expect(outcome.events.map(\.user) == (0..<20).map { "m\(2 * $0)" })
  }
}
