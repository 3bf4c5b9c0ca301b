// CSV by RFC 4180: cells, headers, records over several lines, and what is refused.

import Foundation
import Testing

@testable import EventImport

private let header = "user_id,timestamp,event,permission,variant,extra\n"

@Suite struct CSVTests {
  @Test(
    "cells are taken as RFC 4180 writes them",
    arguments: [
      ("u1,1740830400000,granted,camera,B,", "B"),
      (#"u1,2025-03-01T12:00:00Z,granted,camera,"B",x"#, "B"),
      (#"u1,1740830400000,granted,camera,"say ""yes""",x"#, #"say "yes""#),
      (#"u1,1740830400000,granted,camera,"a,b",x"#, "a,b"),
      ("u1,1740830400000,granted,camera,\"two\nlines\",x", "two\nlines"),
      ("u1,1740830400000,granted,camera, B ,x", " B "),
      ("\"u1\",\"1740830400000\",\"granted\",\"camera\",B,x\r", "B"),
      (#"u1,1740830400000,granted,camera,"",x"#, nil),
      (#"u1,1740830400000,granted,camera,"""",x"#, "\""),
    ])
  func cells(record: String, variant: String?) throws {
    for end in ["\n", ""] {
      let outcome = try importText(header + record + end)
      #expect(outcome.rejects == [])
      #expect(outcome.events.map { $0.fields["variant"] } == [variant])
      #expect(outcome.events.map(\.user) == ["u1"])
      #expect(outcome.events.map(\.time) == [1_740_830_400_000])
    }
  }

  @Test(
    "a record that breaks a rule is refused with a reason",
    arguments: [
      ("u1,1740830400000,granted,camera,B", "the record has 5 cells, the header has 6"),
      ("u1,1740830400000,granted,camera,B,x,y", "the record has 7 cells, the header has 6"),
      (#"u1,1740830400000,granted,camera,B"b",x"#, "a quote is inside a cell that is not quoted"),
      (#"u1,1740830400000,granted,camera,"B"b,x"#, "text follows the closing quote of a cell"),
      (
        #"u1,1740830400000,granted,camera,"B,x"#,
        "a quoted cell is not closed, or the record does not have 6 cells"
      ),
      (",1740830400000,granted,camera,B,x", "user_id is missing"),
      ("None,1740830400000,granted,camera,B,x", #"user_id "None" names no user"#),
      (
        "u1,-1740830400000,granted,camera,B,x",
        #"timestamp "-1740830400000" is neither a date with a time (2026-03-02T10:00:00Z) nor an epoch; a mapping can name its format"#
      ),
      ("u1,174083040,granted,camera,B,x", #"timestamp "174083040" is before 2008-01-01T00:00:00Z"#),
      ("u1,1740830400000,,camera,B,x", "event is missing"),
      ("u1,1740830400000,granted,,B,x", "permission is missing for the event granted"),
    ])
  func refused(record: String, reason: String) throws {
    let outcome = try importText(header + record + "\n")
    #expect(outcome.events.isEmpty)
    #expect(outcome.rejects.map(\.reason) == [reason])
    #expect(outcome.rejects.map(\.line) == [2])
  }

  @Test func invalidUTF8IsRefused() throws {
    for field in 0..<5 where field != 1 && field != 2 {
      var cells: [[UInt8]] = ["u1", "1740830400000", "granted", "camera", "B", "x"].map { Array($0.utf8) }
      cells[field].append(0xFF)
      // A character of UTF-8 further down says that the file is no Windows-1252.
      cells[5] += Array("é".utf8)
      let data = Data(header.utf8) + Data(cells.joined(separator: [0x2C]))
      let outcome = try importText(data)
      let name = ["user_id", "", "", "permission", "variant"][field]
      #expect(outcome.rejects.map(\.reason) == ["\(name) is not valid UTF-8"])
    }
  }

  @Test func unknownColumnsAreCountedWhereTheyHaveValues() throws {
    let outcome = try importText(
      "a,user_id,timestamp,event,b\n1,u1,1740830400000,app_active,2\n,u2,1740830400000,app_active,3\n")
    #expect(outcome.counts.ignoredFields == 3)
    #expect(outcome.counts.lines == 2)
    #expect(outcome.events.map(\.user) == ["u1", "u2"])
  }

  @Test(
    "a header must have the required columns, each once",
    arguments: [
      ("user_id,timestamp\n", ImportError.Code.badHeader, "event"),
      ("a,b\n", .badHeader, "user_id, timestamp, event"),
      ("user_id,timestamp,event,status,status\n", .badHeader, "the column status twice"),
      ("user_id,timestamp,event,\"x\n", .badHeader, "misplaced quote"),
    ])
  func badHeader(text: String, code: ImportError.Code, words: String) throws {
    let error = #expect(throws: ImportError.self) { try importText(text, testOptions(format: .csv)) }
    #expect(error?.code == code)
    #expect(error?.line == 1)
    #expect(error?.message.contains(words) == true)
  }

  @Test func lineNumbersCountPhysicalLines() throws {
    let text =
      "\n \n" + header + "\n" + "u1,1740830400000,granted,camera,\"1\n2\n3\",x\n" + "bad\n" + " \t\r\n"
      + "u1,1740830400000,granted,camera,\"1\n2\"x,\nbad\n"
    let outcome = try importText(text)
    #expect(outcome.events.count == 1)
    #expect(outcome.rejects.map(\.line) == [8, 10, 11, 12])
    #expect(outcome.rejects[1].text == Array("u1,1740830400000,granted,camera,\"1".utf8))
    #expect(outcome.counts.lines == 5)
  }

  @Test func aRecordOfMoreThanOneMebibyteIsSkipped() throws {
    for size in [1_100_000, 3_000_000] {
      let long = String(repeating: "long \"\" text\n", count: size / 13)
      let text =
        header + "u1,1740830400000,granted,camera,B,x\n" + "u2,1740830400000,granted,camera,\"\(long)\",x\n"
        + "u3,1740830400000,granted,camera,B,x\nbad\n"
      let outcome = try importText(text)
      #expect(outcome.events.map(\.user) == ["u1", "u3"])
      // Each of its lines is told, and none after it.
      let last = 3 + size / 13
      #expect(outcome.rejects.map(\.line) == Array(3...last) + [last + 2])
      #expect(outcome.rejects.first?.reason == "a quoted cell is not closed, or the record does not have 6 cells")
      #expect(
        outcome.rejects[1].reason == "a quote is inside a cell that is not quoted, after the open quote in line 3")
      #expect(outcome.rejects.last?.reason == "the record has 1 cells, the header has 6")
    }
  }

  @Test func aLineOfMoreThanOneMebibyteIsSkipped() throws {
    for start in ["u2,1740830400000,granted,camera,\"", "\"", ""] {
      let text =
        header + "u1,1740830400000,granted,camera,B,x\n" + start + String(repeating: "x", count: 3_000_000)
        + "\nu3,1740830400000,granted,camera,B,x\nbad\n"
      let outcome = try importText(text)
      #expect(outcome.events.map(\.user) == ["u1", "u3"])
      #expect(outcome.rejects.map(\.line) == [3, 5])
      #expect(outcome.rejects.first?.reason == "the line is longer than 1 MiB")
      #expect(outcome.rejects.first?.text.count == 4096)
    }
  }
}
