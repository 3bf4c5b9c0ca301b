// A fault in a log of daily ingests: the ingest tells it, and so do the log's information, the report and the audit, until it is taken
// back.

import Foundation
import Testing

@testable import Permlog

@Suite struct UnusualIngestTests {
  private let directory: TemporaryDirectory
  private var log: PermissionLog
  private static let start: Int64 = 1_772_323_200_000  // 2026-03-01

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 2)
  }

  private enum Fault { case none, noDenials, upperCase, newEventIDs, renamed }

  /// Prompts and answers of 200 new users, use of these and the users of six days before; with the day before again.
  private func export(day: Int, _ fault: Fault) -> [UInt8] {
    var text = ""
    for part in [day - 1, day] where part >= 0 {
      let isOfToday = part == day
      for user in part * 200..<part * 200 + 200 {
        let time = Timestamp.text(Self.start + Int64(part) * 86_400_000 + Int64(user % 200) * 1000)
        let id = fault == .upperCase ? "USER-\(user)" : "user-\(user)"
        func line(_ event: String, _ permission: String?) {
          let again = fault == .newEventIDs && !isOfToday ? "x" : ""
          let asked = permission.map { #","permission":"\#($0)""# } ?? ""
          text +=
            #"{"event_id":"\#(again)\#(event)-\#(user)","user_id":"\#(id)","timestamp":"\#(time)","event":"\#(event)"\#(asked)}"#
            + "\n"
        }
        line("app_active", nil)
        line(fault == .renamed ? "permission_dialog_v2" : "prompt_shown", "camera")
        if user % 3 > 0 || fault == .noDenials { line("granted", "camera") } else { line("denied", "camera") }
      }
      for user in max(0, part - 6) * 200..<part * 200 {
        let time = Timestamp.text(Self.start + Int64(part) * 86_400_000 + 3_600_000 + Int64(user))
        let id = fault == .upperCase ? "USER-\(user)" : "user-\(user)"
        text +=
          #"{"event_id":"\#(fault == .newEventIDs && !isOfToday ? "x" : "")a\#(part)-\#(user)","user_id":"\#(id)","timestamp":"\#(time)","event":"app_active"}"#
          + "\n"
      }
    }
    return Array(text.utf8)
  }

  /// The ingest in the night after a day.
  private func ingest(day: Int, _ fault: Fault = .none) throws -> IngestResult {
    var log = log
    log.clock = { Self.start + Int64(day + 1) * 86_400_000 + 14_400_000 }
    return try log.ingest(bytes: export(day: day, fault), name: "day-\(day).ndjson")
  }

  @Test(
    arguments: [
      ("noDenials", "denied camera"), ("upperCase", "new_users"), ("newEventIDs", "late_users"),
      ("renamed", "not_understood"),
    ]) func everyoneTellsIt(name: String, measure: String) throws
  {
    for day in 0..<20 { #expect(try ingest(day: day).health.isEmpty, "day \(day)") }
    #expect(try log.audit().others.contains { $0.check == .unusualIngest && $0.leftOut == .belowThreshold })
    let fault: Fault =
      switch name {
      case "noDenials": .noDenials
      case "upperCase": .upperCase
      case "newEventIDs": .newEventIDs
      default: .renamed
      }
    let result = try ingest(day: 20, fault)
    #expect(result.health.map(\.measure).contains(measure), "\(result.health)")
    #expect(String(decoding: result.json, as: UTF8.self).contains(#""measure": "\#(measure)""#))
    #expect(try log.information().health.map(\.measure).contains(measure))
    let report = try log.report()
    #expect(report.unusual.map(\.measure).contains(measure))
    let sentence = try #require(report.unusual.first { $0.measure == measure }).sentence
    #expect(String(decoding: report.render(as: .json), as: UTF8.self).contains(sentence))
    let text = String(decoding: report.render(as: .text), as: UTF8.self).replacing(/\s+/, with: " ")
    #expect(text.contains("At the ingest of "))
    #expect(try log.audit().findings.contains { $0.check == .unusualIngest })
    try log.undo()
    #expect(try log.information().health.isEmpty)
    #expect(try log.report().unusual.isEmpty)
    #expect(try log.audit().findings.contains { $0.check == .unusualIngest } == false)
    // The export of the same day as it should be.
    #expect(try ingest(day: 20).health.isEmpty)
  }

  @Test func anExpiryIsTold() throws {
    for day in 0..<3 { _ = try ingest(day: day) }
    #expect(try log.report().expiredBefore == nil)
    try log.expire(before: .time(Self.start + 86_400_000))
    let report = try log.report()
    #expect(report.expiredBefore == Self.start + 86_400_000)
    let text = String(decoding: report.render(as: .text), as: UTF8.self).replacing(/\s+/, with: " ")
    #expect(text.contains("The log keeps no events from before 2026-03-02"), "\(text)")
    #expect(text.contains("mind it in weeks to 2026-03-30."))
  }
}
