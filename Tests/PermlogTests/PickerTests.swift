// `picker_used`: stored, exported, in no figure; the audit says where users mostly only pick.

import Foundation
import LogTestSupport
import Permlog
import Testing

@Suite struct PickerTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 2)
  }

  private func line(_ user: Int, _ event: String, _ second: Int, _ permission: String?, _ status: String? = nil)
    -> String
  {
    let time = Timestamp.text(1_772_445_600_000 + Int64(second) * 1000)
    let others = [("permission", permission), ("status", status)].compactMap { name, value in
      value.map { #","\#(name)":"\#($0)""# }
    }
    return #"{"user_id":"u\#(user)","timestamp":"\#(time)","event":"\#(event)"\#(others.joined())}"# + "\n"
  }

  private func ingest(_ lines: [String]) throws {
    let file = try directory.write("\(UUID().uuidString).ndjson", lines.joined())
    #expect(try log.ingest([file]).read.rejected == 0)
  }

  private func finding(_ permission: String, _ change: (inout AuditRequest) -> Void = { _ in }) throws -> AuditFinding?
  {
    var request = AuditRequest()
    change(&request)
    let report = try log.audit(request)
    let all = (report.findings + report.others).filter { $0.check == .mostOnlyPick }
    return all.first { $0.permission == permission } ?? all.first { $0.permission == nil }
  }

  /// Random users in several ingests, and one who is erased, against the counts of their events.
  @Test(arguments: 1...8 as ClosedRange<UInt64>) func countsAreThoseOfTheEvents(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var events: [(user: Int, kind: String, second: Int, permission: String?, status: String?)] = []
    let kinds =
      [
        ("picker_used", nil), ("picker_used", nil), ("prompt_shown", nil), ("denied", nil), ("granted", "limited"),
        ("skipped", nil),
        ("status_checked", "authorized"), ("status_checked", "denied"), ("status_checked", nil), ("re_enabled", nil),
        ("revoked", nil),
        ("app_active", nil),
      ] as [(String, String?)]
    for _ in 0..<400 {
      guard let (kind, status) = kinds.randomElement(using: &generator) else { continue }
      let isUse = kind == "app_active"
      let permission = ["photo_library", "contacts", kind == "picker_used" ? nil : "camera"].randomElement(
        using: &generator)
      events.append(
        (
          .random(in: 0..<120, using: &generator), kind, .random(in: 0..<5000, using: &generator),
          isUse ? nil : permission ?? nil, status
        ))
    }
    for part in 0..<3 {
      try ingest(
        events.indices.filter { $0 % 3 == part }.map { at in
          line(events[at].user, events[at].kind, events[at].second, events[at].permission, events[at].status)
        })
    }
    if seed % 2 == 0 {
      try log.erase(users: [Array("u7".utf8)])
      events.removeAll { $0.user == 7 }
    }
    for end in [5000, 2500] {
      for permission in ["photo_library", "contacts"] {
        let of = events.filter { $0.permission == permission && $0.second <= end }
        let on = Set(
          of.filter { event in
            ["granted", "re_enabled"].contains(event.kind)
              || event.kind == "status_checked" && event.status == "authorized"
          }.map(\.user))
        let picked = Set(of.filter { $0.kind == "picker_used" }.map(\.user))
        let found = try #require(
          try finding(permission) { $0.scope.asOf = .time(1_772_445_600_000 + Int64(end) * 1000) })
        #expect(found.permission == permission)
        #expect(found.users == Int64(picked.subtracting(on).count) && found.of == Int64(picked.union(on).count))
        let share = Double(picked.subtracting(on).count) / Double(picked.union(on).count)
        #expect((found.leftOut == nil) == (share >= 0.5 && picked.union(on).count >= 30))
      }
    }
  }

  @Test func onlyAPermissionThatIsAskedForIsNamed() throws {
    try ingest((0..<40).map { line($0, "picker_used", 1, "contacts") })
    let unasked = try #require(try finding("contacts"))
    #expect(unasked.leftOut == .nothingToSee && unasked.permission == nil)
    try ingest([line(99, "prompt_shown", 5, "contacts")])
    let asked = try #require(try finding("contacts"))
    #expect(asked.leftOut == nil && asked.users == 40 && asked.of == 40 && asked.severity == .note)
    #expect(try finding("contacts") { $0.thresholds[.mostOnlyPick] = AuditThreshold(percent: "100") }?.leftOut == nil)
    try ingest([line(98, "granted", 5, "contacts")])
    #expect(
      try finding("contacts") { $0.thresholds[.mostOnlyPick] = AuditThreshold(percent: "100") }?.leftOut
        == .belowThreshold)
  }

  /// The figures of a log are the same with pickers and without.
  @Test func noOtherFigureChanges() throws {
    let others = (0..<60).flatMap { user in
      [line(user, "explanation_shown", 0, "contacts"), line(user, "prompt_shown", 2, "contacts")]
        + (user % 3 > 0 ? [line(user, user % 2 == 0 ? "granted" : "denied", 5, "contacts")] : [])
        + [line(user, "app_active", 90_000, nil)]
    }
    try ingest(others)
    func answers() throws -> [String] {
      var report = ReportRequest()
      report.scope.asOf = .time(1_772_445_600_000 + 40 * 86_400_000)
      var journeys = JourneyRequest()
      journeys.scope.asOf = report.scope.asOf
      var rows: [UInt8] = []
      try log.exportJourneys(journeys) { rows += $0 }
      return [
        "\(try log.report(report).rows)", "\(try log.report(report).activity)", "\(try log.report(report).reach)",
        String(decoding: rows, as: UTF8.self),
      ]
    }
    let before = try answers()
    try ingest((0..<60).map { line($0, "picker_used", 3, $0 % 2 == 0 ? "contacts" : nil) })
    for (now, before) in zip(try answers(), before) { #expect(now == before) }
    var exported: [UInt8] = []
    try log.export { exported += $0 }
    let text = String(decoding: exported, as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.contains(#""event":"picker_used""#) } == 60)
    #expect(try log.information().events == 60 * 2 + 40 + 60 + 60)
  }
}
