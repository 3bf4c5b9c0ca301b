// CSV as spreadsheets and warehouses write it: delimiters, headings, line ends, empty cells, and headings further down.

import Foundation
import Testing

@testable import EventImport

private let time = "1740830400000"

@Suite struct CSVDialectTests {
  private func table(_ delimiter: String, _ rows: [[String]], end: String = "\n") -> String {
    rows.map { $0.joined(separator: delimiter) + end }.joined()
  }

  private static let rows = [
    ["user_id", "timestamp", "event", "permission", "variant"],
    ["u1", time, "granted", "camera", "a"], ["u2", "2025-03-01T12:00:00Z", "denied", "camera", ""],
  ]

  @Test(arguments: [",", ";", "\t", "|"], ["\n", "\r\n", "\r", "\r\r\n"])
  func everyDelimiterAndLineEnd(delimiter: String, end: String) throws {
    let text = table(delimiter, Self.rows + [["bad"]], end: end)
    for text in [text, "\u{FEFF}" + text, text + table(delimiter, [Self.rows[0]], end: "")] {
      let outcome = try importText(text)
      #expect(outcome.events.map(\.user) == ["u1", "u2"])
      #expect(outcome.events.map(\.time) == [1_740_830_400_000, 1_740_830_400_000])
      #expect(outcome.events.map { $0.fields["variant"] } == ["a", nil])
      #expect(outcome.rejects.map(\.line) == [4])
      #expect(outcome.rejects.map(\.reason) == ["the record has 1 cells, the header has 5"])
      #expect(outcome.rejects.map(\.text) == [Array("bad".utf8)])
    }
  }

  @Test func otherDelimitersInsideOfCellsDoNotMislead() throws {
    let text = table(";", [Self.rows[0] + ["a,b,c|d"], ["u1", time, "granted", "camera", "x,y,z|1\t2", "1,5,6"]])
    #expect(try importText(text).events.map { $0.fields["variant"] } == ["x,y,z|1\t2"])
    let quoted = table(";", [Self.rows[0], ["u1", time, "granted", "camera", "\"a;b\nc\""]])
    #expect(try importText(quoted).events.map { $0.fields["variant"] } == ["a;b\nc"])
  }

  @Test func spreadsheetsMayNameTheDelimiter() throws {
    let outcome = try importText("sep=;\r\n" + table(";", Self.rows + [["bad"]], end: "\r\n"))
    #expect(outcome.events.map(\.user) == ["u1", "u2"])
    #expect(outcome.rejects.map(\.line) == [5])
  }

  @Test(
    arguments: [
      "User ID,Event, TIMESTAMP ,permission,app version", "userId,event,timestamp,Permission,appVersion",
      "\"User_Id\",EVENT,Timestamp,PERMISSION,App-Version", "USERID,event,timestamp,permission,app.version",
    ])
  func headingsInAnySpelling(heading: String) throws {
    let outcome = try importText(heading + "\nu1,granted,\(time),camera,1.2\n")
    #expect(outcome.events.map(\.user) == ["u1"])
    #expect(outcome.events.map { $0.fields["app_version"] } == ["1.2"])
    #expect(outcome.counts.ignoredFields == 0)
  }

  @Test func twoColumnsOfOneFieldAreNamed() throws {
    let error = #expect(throws: ImportError.self) { try importText("user_id,User ID,timestamp,event\n") }
    #expect(error?.code == .badHeader)
    #expect(error?.message.contains("two columns for user_id, user_id and User ID; keep one") == true)
  }

