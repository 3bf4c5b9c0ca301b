// Arrow streams as pyarrow writes them: each must give what the same rows give as lines of JSON.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

enum ArrowSamples {
  static let directory = Samples.path("arrow")

  /// Names of the streams, `posthog` of the vendors' as `vendors/posthog`.
  static func names(_ folder: String = "") -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory + folder)) ?? []
    return files.filter { $0.hasSuffix(".arrows") }.map { String($0.dropLast(".arrows".count)) }.sorted()
  }

  /// Streams that lie beside no lines: what is wrong in them is told by sentences.
  static let others = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("ArrowStreams").path

  static func other(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(others)/\(name).arrows")))
  }

  static func path(_ name: String, _ ending: String = "arrows") -> String { "\(directory)/\(name).\(ending)" }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }
}

/// Imports bytes to the end, as a file would be.
func importBytes(
  _ bytes: [UInt8], _ options: ImportOptions = testOptions(), chunkSize: Int? = nil
) throws -> ImportOutcome {
  nonisolated(unsafe) var rejects: [RejectedLine] = []
  let session = try ImportSession(
    .bytes(bytes, name: "table"), options: options, chunkSize: chunkSize, onReject: { rejects.append($0) })
  let sink = CollectingSink()
  while !(try session.run(into: sink)) {}
  return ImportOutcome(events: sink.events, rejects: rejects, counts: session.counts)
}

@Suite struct ArrowTests {
  /// What must be the same in both forms.
  private struct Content: Equatable {
    var events: [PlainEvent]
    var rejects: [String]
    var counts: [Int]

    init(_ outcome: ImportOutcome, countsIgnored: Bool = true) {
      events = outcome.events.map(\.content)
      rejects = outcome.rejects.map { "\($0.line): \($0.reason)" }
      let counts = outcome.counts
      self.counts = [counts.lines, counts.events, counts.rejected, counts.respelled, counts.unmapped]
      if countsIgnored { self.counts.append(counts.ignoredFields) }
    }
  }

  private static func options(zone isNamed: Bool, threads: Int = 1) -> ImportOptions {
    var options = testOptions(threads: threads)
    if isNamed { options.inputZone = zone("Somewhere", hour) }
    return options
  }

  /// Why a table is refused whose lines are rejected one by one: a column of it has no value that can be read.
  private static func refusal(of name: String, zone isNamed: Bool) -> String? {
    if name == "boolean" { return "the column variant has true and false where text is needed; convert it to text" }
    return name.hasSuffix("wall_clock") && !isNamed ? "the column timestamp has times without a zone" : nil
  }

