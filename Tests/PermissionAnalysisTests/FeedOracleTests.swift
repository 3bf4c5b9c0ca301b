// What an audit says of the data against the brute-force reading of the contract, on seeded random histories: feeds that stop,
// ids that are shared, and the latest change of each user's version, over one range of users and several, on one thread and two.

import Folding
import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

/// The tally alone, with the users' changes of version.
private struct FeedFold: Fold, ~Copyable {
  struct Sums: FoldSums {
    static let name = "feed of tests 1"
    static var layout: SumsLayout<Self> { [.part(\.feed), .part(\.changes)] }
    var feed = FeedSums()
    var changes = SumTable("changes", keys: ["user"], columns: ["time"])
  }

  private var tally: FeedTally

  init(_ question: AuditQuestion, contexts: HistoryContexts) { tally = FeedTally(question, contexts: contexts) }

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Sums) {
    tally.add(user)
    guard tally.versionChange != .min else { return }
    sums.changes.setRow([user.id()], SumTable.Row([tally.versionChange]))
  }

  mutating func finish(into sums: inout Sums) { sums.feed = tally.finish() }
}

@Suite struct FeedOracleTests {
  private static let histories: UInt64 = 10
  static let seeds = stride(from: UInt64(5000), to: 5120, by: Int(histories)).map { $0 }

  @Test(arguments: seeds) func dataEqualOracle(firstSeed: UInt64) throws {
    for seed in firstSeed..<firstSeed + Self.histories {
      let generator = FeedHistoryGenerator(seed: seed)
      let events = generator.history()
      let log = try OracleLog(events, parts: 1 + Int(seed % 3))
      let timeZone = try #require(TimeZone(identifier: FoldOracleTests.zones[Int(seed / 3 % 4)]))
      for asOf in generator.moments(events, timeZone) {
        try expectFeed(events, log, asOf: asOf, timeZone, seed)
      }
    }
  }

  /// A table laid out for all days, and the one for logs that have no room for it.
  @Test(arguments: 7000..<7010 as Range<UInt64>) func bothTablesCountTheSame(seed: UInt64) throws {
    let log = try OracleLog(FeedHistoryGenerator(seed: seed).history(), parts: 2)
    var asked = AuditQuestion(asOf: Milliseconds(log.newest), logStart: log.oldest)
    asked.examples = 3
    let question = asked
    func sums(_ times: ClosedRange<Milliseconds>?) throws -> FeedSums {
      try log.fold(question.selection, ranges: 1, threads: 2) { contexts in
        var contexts = contexts
        contexts.times = times ?? contexts.times
        return FeedFold(question, contexts: contexts)
      }.feed
    }
    let (table, cells) = (try sums(nil), try sums(Timestamp.earliest...Timestamp.earliest))
    #expect(table == cells && table.users > 0 && !table.kinds.counts.isEmpty, "seed \(seed)")
  }

  /// The same on the histories that reports are tried on, with their conditions.
  @Test(arguments: stride(from: UInt64(6000), to: 6060, by: 10).map { $0 })
  func dataOfOtherHistoriesEqualOracle(firstSeed: UInt64) throws {
    for seed in firstSeed..<firstSeed + 10 {
      let generator = HistoryGenerator(seed: seed)
      let events = generator.history(users: 4 + Int(seed % 7) * 4)
      let log = try OracleLog(events, parts: 1 + Int(seed % 3))
      let options = generator.options(for: events, variation: Int(seed))
      let asOf = options.asOf ?? Int(log.newest)
      let conditions = options.conditions.compactMap { try? ExposureCondition(parsing: $0.text) }
      try expectFeed(events, log, asOf: asOf, options.timeZone, seed, conditions)
    }
  }

  private func expectFeed(
    _ events: [OracleEvent], _ log: OracleLog, asOf: Int, _ timeZone: TimeZone, _ seed: UInt64,
    _ conditions: [ExposureCondition] = []
  ) throws {
    var asked = AuditQuestion(asOf: Milliseconds(asOf), zone: ZoneTable(timeZone), logStart: log.oldest)
    asked.examples = 3
    asked.conditions = conditions
    let question = asked
    let sums = try log.sums(question.selection, seed) { contexts in
      var contexts = contexts
      // As if no table had room for a day.
      if seed % 3 == 0 { contexts.times = Timestamp.earliest...Timestamp.earliest }
      return FeedFold(question, contexts: contexts)
    }
    try sums.feed.checkCounts()
    let oracle = OracleAuditData(events, asOf: asOf, timeZone: timeZone) { a, b in
      func hash(_ id: String) -> UInt64 { Array(id.utf8).withUnsafeBytes(UserHash.of) }
      return hash(a) == hash(b) ? Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8)) : hash(a) < hash(b)
    }
    let comment: Comment = "seed \(seed), as of \(asOf), \(timeZone.identifier)"
    #expect(sums.feed.users == Int64(oracle.users), comment)
    var changes: [[UInt8]: Int] = [:]
    for (key, row) in sums.changes.rows { changes[key[0] ?? []] = Int(row[0]) }
    #expect(changes == oracle.versionChanges, comment)

    let candidates = sums.feed.candidates(question)
    let findings = candidates.filter { $0.leftOut == nil }
    #expect(findings.contains { $0.check == .noActivity } == (oracle.users > 0 && !oracle.hasActivity), comment)
    let shared = try #require(candidates.first { $0.check == .sharedID })
    #expect((shared.leftOut == nil) == !oracle.shared.isEmpty, comment)
    #expect(shared.examples == Array(oracle.shared.prefix(3)), comment)
    if oracle.users > 0 {
      #expect(shared.users == Int64(oracle.shared.count) && shared.of == Int64(oracle.users), comment)
      let detail = AuditFinding.Detail.eventsOfUsers(median: Int64(oracle.median), most: Int64(oracle.most))
      #expect(shared.detail == detail, comment)
    }
    let stopped = findings.compactMap { finding -> OracleStopped? in
      guard case .stopped(let feed, let last, let days, let gap) = finding.detail else { return nil }
      let what =
        switch feed {
        case .kind: "kind"
        case .platform: "platform"
        case .version: "version"
        }
      return OracleStopped(what: what, name: feed.name, last: Int(last), daysSince: Int(days), longestGap: Int(gap))
    }
    #expect(stopped.sorted() == oracle.stopped, comment)
    #expect(candidates.contains { $0.check == .feedStopped && $0.leftOut != nil } == oracle.stopped.isEmpty, comment)
  }
}
