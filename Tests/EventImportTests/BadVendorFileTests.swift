// Files that are damaged, torn or hostile: told clearly, and never a trap.

import Foundation
import Testing

@testable import EventImport

private func line(_ id: Int) -> String {
  #"{"event_type":"push_permission_granted","event_time":"2025-11-24 18:03:21","device_id":"device-\#(id)","$insert_id":"i"}"#
    + "\n"
}

@Suite struct BadVendorFileTests {
  @Test func marksLineEndsAndEmptyFiles() throws {
    let outcome = try importText("\u{FEFF}" + (line(1) + "\n" + line(2)).replacingOccurrences(of: "\n", with: "\r\n"))
    #expect(outcome.events.map(\.user) == ["device-1", "device-2"])
    for text in ["", "[]", "\u{FEFF}[ ]\n", #"{"batch":[]}"#, "{\"records\": [\n]}\n{\"records\":[]}\n"] {
      #expect(try importText(text).counts.lines == 0, "\(text)")
    }
  }

  @Test func badLinesAreToldAndTheOthersRead() throws {
    let deep =
      #"{"event_type":"e","event_time":1,"event_properties":"# + String(repeating: "[", count: 10_000)
      + String(repeating: "]", count: 10_000) + "}\n"
    let twice = line(3).replacingOccurrences(of: #""device_id""#, with: #""device_id":"x","device_id""#)
    let long = #"{"event_type":""# + String(repeating: "x", count: 3 << 20) + "\"}\n"
    var data = Data((line(1) + deep + twice + long + #"{"event_type":"e""# + "\n" + #"{"other":1}"# + "\n").utf8)
    data.append(contentsOf: Array(line(4).utf8).map { $0 == 0x70 ? 0xFF : $0 })
    data.append(Data(line(5).utf8))
    let outcome = try importText(data)
    #expect(outcome.events.map(\.user) == ["device-1", "device-5"])
    #expect(outcome.rejects.map(\.line) == [2, 3, 4, 5, 6, 7])
    #expect(
      outcome.rejects.map(\.reason) == [
        "the line is not valid JSON: it is nested more than 256 deep", "/device_id appears twice",
        "the line is longer than 1 MiB", "the line is not valid JSON: its structure is wrong",
        "the record has no name of an event where amplitude has it, at /event_type", "the line is not valid UTF-8",
      ])
  }

  @Test func aTornDocumentStoresNothing() throws {
    for text in ["[" + line(1) + ",", #"{"batch":[{"event_type":"e","event_time":"2025-11-24 18:03:21"#] {
      let error = #expect(throws: ImportError.self) { try importText(text) }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("it ends inside its array of records") == true)
    }
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    let outcome = try importText("[" + line(1) + "," + line(2) + "," + #"{"event_type":"#, options)
    #expect(outcome.events.map(\.user) == ["device-1", "device-2"])
  }

  @Test func anAnswerWithoutRecordsIsALine() throws {
    let outcome = try importText(
      "{\"records\":[{\"event_type\":\"push_permission_granted\",\"event_time\":\"2025-11-24 18:03:21\",\"device_id\":\"device-1\"}]}\n{\"status\":\n\"fail\"}\n"
    )
    #expect(outcome.events.map(\.user) == ["device-1"])
    #expect(outcome.rejects.map(\.text) == [Array(#"{"status": "fail"}"#.utf8)])
  }

  @Test func recordsMayBePrettyPrinted() throws {
    let pretty =
      "[\n  {\n    \"event_type\": \"push_permission_granted\",\n    \"event_time\": \"2025-11-24 18:03:21\",\n"
      + "    \"device_id\": \"a, ]}[{\\\"b\"\n  }\n]\n"
    #expect(try importText(pretty).events.map(\.user) == [#"a, ]}[{"b"#])
  }

  private func packed(_ count: Int) throws -> Data { try gzip((0..<count).map { line($0) }.joined()) }

  @Test func whatWasUnpackedBeforeTheDamageIsKept() throws {
    // The checksum alone is wrong: all lines are there.
    var data = try packed(2000)
    data[data.count - 8] ^= 0xFF
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    #expect(try importText(data, options).events.count == 2000)
    #expect(throws: ImportError.self) { try importText(data) }
  }

  @Test func aTornGzipIsKeptInPartWhereAsked() throws {
    let whole = try packed(5000)
    let torn = whole.prefix(whole.count / 2)
    let error = #expect(throws: ImportError.self) { try importText(Data(torn)) }
    #expect(error?.code == .damaged)
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    let directory = try TemporaryDirectory()
    try directory.write("a.gz", Data(torn))
    try directory.write("b.json", line(9999))
    let session = try ImportSession(.paths([directory.path]), options: options)
    let sink = CollectingSink()
    while !(try session.run(into: sink)) {}
    let users = sink.events.map(\.user)
    #expect(users.count > 1000 && users.count < 5000)
    // Whole lines, in their order, and then the file that came after.
    #expect(users.dropLast() == (0..<users.count - 1).map { "device-\($0)" }[...])
    #expect(users.last == "device-9999")
    #expect(session.counts.rejected == 0)
    #expect(session.partialFiles.map(\.code) == [.damaged])
  }

  @Test func aDamagedMemberOfAZip() throws {
    // Stored members, so that one flipped byte changes the content and not the structure.
    var zip = try Data(contentsOf: URL(fileURLWithPath: Samples.path("amplitude/export.zip")))
    let place = try #require(zip.firstRange(of: Data([0x1F, 0x8B]))).lowerBound + 200
    zip[place] ^= 0xFF
    let error = #expect(throws: ImportError.self) { try importText(zip) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("input!187520/187520_2025-11-24_18#0.json.gz") == true, "\(error?.message ?? "")")
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    let outcome = try importText(zip, options)
    #expect(outcome.events.count < 3)
  }
}
