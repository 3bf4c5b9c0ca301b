// Batches with their events in a list, and files packed by Brotli.

import Foundation
import Testing

@testable import EventImport

@Suite struct BatchTests {
  private static let mapping = """
    record:
      each: /events
      recognise: [/mpid, /events]
      event: /record/name
      user: /batch/mpid
      time: /record/ms
    """

  private func lines(_ text: String, room: Int = 1 << 16) throws -> String {
    let source = BatchSource(MemorySource(Array(text.utf8)), each: "events")
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { memory.deallocate() }
    var out: [UInt8] = []
    while true {
      let count = try source.read(into: memory)
      if count == 0 { return String(decoding: out, as: UTF8.self) }
      out += memory[..<count]
    }
  }

  @Test func eachEventHasWhatTheBatchSays() throws {
    let text = """
      {"a":"x,}]\\"","events":[{"n":1}, 2 ,"s"],"b":{"c":[1,{"d":2}]}}
      {"events":[]}
      { "events" : [ {} ] }
      """
    for room in [1, 7, 1 << 16] {
      #expect(
        try lines(text, room: room) == """
          {"batch":{"a":"x,}]\\"","b":{"c":[1,{"d":2}]}},"record":{"n":1}}
          {"batch":{"a":"x,}]\\"","b":{"c":[1,{"d":2}]}},"record":2}
          {"batch":{"a":"x,}]\\"","b":{"c":[1,{"d":2}]}},"record":"s"}
          {"batch":{},"record":{}}

          """)
    }
  }

  @Test(arguments: [
    "", "\n", "x", "{", "[]", "{}", #"{"events":{}}"#, #"{"events":[1"#, #"{"events":[1]} x"#,
    #"{"events":[1],"events":[2]}"#,
    #"{"a":1,}"#, #"{"events":[1],"a"}"#, #"{"a":"\"#,
  ])
  func whatIsNoBatchStays(text: String) throws {
    #expect(try lines(text) == text)
    #expect(try lines(text + "\n" + text) == text + "\n" + text)
  }

  /// Any bytes: what comes out is the lines, or their elements.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func anyBytes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array(#"{}[]",:\ev1 "#) + ["events", "\n"].map { Character(String($0.prefix(1))) }
    for _ in 0..<200 {
      let text = String((0..<40).map { _ in alphabet.randomElement(using: &generator) ?? "{" })
      let batch = #"{"events":["# + text + #"],"k":1}"#
      for one in [text, batch] { #expect(try !lines(one).isEmpty || one.isEmpty || one.hasPrefix("{")) }
    }
  }

  @Test func aBatchIsRecognisedAndRead() throws {
    let directory = try TemporaryDirectory()
    let rows = [
      #"{"events":[{"name":"push_prompt_shown","ms":1764007405717},{"name":"push_permission_denied","ms":1764007407835}],"mpid":"7"}"#,
      #"{"mpid":"8","events":[{"name":"push_permission_granted","ms":1764007407835}]}"#,
    ]
    let expected = [
      "7 prompt_shown 2025-11-24T18:03:25.717Z - -", "7 denied 2025-11-24T18:03:27.835Z - -",
      "8 granted 2025-11-24T18:03:27.835Z - -",
    ]
    for (name, text) in [
      ("a.jsonl", rows.joined(separator: "\n")), ("b.json", "[\n" + rows.joined(separator: ",\n") + "]"),
      ("c.json", rows[0]),
    ] {
      let file = try directory.write(name, text)
      let outcome = try importPaths([file], testOptions(mapping: Self.mapping))
      #expect(
        outcome.rejects.isEmpty && outcome.stories == (name == "c.json" ? Array(expected.prefix(2)) : expected),
        "\(name)")
    }
  }

  /// The list may have a name that lists of records have anyway, and the mapping need not recognise its files.
  @Test func aMappingForAnyBatch() throws {
    let directory = try TemporaryDirectory()
    let row = #"{"events":[{"name":"push_permission_denied","ms":1764007407835}],"mpid":"7"}"#
    let long = #"{"x":"\#(String(repeating: "y", count: 1 << 20))","# + row.dropFirst()
    let mapping = Self.mapping.replacing("  recognise: [/mpid, /events]\n", with: "")
    for (text, mapping) in [
      (row, mapping), (row + "\n" + row, mapping), (long, Self.mapping), (long + "\n" + row, Self.mapping),
    ] {
      for isFixed in [false, true] {
        var options = try testOptions(mapping: mapping)
        options.rows.isFormFixed = isFixed
        let outcome = try importPaths([try directory.write("a.jsonl", text)], options)
        let lines = text.split(separator: "\n")
        // With the long text each event is a line that is too long.
        let good = lines.count { $0.utf8.count < ImportLimit.line }
        #expect(outcome.events.count == good && outcome.rejects.count == lines.count - good)
      }
    }
  }

  /// As of gzip, what comes before the damage is kept if damaged files are kept in part, and a torn row is not.
  @Test func aDamagedBrotliFileIsKeptInPart() throws {
    let directory = try TemporaryDirectory()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Samples.path("posthog/events.jsonl.br")))
    let whole = try importPaths([Samples.path("posthog/events.jsonl")])
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    let more = try importPaths([try directory.write("more.jsonl.br", bytes + [0])], options)
    #expect(more.events.map(\.content) == whole.events.map(\.content))
    for end in stride(from: 1, to: bytes.count, by: 13) {
      let cut = try importPaths([try directory.write("cut.jsonl.br", bytes.prefix(end))], options)
      #expect(cut.rejects.isEmpty && cut.events.map(\.content) == whole.events.prefix(cut.events.count).map(\.content))
    }
    // Packed by something else under that name.
    let packed = try directory.write("gzip.jsonl.br", try gzip(try Samples.text("posthog/events.jsonl")))
    #expect(try importPaths([packed]).events.count == whole.events.count)
  }

  @Test func brotliIsKnownByItsName() throws {
    let plain = try importPaths([Samples.path("posthog/events.jsonl")])
    let packed = try importPaths([Samples.path("posthog/events.jsonl.br")])
    #expect(packed.events.map(\.content) == plain.events.map(\.content))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Samples.path("posthog/events.jsonl.br")))
    let directory = try TemporaryDirectory()
    for end in 1..<bytes.count where end % 7 == 0 {
      let file = try directory.write("cut.jsonl.br", bytes.prefix(end))
      #expect(throws: ImportError.self) { try importPaths([file]) }
    }
    let more = try directory.write("more.jsonl.br", bytes + [0])
    #expect(throws: ImportError.self) { try importPaths([more]) }
    for bit in 0..<bytes.count * 8 where bit % 13 == 0 {
      var turned = bytes
      turned[bit / 8] ^= 1 << UInt8(bit % 8)
      let file = try directory.write("turned.jsonl.br", turned)
      _ = try? importPaths([file])
    }
    // One that is nothing of the kind.
    #expect(throws: ImportError.self) { try importPaths([try directory.write("text.br", "user_id,timestamp,event\n")]) }
  }
}
