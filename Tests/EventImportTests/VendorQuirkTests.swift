// What is peculiar to each vendor: times, ids, people, and the ways in which nothing is written.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

private func json(_ object: [String: Any]) throws -> String {
  String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self) + "\n"
}

/// An Amplitude event; `changes` replace its members.
private func amplitude(_ type: String, _ changes: [String: Any] = [:]) throws -> String {
  try json(
    [
      "event_type": type, "event_time": "2025-11-24 18:03:21.412000", "device_id": "dev-12345678", "user_id": NSNull(),
      "$insert_id": "insert-1", "uuid": "row-1", "event_properties": [String: Any](),
    ].merging(changes) { $1 })
}

private func mixpanel(_ event: String, _ properties: [String: Any]) throws -> String {
  try json([
    "event": event,
    "properties": ["distinct_id": "person-123456", "$insert_id": "aaaa", "permission": "camera"].merging(properties) {
      $1
    },
  ])
}

private func ga4(_ name: String, _ changes: [String: Any] = [:]) throws -> String {
  try json(
    [
      "event_name": name, "event_timestamp": "1764007405717000", "user_pseudo_id": "8D59CE7133E03F61",
      "event_bundle_sequence_id": "22", "event_params": [[String: Any]](),
    ].merging(changes) { $1 })
}

@Suite struct AmplitudeQuirkTests {
  @Test func timesInAllTheirForms() throws {
    for time in [
      "2025-11-24 18:03:21.412000", "2025-11-24T18:03:21.412000", "2025-11-24T18:03:21.412Z", "2025-11-24 18:03:21.412",
    ] {
      let outcome = try importText(amplitude("push_permission_granted", ["event_time": time]))
      #expect(outcome.events.map { Timestamp.text($0.time) } == ["2025-11-24T18:03:21.412Z"], "\(time)")
    }
    let bad = try importText(amplitude("push_permission_granted", ["event_time": "24.11.2025"]))
    #expect(bad.rejects.map(\.reason) == [#"the time "24.11.2025" is neither a date with a time nor an epoch"#])
  }

  @Test func anEmptyInsertIDGivesWayToTheRow() throws {
    for empty in ["", NSNull()] as [Any] {
      let outcome = try importText(amplitude("push_permission_granted", ["$insert_id": empty]))
      #expect(outcome.events.map(\.event) == ["row-1"])
    }
  }

  @Test func theInsertIDIsUniqueWithinADevice() throws {
    let lines = try ["dev-12345678", "dev-87654321"].map {
      try amplitude("push_permission_granted", ["device_id": $0, "user_id": "account-1"])
    }.joined()
    let byDevice = try importText(lines)
    #expect(byDevice.events.map(\.user) == ["dev-12345678", "dev-87654321"])
    #expect(byDevice.events.map(\.event) == ["insert-1", "insert-1"])
    var options = testOptions()
    options.rows.identity = .account
    let byAccount = try importText(lines, options)
    #expect(byAccount.events.map(\.user) == ["account-1", "account-1"])
    #expect(Set(byAccount.events.map(\.event)).count == 2)
    #expect(try importText(lines, options).events == byAccount.events)
  }

