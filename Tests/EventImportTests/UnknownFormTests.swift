// Files of no known form: what the refusal says, and what is left out of a directory without one.

import Foundation
import Testing

@testable import EventImport

private let good = #"{"user_id":"u1","timestamp":"2025-11-24T18:03:25Z","event":"app_active"}"# + "\n"

private func refusal(_ text: String) throws -> String {
  let error = #expect(throws: ImportError.self) { try importText(text) }
  #expect(error?.code == .unknownFormat)
  return error?.message ?? ""
}

@Suite struct CanonicalDetectionTests {
  @Test func oneKeyIsNotEnough() throws {
    for line in [
      #"{"user_id":"u1","what":"granted"}"#, #"{"event":"granted","when":1}"#,
      #"{"user_id":"u1","event":"granted","properties":{"timestamp":1764007405}}"#,
      #"{"note":"user_id, timestamp, event"}"#,
      #"{"a":["user_id","timestamp","event"]}"#,
    ] {
      let error = #expect(throws: ImportError.self) { try importText(line + "\n" + line + "\n") }
      #expect(error?.code == .unknownFormat, "\(line)")
    }
  }

  @Test func aGoodLineLaterInTheHeadIsEnough() throws {
    let broken = [#"{"user_id":"u1""#, #"{"user_id":"u1","timestamp":1}"#, "{", "not json"]
    for line in broken {
      let text = "{}\n" + String(repeating: line + "\n", count: 70) + good
      let outcome = try importText(text)
      #expect(outcome.events.count == 1 && outcome.rejects.count == 71, "\(line)")
    }
  }

  @Test func tornLinesThatShowAllThreeAreToldLineByLine() throws {
    let torn = #"{"user_id":"u1","timestamp":1764007405000,"event":"#
    #expect(try importText(torn + "\n").rejects.count == 1)
    // None shows all, but together they do.
    #expect(try importText("{\"user_id\":\"u1\",\"timestamp\":\n{\"event\":\"granted\",\n").rejects.count == 2)
    _ = try refusal("{\"user_id\":\"u1\",\"timestamp\":\n{\"user_id\":\n")
    // Not as keys of their own.
    _ = try refusal(#"{"x":{"user_id":"u1","timestamp":1764007405000,"event":"a"},"# + "\n")
  }
}

@Suite struct UnknownFormTests {
  @Test func aTableIsDescribed() throws {
    let message = try refusal("userId,Event,when it was\nu1,tap,1\nu2,tap,2\n")
    #expect(
      message.contains(
        "its format is not known. Its columns: userId, Event, when it was. Nearest: canonical CSV, which also needs"
          + " timestamp. To go on: describe it in a mapping; "))
    #expect(try refusal("uid;what\n1;2\n").contains("Its columns: uid, what. No known format has any of these"))
  }

  @Test func linesAreDescribed() throws {
    let message = try refusal(#"{"event":"a","properties":{"token":"t","deep":{"x":1}},"sent":1}"# + "\n")
    #expect(message.contains("Its keys: event, properties.token, properties.deep, sent."))
    #expect(message.contains("Nearest: PostHog, which also needs uuid."))
    let canonical = try refusal(#"{"user_id":"a","event":"granted","ts":1}"# + "\n")
    #expect(canonical.contains("Nearest: canonical NDJSON, which also needs timestamp."))
  }

  @Test func namesAreCutAndMadeHarmless() throws {
    let keys = (0..<20).map { "\"k\($0)\":1" }.joined(separator: ",")
    let long = String(repeating: "x", count: 100)
    let message = try refusal("{\"a\\u001b[2J\\u202e\":1,\"\(long)\":2,\(keys)}\n")
    #expect(message.contains("Its keys: a?[2J?, " + String(repeating: "x", count: 40) + "…, k0, k1"))
    #expect(message.contains("k9 and 10 more."))
  }

  @Test func recordsUnderAnUnknownKeyAreNamed() throws {
    let object = #"{"uid":"a","what":"b"}"#
    let message = try refusal("{\n \"next\":null,\"payload\":[\(object),\(object)]}\n")
    #expect(
      message.contains(
        #"Its records are under "payload"; permlog looks under: batch, data, events, items, records, results, rows."#))
    #expect(message.contains("jq .payload") && message.contains("Its keys: uid, what."))
    #expect(try refusal("{\"result\":{\"list\":[\(object)]}}").contains(#"are under "result.list""#))
    // What a shell could take for something else is no advice.
    #expect(!(try refusal("{\"$(rm x)\":[\(object)]}").contains("jq")))
    // Under a known one they are described as if they were lines.
    #expect(!(try refusal("{\"events\":[\(object)]}").contains("records are under")))
  }

  @Test func itemsAreAWrapperUnlessTheyAreARecords() throws {
    #expect(try importText(#"{"items":["# + good + "," + good + "]}\n").events.count == 2)
    let record = good.replacingOccurrences(of: #""event""#, with: #""items":[{"sku":1}],"event""#)
    #expect(try importText(record + record).events.count == 2)
    #expect(try importText("{\n" + record + record).events.count == 2)
    let mine = try testOptions(mapping: "record:\n  event: /action\n  user: /uid\n  time: /ts\n")
    let own = #"{"items":[{"sku":1}],"action":"push_permission_denied","uid":"d","ts":"2025-11-24T18:03:25Z"}"# + "\n"
    #expect(try importText(own + own, mine).events.count == 2)
    #expect(try refusal(own + own).contains("Its keys: action, uid, ts."))
  }

  @Test func aLogAndBinaryContentAreRefusedWhereTheyAreNamed() throws {
    #expect(try refusal("[2025-11-24 18:03:25] started {\n[2025-11-24] x\n").contains("neither JSON nor a table"))
    #expect(try refusal("PAR1\0\0\0").contains("is a Parquet file, which permlog does not read directly"))
    #expect(try refusal("ab\0\0\0c\n").contains("is binary"))
  }
}
