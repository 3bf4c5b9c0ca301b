// The vendors' forms: each line parses, and tells the same user and time as the canonical line.

import Foundation
import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct VendorFormatTests {
  private let options = SimulationOptions.small(users: 120, weeks: 5)

  /// User (letters and digits alone) and time (digits alone, to the millisecond) of each canonical line.
  private func canonical() throws -> [String] {
    try Simulated(options).objects().map { try story($0["user_id"], $0["timestamp"]) }
  }

  private func story(_ user: Any?, _ time: Any?) throws -> String {
    let user = try #require(user as? String).lowercased().filter { $0 != "-" }
    return user + " " + (try #require(time as? String)).filter(\.isNumber).prefix(17)
  }

  private func date(_ milliseconds: Int64) -> String { Timestamp.text(milliseconds) }

  private func value(_ object: [String: Any], _ path: String...) -> Any? {
    path.reduce(object as Any?) { ($0 as? [String: Any])?[$1] }
  }

  @Test func amplitude() throws {
    let rows = try Simulated(options, .amplitude).objects()
    #expect(try rows.map { try story($0["device_id"], $0["event_time"]) } == canonical())
    // All keys are present, whatever they hold.
    #expect(Set(rows.map(\.count)).count == 1)
    #expect(rows.contains { $0["user_id"] is String } && rows.contains { $0["user_id"] is NSNull })
  }

  @Test func mixpanel() throws {
    let rows = try Simulated(options, .mixpanel).objects()
    let found = try rows.map { row in
      let time = try #require((value(row, "properties", "time") as? NSNumber)?.int64Value)
      return try story(value(row, "properties", "$device_id"), date(time))
    }
    #expect(try found == canonical())
    let ids = rows.compactMap { value($0, "properties", "distinct_id") as? String }
    #expect(ids.contains { $0.hasPrefix("$device:") } && ids.contains { $0.hasPrefix("u_") })
  }

  @Test func segment() throws {
    let rows = try Simulated(options, .segment).objects()
    #expect(try rows.map { try story($0["anonymousId"], $0["timestamp"]) } == canonical())
    // Segment's own rule: timestamp = receivedAt - (sentAt - originalTimestamp).
    for row in rows {
      let times = try ["timestamp", "receivedAt", "sentAt", "originalTimestamp"].map { key in
        let text = try #require(row[key] as? String)
        return try #require(Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) })
      }
      #expect(times[0] == times[1] - (times[2] - times[3]))
    }
  }

  @Test func ga4() throws {
    let found = try Simulated(options, .ga4).objects().map { row in
      let text = try #require(row["event_timestamp"] as? String)
      let microseconds = try #require(Int64(text))
      #expect(microseconds % 1000 == 0)
      return try story(row["user_pseudo_id"], date(microseconds / 1000))
    }
    #expect(try found == canonical())
  }

  @Test func posthog() throws {
    let rows = try Simulated(options, .posthog).objects()
    #expect(try rows.map { try story(value($0, "properties", "$device_id"), $0["timestamp"]) } == canonical())
    #expect(rows.contains { (value($0, "properties") as? [String: Any])?["$feature/camera_primer_v1"] != nil })
  }

  @Test func snowplow() throws {
    let found = try Simulated(options, .snowplow).lines.map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      #expect(cells.count == 131)
      #expect(try JSONSerialization.jsonObject(with: Data(cells[58].utf8)) is [String: Any])
      let contexts = try JSONSerialization.jsonObject(with: Data(cells[52].utf8)) as? [String: Any]
      let sessions = (contexts?["data"] as? [[String: Any]] ?? []).compactMap { value($0, "data", "userId") }
      return try story(sessions.first, String(cells[124]))
    }
    #expect(try found == canonical())
  }
}
