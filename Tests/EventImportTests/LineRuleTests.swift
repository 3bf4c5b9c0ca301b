// Every rule for a line of NDJSON, as a table of lines and what becomes of them, by both paths.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

private func line(_ changes: String...) -> String {
  var members = [
    "user_id": #""u1""#, "event_id": #""e1""#, "timestamp": #""2025-03-01T12:00:00Z""#, "event": #""granted""#,
    "permission": #""camera""#,
  ]
  for change in changes {
    let parts = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    members[parts[0]] = parts[1].isEmpty ? nil : parts[1]
  }
  return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
}

private let noon: Milliseconds = 1_740_830_400_000

@Suite struct LineRuleTests {
  @Test(
    "a line that breaks a rule is refused with a reason",
    arguments: [
      (line("user_id="), "user_id is missing"),
      (line(#"user_id="""#), "user_id is missing"),
      (line("user_id=null"), "user_id is missing"),
      (line("user_id=true"), "user_id is a boolean, not a string or an integer"),
      (line("user_id=1.5"), "user_id is the number 1.5, not a string or an integer"),
      (line("user_id=1e3"), "user_id is the number 1e3, not a string or an integer"),
      (line("user_id=[1]"), "user_id is an array, not a string or an integer"),
      (line(#"user_id={"a":1}"#), "user_id is an object, not a string or an integer"),
      (line("user_id=\"\(String(repeating: "x", count: 257))\""), "user_id has 257 bytes, more than 256"),
      (line(#"user_id="null""#), #"user_id "null" names no user"#),
      (line(#"user_id=" NaN ""#), #"user_id "NaN" names no user"#),
      (line("user_id=0"), "user_id 0 names no user"),
      (line("user_id=-1"), "user_id -1 names no user"),
      (
        line(#"user_id="00000000-0000-0000-0000-000000000000""#),
        #"user_id "00000000-0000-0000-0000-000000000000" names no user"#
      ),
      (line("event_id=\"\(String(repeating: "x", count: 129))\""), "event_id has 129 bytes, more than 128"),
      (line("event_id=false"), "event_id is a boolean, not a string or an integer"),
      (line("timestamp="), "timestamp is missing"),
      (
        line(#"timestamp="2026-13-01T00:00:00Z""#),
        #"timestamp "2026-13-01T00:00:00Z" is neither a date with a time (2026-03-02T10:00:00Z) nor an epoch; a mapping can name its format"#
      ),
      (
        line(#"timestamp="2025-03-01T00:00:00""#),
        #"timestamp "2025-03-01T00:00:00" names no zone; name the zone of these times"#
      ),
      (
        line(#"timestamp="2025-03-01T24:00:00Z""#),
        #"timestamp "2025-03-01T24:00:00Z" is neither a date with a time (2026-03-02T10:00:00Z) nor an epoch; a mapping can name its format"#
      ),
      (line("timestamp=1.5"), "timestamp 1.5 is before 2008-01-01T00:00:00Z"),
      (line("timestamp=true"), "timestamp is a boolean, not a string or an integer"),
      (
        line(#"timestamp="2007-12-31T23:59:59.999Z""#),
        #"timestamp "2007-12-31T23:59:59.999Z" is before 2008-01-01T00:00:00Z"#
      ),
      (line("timestamp=1740830"), "timestamp 1740830 is before 2008-01-01T00:00:00Z"),
      (line("timestamp=-5"), "timestamp -5 is before 2008-01-01T00:00:00Z"),
      (
        line(#"timestamp="2026-01-02T01:00:00.001Z""#),
        #"timestamp "2026-01-02T01:00:00.001Z" is more than 25 hours in the future (allow future times to keep it)"#
      ),
      (
        line(#"user_id="1.77245E+15""#),
        #"user_id "1.77245E+15" was rounded by a spreadsheet, so different ids became the same; export ids as text"#
      ),
      (
        line(#"timestamp="03/03/2026 10:00""#),
        #"timestamp "03/03/2026 10:00" is neither a date with a time (2026-03-02T10:00:00Z) nor an epoch; a mapping can name its format"#
      ),
      (line("event="), "event is missing"),
      (line(#"event="grantd""#), #"event "grantd" is not a known kind; did you mean granted?"#),
      (
        line(#"event="Push Permission Denied""#),
        #"event "Push Permission Denied" is not understood: its name and its column name different permissions"#
      ),
      (
        line(#"event="granted""#, #"status="Don’t Allow""#),
        #"status "Don’t Allow" contradicts the event granted"#
      ),
      // Two of four letters are another word.
      (
        line(#"permission="wifi""#),
        #"permission "wifi" is not a known permission (allow custom permissions to keep it)"#
      ),
      (
        line(#"permission="camra""#),
        #"permission "camra" is not a known permission (allow custom permissions to keep it); did you mean camera?"#
      ),
      (line("event=7"), "event is the number 7, not a string"),
      (line("permission="), "permission is missing for the event granted"),
      (
        line(#"permission="lidar""#),
        #"permission "lidar" is not a known permission (allow custom permissions to keep it)"#
      ),
      (
        line(#"permission="lidar""#, #"event="app_active""#),
        #"permission "lidar" is not a known permission (allow custom permissions to keep it)"#
      ),
      (line(#"status="ok""#), #"status "ok" is not an authorization status"#),
      (line("status=1"), "status is the number 1, not a string"),
      (line("variant={}"), "variant is an object, not a string"),
      (line("locale=\"\(String(repeating: "é", count: 129))\""), "locale has 258 bytes, more than 256"),
      (#"{"user_id":"a","user_id":"b"}"#, "user_id appears twice"),
      (#"{"status":null,"status":"denied"}"#, "status appears twice"),
      ("[1]", "the line is not a JSON object"),
      ("hello", "the line is not a JSON object"),
      (line("x=tru"), "the line is not valid JSON: its structure is wrong"),
      (line("x=01"), "the line is not valid JSON: a number is not written as JSON requires"),
      (line("x=[1,]"), "the line is not valid JSON: its structure is wrong"),
      (line() + "}", "the line is not valid JSON: its structure is wrong"),
      (line() + line(), "the line is not valid JSON: its structure is wrong"),
      (line(#"x="\q""#), "the line is not valid JSON: a string has an escape that JSON does not know"),
      (line("x=\"\t\""), "the line is not valid JSON: a control character is in a string"),
      (String(line().dropLast()), "the line is not valid JSON: its structure is wrong"),
      (line(#"x="a"#), "the line is not valid JSON: a string is not closed"),
      (
        line("x=" + String(repeating: "[", count: 300) + String(repeating: "]", count: 300)),
        "the line is not valid JSON: it is nested more than 256 deep"
      ),
    ])
  func refused(text: String, reason: String) throws {
    for common in [true, false] {
      let outcome = try importText(text + "\n", testOptions(format: .ndjson), usesCommonLine: common)
      #expect(outcome.events.isEmpty)
      #expect(outcome.rejects.map(\.reason) == [reason])
      #expect(outcome.rejects.first?.text == Array(text.utf8))
      #expect(outcome.counts.lines == 1 && outcome.counts.rejected == 1 && outcome.counts.events == 0)
    }
  }

  @Test(
    "a good line keeps its values",
    arguments: [
      (line(), PlainEvent.expected()),
      (line("user_id=12345678901234567890123"), .expected(user: "12345678901234567890123")),
      (line("user_id=-7"), .expected(user: "-7")),
      (line(#"user_id="é\n\u0041""#), .expected(user: "é\nA")),
      (line("event_id=99"), .expected(event: "99")),
      (
        line(#"user_id="0F8FAD5B-D9CB-469F-A165-70867728950E""#),
        .expected(user: "0F8FAD5B-D9CB-469F-A165-70867728950E")
      ),
      (
        line(#"user_id="0f8fad5b-D9CB-469F-A165-70867728950E""#),
        .expected(user: "0f8fad5b-D9CB-469F-A165-70867728950E")
      ),
      (line("timestamp=1740830400000"), .expected()),
      (line(#"timestamp="2025-03-01T13:00:00.5+01:00""#), .expected(time: noon + 500)),
      (line(#"timestamp="2025-03-01T12:00:00.123456789Z""#), .expected(time: noon + 123)),
      (line(#"timestamp="2025-03-01t12:00:00z""#), .expected()),
      (line(#"timestamp="2026-01-02T01:00:00Z""#), .expected(time: testNow + 25 * 3_600_000)),
      (line(#"timestamp="2008-01-01T00:00:00.000Z""#), .expected(time: 1_199_145_600_000)),
      (line(#"event="app_active""#, "permission="), .expected(kind: "app_active", fields: [:])),
      (line(#"event="feature_used""#), .expected(kind: "feature_used")),
      (line(#"status="limited""#), .expected(status: "limited")),
      (line(#"status="""#, "variant=null", #"surface="""#), .expected()),
      (
        line(#"variant="B""#, #"app_version="5.0.0""#, #"feature="a value of more than sixteen bytes""#),
        .expected(fields: [
          "permission": "camera", "variant": "B", "app_version": "5.0.0",
          "feature": "a value of more than sixteen bytes",
        ])
      ),
      (line("x=1", #"y={"user_id":[{}]}"#, "z=1e999"), .expected()),
      (
        #" { "user\u005fid" : "u1" , "event_id":"e1","timestamp":"2025-03-01T12:00:00Z" ,"#
          + "\t\"event\":\"granted\",\"permission\":\"camera\" } \r", .expected()
      ),
    ])
  func kept(text: String, expected: PlainEvent) throws {
    for common in [true, false] {
      let outcome = try importText(text + "\n", usesCommonLine: common)
      #expect(outcome.rejects == [])
      #expect(outcome.events.map(\.content) == [expected])
    }
  }

  @Test func ignoredFieldsAreCounted() throws {
    let text = line("x=1", "y=null", #"z={"a":[1,2]}"#) + "\n" + line("w=2", "user_id=") + "\n"
    #expect(try importText(text).counts.ignoredFields == 3)
  }

  @Test func invalidUTF8IsRefused() throws {
    var bytes = Array(line(#"variant="??""#).utf8)
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "?")))
    bytes[place] = 0xC3
    let outcome = try importText(Data(bytes), testOptions(format: .ndjson))
    #expect(outcome.rejects.map(\.reason) == ["the line is not valid UTF-8"])
  }

  @Test func customPermissionsAndFutureOnDemand() throws {
    let text = line(#"permission="lidar""#, #"timestamp="2099-12-31T23:59:59.999Z""#) + "\n"
    for common in [true, false] {
      let outcome = try importText(text, testOptions(future: true, custom: true), usesCommonLine: common)
      #expect(outcome.events.map { $0.fields["permission"] } == ["lidar"])
      let late = line(#"timestamp="2100-01-01T00:00:00Z""#)
      #expect(
        try importText(late, testOptions(future: true), usesCommonLine: common).rejects.map(\.reason)
          == [#"timestamp "2100-01-01T00:00:00Z" is not before 2100-01-01T00:00:00Z"#])
    }
  }

  @Test func anotherSpellingIsTheListsAlsoAmongCustomPermissions() throws {
    let text = ["Camera", "lidar", "Photo Library", "MyLidar"].map { line("permission=\"\($0)\"") + "\n" }.joined()
    for common in [true, false] {
      let outcome = try importText(text + text, testOptions(custom: true), usesCommonLine: common)
      #expect(
        outcome.events.map { $0.fields["permission"] }.prefix(4) == ["camera", "lidar", "photo_library", "MyLidar"])
      #expect(outcome.counts.respelled == 4)
    }
  }

  @Test func derivedIdentifiersAreTheSameInEveryForm() throws {
    let plain = line("event_id=", #"variant="B""#)
    let spaced = plain.replacingOccurrences(of: ":\"", with: ": \"").replacingOccurrences(of: ",", with: ", ")
    let csv = "variant,user_id,timestamp,event,permission\nB,u1,1740830400000,granted,camera\n"
    var ids: Set<String> = []
    for common in [true, false] {
      for text in [plain, spaced, csv] {
        let outcome = try importText(text, usesCommonLine: common)
        #expect(outcome.events.count == 1)
        ids.formUnion(outcome.events.map(\.event))
      }
    }
    #expect(ids.count == 1)
    // The function can never change.
    #expect(ids.allSatisfy { $0.count == 36 && Array($0)[14] == "8" })
    let other = try importText(line("event_id=", #"variant="C""#))
    #expect(!ids.contains(other.events.first?.event ?? ""))
  }
}

extension PlainEvent {
  /// The event of the tables' plain line.
  fileprivate static func expected(
    user: String = "u1", event: String = "e1", time: Milliseconds = noon, kind: String = "granted",
    status: String = "", fields: [String: String] = ["permission": "camera"]
  ) -> PlainEvent {
    let hash = Array(user.utf8).withUnsafeBytes { UserHash.of($0) }
    return PlainEvent(
      sequence: 0, user: user, userHash: hash, event: event, time: time, kind: kind, status: status, fields: fields)
  }
}
