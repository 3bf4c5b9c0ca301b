// How early users were asked, on the edges of each class; and sums of it that anybody wrote.

import Folding
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

@Suite struct TimingTests {
  private static let day = 86_400_000
  private static let hour = 3_600_000
  /// 2026-03-20 12:00 UTC, long after the log's start.
  private static let t0 = 1_774_008_000_000

  /// A log that begins early enough to know all use, with one user who is asked at `t0` and says yes.
  private func timing(
    _ events: [(kind: String, time: Int)], logStart: Int? = nil, padding: Int = 0
  ) throws -> TimingFigures {
    var history = [
      OracleEvent(userID: "old", eventID: "old", timestamp: Self.t0 - 60 * Self.day, event: "app_active"),
      OracleEvent(userID: "new", eventID: "new", timestamp: Self.t0 + Self.day, event: "app_installed"),
      OracleEvent(userID: "new", eventID: "f", timestamp: Self.t0 + Self.day, event: "feature_used"),
      OracleEvent(userID: "u", eventID: "p", timestamp: Self.t0, event: "prompt_shown", permission: "camera"),
      OracleEvent(userID: "u", eventID: "g", timestamp: Self.t0 + 9, event: "granted", permission: "camera"),
    ]
    for (number, event) in events.enumerated() {
      history.append(
        OracleEvent(userID: "u", eventID: "e\(number)", timestamp: Self.t0 - event.time, event: event.kind))
    }
    for number in 0..<padding {
      history.append(
        OracleEvent(
          userID: "u", eventID: "x\(number)", timestamp: Self.t0 - 30 * Self.day + number, event: "status_checked",
          permission: "microphone"))
    }
    let log = try OracleLog(history, parts: 1)
    var options = OracleOptions()
    options.logStart = logStart
    let question = ReportQuestion(options, log)
    let sums = try log.sums(question.selection, 1) { ReportFold(question, contexts: $0) }
    return try #require(try Report(sums, question, threads: 1).timing.first)
  }

  /// The class that the one user is in.
  private func name(_ figures: TimingFigures, _ scale: TimingScale) throws -> String {
    let groups = try #require(figures.groups(scale)).filter { $0.base > 0 }
    #expect(groups.count == 1 && groups.first?.base == 1 && groups.first?.granted == 1)
    return try #require(groups.first?.name)
  }

  @Test(arguments: [
    (0, "under_1m"), (59_999, "under_1m"), (60_000, "1m_1h"), (hour - 1, "1m_1h"), (hour, "1h_1d"), (day - 1, "1h_1d"),
    (day, "1d_7d"), (7 * day - 1, "1d_7d"), (7 * day, "7d_up"), (-1, "unknown"),
  ]) func theLowerEndOfAClassBelongsToIt(before: Int, expected: String) throws {
    // Among the first 64 events, and in a longer history.
    for padding in [0, 80] {
      let figures = try timing([("app_installed", before)], padding: padding)
      #expect(try name(figures, .install) == expected)
    }
  }

  @Test func theLatestInstallUpToTheScreenCounts() throws {
    for padding in [0, 80] {
      let installs = [30 * Self.day, 2 * Self.hour, -1].map { ("app_installed", $0) }
      #expect(try name(timing(installs, padding: padding), .install) == "1h_1d")
    }
  }

  @Test func aDayCountsOnceAndThatOfTheScreenNever() throws {
    func days(_ hoursBefore: [Int]) throws -> String {
      try name(timing(hoursBefore.map { ("app_active", $0 * Self.hour) }), .activeDays)
    }
    // Noon: 12 hours before is the first moment of the day itself.
    #expect(try days([0, 1, 12]) == "0")
    #expect(try days([13, 14, 36]) == "1")
    #expect(try days([13, 37, 61]) == "2_3")
    #expect(try days((0..<8).map { 13 + 24 * $0 }) == "8_up")
    // The 27th day before is the last that counts.
    #expect(try days([27 * 24 + 12]) == "1")
    #expect(try days([27 * 24 + 13]) == "0")
  }

  @Test func usesCountInTheTwentyEightDaysUpToTheScreen() throws {
    func uses(_ before: [Int]) throws -> String {
      try name(timing(before.map { ("feature_used", $0) }), .featureUsed)
    }
    #expect(try uses([0, -1]) == "0")
    #expect(try uses([28 * Self.day + 1]) == "0")
    #expect(try uses([28 * Self.day, 1]) == "1_2")
    #expect(try uses([1, 2, 3]) == "3_9")
    #expect(try uses(Array(1...40)) == "10_up")
  }

  @Test func beforeTheLogStartsUseIsKnownAfterAnInstallAlone() throws {
    let start = Self.t0 - 28 * Self.day
    for (logStart, events, expected) in [
      (start, [], "0"), (start + 1, [], "unknown"), (start + 1, [("app_installed", 0)], "0"),
      (start + 1, [("app_installed", -1)], "unknown"),
    ] as [(Int, [(String, Int)], String)] {
      let figures = try timing(events, logStart: logStart)
      #expect(try name(figures, .activeDays) == expected)
      #expect(try name(figures, .featureUsed) == expected)
    }
  }

  // MARK: Sums of anybody

  private static let table = SumTable(
    "timing", keys: ["permission", "classification", "class"], columns: ["base", "granted"])

  private func read(_ rows: [(String, String, Int64, Int64)]) throws -> ReportSums {
    var table = Self.table
    for (scale, name, base, granted) in rows {
      table.setRow([Array("camera".utf8), Array(scale.utf8), Array(name.utf8)], SumTable.Row([base, granted]))
    }
    return try ReportSums(tables: ReportSums().tables.map { $0.name == table.name ? table : $0 })
  }

  @Test func sumsThatContradictThemselvesAreRefused() throws {
    let whole = [("install", "1d_7d", 3, 2), ("active_days", "8_up", 3, 2), ("feature_used", "unknown", 3, 2)]
      .map { ($0.0, $0.1, Int64($0.2), Int64($0.3)) }
    let sums = try read(whole)
    #expect(sums.timing.rows.count == 3)
    #expect(try ReportSums(tables: sums.tables).timing == sums.timing)
    let damaged: [(Int, (String, String, Int64, Int64))] = [
      (0, ("install", "1d_7d", 3, 4)), (0, ("install", "2_3", 3, 2)), (0, ("installs", "1d_7d", 3, 2)),
      (1, ("active_days", "8_up", 4, 2)), (1, ("active_days", "8_up", 3, 1)), (2, ("feature_used", "unknown", -3, -4)),
      (2, ("feature_used", "unknown", 1 << 41, 2)),
    ]
    for (place, row) in damaged {
      var rows = whole
      rows[place] = row
      #expect(throws: SumsError.self, "\(row)") { try read(rows) }
    }
  }
}
