// Which mapping a file is read with if more than one could fit, and files that are hard to tell.

import Foundation
import Testing

@testable import EventImport

private let segmentLine =
  #"{"type":"track","event":"Push Permission Denied","messageId":"m1","anonymousId":"device-1","timestamp":"2025-11-24T18:03:25.957Z","properties":{"time":12}}"#
private let posthogLine =
  #"{"uuid":"u1","event":"push_permission_denied","distinct_id":"device-1","timestamp":"2025-11-24T18:03:25.957Z","properties":{"time":1764007405}}"#
private let captureLine =
  #"{"event":"push_permission_denied","timestamp":"2025-11-24T18:03:25.957Z","properties":{"distinct_id":"device-1","time":12}}"#
private let mixpanelLine =
  #"{"event":"push_permission_denied","properties":{"time":1764007405,"distinct_id":"device-1","$insert_id":"i"}}"#

@Suite struct DetectionTests {
  @Test(arguments: [segmentLine, posthogLine, captureLine, mixpanelLine])
  func aPropertyNamedTimeDoesNotMakeItMixpanel(_ line: String) throws {
    let time = line == mixpanelLine ? "2025-11-24T18:03:25.000Z" : "2025-11-24T18:03:25.957Z"
    let mine = try testOptions(mapping: "extends: mixpanel")
    for options in [testOptions(), mine] {
      let outcome = try importText(line + "\n", options)
      #expect(outcome.stories == ["device-1 denied \(time) - -"], "\(outcome.rejects.map(\.reason))")
    }
  }
}

