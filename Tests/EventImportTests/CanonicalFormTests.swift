// The canonical form as spreadsheets and scripts write it: times without a T or seconds, epochs in three units, words in
// another case, ids with blanks. Both paths of the parser agree on each.

import PermissionEvents
import Testing

@testable import EventImport

@Suite struct CanonicalFormTests {
  private static let berlin = zone("Europe/Berlin", 2 * hour, from: 1_761_440_400_000, then: hour)
  /// 2025-03-01T10:00:00Z
  private static let ten: Milliseconds = 1_740_823_200_000

  private func line(_ time: String, user: String = "u1", event: String = "granted", permission: String = "camera")
    -> String
  {
    #"{"event_id":"e","user_id":"\#(user)","timestamp":\#(time),"event":"\#(event)","permission":"\#(permission)"}"#
      + "\n"
  }

  private func read(_ text: String, zone: ZoneTable? = nil, keepsIDs: Bool = false) throws -> ImportOutcome {
    var options = testOptions(format: .ndjson)
    options.inputZone = zone
    options.rows.keepsBlanksOfIDs = keepsIDs
    let fast = try importText(text, options)
    let general = try importText(text, options, usesCommonLine: false)
    #expect(fast.events == general.events && fast.counts == general.counts)
    #expect(fast.rejects.map(\.reason) == general.rejects.map(\.reason))
    return fast
  }

  @Test(arguments: [
    "2025-03-01T10:00:00Z", "2025-03-01 10:00Z", "2025-03-01 10:00 UTC", "2025-03-01 10:00:00 UTC",
    "2025-03-01 10:00:00.000 UTC",
    "2025-03-01 11:00+01", "2025-03-01T11:00:00+0100", "2025-03-01 11:00:00 +01:00", "2025-03-01T05:00:00-0500",
    "2025-03-01 10:00:00,0Z", " 2025-03-01T10:00:00Z ", "1740823200", "1740823200000", "1740823200000000",
  ]) func timesThatNameTheirZone(text: String) throws {
    #expect(try read(line("\"\(text)\"")).events.map(\.time) == [Self.ten], "\(text)")
  }

  @Test(arguments: ["1740823200", "1740823200000", "1740823200000000", "1740823200.0"])
  func epochsByTheirSize(digits: String) throws { #expect(try read(line(digits)).events.map(\.time) == [Self.ten]) }

  /// A second's fraction is read by its digits: half of all thousandths are a little less as binary fractions.
  @Test func secondsKeepTheirThousandths() throws {
    let seconds = Self.ten / 1000
    for quoted in ["", "\""] {
      let lines = (0..<1000).map { line("\(quoted)\(seconds).\(String($0 + 1000).dropFirst())\(quoted)") }
      let times = try read(lines.joined()).events.map(\.time)
      #expect(times == (0..<1000).map { Self.ten + $0 })
    }
    for (text, time) in [
      ("1740823200.5", 500), ("1740823200.1239999", 123), ("1.740823200123e9", 123), ("1.740823200123E+09", 123),
      ("17408232001239e-4", 123), ("0.01740823200123e11", 123), ("1740823200e0", 0), ("1740823200007.9", 7),
      ("1.740823200007e12", 7),
    ] as [(String, Int64)] {
      #expect(try read(line(text)).events.map(\.time) == [Self.ten + time], "\(text)")
    }
    for text in ["1740823200.1.2", "1740823200e", "1740823200e1x", "1e400", "9e15"] {
      #expect(try read(line("\"\(text)\"")).rejects.count == 1, "\(text)")
    }
  }

  @Test(arguments: ["2025-11-01 11:00", "2025-11-01 11:00:00", "2025-11-01T11:00:00.000"])
  func aTimeWithoutAZoneNeedsOne(text: String) throws {
    let refused = try read(line("\"\(text)\""))
    #expect(refused.rejects.map(\.group) == ["timestamp names no zone"])
    #expect(refused.rejects.first?.reason.contains("name the zone of these times") == true)
    #expect(try read(line("\"\(text)\""), zone: Self.berlin).events.map(\.time) == [1_761_991_200_000])
    // What names its zone, and what counts from 1970, is not moved.
    #expect(try read(line("\"2025-03-01T10:00:00Z\""), zone: Self.berlin).events.map(\.time) == [Self.ten])
    #expect(try read(line("1740823200"), zone: Self.berlin).events.map(\.time) == [Self.ten])
  }

  @Test(arguments: [
    "03/03/2026", "03/03/2026 10:00", "2025-03-01", "2025-13-01 10:00", "2025-02-30 10:00", "10:00", "1.77245E+12",
    "2025-03-01 10:00 CET", "2025-03-01 25:00",
  ])
  func whatIsNoTimeIsRefused(text: String) throws {
    #expect(
      try read(line("\"\(text)\""), zone: Self.berlin).rejects.map(\.group) == [
        "timestamp is neither a date with a time nor an epoch"
      ])
  }