  @Test func idsThatStandForNobody() throws {
    let account = try importText(
      amplitude("push_permission_granted", ["device_id": "unknown", "user_id": "account-1"]))
    #expect(account.events.map(\.user) == ["account-1"])
    let nobody = try importText(
      amplitude("push_permission_granted", ["device_id": "00000000-0000-0000-0000-000000000000"]))
    #expect(
      nobody.rejects.map(\.reason) == [
        #"user_id "00000000-0000-0000-0000-000000000000" names no user"#
      ])
    let none = try importText(amplitude("push_permission_granted", ["device_id": NSNull()]))
    #expect(
      none.rejects.map(\.reason) == [
        "user_id is missing: the record has no value at /device_id, /user_id, /amplitude_id"
      ])
    // Of an event that nobody asked for nothing is asked either.
    #expect(try importText(amplitude("purchase", ["device_id": NSNull()])).counts.unmapped == 1)
  }

  @Test func numbersBeyondEverything() throws {
    let long = "123456789012345678901234567890"
    let line = try amplitude("push_permission_granted").replacingOccurrences(
      of: "{", with: #"{"amplitude_id":\#(long),"x":-\#(long).5e300,"#, options: [], range: nil)
    let first = line.replacingOccurrences(
      of: #""event_properties":{"amplitude_id":\#(long),"x":-\#(long).5e300,}"#, with: #""event_properties":{}"#)
    #expect(try importText(first).events.count == 1)
    let time = try importText(
      amplitude("push_permission_granted").replacingOccurrences(
        of: #""2025-11-24 18:03:21.412000""#, with: long))
    #expect(time.events.isEmpty && time.rejects.first?.reason.contains("hours in the future") == true)
  }
}

@Suite struct DuplicateKeyTests {
  @Test(arguments: [
    (#""properties":{"permission":"camera"},"properties":{"status":"restricted"}"#, "camera restricted"),
    (#""properties":{"permission":"camera","Permission":"contacts"}"#, "camera "),
    (#""properties":{"permission":"camera"},"properties":{"permission":"contacts"}"#, "permission appears twice"),
    (#""properties":{"permission":"camera"},"messageId":"m2""#, "/messageId appears twice"),
  ]) func keysThatStandTwice(members: String, meaning: String) throws {
    let outcome = try importText(
      #"{"type":"track","event":"permission_denied","messageId":"m1","anonymousId":"dev-1234","#
        + #""timestamp":"2025-11-24T18:03:25.957Z",\#(members)}"# + "\n")
    #expect(
      outcome.events.map { "\($0.fields["permission"] ?? "-") \($0.status)" } + outcome.rejects.map(\.reason)
        == [meaning])
  }
}

@Suite struct MixpanelQuirkTests {
  @Test func secondsAndMillisecondsOfOneEventAreOne() throws {
    let outcome = try importText(
      mixpanel("permission_granted", ["time": 1_764_007_405])
        + mixpanel("permission_granted", ["time": 1_764_007_405_717])
        + mixpanel("permission_granted", ["time": "1764007405"]))
    #expect(Set(outcome.events.map(\.event)).count == 1)
    #expect(outcome.events.map { $0.time % 1000 } == [0, 717, 0])
    let other = try importText(mixpanel("permission_denied", ["time": 1_764_007_405]))
    #expect(other.events.first?.event != outcome.events.first?.event)
  }

  @Test func withoutAnInsertIDTheContentIsTheID() throws {
    let outcome = try importText(
      mixpanel("permission_granted", ["time": 1_764_007_405, "$insert_id": NSNull()])
        + mixpanel("permission_granted", ["time": 1_764_007_406, "$insert_id": NSNull()]))
    #expect(Set(outcome.events.map(\.event)).count == 2)
  }

  /// Also of events without a key: the zone is no part of who an event is.
  @Test func aForgottenZoneDoublesNothing() throws {
    for id in ["aaaa", NSNull()] as [Any] {
      let line = try mixpanel("permission_granted", ["time": 1_764_007_405, "$insert_id": id])
      var options = testOptions()
      let plain = try importText(line, options)
      options.projectZone = zone("America/Los_Angeles", -8 * hour)
      let zoned = try importText(line, options)
      #expect(plain.events.map(\.event) == zoned.events.map(\.event))
      #expect(zoned.events.map(\.time) == plain.events.map { $0.time + 8 * hour })
    }
  }

  @Test func aTimeBeyondEverythingIsTooLateInAnyZone() throws {
    var options = testOptions()
    options.projectZone = zone("America/Los_Angeles", -8 * hour)
    let outcome = try importText(
      mixpanel("permission_granted", ["time": 1]).replacing("\"time\":1", with: "\"time\":99999999999999999999"),
      options)
    #expect(outcome.rejects.count == 1 && outcome.rejects.first?.reason.contains("hours in the future") == true)
  }

  @Test func devicesAndAccounts() throws {
    let line = try mixpanel(
      "permission_granted", ["time": 1_764_007_405, "distinct_id": "$device:abcdef-1", "$user_id": "acc-12345"])
    #expect(try importText(line).events.map(\.user) == ["abcdef-1"])
    var options = testOptions()
    options.rows.identity = .account
    #expect(try importText(line, options).events.map(\.user) == ["acc-12345"])
  }

  @Test func theWallClockOfAnOldProject() throws {
    // Los Angeles: summer time ended on 2025-11-02 at 09:00 UTC, when the clocks went from 02:00 back to 01:00.
    let change: Milliseconds = 1_762_074_000_000
    let losAngeles = zone("America/Los_Angeles", -7 * hour, from: change, then: -8 * hour)
    // Berlin: summer time began on 2025-03-30 at 01:00 UTC; 02:00 to 03:00 was not shown.
    let spring: Milliseconds = 1_743_296_400_000
    let berlin = zone("Europe/Berlin", hour, from: spring, then: 2 * hour)
    let cases: [(ZoneTable, Milliseconds, Milliseconds)] = [
      // An hour that was shown twice: the first one.
      (losAngeles, change - 7 * hour - hour / 2, change - hour / 2),
      (losAngeles, change - 8 * hour + hour / 2 + hour, change + hour / 2 + hour),
      (losAngeles, change - 10 * hour, change - 3 * hour),
      // An hour that was not shown.
      (berlin, spring + hour + hour / 2, spring + hour / 2),
      (berlin, spring + 2 * hour, spring),
    ]
    for (zone, wall, utc) in cases {
      var options = testOptions()
      options.projectZone = zone
      let outcome = try importText(mixpanel("permission_granted", ["time": wall / 1000]), options)
      #expect(outcome.events.map(\.time) == [utc], "\(zone.name) \(wall)")
    }
  }
}

@Suite struct OtherVendorQuirkTests {
  @Test func segmentCallsThatAreNoEvents() throws {
    let lines = try ["identify", "group", "alias", "page"].map {
      try json([
        "type": $0, "messageId": "m-" + $0, "anonymousId": "anon-12345", "timestamp": "2025-11-24T18:03:25.957Z",
      ])
    }.joined()
    let outcome = try importText(lines)
    #expect(outcome.counts.unmapped == 3 && outcome.rejects.isEmpty)
    #expect(outcome.events.map(\.kind) == ["app_active"])
    let screen = try json([
      "type": "screen", "name": "Camera Permission Primer", "messageId": "m", "anonymousId": "anon-12345",
      "timestamp": "2025-11-24T18:03:25.957Z",
    ])
    #expect(try importText(screen).events.map(\.kind) == ["explanation_shown"])
    let later = try json([
      "type": "track", "event": "Camera Permission Granted", "userId": "acc-12345", "messageId": "m",
      "originalTimestamp": "2025-11-24T18:03:25.957+01:00",
    ])
    #expect(try importText(later).stories == ["acc-12345 granted 2025-11-24T17:03:25.957Z - -"])
  }

  @Test func ga4KeysAndAbsences() throws {
    let nobody = try importText(ga4("push_permission_granted", ["user_pseudo_id": NSNull()]))
    #expect(
      nobody.rejects.map(\.reason) == ["user_id is missing: the record has no value at /user_pseudo_id, /user_id"])
    let ids = try [
      ga4("push_permission_granted"), ga4("push_permission_granted", ["event_timestamp": 1_764_007_405_717_000]),
      ga4("push_permission_granted", ["event_bundle_sequence_id": "23"]), ga4("push_permission_denied"),
      ga4("push_permission_granted", ["batch_event_index": "1"]),
    ].map { try importText($0).events[0].event }
    #expect(ids[0] == ids[1])
    // The batch fields are columns of one table and parameters of another, so that they are no part of an id.
    #expect(ids[4] == ids[0])
    #expect(Set(ids).count == 3)
    // The key after the value, values of every kind, a parameter that is not set.
    let odd = try importText(
      ga4("push_permission_granted").replacingOccurrences(
        of: #""event_params":[]"#,
        with:
          #""event_params":[{"value":{"string_value":null,"int_value":"2"},"key":"variant"},{"key":"surface","value":{"string_value":"(not set)"}},{"key":"feature","value":null},{"key":"experiment","value":{"double_value":1.5}}]"#
      ))
    #expect(odd.events.first?.fields["variant"] == "2")
    #expect(odd.events.first?.fields["experiment"] == "1.5")
    #expect(odd.events.first?.fields["surface"] == nil)
  }

  @Test func oneUUIDOfTwoEventsInPostHog() throws {
    func line(_ event: String, _ time: String) throws -> String {
      try json([
        "uuid": "u-1", "event": event, "distinct_id": "person-123", "timestamp": time,
        "properties": ["permission": "camera"],
      ])
    }
    let outcome = try importText(
      line("permission_granted", "2025-11-24T18:03:21.412000+00:00")
        + line("permission_denied", "2025-11-24T18:03:21.412000+00:00")
        + line("permission_granted", "2025-11-24 18:03:21.412"))
    #expect(outcome.events.count == 3)
    #expect(outcome.events[0].event == outcome.events[2].event)
    #expect(outcome.events[0].event != outcome.events[1].event)
  }

  @Test func snowplowsOlderColumnsAndTimes() throws {
    let line = try Samples.text("snowplow/enriched.tsv").split(separator: "\n")[0].split(
      separator: "\t", omittingEmptySubsequences: false)
    // 108 columns: no derived time, so the device's own counts; and no event name.
    var old = line[..<108].map(String.init)
    old[4] = "2025-11-24 18:03:25"
    let outcome = try importText(old.joined(separator: "\t") + "\n")
    #expect(outcome.counts.lines == 1 && outcome.counts.unmapped == 1)
    old[53] = "permission"
    old[54] = "denied"
    #expect(
      try importText(old.joined(separator: "\t") + "\r\n").stories == [
        "0a1b2c3d-1111-2222-3333-444455556666 denied 2025-11-24T18:03:25.000Z B -"
      ])
    let short = try importText(line.joined(separator: "\t") + "\n" + line[..<40].joined(separator: "\t") + "\n")
    #expect(short.events.count == 1)
    #expect(short.rejects.map(\.reason) == ["the record has 40 cells, at least 59 are needed"])
    var torn = line.map(String.init)
    torn[52] = #"{"schema":"#
    #expect(
      try importText(torn.joined(separator: "\t") + "\n").rejects.map(\.reason).first?.contains("not valid JSON")
        == true)
  }

  @Test func stepsOfOneSecondKeepTheirOrder() throws {
    let steps = [
      "permission_settings_opened", "permission_granted", "permission_prompt_shown", "permission_primer_shown",
      "permission_settings_prompt_shown",
    ]
    let lines = try steps.map { try mixpanel($0, ["time": 1_764_007_405]) }.joined()
    let kinds = try importText(lines).events.compactMap { event in EventKind.names.firstIndex(of: event.kind) }
    // The log sorts by time, then by kind: the order of a journey.
    #expect(
      kinds.sorted().map { EventKind.names[$0] } == [
        "explanation_shown", "prompt_shown", "granted", "settings_prompt_shown", "settings_opened",
      ])
  }

  @Test func aTableThroughAMapping() throws {
    let options = try testOptions(
      mapping: """
        record:
          form: csv
          recognise: [Device, When]
          event: What
          user: Device
          time: {from: When, unit: seconds}
        fields:
          variant: Copy
        """)
    let outcome = try importText(
      "When,What,Device,Copy,E-Mail\n1764007405,\"Camera Permission, Denied\",dev-1234,A,a@b.c\n1764007406,x,dev-1234,,\n",
      options)
    #expect(outcome.stories == ["dev-1234 denied 2025-11-24T18:03:25.000Z A -"])
    #expect(outcome.counts.unmapped == 1 && outcome.counts.ignoredFields == 1)
  }

  @Test func shortRecordsFitIntoBatches() throws {
    let options = try testOptions(
      mapping:
        "record: {form: csv, event: {name: app_open}, user: u, time: t}\notherwise: [{event: app_open, kind: app_active}]\n"
    )
    let count = 70_000
    let outcome = try importText("u,t\n" + String(repeating: "1,1.7e9\n", count: count), options)
    #expect(outcome.counts.events == count)
    #expect(Set(outcome.events.map(\.sequence)).count == count)
  }

  @Test func cellsAreCheckedToBeText() throws {
    let options = try testOptions(mapping: "record: {form: csv, event: e, user: u, time: t}\n")
    var data = Data("u,t,e,surface\na1,1764007405,camera_permission_granted,".utf8)
    // A character of UTF-8 says that the file is no Windows-1252.
    data.append(contentsOf: [0xC3, 0xA9, 0xC3, 0x28, 0x0A])
    let mapped = try testOptions(
      mapping: "record: {form: csv, event: e, user: u, time: t}\nfields: {surface: surface}\n")
    #expect(try importText(data, options).events.count == 1)
    #expect(try importText(data, mapped).rejects.map(\.reason) == ["surface is not valid UTF-8"])
  }

  @Test func aMappingMayBeMovedWithoutNewIDs() throws {
    let text = "record: {event: /e, user: /u, time: /t, id: {derived_from: [/e, /t]}}\n"
    let line = #"{"e":"camera_permission_granted","u":"a1","t":1764007405}"# + "\n"
    let ids = try ["a.yaml", "b/c.yaml"].map {
      try importText(line, testOptions(mapping: text, name: $0)).events.map(\.event)
    }
    #expect(ids[0] == ids[1] && ids[0].count == 1)
  }

  @Test func textsThatCannotBeKeptAreAbsent() throws {
    let outcome = try importText(
      amplitude(
        "push_permission_granted",
        [
          "event_properties": [
            "variant": String(repeating: "x", count: 257), "surface": ["a", "b"], "experiment": true,
          ]
        ]))
    #expect(outcome.events.map(\.fields) == [["permission": "notifications", "experiment": "true"]])
  }

  /// A mapping may leave fields out that the preset reads.
  @Test func fieldsThatAMappingDoesNotStore() throws {
    let line =
      #"{"event_type":"push_permission_granted","event_time":"2025-11-24 18:03:21","device_id":"d1","country":"Germany","#
      + #""language":"German","platform":"iOS","version_name":"3.2","event_properties":{"variant":"B"}}"# + "\n"
    let whole = try importText(line)
    #expect(
      Set(whole.events[0].fields.keys).isSuperset(of: ["country", "locale", "platform", "app_version", "variant"]))
    let mapping = "extends: amplitude\nfields: {country: [], locale: [], variant: []}\n"
    let some = try importText(line, testOptions(mapping: mapping))
    #expect(some.counts.rejected == 0 && some.events.count == 1)
    var expected = whole.events[0].fields
    for name in ["country", "locale", "variant"] { expected[name] = nil }
    #expect(some.events.map(\.fields) == [expected])
  }
}