  @Test func lineEndsOfSeveralKindsLoseNothing() throws {
    let rows = [
      "user_id,timestamp,event", "a,\(time),app_active", "b,\(time),app_active", "c,\(time),app_active", "bad",
    ]
    var random = SeededGenerator(seed: 9)
    for round in 0..<60 {
      let text = rows.map { $0 + (["\r", "\n", "\r\n"].randomElement(using: &random) ?? "\n") }.joined()
      let outcome = try importText(text)
      #expect(outcome.events.map(\.user) == ["a", "b", "c"], "seed 9, round \(round)")
      #expect(outcome.rejects.map(\.line) == [5], "seed 9, round \(round)")
    }
    // Inside of quotes a carriage return is text.
    let quoted = try importText("user_id,timestamp,event,variant\na,\(time),app_active,\"x\ry\"\n")
    #expect(quoted.events.map { $0.fields["variant"] } == ["x\ry"])
  }

  @Test func emptyCellsAtTheEndAreNoFault() throws {
    let outcome = try importText(
      "user_id,timestamp,event,,\nu1,\(time),app_active\nu2,\(time),app_active,note\nu3,\(time),app_active,,,,\n"
        + "u4,\(time),app_active,,,x\n,,,,\nu5,\(time)\n")
    #expect(outcome.events.map(\.user) == ["u1", "u2", "u3"])
    #expect(outcome.counts.ignoredFields == 1)
    #expect(
      outcome.rejects.map(\.reason) == [
        "the record has 6 cells, the header has 3", "the record has 2 cells, the header has 3",
      ])
    #expect(outcome.rejects.map(\.line) == [5, 7])
  }

  @Test func theSameHeadingAgainIsPassedOver() throws {
    let rows = "u1,\(time),app_active,x\n"
    for heading in [
      "user_id,timestamp,event,note", "\u{FEFF}User ID,TIMESTAMP,Event,note",
      "\u{FEFF}\"user_id\",\"timestamp\",event,note,",
    ] {
      let outcome = try importText("user_id,timestamp,event,note\n" + rows + heading + "\nbad\n" + rows)
      #expect(outcome.events.count == 2 && outcome.counts.lines == 3, "\(heading)")
      #expect(outcome.rejects.map(\.line) == [4], "\(heading)")
    }
  }

  @Test(arguments: ["timestamp,user_id,event", "user_id,timestamp,event,note", "user_id,timestamp,event,status,x"])
  func anotherHeadingRefusesTheFile(heading: String) throws {
    let rows = "u1,\(time),app_active\n"
    for threads in 1...3 {
      let text = "user_id,timestamp,event\n" + String(repeating: rows, count: 30_000) + heading + "\n" + rows
      let error = #expect(throws: ImportError.self) { try importText(text, testOptions(threads: threads)) }
      #expect(error?.code == .badHeader)
      #expect(error?.line == 30_002)
      #expect(error?.message.hasSuffix("line 30002: a second heading with other columns; split the file there") == true)
    }
  }

  @Test func mappingsReadEveryDialect() throws {
    let mapping = "record:\n  form: csv\n  event: Event Name\n  user: Device\n  time: When\n"
    let rows = [
      [" Event Name ", "Device", "When", "", ""], ["push_permission_denied", "d1", "2025-11-24T18:03:25Z"],
      ["Event Name", "Device", "When", "", ""], ["push_permission_denied", "d2", "2025-11-24T18:03:25Z", "", "", ""],
    ]
    for delimiter in CSVShape.delimiters.map({ String(UnicodeScalar($0)) }) {
      for end in ["\n", "\r"] {
        let outcome = try importText(table(delimiter, rows + [["x"]], end: end), testOptions(mapping: mapping))
        #expect(outcome.events.map(\.user) == ["d1", "d2"], "\(delimiter)")
        #expect(outcome.events.map(\.kind) == ["denied", "denied"])
        #expect(outcome.rejects.map(\.line) == [5])
      }
    }
  }

  @Test func aHeadedTableOfManyTabsIsNoSnowplow() throws {
    let extra = (0..<130).map { "c\($0)" }
    let text = table("\t", [Self.rows[0] + extra, Self.rows[1] + extra])
    #expect(try importText(text).events.map(\.user) == ["u1"])
  }
}
