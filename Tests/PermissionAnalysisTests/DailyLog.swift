// Logs that are made of counts by day, and comparisons of them at any moment.

import EventLog
import Folding
import LogTestSupport
import PermissionEvents

@testable import PermissionAnalysis

/// Users of one day, who answer within seconds: noon in UTC.
struct DayCounts {
  var a: (users: Int, granted: Int)
  var b: (users: Int, granted: Int)
  var platform: String?
}

/// An experiment of A and B, day after day from 2026-03-02.
struct DailyLog {
  static let firstDay: DayNumber = 20_514
  private let snapshot: LogSnapshot

  init(_ days: [[DayCounts]]) throws {
    var events: [TestEvent] = []
    func add(_ day: Int, _ variant: String, _ users: Int, _ granted: Int, _ platform: String?) {
      for user in 0..<users {
        let name = "\(variant)-\(day)-\(platform ?? "")-\(user)"
        let time = (Self.firstDay + DayNumber(day)) * millisecondsPerDay + millisecondsPerDay / 2 + Milliseconds(user)
        var values: [StringField: String] = [.permission: "notifications", .variant: variant]
        values[.platform] = platform
        let answer: EventKind = user < granted ? .granted : .denied
        events.append(TestEvent(user: name, id: "s", time: time, kind: .promptShown, values: values))
        events.append(TestEvent(user: name, id: "a", time: time + 2_000, kind: answer, values: values))
      }
    }
    for (day, groups) in days.enumerated() {
      for group in groups {
        add(day, "A", group.a.users, group.a.granted, group.platform)
        add(day, "B", group.b.users, group.b.granted, group.platform)
      }
    }
    try self.init(events: events)
  }

  init(events: [TestEvent]) throws {
    let directory = LogDirectory(path: "/log", files: MemoryFileSystem())
    try directory.ingest(events)
    snapshot = try LogSnapshot(directory)
  }

  /// The comparison of B with A at the end of a day, 0 the first, or so many milliseconds later.
  func compare(
    after day: Int, later: Milliseconds = 0, _ change: (inout ComparisonQuestion) -> Void = { _ in }
  ) throws -> Comparison {
    let asOf = (Self.firstDay + DayNumber(day) + 1) * millisecondsPerDay + later
    var question = ComparisonQuestion(
      windows: AnalysisWindows(asOf: asOf), zone: .utc, permission: "notifications", variants: ["A", "B"],
      experiment: nil)
    change(&question)
    let asked = question
    let sums = try snapshot.fold(question.selection, within: 0...UInt64.max, threads: 1) {
      ComparisonFold(asked, contexts: $0)
    }
    return try ComparisonSet(sums, question).pairs[0]
  }
}
