// Sums of the data themselves: bounded, the same in any order, and safe to read from anybody's file. And the findings at their
// edges.

import Folding
import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct FeedSumsTests {
  private static let today: DayNumber = 20_500

  private func question(_ zone: ZoneTable = .utc) -> AuditQuestion {
    var question = AuditQuestion(asOf: Self.today * millisecondsPerDay, zone: zone, logStart: 0)
    question.examples = 2
    return question
  }

  private func name(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Sums with events of versions on days, all of them `app_active` of one user a day.
  private func sums(_ events: [(version: String, day: DayNumber, count: Int64)]) throws -> FeedSums {
    var sums = FeedSums()
    for (version, day, count) in events {
      try sums.kinds.add(count, name("app_active"), on: day)
      if !version.isEmpty { try sums.versions.add(count, name(version), on: day) }
      try sums.eventsOfUsers.add(1, usersOf: count)
    }
    return sums
  }

  private func stopped(_ sums: FeedSums) -> Set<String> {
    Set(
      sums.candidates(question()).compactMap { finding in
        guard finding.leftOut == nil, case .stopped(let feed, _, _, _) = finding.detail else { return nil }
        return feed.name
      })
  }

  @Test func aFeedHasStoppedAfterThreeTimesItsLongestGap() throws {
    func last(_ ago: DayNumber, gap: DayNumber, days: Int) throws -> Bool {
      // Without gaps but for one after the first day.
      let lastDay = Self.today - ago
      let rest = (0..<days - 1).map { lastDay - DayNumber($0) }
      let first = rest[rest.count - 1] - gap - 1
      let sums = try sums((rest + [first]).map { ("", $0, 1) })
      return try stopped(FeedSums(tables: sums.tables)) == ["app_active"]
    }
    #expect(try last(3, gap: 0, days: 14))
    #expect(try !last(2, gap: 0, days: 14))
    #expect(try !last(3, gap: 0, days: 13))
    #expect(try last(3, gap: 1, days: 14))
    #expect(try last(12, gap: 4, days: 14))
    #expect(try !last(11, gap: 4, days: 14))
  }

  @Test func aVersionCountsWithATwentiethOfTheEventsAndNoHigherOneAfterIt() throws {
    let old = (0..<14).map { ("3.9", Self.today - 20 - DayNumber($0), Int64(1)) }
    // Fourteen events of 280 are 5 %.
    func others(_ count: Int64, _ version: String = "") -> [(String, DayNumber, Int64)] {
      [(version, Self.today - 20, count - 14), ("", Self.today, 1)]
    }
    #expect(try stopped(sums(old + others(280))) == ["3.9"])
    #expect(try stopped(sums(old + others(281))) == [])
    // 28 days up to its last: an event of the 28th day before is not in them.
    #expect(try stopped(sums(old + others(280) + [("", Self.today - 47, 1)])) == [])
    #expect(try stopped(sums(old + others(280) + [("", Self.today - 48, 1)])) == ["3.9"])
    // A higher version on the day after.
    #expect(try stopped(sums(old + others(280) + [("3.10", Self.today - 19, 1)])) == [])
    #expect(try stopped(sums(old + others(279) + [("3.10", Self.today - 20, 1)])) == ["3.9"])
    #expect(try stopped(sums(old + others(280) + [("3.8", Self.today - 19, 1)])) == ["3.9"])
    #expect(try stopped(sums(old + others(280) + [("3.9.0", Self.today - 19, 1)])) == ["3.9"])
    #expect(try stopped(sums(old + others(280) + [("next", Self.today - 19, 1)])) == ["3.9"])
  }

  @Test func aSharedIDHasMoreThanAThousandTimesTheMedian() throws {
    func shared(_ users: [(id: String, events: Int64)]) throws -> AuditFinding {
      var sums = FeedSums()
      sums.eventsOfUsers = EventsOfUsers(room: 2)
      for user in users {
        try sums.eventsOfUsers.add(1, usersOf: user.events)
        sums.eventsOfUsers.keep(name(user.id), user.events)
        try sums.kinds.add(user.events, name("app_active"), on: Self.today)
      }
      let copy = try FeedSums(tables: sums.tables)
      #expect(copy == sums)
      return try #require(copy.candidates(question()).first { $0.check == .sharedID })
    }
    let edge = try shared([("a", 2), ("b", 2), ("c", 9), ("d", 2000)])
    #expect(edge.leftOut == .belowThreshold && edge.users == 0 && edge.of == 4 && edge.examples.isEmpty)
    let beyond = try shared([("a", 2), ("b", 2), ("c", 9), ("d", 2001)])
    #expect(beyond.leftOut == nil && beyond.users == 1 && beyond.examples == ["d"])
    #expect(beyond.detail == .eventsOfUsers(median: 2, most: 2001))
    // The lower middle of four; and as many examples as were asked for, those with the most events.
    let several = try shared([("a", 1), ("b", 1), ("c", 1500), ("d", 1900), ("e", 1200), ("f", 1), ("g", 1)])
    #expect(several.users == 3 && several.examples == ["d", "c"])
    #expect(try shared([]).leftOut == .nothingToSee)
  }

  @Test func ingestsAreJudgedByTheirOwnCounters() {
    func candidates(_ tally: IngestTally?, _ thresholds: [AuditCheck: AuditThreshold] = [:]) -> [AuditFinding] {
      var question = question()
      question.thresholds = thresholds
      return IngestTally.candidates(tally, question)
    }
    #expect(candidates(nil).map(\.leftOut) == [.nothingToSee, .nothingToSee, .nothingToSee])
    let edge = candidates(
      IngestTally(new: 1000, duplicates: 9000, conflicts: 100, ahead: 1, sessions: 200, changedSessions: 2))
    #expect(edge.map(\.leftOut) == [nil, nil, nil])
    #expect(edge.map(\.users) == [1, 100, 2] && edge.map(\.of) == [1000, 10_000, 200])
    let below = candidates(
      IngestTally(new: 1001, duplicates: 9000, conflicts: 100, ahead: 1, sessions: 201, changedSessions: 2))
    #expect(below.map(\.leftOut) == [.belowThreshold, .belowThreshold, .belowThreshold])
    let none = AuditThreshold(perMillion: 0)
    let clean = candidates(IngestTally(new: 5), [.clockAhead: none, .manyConflicts: none])
    #expect(clean.map(\.leftOut) == [.belowThreshold, .belowThreshold, .nothingToSee])
  }

  @Test func tooManyVersionsAreNoneInAnyOrder() throws {
    let days = (0..<AuditLimits.daysOfFeeds / 64).map { DayNumber($0) }
    var full = FeedSums().versions
    for version in 0..<64 { for day in days { try full.add(1, name("\(version)"), on: day) } }
    #expect(!full.areTooMany)
    var more = FeedSums().versions
    try more.add(1, name("one more"), on: 1)
    var (a, b) = (full, more)
    try a.add(more)
    try b.add(full)
    #expect(a.areTooMany && a == b)
    var sums = FeedSums()
    sums.versions = a
    let copy = try FeedSums(tables: sums.tables)
    let candidates = copy.candidates(question())
    #expect(copy == sums && candidates.allSatisfy { $0.leftOut != nil })
    // That versions were not looked at is said, and of them alone.
    let told = candidates.filter { $0.leftOut == .tooMany }
    #expect(told.map(\.check) == [.feedStopped] && told.map(\.detail) == [.notLookedAt(.version)])
  }

  /// Kinds are so few that they have room on all days that there are: `tables` would be refused without it.
  @Test func kindsOfAllDaysHaveRoom() {
    let days = (Timestamp.latest - Timestamp.earliest) / millisecondsPerDay + 3
    #expect(Int(days) * EventKind.ofHistories <= AuditLimits.daysOfFeeds)
  }

  @Test func ofVeryManyThatStoppedTheLastAreFindings() throws {
    var sums = FeedSums()
    let names = (0..<AuditLimits.stoppedFeeds + 3).map { "device-\($0)" }
    for (number, platform) in names.enumerated() {
      for day in 0..<14 { try sums.platforms.add(1, name(platform), on: Self.today - DayNumber(20 + number + day)) }
    }
    #expect(stopped(sums) == Set(names.prefix(AuditLimits.stoppedFeeds)))
    let rest = sums.candidates(question()).filter { $0.leftOut == .tooMany }
    #expect(rest.map(\.detail) == [.moreStopped(3)])
  }

  @Test func moreUsersThanFiguresAreMadeOfAreRefused() throws {
    var sums = FeedSums()
    try sums.eventsOfUsers.add(1 << 40, usersOf: 1)
    try sums.kinds.add(1 << 40, name("app_active"), on: 0)
    try sums.checkCounts()
    try sums.eventsOfUsers.add(1, usersOf: 2)
    try sums.kinds.add(2, name("app_active"), on: 1)
    #expect(throws: SumsError.self) { try sums.checkCounts() }
  }

  @Test func aTallyOfAnybodyIsRefusedAndNotBent() throws {
    func read(_ counts: [Int64]) throws -> IngestTally? {
      var tables = AuditSums().tables
      let place = try #require(tables.firstIndex { $0.name == "ingests" })
      tables[place].setRow([], SumTable.Row(counts))
      return try AuditSums(tables: tables).ingests
    }
    #expect(
      try read([5, 2, 2, 5, 9, 9, 4, 4])
        == IngestTally(
          new: 5, duplicates: 2, conflicts: 2, ahead: 5, lines: 9, notUnderstood: 9, sessions: 4, changedSessions: 4))
    for counts: [Int64] in [
      [5, 2, 3, 0, 9, 0, 0, 0], [5, 2, 0, 6, 9, 0, 0, 0], [(1 << 52) + 1, 0, 0, 0, 0, 0, 0, 0],
      [0, (1 << 52) + 1, 0, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 9, 10, 0, 0],
      [5, 0, 0, 0, 9, 0, 3, 4],
    ] {
      #expect(throws: SumsError.self, "\(counts)") { try read(counts) }
    }
  }

  @Test func tablesOfAnybodyAreChecked() throws {
    let good = try sums([("3.9", Self.today - 3, 4), ("", Self.today, 2)])
    try FeedSums(tables: good.tables).checkCounts()
    /// The tables with one row more.
    func read(_ table: String, _ key: SumTable.Key, _ value: Int64) throws {
      var tables = good.tables
      let place = try #require(tables.firstIndex { $0.name == table })
      tables[place].setRow(key, SumTable.Row([value]))
      let sums = try FeedSums(tables: tables)
      _ = sums.candidates(question())
      try sums.checkCounts()
    }
    let day = name("2026-01-02")
    for (table, key, value): (String, SumTable.Key, Int64) in [
      ("feed_kinds", [name("app_active"), day], 1), ("feed_kinds", [name("dreamt"), day], 1),
      ("feed_kinds", [name("app_active"), day], -1), ("feed_kinds", [nil, day], 1), ("feed_kinds", [nil, nil], 1),
      ("feed_kinds", [name("granted"), nil], 1), ("feed_kinds", [name("granted"), name("soon")], 1),
      ("feed_kinds", [name("granted"), day], 1 << 41), ("feed_versions", [name("3.9"), day], 1),
      ("feed_platforms", [name("ios"), day], 1), ("feed_platforms", [nil, nil], 2),
      ("feed_platforms", [[], day], 1), ("feed_platforms", [Array(repeating: 0x61, count: 300), day], 1),
      ("events_of_users", [name("4")], 2), ("events_of_users", [name("0")], 1), ("events_of_users", [name("04")], 1),
      ("events_of_users", [name("-4")], 1), ("events_of_users", [nil], 1),
      ("events_of_users", [name("1099511627776")], 1 << 40), ("events_of_users", [name("99999999999999")], 1),
      ("largest_users", [nil], 101), ("largest_users", [nil], -1), ("largest_users", [name("u")], 4),
      ("largest_users", [name("u")], 1 << 62),
    ] {
      #expect(throws: SumsError.self, "\(table) \(key) \(value)") { try read(table, key, value) }
    }
    for place in good.tables.indices {
      var tables = good.tables
      tables.remove(at: place)
      #expect(throws: SumsError.self) { try FeedSums(tables: tables) }
    }
    // As large as can be, added up again and again: refused, and nothing traps.
    var largest = FeedSums()
    try largest.kinds.add(1 << 40, name("app_active"), on: 0)
    try largest.versions.add(1 << 40, name("1"), on: 0)
    try largest.eventsOfUsers.add(1 << 40, usersOf: 1 << 40)
    #expect(throws: SumsError.self) {
      for _ in 0..<64 {
        _ = largest.candidates(question())
        try largest.add(largest)
      }
    }
    #expect(throws: SumsError.self) { try largest.checkCounts() }
  }
}
