// Control characters as they are within a JSON string are refused (RFC 8259, section 7), whichever way a record is read.

import Foundation
import Testing

@testable import EventImport

@Suite struct ControlCharacterTests {
  private static let reason = "the line is not valid JSON: a control character is in a string"

  private func record(_ user: String, _ variant: [UInt8]) -> [UInt8] {
    Array(#"{"user_id":"\#(user)","timestamp":1740830400000,"event":"app_active","variant":""#.utf8) + variant
      + Array(#""}"#.utf8)
  }

  private func joined(_ records: [[UInt8]], _ separator: String) -> [UInt8] {
    Array(records.joined(separator: Array(separator.utf8)))
  }

  /// A line feed ends a line of NDJSON, so that both halves are refused.
  @Test(arguments: UInt8(0)..<0x20) func inALine(control: UInt8) throws {
    let data = Data(joined([record("a", [0x78]), record("b", [0x78, control, 0x79]), record("c", [0x78])], "\n"))
    for usesCommonLine in [true, false] {
      let outcome = try importText(data, usesCommonLine: usesCommonLine)
      #expect(outcome.events.map(\.user) == ["a", "c"])
      #expect(outcome.rejects.count == (control == 0x0A ? 2 : 1))
      if control != 0x0A { #expect(outcome.rejects.map(\.reason) == [Self.reason]) }
    }
  }

  @Test(arguments: UInt8(0)..<0x20) func inADocument(control: UInt8) throws {
    let records = joined([record("a", [0x78]), record("b", [0x78, control, 0x79]), record("c", [0x78])], ",\n")
    for (before, after) in [("[\n", "\n]\n"), ("{\"total\":3,\n\"items\":[", "]}\n"), ("{\"events\": [", "]\n}")] {
      let outcome = try importText(Data(Array(before.utf8) + records + Array(after.utf8)))
      #expect(outcome.events.map(\.user) == ["a", "c"], "\(before)")
      #expect(outcome.rejects.map(\.reason) == [Self.reason], "\(before)")
    }
  }

  /// Documents one after another, of which one is an object without records.
  @Test func inAnObjectAroundNoRecords() throws {
    let good = joined([record("a", [0x78])], "")
    let text = Array("[".utf8) + good + Array("]\n{\"note\":\"x\ny\",\n\"user_id\":\"b\"}\n".utf8)
    let outcome = try importText(Data(text))
    #expect(outcome.events.map(\.user) == ["a"])
    #expect(outcome.rejects.map(\.reason) == [Self.reason])
  }

  @Test func inARecordOfAVendor() throws {
    let line =
      #"{"type":"track","messageId":"m","anonymousId":"a","timestamp":"2025-03-01T10:00:00Z","event":"feature_used","properties":{"feature":"@"}}"#
    for control in ["\t", "\u{1}", "\r", "\n"] {
      let bad = line.replacing("@", with: "x" + control + "y").replacing("\"m\"", with: "\"n\"")
      for text in ["[\(line),\n\(bad)]", "{\"batch\":[\(line),\n\(bad)\n]}"] {
        let outcome = try importText(text)
        #expect(outcome.events.count == 1)
        #expect(outcome.rejects.map(\.reason) == [Self.reason])
      }
    }
  }

  /// Line ends between values are no more than blanks.
  @Test func betweenValuesLineEndsAreBlanks() throws {
    let text = String(decoding: record("a", [0x78]), as: UTF8.self).replacing(",", with: "\r\n,\n\t")
    #expect(try importText("[\(text)]").events.map(\.user) == ["a"])
  }

  /// Both paths agree on control characters anywhere, and no event has one in its text.
  @Test func bothPathsAgree() throws {
    var random = SeededGenerator(seed: 15)
    for _ in 0..<300 {
      var text: [UInt8] = []
      for user in 0..<6 {
        var line = record("user\(user)", Array("variant".utf8))
        for _ in 0..<Int.random(in: 0...1, using: &random) {
          let control = UInt8.random(in: 0..<0x20, using: &random)
          let place = Int.random(in: 0..<line.count, using: &random)
          if Bool.random(using: &random) { line[place] = control } else { line.insert(control, at: place) }
        }
        text += line + [0x0A]
      }
      let common = try importText(Data(text), testOptions(format: .ndjson))
      let general = try importText(Data(text), testOptions(format: .ndjson), usesCommonLine: false)
      #expect(common.events == general.events)
      #expect(common.rejects.map(\.reason) == general.rejects.map(\.reason))
      for event in common.events {
        #expect((Array(event.fields.values) + [event.user]).allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 } })
      }
    }
  }
}
