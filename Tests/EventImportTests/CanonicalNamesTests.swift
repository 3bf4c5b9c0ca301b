// Canonical rows whose names are no kinds, in all three forms: the same events, the same refused lines, every name counted.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

@Suite struct CanonicalNamesTests {
  /// A row: event, permission, status, and a column that is no field.
  private typealias Row = (event: String, permission: String, status: String, result: String)

  private static func options(custom: Bool = false) -> ImportOptions { testOptions(custom: custom) }

  private struct Content: Equatable {
    var events: [PlainEvent]
    var reasons: [String]
    var counts: [Int]
    var names: [String]
  }

  private static func content(_ bytes: [UInt8], _ options: ImportOptions, usesCommonLine: Bool = true) throws -> Content
  {
    nonisolated(unsafe) var reasons: [String] = []
    let session = try ImportSession(
      .bytes(bytes, name: "file"), options: options, usesCommonLine: usesCommonLine,
      onReject: { reasons.append($0.reason) })
    let sink = CollectingSink()
    while !(try session.run(into: sink)) {}
    let counts = session.counts
    #expect(counts.lines == counts.events + counts.rejected + counts.unmapped)
    return Content(
      events: sink.events.map(\.content), reasons: reasons,
      counts: [counts.lines, counts.events, counts.rejected, counts.notUnderstood, counts.respelled, counts.unmapped],
      names: session.eventNames.map { "\($0.count) \($0.name): \($0.outcome)" })
  }

