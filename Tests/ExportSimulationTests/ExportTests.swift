// What holds of every simulated export.

import Foundation
import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct ExportTests {
  @Test(arguments: SimulatedFormat.allCases) func theSeedDecidesEveryByte(format: SimulatedFormat) throws {
    let options = SimulationOptions.small(users: 100)
    let one = try Simulated(options, format)
    #expect(try Simulated(options, format).bytes == one.bytes)
    #expect(try Simulated(.small(users: 100, seed: 6), format).bytes != one.bytes)
    // Formats differ in spelling only.
    let canonical = try Simulated(options)
    #expect(one.summary == canonical.summary)
    #expect(one.lines.count == canonical.lines.count + (format == .csv ? 1 : 0))
    #expect(one.bytes.last == UInt8(ascii: "\n"))
  }

  /// The bytes of a small export of each format, so that no change of them goes unseen: they must be the same on every
  /// platform, and the files in data/ are made of them.
  @Test(
    arguments: [
      (.ndjson, 0x70EA_9D3B_7A3D_9BC2), (.csv, 0xCD35_2E1D_3E96_715C), (.amplitude, 0x4B4F_E413_AB23_37FF),
      (.mixpanel, 0x3046_1591_B7AF_E77B), (.segment, 0x6C8C_9789_1EF6_7BD5), (.ga4, 0x2BF6_3163_1A1F_0AA8),
      (.posthog, 0x167D_D75B_00CE_6F32), (.snowplow, 0x4632_3B64_1F1C_6CB4),
    ] as [(SimulatedFormat, UInt64)])
  func bytesAreThoseOfTheLastRelease(format: SimulatedFormat, checksum: UInt64) throws {
    let found = try Simulated(.small(users: 200, seed: 3, weeks: 3), format).checksum
    #expect(found == checksum, "\(format): 0x\(String(found, radix: 16))")
  }

  @Test func everyLineIsAnEventOfTheVocabularyInsideTheExport() throws {
    let options = SimulationOptions.small()
    var kinds = Set<String>()
    for row in try Simulated(options).objects() {
      let kind = try #require(row["event"] as? String)
      kinds.insert(kind)
      #expect(EventKind.names.contains(kind))
      let isEngagement = kind == "app_active" || kind == "feature_used"
      #expect(isEngagement == (row["permission"] == nil))
      if let permission = row["permission"] as? String { #expect(PermissionCode.taxonomy.contains(permission)) }
      if let status = row["status"] as? String { #expect(AuthorizationStatus.names.contains(status)) }
      let text = try #require(row["timestamp"] as? String)
      let time = try #require(Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) })
      #expect(time >= options.firstDay * millisecondsPerDay && time < options.end)
    }
    #expect(kinds == Set(EventKind.names.prefix(EventKind.firstRelease)))
  }

  @Test func copiesAreCountedAndAllUsersAreThere() throws {
    let options = SimulationOptions.small(users: 1000, weeks: 4)
    let export = try Simulated(options)
    var first: [String: Substring] = [:]
    var copies = 0
    var different = 0
    var users = Set<String>()
    for (line, row) in zip(export.lines, try export.objects()) {
      let (user, event) = (try #require(row["user_id"] as? String), try #require(row["event_id"] as? String))
      users.insert(user)
      if let before = first[user + event] {
        copies += 1
        if before != line { different += 1 }
      } else {
        first[user + event] = line
      }
    }
    #expect(users.count == 1000)
    #expect(export.summary == SimulationSummary(users: 1000, events: first.count, copies: copies))
    #expect(copies * 300 > export.summary.events && copies * 30 < export.summary.events)
    #expect(different > 0 && different * 5 < copies)
  }

  @Test func linesStandInTheOrderOfArrivalAndNotOfTime() throws {
    let rows = try Simulated(.small(), .amplitude).objects()
    let received = try rows.map { try #require($0["server_received_time"] as? String) }
    #expect(received == received.sorted())
    let happened = try rows.map { try #require($0["event_time"] as? String) }
    #expect(happened != happened.sorted())
    // Some come days late.
    #expect(zip(happened, received).contains { $0.prefix(10) < $1.prefix(8) })
  }

  @Test func manyUsersAreWrittenBlockByBlock() throws {
    let options = SimulationOptions.small(users: ExportSimulator.usersPerBlock + 500, weeks: 1)
    let export = try Simulated(options)
    #expect(export.summary.users == options.users)
    #expect(export.pieces > 1)
    // The second block's lines come last, with users of its own.
    let users = [export.bytes.prefix(200_000), export.bytes.suffix(200_000)].map { bytes in
      let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().dropLast()
      return Set(lines.map { $0.split(separator: "\"")[7] })
    }
    #expect(users.allSatisfy { $0.count > 50 } && users[0].isDisjoint(with: users[1]))
  }

  @Test func anErrorOfTheSinkEndsTheSimulation() {
    struct Full: Error {}
    #expect(throws: Full.self) {
      _ = try ExportSimulator.write(.small(), as: .csv) { _ in throw Full() }
    }
  }

  /// Each user's events have times of their own, so that the order of a journey hangs on no tie.
  @Test func timesOfAUserDiffer() throws {
    var seen = Set<String>()
    var ids = Set<String>()
    for row in try Simulated(.small()).objects() {
      let id = "\(row["user_id"] ?? "")\(row["event_id"] ?? "")"
      guard ids.insert(id).inserted else { continue }
      #expect(seen.insert("\(row["user_id"] ?? "")\(row["timestamp"] ?? "")").inserted)
    }
  }

  /// A visit ends on the UTC day on which it begins, with the response windows that begin in it: the truth counts on it.
  @Test func visitsEndOnTheirDay() throws {
    for row in try Simulated(.small(users: 800, weeks: 2)).objects() {
      let time = try #require(row["timestamp"] as? String).dropFirst(11)
      #expect(time < "23:30")
      if row["event"] as? String == "prompt_shown" || row["event"] as? String == "explanation_shown" {
        #expect(time < "23:29")
      }
    }
  }
}
