// Drafts of mappings: what is guessed, what is shown of it, and that every one is a mapping.

import EventMapping
import Foundation
import Testing

@testable import EventImport

private func draft(_ text: String, path: String = "file") -> String {
  MappingDraft(HeadSketch(Array(text.utf8), isCut: false), path: path).text
}

/// The stories of a file's events, read by its own draft.
private func stories(_ text: String) throws -> [String] {
  try importText(text, testOptions(mapping: draft(text))).stories
}

@Suite struct DraftTests {
  @Test func aTableIsReadByItsDraft() throws {
    let text = """
      device_uuid,event_name,occurred_at,app version,message_variant
      8C1B0000-1111,push_permission_prompt_shown,2025-11-24 18:03:21,3.3.0,B
      8C1B0000-1111,push_permission_denied,2025-11-24 18:03:25,3.3.0,B

      """
    #expect(
      try stories(text) == [
        "8C1B0000-1111 prompt_shown 2025-11-24T18:03:21.000Z B -", "8C1B0000-1111 denied 2025-11-24T18:03:25.000Z B -",
      ])
    for line in [
      "  recognise: [event_name, device_uuid, occurred_at]", #"  user: device_uuid   # guess: "8C1B…""#,
      #"  time: {from: occurred_at, zone: UTC}   # guess: "2025-11-24 1…""#,
      #"  app_version: "app version"   # guess: "3.3.0""#,
      "#   push_permission_denied",
    ] { #expect(draft(text).contains(line + "\n"), "\(line)") }
  }

  @Test func nestedLinesAreReadByTheirDraft() throws {
    let text =
      #"{"props":{"permission":"camera","outcome":"denied","copy":"B"},"action":"permission_result","ts":1764007405123,"who":{"device_id":"d1"},"account_id":7}"#
      + "\n"
    #expect(try stories(text) == ["d1 denied 2025-11-24T18:03:25.123Z B -"])
    let made = draft(text)
    #expect(made.contains("  account: /account_id   # guess: \"7\"; for users by their account\n"))
    #expect(made.contains("milliseconds since 1970, judging by its size") && made.contains("  properties: [/props]\n"))
  }

  @Test func whatIsNotFoundIsALineToFillIn() throws {
    let made = draft("{\"a\":1}\n")
    for line in ["event: {name: Unnamed Event}   # not found", "user: /fill_in", "time: /fill_in", "# id: not found"] {
      #expect(made.contains("  " + line), "\(line)")
    }
    #expect(!made.contains("\n  recognise:"))
    _ = try Mapping(yaml: Array(made.utf8), name: "m")
  }

  @Test func separatorsAreCounted() throws {
    for (separator, name) in [(",", "commas"), (";", "semicolons"), ("\t", "tabs"), ("|", "bars")] {
      let rows = [["uid", "what", "note, or; so"], ["1", "a b", "\"x\(separator)y\""]].map {
        $0.joined(separator: separator)
      }
      let text = rows.joined(separator: "\n") + "\n"
      if separator != "," && separator != ";" {
        #expect(draft(text).contains("form: csv   # a heading, and \(name) between the cells (counted)"))
      }
      let quoted = "uid\(separator)what\n1\(separator)\"a\(separator)b\"\n"
      #expect(draft(quoted).contains("and \(name) between"))
    }
  }

  @Test func littleIsShownOfValues() throws {
    let id = "anna.smith@example.com"
    let text =
      #"{"user_id":"\#(id)","event":"tap","id":"0a4c7c3e-2f50-4c1f","variant":"a very long value of a field"}"# + "\n"
    let made = draft(text)
    #expect(!made.contains("anna.") && made.contains("\"anna…\"") && made.contains("\"a very long …\""))
    #expect(!made.contains("0a4c7"))
  }

  @Test func hostileKeysStayInTheirQuotes() throws {
    let keys = [
      "a: b\n# x", "\u{2028}user_id", "\"]}", "\u{1B}[2J", "é", "a/b~c", "null", "", "\u{85}", "\u{FEFF}event", "%a",
      "- x",
    ]
    for key in keys {
      for base in ["user_id", "event", "ts", "version"] {
        let object = [key: [base: base == "ts" ? "2025-11-24T18:03:25Z" : key]]
        let text = String(decoding: try JSONEncoder().encode(object), as: UTF8.self) + "\n"
        let made = draft(text, path: key)
        _ = try Mapping(yaml: Array(made.utf8), name: "m")
      }
    }
    let made = draft(#"{"a/b~c":{"user_id":"1"}}"#)
    #expect(made.contains("user: \"/a~1b~0c/user_id\""))
  }

  @Test func everyDraftIsAMappingWhateverTheFile() throws {
    var random = SeededGenerator(seed: 7)
    let names = [
      "mappings/braze/custom_events.jsonl", "mappings/clevertap/page.json", "ga4/array.json", "snowplow/enriched.tsv",
      "segment/batch.json",
    ]
    for name in names {
      let whole = Array(try Samples.text(name).utf8)
      for round in 0..<60 {
        var bytes = Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...8, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        let made = MappingDraft(HeadSketch(bytes, isCut: Bool.random(using: &random)), path: name).text
        do {
          _ = try Mapping(yaml: Array(made.utf8), name: "m")
        } catch {
          Issue.record("seed 7, \(name), round \(round): \(error)\n\(made)")
        }
      }
    }
  }
}

@Suite struct JSONTreeTests {
  private func read(_ text: String) -> (value: JSONTree?, isCut: Bool, isBroken: Bool) {
    var reader = JSONTreeReader(Array(text.utf8)[...])
    let value = reader.value()
    return (value, reader.isCut, reader.isBroken)
  }

  @Test func wholeValues() {
    let text = #" {"a":[1,-2.5e3,true,null,"x\n\u00e9\ud83d\ude00\ud83d"],"b":{}} "#
    let expected: JSONTree = .object([
      .init(
        key: "a",
        value: .list([.number("1"), .number("-2.5e3"), .boolean(true), .null, .text("x\né😀\u{FFFD}")])),
      .init(key: "b", value: .object([])),
    ])
    let result = read(text)
    #expect(result.value == expected && !result.isCut && !result.isBroken)
  }

  @Test func whatIsThereOfOthers() {
    let first: JSONTree = .object([.init(key: "a", value: .number("1"))])
    for text in [#"{"a":1,"b"#, #"{"a":1,"b":"#, #"{"a":1,"#, #"{"a":1"#, #"{"a":1,"b":"\u00"#] {
      let result = read(text)
      #expect(result.value == first && result.isCut && !result.isBroken, "\(text)")
    }
    for text in [#"{"a":1,b:2}"#, #"{"a":1,"b" 2}"#, #"{"a":1,"b":oops}"#] {
      let result = read(text)
      #expect(result.value == first && result.isBroken, "\(text)")
    }
    let deep = read(String(repeating: "[", count: 100_000))
    #expect(deep.isBroken)
    #expect(read("").isCut)
  }
}
