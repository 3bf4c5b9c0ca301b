// Which value of a property loses people: cases by hand, and large random ones against the plain reading of the contract.

import Foundation
import PermissionEvents
import ReportOracle
import ReportRendering
import Testing

@testable import PermissionAnalysis

@Suite struct RankingTests {
  private static let names = ["", "A", "B", "C", "D"].map { Array($0.utf8) }

  private func ranked(_ counts: [(value: UInt32, base: Int, granted: Int)]) -> ValueRanking {
    ValueRanking(permission: "camera", properties: [.surface], names: Self.names, counts)
  }

  @Test func lostGrantsAreThoseOfTheBestRate() {
    let ranking = ranked([(0, 50, 10), (1, 200, 120), (2, 100, 20)])
    let values = ranking.first(9)
    #expect(ranking.best == 0.6 && ranking.bestValue?.by.first?.value == "A")
    #expect(values.map { $0.by.first?.value } == ["B", nil, "A"])
    #expect(values.map(\.lostGrants) == [40, 20, 0] && values.map(\.isBest) == [false, false, true])
    #expect(ranking.test.tested == 3 && (ranking.test.result?.pValue ?? 1) < 0.001)
  }

  @Test func withoutABaseOfAHundredNoLossIsKnown() {
    let ranking = ranked([(0, 99, 0), (1, 99, 99), (2, 10, 5)])
    #expect(ranking.best == nil && ranking.bestValue == nil)
    #expect(ranking.first(9).map(\.lostGrants) == [nil, nil, nil])
    // By the base, then by the bytes; no value is last.
    #expect(ranking.first(9).map { $0.by.first?.value } == ["A", nil, "B"])
  }

  @Test func aValueWithoutABaseComesAfterAllOthers() {
    let ranking = ranked([(0, 0, 0), (1, 0, 0), (2, 100, 50), (3, 20, 20)])
    let values = ranking.first(9)
    #expect(values.map { $0.by.first?.value } == ["B", "C", "A", nil])
    // A small base with a higher rate than the best has lost less than nothing.
    #expect(values.map(\.lostGrants) == [0, -10, nil, nil])
    #expect(values[2].rate == nil && values.map(\.isBest) == [true, false, false, false])
  }

  @Test func equalLossesAreInTheOrderOfBaseThenBytes() {
    let ranking = ranked([(0, 100, 50), (4, 100, 50), (1, 100, 50), (2, 300, 150), (3, 100, 50)])
    #expect(ranking.first(9).map { $0.by.first?.value } == ["B", "A", "C", "D", nil])
    #expect(ranking.first(9).allSatisfy { $0.lostGrants == 0 && $0.isBest })
  }

  @Test func oneValueIsItsOwnBestAndIsNotTested() {
    let ranking = ranked([(1, 150, 30)])
    #expect(ranking.first(9).map(\.lostGrants) == [0] && ranking.test.result == nil)
    #expect(ranked([]).count == 0 && ranked([]).best == nil)
  }

  @Test func countsOfHostileSumsDoNotOverflow() {
    let huge = 1 << 50
    let ranking = ranked([(1, huge, huge), (2, huge, 1)])
    #expect(ranking.first(1).first?.by.first?.value == "B" && ranking.first(1).first?.lostGrants == Double(huge - 1))
  }

  @Test(arguments: (1...12).map { UInt64($0) }) func rankingsEqualTheOracle(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var events: [OracleEvent] = []
    let surfaces: [String?] = [nil, "onboarding", "settings", "\u{E9}", "e\u{301}", "map"]
    for permission in ["camera", "notifications"] {
      for surface in surfaces where Int.random(in: 0..<5, using: &random) > 0 {
        let users = [3, 12, 99, 100, 130, 220].randomElement(using: &random) ?? 3
        let share = [0, 20, 50, 50, 80, 100].randomElement(using: &random) ?? 50
        for user in 0..<users {
          let name = "\(permission)-\(surface ?? "none")-\(user)-\(surface?.utf8.count ?? 0)"
          let time = 1_775_000_000_000 + user * 1000
          let isGranted = Int.random(in: 0..<100, using: &random) < share
          events.append(
            OracleEvent(
              userID: name, eventID: "p", timestamp: time, event: "prompt_shown", permission: permission,
              surface: surface))
          events.append(
            OracleEvent(
              userID: name, eventID: "a", timestamp: time + 500, event: isGranted ? "granted" : "denied",
              permission: permission))
        }
      }
    }
    // So that most windows are over; some are not.
    events.append(OracleEvent(userID: "end", eventID: "e", timestamp: 1_775_001_950_000, event: "app_active"))
    let log = try OracleLog(events, parts: 1 + Int(seed % 3))
    var options = OracleOptions()
    options.by = "surface"
    if seed % 3 == 0 { options.byLimit = 2 }
    var asked = ReportQuestion(options, log)
    // Rows that are kept, and rows that are made one by one.
    if seed % 2 == 0 { asked.room.rows = 0 }
    let question = asked
    var (sums, calls) = try log.read(question.windows, question.selection, seed) { ReportFold(question, contexts: $0) }
    sums.calls = calls
    let report = try Report(sums, question, threads: 1, reading: CallReading(calls))
    let found = differences(
      oracleReport(events, options), try OracleJSON(parsing: Data(ReportJSON.render(report, threads: 1))))
    #expect(found.isEmpty, "seed \(seed): \(found.prefix(12))")
    #expect(report.rankings.contains { $0.best != nil }, "seed \(seed)")
  }
}
