// Bodies as libraries send them, whole and torn at every byte, become lines; what is no whole event is held back with its reason.

import Foundation
import Testing

@testable import PermlogServer

@Suite struct BodyEventsTests {
  private static let time = "2026-11-20T10:00:00.000Z"

  private func read(_ text: String, _ endpoint: Endpoint, ids: Bool = false) -> BodyEvents {
    BodyEvents(Array(text.utf8), endpoint, received: Self.time, wantsIDs: ids)
  }

  private func lines(_ events: BodyEvents) -> [String] {
    String(decoding: events.lines, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func aSegmentBatchIsItsEvents() {
    let body = """
      { "batch": [
      {"type":"track","event":"A","messageId":"1","timestamp":"t","properties":{"x":[1,{"y":"]}"}]}},
      {"type":"screen","name":"B","messageId":"2"}
      ],"sentAt":"2026","writeKey":"wk"}
      """
    let events = read(body, Endpoint(.segment))
    #expect(events.count == 2 && events.broken.isEmpty && events.key == "wk")
    #expect(
      lines(events)[0]
        == #"{"type":"track","event":"A","messageId":"1","timestamp":"t","properties":{"x":[1,{"y":"]}"}]}}"#)
    // Without a time of its own an event has the time at which it came.
    #expect(
      lines(events)[1] == #"{"receivedAt":"2026-11-20T10:00:00.000Z","type":"screen","name":"B","messageId":"2"}"#)
  }

  @Test func thePathSaysTheTypeOfASingleEvent() {
    let events = read(#"{"event":"A","userId":"u","timestamp":"t","writeKey":"wk"}"#, Endpoint(.segment, type: "track"))
    #expect(lines(events) == [#"{"type":"track","event":"A","userId":"u","timestamp":"t","writeKey":"wk"}"#])
    #expect(events.key == "wk")
    #expect(lines(read("{}", Endpoint(.segment, type: "track"))) == [#"{"type":"track","receivedAt":"\#(Self.time)"}"#])
  }

  @Test func theBodySaysWhoseBatchItIs() {
    let amplitude = read(#"{"api_key":"a","events":[{"event_type":"x","time":1}]}"#, Endpoint(.batch))
    #expect(amplitude.form == .amplitude && amplitude.count == 1 && amplitude.key == "a")
    let posthog = read(#"{"batch":[{"event":"x","timestamp":"t"}],"api_key":"p"}"#, Endpoint(.batch))
    #expect(posthog.form == .posthog && posthog.count == 1 && posthog.key == "p")
  }

  @Test func mixpanelNamesTheProjectInEachEvent() {
    let json = #"[{"event":"x","properties":{"token":"tk","time":1}},{"event":"y","properties":{"token":"tk"}}]"#
    #expect(read(json, Endpoint(.mixpanel)).key == "tk" && read(json, Endpoint(.mixpanel)).count == 2)
    let form = "ip=1&data=" + json.addingPercentEncoding(withAllowedCharacters: .alphanumerics)! + "&verbose=1"
    #expect(lines(read(form, Endpoint(.mixpanel))) == lines(read(json, Endpoint(.mixpanel))))
    let base64 =
      "data=" + Data(json.utf8).base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
    #expect(lines(read(base64, Endpoint(.mixpanel))) == lines(read(json, Endpoint(.mixpanel))))
  }

  @Test func canonicalEventsAreLinesOrAList() {
    let lines = ["{\"a\":1}", "{\"b\":{\"c\":[]}}"]
    for body in [
      lines.joined(separator: "\n"), "[" + lines.joined(separator: ",\n") + "]", lines.joined(),
      "\u{FEFF}" + lines[0] + "\r\n" + lines[1] + "\n\n",
    ] {
      #expect(self.lines(read(body, Endpoint(.canonical))) == lines, "\(body)")
    }
    #expect(read("", Endpoint(.canonical)).count == 0 && read(" \n ", Endpoint(.canonical)).broken.isEmpty)
    // A line end inside an event is no end of it.
    #expect(self.lines(read("{\n \"a\":\n1}", Endpoint(.canonical))) == ["{\r \"a\":\r1}"])
  }

  @Test func idsAreForAnswers() {
    let body = #"{"batch":[{"uuid":"1","event":"x","timestamp":"t"},{"event":"y"},{"uuid":"3","event":"z"}]}"#
    #expect(read(body, Endpoint(.posthog), ids: true).ids == ["1", "3"])
  }

  /// A killed app leaves a batch that ends anywhere. Events that are whole are read, wherever it ends.
  @Test func aTornBatchGivesItsWholeEvents() {
    let events = (0..<5).map {
      #"{"type":"track","event":"E\#($0)","timestamp":"t","properties":{"q":"a \"b\" ]","n":[{},{"m":\#($0)}]}}"#
    }
    let body = Array(
      ("{ \"batch\": [\n" + events.joined(separator: ",\n") + "\n],\"sentAt\":\"s\",\"writeKey\":\"wk\"}").utf8)
    for end in 0...body.count {
      let read = BodyEvents(Array(body[..<end]), Endpoint(.segment), received: Self.time)
      let text = String(decoding: body[..<end], as: UTF8.self)
      let whole = events.filter { text.contains($0) }
      #expect(lines(read) == whole, "cut at \(end)")
      // The rest is held: at most one piece.
      #expect(read.broken.count <= 1 && read.broken.allSatisfy { $0.reason == "torn" }, "cut at \(end): \(read.broken)")
      // What looks like an event is never lost without a word.
      let rest = text.components(separatedBy: "{\"type\"").count - 1 - whole.count
      #expect(read.broken.count >= rest, "cut at \(end)")
    }
  }

  /// After a torn line the next launch went on in the same file.
  @Test func linesAfterATornOneAreRead() {
    let good = #"{"type":"track","event":"A","timestamp":"t"}"#
    let body =
      "{ \"batch\": [\n" + good + ",\n" + #"{"type":"track","eve"# + "\n" + good + ",\n" + good
      + "\n],\"sentAt\":\"s\"}"
    let events = read(body, Endpoint(.segment))
    #expect(events.count == 3 && events.broken.count == 1)
  }

  @Test func damageIsHeldWithItsReason() {
    #expect(
      read("[1,\"a\",null]", Endpoint(.canonical)).broken.map(\.reason) == [
        "not_an_event", "not_an_event", "not_an_event",
      ])
    #expect(read("hello", Endpoint(.canonical)).broken.map(\.reason) == ["not_json"])
    #expect(read("{\"a\" 1}", Endpoint(.segment)).broken.map(\.reason) == ["not_json"])
    let deep = "{\"a\":" + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}"
    #expect(read(deep, Endpoint(.segment)).broken.map(\.reason) == ["too_deep"])
    #expect(read(String(repeating: "{\"batch\":[", count: 100_000), Endpoint(.segment)).count == 0)
  }

  /// No bytes trap, and every byte of an event is in a line or is held.
  @Test func anyBytesEnd() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "batch", "\n", " ", "1", "\"a\"", "{\"a\":1}", "\"events\":[", "\u{0}",
      "data=", "%", "%7B",
    ]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0..<30, using: &random)).map { _ in pieces.randomElement(using: &random)! }
        .joined()
      for form in WireForm.allCases {
        let events = read(text, Endpoint(form), ids: true)
        #expect(events.lines.split(separator: 0x0A).count == events.count, "\(text)")
      }
    }
  }
}