  @Test(arguments: ArrowSamples.names()) func rowsAreLines(name: String) throws {
    for isNamed in [false, true] {
      let options = Self.options(zone: isNamed)
      let path = ArrowSamples.path(name)
      if let finding = Self.refusal(of: name, zone: isNamed) {
        for size in [1, 3, 100] {
          #expect("\(name) in chunks of \(size)") { try importPaths([path], options, chunkSize: size) } throws: {
            ($0 as? ImportError).map { $0.code == .badHeader && $0.message.contains(finding) } == true
          }
        }
        continue
      }
      let lines = Content(try importPaths([ArrowSamples.path(name, "ndjson")], options))
      #expect(Content(try importPaths([path], options)) == lines)
      #expect(Content(try importPaths([path], options, usesCommonLine: false)) == lines)
      for size in [1, 3] {
        #expect(Content(try importPaths([path], options, chunkSize: size)) == lines, "\(size) rows")
      }
      #expect(
        Content(try importPaths([path], Self.options(zone: isNamed, threads: 3), chunkSize: 2)) == lines)
    }
  }

  @Test func samplesAreThere() throws {
    #expect(ArrowSamples.names().count >= 35)
    #expect(ArrowSamples.names("/vendors") == ["amplitude", "ga4", "posthog", "segment"])
    // A comparison of nothing with nothing would hold too.
    let plain = try importPaths([ArrowSamples.path("texts_string")])
    #expect(plain.events.count == 3 && plain.rejects.count == 1)
    #expect(try importPaths([ArrowSamples.path("passed_over")]).events.count == 4)
    let named = try importPaths([ArrowSamples.path("names")])
    #expect(named.events.map(\.kind) == ["explanation_shown", "denied", "granted", "app_active"])
    #expect(named.counts.notUnderstood == 3 && named.counts.unmapped == 1 && named.counts.respelled == 4)
  }

  @Test(arguments: ArrowSamples.names("/vendors")) func vendorsTables(name: String) throws {
    for format in [ImportFormat.auto, try #require(ImportFormat(rawValue: name))] {
      let options = testOptions(format: format)
      let lines = Content(
        try importPaths([ArrowSamples.path("vendors/" + name, "ndjson")], options), countsIgnored: false)
      let rows = Content(try importPaths([ArrowSamples.path("vendors/" + name)], options), countsIgnored: false)
      #expect(rows == lines)
      #expect(!rows.events.isEmpty)
    }
  }

  @Test func hiddenUsersHaveTheSamePseudonyms() throws {
    var options = testOptions()
    options.rows.userKey = UserKey(Array(repeating: 7, count: 32) + Array("0123456789abcdef".utf8))
    #expect(options.rows.userKey != nil)
    for name in ["texts_string", "int64", "rejected"] {
      let lines = Content(try importPaths([ArrowSamples.path(name, "ndjson")], options))
      let outcome = try importPaths([ArrowSamples.path(name)], options)
      #expect(Content(outcome) == lines)
      #expect(outcome.rejects.allSatisfy { $0.text.isEmpty })
    }
  }

  @Test func aRefusedRowIsShownAsALine() throws {
    let outcome = try importPaths([ArrowSamples.path("rejected")])
    let texts = outcome.rejects.map { String(decoding: $0.text, as: UTF8.self) }
    #expect(
      texts.first
        == #"{"user_id":"anonymous","timestamp":1740830400000,"event":"granted","permission":"camera"}"#)
    #expect(texts.contains { $0.hasPrefix(#"{"user_id":null,"#) })
    // Corrected, such a line can be read: it is JSON.
    for text in texts { #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil, "\(text)") }
  }

  @Test func aStreamMayBePacked() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x", Data(try ArrowSamples.bytes("slices")))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = [path]
    try process.run()
    process.waitUntilExit()
    let plain = try importPaths([ArrowSamples.path("slices")])
    #expect(try importPaths([path + ".gz"], testOptions(format: .arrow)).events == plain.events)
  }

  // MARK: Which stream is read, and with what

  @Test func formatsThatAreNotArrow() throws {
    for format in [ImportFormat.ndjson, .csv] {
      let error = #expect(throws: ImportError.self) {
        try importBytes(ArrowSamples.bytes("null"), testOptions(format: format))
      }
      #expect(error?.message.contains("is an Arrow stream, not \(format.rawValue)") == true)
    }
    let text = Array(#"{"user_id":"u1","timestamp":1740830400000,"event":"app_active"}"#.utf8)
    for bytes in [text, [], Array("user_id,timestamp,event\n".utf8)] {
      let error = #expect(throws: ImportError.self) { try importBytes(bytes, testOptions(format: .arrow)) }
      #expect(error?.message.contains("does not begin like an Arrow stream") == true)
    }
    let other = #expect(throws: ImportError.self) {
      try importBytes(ArrowSamples.bytes("null"), testOptions(format: .vendor("ga4")))
    }
    #expect(other?.message.contains("does not look like an export of ga4") == true)
  }

  @Test(arguments: ["PAR1", "ARROW1\0\0", "ORC", "FEA1"]) func filesOfColumns(magic: String) throws {
    for format in ImportFormat.allCases {
      let error = #expect(throws: ImportError.self) {
        try importBytes(Array(magic.utf8) + [0, 1, 2, 0xFF, 0xFF], testOptions(format: format))
      }
      #expect(error?.code == .unknownFormat)
      #expect(error?.message.contains("Arrow stream, as the Python package does") == true)
    }
  }

  @Test func columnsThatAreAskedFor() throws {
    func columns(_ name: String, _ options: ImportOptions = testOptions()) throws -> [String] {
      try TableColumns.names(of: .paths([ArrowSamples.path(name)]), options: options)
    }
    #expect(try columns("spellings") == ["User ID", " time-stamp ", "EVENT", "Permission"])
    #expect(try columns("passed_over") == ["user_id", "timestamp", "event", "permission"])
    #expect(try columns("no_rows") == ["user_id", "timestamp", "event", "permission"])
    #expect(
      try columns("vendors/posthog") == ["uuid", "event", "properties", "distinct_id", "timestamp", "created_at"])
    let mapping = """
      record:
        event: /event
        user: /user_id
        time: {from: /timestamp, zone: UTC}
      fields: {variant: /a struct}
      """
    let error = #expect(throws: ImportError.self) { try columns("passed_over", testOptions(mapping: mapping)) }
    #expect(error?.message.contains("the column a struct is of the type struct, which permlog does not read") == true)
    let lines = #expect(throws: ImportError.self) {
      try TableColumns.names(of: .paths([Samples.path("segment/archive.ndjson")]), options: testOptions())
    }
    #expect(lines?.code == .unknownFormat && lines?.message.contains("not a table") == true)
  }

  @Test func columnsOfCSV() throws {
    let directory = try TemporaryDirectory()
    func columns(_ text: String, _ options: ImportOptions = testOptions()) throws -> [String] {
      try TableColumns.names(of: .paths([directory.write("x.csv", text)]), options: options)
    }
    #expect(try columns("User ID;timestamp;x;event\n") == ["User ID", "timestamp", "event"])
    let mapping = """
      record:
        form: csv
        recognise: [/who, /what]
        event: /what
        user: /who
        time: {from: /when, zone: UTC}
        properties: [/details]
      """
    #expect(
      try columns("who,what,other,when,details\n", testOptions(mapping: mapping)) == ["who", "what", "when", "details"])
    for text in ["", #"{"user_id":"u1","timestamp":1740830400000,"event":"app_active"}"#] {
      let error = #expect(throws: ImportError.self) { try columns(text) }
      #expect(error?.code == .unknownFormat)
      #expect(error?.message.contains("not a table") == true)
    }
  }
}