  private static func ndjson(_ rows: [Row]) -> [UInt8] {
    let lines = rows.enumerated().map { n, row in
      var line = #"{"user_id":"u\#(n)","timestamp":"2025-03-01T12:00:00Z","event":"\#(row.event)""#
      for (key, value) in [("permission", row.permission), ("status", row.status), ("result", row.result)]
      where !value.isEmpty { line += #","\#(key)":"\#(value)""# }
      return line + "}\n"
    }
    return Array(lines.joined().utf8)
  }

  private static func csv(_ rows: [Row]) -> [UInt8] {
    let lines = rows.enumerated().map { n, row in
      "u\(n),2025-03-01T12:00:00Z,\"\(row.event)\",\(row.permission),\(row.status),\(row.result)\n"
    }
    return Array(("User ID,timestamp,Event,Permission,status,result\n" + lines.joined()).utf8)
  }

  private func read(_ rows: [Row], custom: Bool = false) throws -> Content {
    let options = Self.options(custom: custom)
    let fast = try Self.content(Self.ndjson(rows), options)
    #expect(try Self.content(Self.ndjson(rows), options, usesCommonLine: false) == fast)
    #expect(try Self.content(Self.csv(rows), options) == fast)
    return fast
  }

  private func row(_ event: String, _ permission: String = "", _ status: String = "", _ result: String = "") -> Row {
    (event, permission, status, result)
  }

  @Test func namesAreReadAndCounted() throws {
    let found = try read([
      row("primer shown", "notifications"), row("granted", "push"), row("pushPermissionDenied"),
      row("opened settings", "Push"), row("did become active"), row("primer continue", "camera"),
      row("denied", "camera", "Not Determined"), row("Camera Permission Granted", "", "limited"),
      row("granted", "camera", "allowed"),
    ])
    #expect(
      found.events.map(\.kind) == [
        "explanation_shown", "granted", "denied", "settings_opened", "app_active", "denied", "granted", "granted",
      ])
    #expect(
      found.events.map { $0.fields["permission"] ?? "" } == [
        "notifications", "notifications", "notifications", "notifications", "", "camera", "camera", "camera",
      ])
    #expect(found.events.map(\.status).suffix(3) == ["not_determined", "limited", "authorized"])
    #expect(found.counts == [9, 8, 0, 0, 8, 1])
    #expect(found.reasons.isEmpty)
  }

  @Test func whatIsNotUnderstoodIsRefusedWithItsReasonAndCountedByName() throws {
    let found = try read([
      row("zzz", "camera"), row("zzz", "notifications"), row("grantd", "camera"), row("granted", "pusch"),
      row("granted", "camera", "foo"), row("push_permission_granted", "camera"),
      row("notification_permission_allowed", "", "", "denied"), row("granted?", "camera"),
      row("granted", "camera", "Don’t Allow"), row("granted", "camera"), row("primer shown"),
    ])
    #expect(found.events.map(\.kind) == ["granted"])
    #expect(found.counts == [11, 1, 10, 10, 0, 0])
    #expect(
      found.reasons.contains(
        #"event "notification_permission_allowed" is not understood: a property contradicts the event"#))
    for name in [
      "2 zzz: rejected: the event is not understood", "1 pusch: rejected: not a known permission",
      "1 foo: rejected: not a known status", "1 Don’t Allow: rejected: the status contradicts the event",
      "1 push_permission_granted: rejected: its name and its column name different permissions",
      "1 primer shown: rejected: it names no permission",
    ] { #expect(found.names.contains(name), "\(name): \(found.names)") }
  }

  /// A kind in another spelling is refused for what it lacks, as the kind is.
  @Test func respelledKindsKeepTheirRules() throws {
    let found = try read([row("Granted"), row("Granted", "lidar"), row("Explanation Shown"), row("App Active")])
    #expect(found.events.map(\.kind) == ["app_active"])
    #expect(
      found.reasons == [
        "permission is missing for the event granted",
        #"permission "lidar" is not a known permission (allow custom permissions to keep it)"#,
        "permission is missing for the event explanation_shown",
      ])
  }

  @Test func customPermissionsStayWhatTheyAre() throws {
    let found = try read(
      [
        row("granted", "lidar"), row("allowed", "lidar"), row("granted", "push"),
        row("push_permission_granted", "lidar"),
      ],
      custom: true)
    #expect(found.events.map { $0.fields["permission"] } == ["lidar", "lidar", "notifications"])
    #expect(found.counts[3] == 1)
  }

  /// What has always been canonical is as it was, whatever stands beside it.
  @Test func canonicalWordsAreUnchanged() throws {
    let found = try read([
      row("granted", "camera", "denied"), row("granted", "camera", "", "denied"), row("denied", "camera", "authorized"),
    ])
    #expect(found.events.map(\.kind) == ["granted", "granted", "denied"])
    #expect(found.counts == [3, 3, 0, 0, 0, 0])
  }

  @Test func aDerivedIdIsThatOfTheCanonicalRow() throws {
    let ids = try [row("granted", "notifications"), row("Push Permission Granted"), row("allowed", "push")].map {
      try read([$0]).events.map(\.event)
    }
    #expect(Set(ids).count == 1)
  }

  /// Random names, permissions and statuses: all forms agree, and no line is lost.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func allFormsAgree(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let events =
      EventKind.names + [
        "Granted", "primer shown", "primer continue", "prompt shown", "opened settings", "zzz",
        "push permission denied",
        "camera_permission_granted", "not granted", "granted?", "did become active", "allowed", "é", "Don’t Allow",
      ]
    let permissions = PermissionCode.taxonomy + ["", "", "push", "Camera", "photos", "pusch", "granted", "not set"]
    let statuses = AuthorizationStatus.names + ["", "", "", "allowed", "Not Determined", "foo", "denied?"]
    let results = ["", "", "", "", "denied", "granted", "false", "shown"]
    func pick(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &random)] }
    let rows = (0..<1500).map { _ in row(pick(events), pick(permissions), pick(statuses), pick(results)) }
    for custom in [false, true] {
      let found = try read(rows, custom: custom)
      #expect(found.counts[1] > 200 && found.counts[3] > 200, "seed \(seed): \(found.counts)")
    }
  }

  @Test func hiddenUsersHideNamesThatMayBeIds() throws {
    var options = Self.options()
    options.rows.userKey = UserKey(Array(repeating: 7, count: 32) + Array("0123456789abcdef".utf8))
    let found = try Self.content(
      Self.csv([
        row("secret@example.com", "camera"), row("granted", "secret"), row("push_permission_granted", "camera"),
      ]),
      options)
    #expect(found.counts[3] == 3)
    #expect(!"\(found.names)\(found.reasons)".contains("secret"))
    #expect(found.names.contains { $0.contains("push_permission_granted") })
  }

  @Test func columnsThatTellAreAskedFor() throws {
    func columns(_ heading: String) throws -> [String] {
      try TableColumns.names(of: .bytes(Array(heading.utf8), name: "t.csv"), options: Self.options())
    }
    #expect(
      try columns("user_id,timestamp,event,permission,result,email\n") == [
        "user_id", "timestamp", "event", "permission", "result",
      ])
  }
}