extension DetectionTests {
  private func long(_ line: String, by count: Int) -> String {
    let filling = #""properties":{"filling":""# + String(repeating: "x", count: count) + #"","#
    return line.replacingOccurrences(of: #""properties":{"#, with: filling)
  }

  @Test(arguments: [segmentLine, posthogLine, mixpanelLine])
  func aLongFirstLineIsReadWhole(_ line: String) throws {
    let text = long(line, by: 200_000) + "\n" + line.replacingOccurrences(of: "device-1", with: "device-2") + "\n"
    #expect(try importText(text).events.map(\.user) == ["device-1", "device-2"])
    #expect(try importText("[" + text.dropLast().replacingOccurrences(of: "\n", with: ",") + "]").events.count == 2)
    let packed = try gzip(text)
    #expect(try importText(packed).events.map(\.user) == ["device-1", "device-2"])
  }

  @Test func afterAFirstLineThatIsTooLongTheOthersAreRead() throws {
    let outcome = try importText(long(posthogLine, by: 1_200_000) + "\n" + posthogLine + "\n")
    #expect(outcome.events.map(\.user) == ["device-1"])
    #expect(outcome.rejects.map(\.reason) == ["the line is longer than 1 MiB"])
    // Its keys are after what is read: it is refused, and not taken for something else.
    #expect(throws: ImportError.self) { try importText(long(mixpanelLine, by: 1_200_000) + "\n" + mixpanelLine) }
    let canonical = #"{"event":"app_active","user_id":"device-1","timestamp":"2025-11-24T18:03:25.957Z"}"#
    let filled = canonical.dropLast() + #","filling":""# + String(repeating: "x", count: 200_000) + "\"}\n"
    #expect(try importText(filled + canonical + "\n").events.count == 2)
  }

  private static let homegrown =
    #"{"action":"push_permission_denied","uid":"device-1","ts":"2025-11-24T18:03:25.957Z","files":[]}"# + "\n"

  @Test func aKeyNamedFilesDoesNotHideAFile() throws {
    let mine = try testOptions(mapping: "record:\n  event: /action\n  user: /uid\n  time: /ts\n")
    #expect(try importText(Self.homegrown, mine).events.count == 1)
    #expect(try importText(Self.homegrown + Self.homegrown, mine).events.count == 2)
    for text in [Self.homegrown + Self.homegrown, "{\"files\":3,\"hello\":\"world\"}\n{\"hello\":\"world\"}\n"] {
      let error = #expect(throws: ImportError.self) { try importText(text) }
      #expect(error?.code == .unknownFormat)
    }
  }

  @Test func whatIsPassedOverIsNamed() throws {
    let directory = try TemporaryDirectory()
    for (name, text) in [
      ("manifest.json", "{\"files\": [\"a.jsonl\"]}\n"), ("pretty.json", "{\n  \"files\": [\n \"a\"\n ]\n}\n"),
      ("merged.json", #"{"merge_time":1,"amplitude_id":2,"merged_amplitude_id":3}"# + "\n"),
    ] { try directory.write(name, text) }
    let session = try ImportSession(.paths([directory.path]), options: testOptions())
    while !(try session.run(into: CollectingSink())) {}
    #expect(session.counts.lines == 0)
    let message = session.skippedFiles.message ?? ""
    for name in ["manifest.json", "pretty.json", "merged.json"] { #expect(message.contains(name), "\(message)") }
  }

  @Test func aMappingOfOnesOwnReadsFilesThatOnlyLookCanonical() throws {
    let line = #"{"event":"push_permission_denied","user_id":"device-1","timestamp":"2025-11-24T18:03:25.957Z"}"# + "\n"
    let mine = try testOptions(mapping: "record:\n  event: /event\n  user: /user_id\n  time: /timestamp\n")
    #expect(try importText(line, mine).events.map(\.kind) == ["denied"])
    // With a kind among them they are canonical, whose names are read too, and whose permission is no list.
    let canonical = line.replacingOccurrences(of: "push_permission_denied", with: "app_active")
    let both = try importText(line + canonical, mine)
    #expect(both.events.map(\.kind) == ["denied", "app_active"] && both.counts.respelled == 1)
    let table = try testOptions(
      mapping: "record:\n  form: csv\n  event: event\n  user: user_id\n  time: timestamp\n")
    let header = "user_id,timestamp,event,permission\n"
    let row = "device-1,2025-11-24T18:03:25.957Z,push_permission_denied,camera\n"
    #expect(try importText(header + row, table).stories == ["device-1 denied 2025-11-24T18:03:25.957Z - -"])
    let kinds = row.replacingOccurrences(of: "push_permission_denied", with: "denied")
    #expect(try importText(header + row + kinds, table).rejects.count == 1)
  }

  @Test func textOutsideOfDocumentsIsRejected() throws {
    let outcome = try importText("[\(posthogLine)] garbage \n{\"x\":1}\(posthogLine) more")
    #expect(outcome.events.count == 2)
    #expect(outcome.rejects.map { String(decoding: $0.text, as: UTF8.self) } == ["garbage ", #"{"x":1}"#, "more"])
    let mixed = try importText("{\"batch\":[\(segmentLine)]}\n\(segmentLine)\n")
    #expect(mixed.events.count == 2 && mixed.rejects.isEmpty)
    #expect(try importText("[\(posthogLine)],\r\n[\(posthogLine)]\n").rejects.isEmpty)
  }

  @Test func recordsOverSeveralLinesAreTold() throws {
    let pretty = posthogLine.replacingOccurrences(of: ",\"", with: ",\n  \"")
    let text = "{\n" + pretty.dropFirst() + "\n"
    let error = #expect(throws: ImportError.self) { try importText(text + text) }
    #expect(error?.message.contains("write one record a line, or an array of records") == true)
  }
}

extension DetectionTests {
  /// Headings may begin as files of columns do.
  @Test(arguments: ["ORCID", "PAR1", "FEA1", "ARROW1"]) func aHeadingIsNoFileOfColumns(_ name: String) throws {
    let text = "\(name),user_id,timestamp,event\n7,u1,2025-03-01T12:00:00Z,app_active\n"
    for format in [ImportFormat.auto, .csv] {
      #expect(try importText(text, testOptions(format: format)).events.map(\.user) == ["u1"])
    }
    let mine = try testOptions(
      mapping: "record: {form: csv, recognise: [/who], event: /what, user: /who, time: {from: /when, zone: UTC}}")
    let other = "\(name),who,what,when\n7,u1,Camera Permission Granted,2025-03-01T12:00:00Z\n"
    #expect(try importText(other, mine).events.map(\.user) == ["u1"])
    let error = #expect(throws: ImportError.self) { try importText("\(name),a,b\n1,2,3\n") }
    #expect(error?.message.contains("Its columns: \(name), a, b.") == true)
  }
}
