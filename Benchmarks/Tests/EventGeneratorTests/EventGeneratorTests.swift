// What every generated file must be: exact in length, the same for the same seed, canonical, loosely in order.

import Foundation
import Testing

@testable import EventGenerator

private func lines(events: Int, seed: UInt64, users: Int? = nil, days: Int = 343) throws -> [String] {
  let bytes = Bytes()
  let summary = try EventGenerator(events: events, users: users, seed: seed, days: days).run {
    bytes.data.append(contentsOf: $0)
  }
  #expect(summary.lines == events)
  return String(decoding: bytes.data, as: UTF8.self).split(separator: "\n").map(String.init)
}

private final class Bytes {
  var data: [UInt8] = []
}

private func objects(_ lines: [String]) throws -> [[String: String]] {
  try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String]) }
}

@Test("The number of lines is exact", arguments: [0, 1, 7, 1_000, 20_011])
func exactLength(events: Int) throws {
  #expect(try lines(events: events, seed: 3).count == events)
}

@Test("One user and one day are enough")
func smallest() throws {
  #expect(try lines(events: 50, seed: 1, users: 1, days: 1).count == 50)
}

@Test("A seed fixes the bytes; another seed gives others")
func deterministic() throws {
  let first = try lines(events: 5_000, seed: 11)
  #expect(try lines(events: 5_000, seed: 11) == first)
  #expect(Set(try lines(events: 5_000, seed: 12)).isDisjoint(with: first))
}

@Test("0.4 % of the lines are exact copies, and no event id is on two different lines")
func copies() throws {
  let all = try lines(events: 20_000, seed: 5)
  let distinct = Set(all)
  #expect(all.count - distinct.count == 80)
  #expect(Set(try objects(Array(distinct)).compactMap { $0["event_id"] }).count == distinct.count)
}

@Test("Keys are in one order, ids are version 4 UUIDs, times have milliseconds and Z")
func canonicalForm() throws {
  let id = #"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"#
  let optional = ["permission", "status", "variant", "surface", "feature"].map { "(,\"\($0)\":\"[A-Za-z_]+\")?" }
    .joined()
  let pattern = try Regex(
    #"\{"event_id":"\#(id)","user_id":"\#(id)","timestamp":"2025-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","event":"[a-z_]+""#
      + optional
      + #","app_version":"5\.\d+\.\d+","os_version":"\d\d\.\d","locale":"[a-z]{2}_[A-Z]{2}","country":"[A-Z]{2}"\}"#)
  for line in try lines(events: 3_000, seed: 8) {
    #expect(try pattern.wholeMatch(in: line) != nil, "\(line)")
  }
}

@Test("All kinds occur, and permission is on the ten permission kinds alone")
func kinds() throws {
  let all = try objects(try lines(events: 20_000, seed: 2))
  #expect(Set(all.compactMap { $0["event"] }) == Set(Vocabulary.kinds))
  #expect(Set(all.compactMap { $0["permission"] }).count == 8)
  for event in all {
    let isEngagement = event["event"] == "feature_used" || event["event"] == "app_active"
    #expect((event["permission"] == nil) == isEngagement)
    #expect((event["feature"] != nil) == (event["event"] == "feature_used"))
    #expect(event["event"] != "status_checked" || event["status"] != nil)
    #expect(event["variant"] == nil || event["permission"] == "notifications")
  }
}

@Test("An event is late by at most six hours and a copy by twelve; users are interleaved")
func order() throws {
  let all = try objects(try lines(events: 20_000, seed: 4, days: 7))
  var newest = ""
  var late = 0
  var neighbours = 0
  var before = ""
  let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  for event in all {
    let time = try #require(event["timestamp"])
    let user = try #require(event["user_id"])
    if time > newest { newest = time }
    let lateness = try format.parse(newest).timeIntervalSince(try format.parse(time))
    #expect(lateness <= 12 * 3_600)
    if lateness > 60 { late += 1 }
    if user == before { neighbours += 1 }
    before = user
  }
  #expect(late > all.count / 20)
  #expect(neighbours < all.count / 2)
}

@Test("A user's app version and operating system change with updates and never go back")
func updates() throws {
  var seen: [String: [(time: String, app: Int, os: String)]] = [:]
  for event in try objects(try lines(events: 20_000, seed: 4)) {
    let version = try #require(event["app_version"])
    let app = try #require(Vocabulary.appVersions.firstIndex(of: version))
    let row = (try #require(event["timestamp"]), app, try #require(event["os_version"]))
    seen[try #require(event["user_id"]), default: []].append(row)
  }
  for rows in seen.values {
    let sorted = rows.sorted { $0.time < $1.time }
    #expect(sorted.map(\.app) == rows.map(\.app).sorted())
    #expect(sorted.map(\.os) == rows.map(\.os).sorted())
  }
  #expect(seen.values.count { Set($0.map(\.app)).count > 1 } > 100)
}

@Test("exp and log agree with the C library to a few units in the last place")
func elementaryFunctions() {
  for step in -200...200 {
    let x = Double(step) / 20
    #expect(abs(ElementaryFunctions.exp(x) / exp(x) - 1) < 1e-14)
    #expect(abs(ElementaryFunctions.log(exp(x)) - x) < 1e-13 * max(1, abs(x)))
  }
}
