// Where a message says that a record is, and where it says that something was looked for.

import EventMapping
import Foundation
import Testing

@testable import EventImport

private let mapping = "record: {event: /what, user: [/who, /device], time: /tss}\n"

private func record(_ index: Int, without key: String? = nil) -> [(String, String)] {
  [("what", "push_permission_granted"), ("who", "u\(index)"), ("tss", "2025-11-24T18:03:25Z")].filter { $0.0 != key }
}

/// A document as `json.dumps(…, indent=2)` writes it.
private func pretty(_ records: [[(String, String)]]) -> String {
  let bodies = records.map { "  {\n" + $0.map { "    \"\($0.0)\": \"\($0.1)\"" }.joined(separator: ",\n") + "\n  }" }
  return "[\n" + bodies.joined(separator: ",\n") + "\n]\n"
}

@Suite struct RecordPlaceTests {
  @Test func missingFieldsNameThePlacesThatWereLookedAt() throws {
    let lines = [
      #"{"what":"push_permission_granted","who":"a"}"#, #"{"what":"push_permission_granted","tss":1764007405}"#,
      #"{"who":"a","tss":1764007405}"#,
    ]
    let outcome = try importText(lines.joined(separator: "\n") + "\n", testOptions(mapping: mapping))
    #expect(
      outcome.rejects.map(\.reason) == [
        "timestamp is missing: the record has no value at /tss",
        "user_id is missing: the record has no value at /who, /device",
        "the record has no name of an event where mine.yaml has it, at /what",
      ])
    #expect(outcome.rejects.map(\.group).first == "timestamp is missing")
    let table = "record: {form: csv, event: what, user: who, time: tss}\n"
    let cells = try importText("who,what,ts\na,push_permission_granted,1764007405\n", testOptions(mapping: table))
    #expect(cells.rejects.map(\.reason) == ["timestamp is missing: the record has no value at tss"])
  }

  @Test func manyPlacesAreCut() throws {
    let text = "record: {event: /what, user: /who, time: [/a, /b, /c, /d, /e, /f, /g, /h]}\n"
    let outcome = try importText("{\"what\":\"push_permission_granted\",\"who\":\"a\"}\n", testOptions(mapping: text))
    #expect(outcome.rejects.first?.reason.hasSuffix("no value at /a, /b, /c, /d, /e, /f and 2 more") == true)
  }

  @Test(arguments: [1 << 18, 64, 1])
  func recordsOfAPrettyDocumentAreOnTheirLines(chunk: Int) throws {
    let text = pretty([record(0), record(1, without: "tss"), record(2), record(3, without: "who")])
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let directory = try TemporaryDirectory()
    let path = try directory.write("input", text)
    let outcome = try importPaths([path], testOptions(mapping: mapping), chunkSize: chunk)
    #expect(outcome.events.map(\.user) == ["u0", "u2"])
    #expect(outcome.rejects.map(\.line) == [7, 16])
    for reject in outcome.rejects { #expect(lines[reject.line - 1] == "  {") }
    #expect(outcome.counts.lines == 4)
  }

  @Test func allWaysOfWritingAnArray() throws {
    func bad(_ index: Int) -> String { "{\"what\":\"push_permission_granted\",\"who\":\"u\(index)\"}" }
    let cases: [(text: String, lines: [Int])] = [
      // A record a line, commas at either end.
      ("[\n\(bad(0)),\n\(bad(1))\n]\n", [2, 3]), ("[\(bad(0))\n,\(bad(1))\n,\(bad(2))]", [1, 2, 3]),
      // Records that share a line are counted on.
      ("[\(bad(0)),\(bad(1)),\(bad(2))]", [1, 2, 3]),
      // Blank lines, Windows' line ends, an envelope with members before it, a second document.
      ("\n\n[\r\n\r\n\(bad(0)),\r\n\r\n\r\n\(bad(1))]\r\n", [5, 8]),
      ("{\n \"next\": 2,\n \"data\": [\n  \(bad(0)),\n  \(bad(1))\n ]\n}\n", [4, 5]),
      ("[\n\(bad(0))\n]\n[\n\(bad(1))\n]\n", [2, 5]),
      // Text between documents is refused where it is.
      ("[\n\(bad(0))\n]\nwhat is this\n[\n\(bad(1))\n]\n", [2, 4, 6]),
      // A line end in a string is refused, and the next record keeps its line.
      ("[\n{\"what\":\"a\nb\"},\n\(bad(1))\n]\n", [2, 4]),
    ]
    for (text, lines) in cases {
      let outcome = try importText(text, testOptions(mapping: mapping))
      #expect(outcome.rejects.map(\.line) == lines, "\(text)")
    }
  }
}