  @Test func anotherSpellingIsReadAndCounted() throws {
    let text =
      line("1740823200", event: "Prompt Shown") + line("1740823201", event: "granted", permission: "Photo Library")
      + line("1740823202", event: "StatusChecked", permission: "photoLibrary") + line("1740823203")
    let outcome = try read(text)
    #expect(outcome.events.map(\.kind) == ["prompt_shown", "granted", "status_checked", "granted"])
    #expect(outcome.events.map { $0.fields["permission"] } == ["camera", "photo_library", "photo_library", "camera"])
    #expect(outcome.counts.respelled == 3)
    // A sign that asks or denies is no spelling.
    for event in ["!granted", "Granted?", "granted ❌"] {
      #expect(try read(line("1740823200", event: event)).rejects.count == 1, "\(event)")
    }
    #expect(try read(line("1740823200", permission: "photos?")).rejects.count == 1)
  }

  @Test func anotherSpellingIsTheSameEvent() throws {
    func derived(_ event: String, _ permission: String) throws -> [String] {
      let text = #"{"user_id":"u1","timestamp":1740823200,"event":"\#(event)","permission":"\#(permission)"}"#
      return try read(text + "\n").events.map(\.event)
    }
    #expect(try derived("Granted", "Photo Library") == derived("granted", "photo_library"))
  }

  @Test func blanksAtTheEndsOfIdsAreCut() throws {
    #expect(try read(line("1740823200", user: " u1 ")).events.map(\.user) == ["u1"])
    #expect(try read(line("1740823200", user: "\\u00a0u1")).events.map(\.user) == ["u1"])
    #expect(try read(line("1740823200", user: " u1 "), keepsIDs: true).events.map(\.user) == [" u1 "])
    #expect(try read(line("1740823200", user: "  ")).rejects.map(\.reason) == [#"user_id "" names no user"#])
  }

  @Test func aDateFormatIsTheMappings() throws {
    let mapping = """
      record:
        form: csv
        event: what
        user: who
        time: {from: when, format: "%d/%m/%Y %H:%M", zone: UTC}
      fields:
        permission: permission
      """
    let text =
      "who,what,when,permission\nu1,permission_denied,01/03/2025 10:00,camera\nu1,permission_denied,2025-03-01,camera\n"
    let outcome = try importText(text, testOptions(mapping: mapping))
    #expect(outcome.events.map(\.time) == [Self.ten])
    #expect(outcome.rejects.map(\.group) == ["the time is neither a date with a time nor an epoch"])
  }

  @Test func listsAndSentencesAreNoAnswer() throws {
    let mapping = "extends: segment\n"
    func event(_ properties: String) -> String {
      #"{"type":"track","messageId":"m","anonymousId":"a","timestamp":"2025-03-01T10:00:00Z","event":"Permission Granted","properties":\#(properties)}"#
        + "\n"
    }
    let options = try testOptions(mapping: mapping)
    #expect(try importText(event(#"{"permission":"camera"}"#), options).events.count == 1)
    let long = String(repeating: "not ", count: 40)
    for properties in [
      #"{"permission":["camera","microphone"]}"#, #"{"permission":"camera","result":["denied"]}"#,
      #"{"permission":"camera","result":"\#(long)"}"#, #"{"permission":"camera,microphone"}"#,
    ] { #expect(try importText(event(properties), options).events == [], "\(properties)") }
  }
}
