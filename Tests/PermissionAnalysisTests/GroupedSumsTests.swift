// Sums of many groups: packed they are the same, in any order and by any number of threads, and there is an end to their memory.

import Folding
import Foundation
import LogTestSupport
import PermissionEvents
import ReportOracle
import ReportRendering
import Testing
import Threads

@testable import PermissionAnalysis

@Suite struct GroupedSumsTests {
  private static let monday = 1_772_409_600_000

  /// Value n of the feature has `users(n)` users, of two permissions and three weeks, one after the other.
  private func history(values: Int, users: (Int) -> Int) -> [OracleEvent] {
    var events: [OracleEvent] = []
    for value in 0..<values {
      for user in 0..<users(value) {
        let time = Self.monday + (user % 3) * 7 * 86_400_000 + value * 1000 + user
        func event(_ kind: String, _ offset: Int) -> OracleEvent {
          OracleEvent(
            userID: "u\(value)-\(user)", eventID: "\(kind)\(value)-\(user)", timestamp: time + offset, event: kind,
            permission: user % 2 == 0 ? "camera" : "photos", feature: "f\(value)")
        }
        events += [event("prompt_shown", 0), event((value + user) % 3 == 0 ? "denied" : "granted", 2000 + user)]
      }
    }
    return events
  }

  private func question(_ log: OracleLog, _ change: (inout ReportQuestion) -> Void = { _ in }) -> ReportQuestion {
    var question = ReportQuestion(windows: AnalysisWindows(asOf: log.newest + 40 * millisecondsPerDay))
    question.properties = [.feature]
    change(&question)
    return question
  }

  private func sums(
    _ log: OracleLog, _ question: ReportQuestion, ranges: Int = 1, threads: Int = 1
  ) throws -> ReportSums {
    try log.fold(question.selection, ranges: ranges, threads: threads) { ReportFold(question, contexts: $0) }
  }

  private func json(_ sums: ReportSums, _ question: ReportQuestion, threads: Int = 1) throws -> String {
    String(decoding: ReportJSON.render(try Report(sums, question, threads: threads), threads: threads), as: UTF8.self)
  }

  @Test func packedGroupsAreThoseThatLieFlat() throws {
    let log = try OracleLog(history(values: 40) { 1 + $0 % 7 }, parts: 2)
    let flat = question(log)
    let expected = try sums(log, flat)
    for room in [1, 2, 7, 30] {
      let packed = question(log) { $0.room.groups = room }
      for (ranges, threads) in [(1, 1), (3, 2), (5, 1)] {
        let found = try sums(log, packed, ranges: ranges, threads: threads)
        #expect(found.tables == expected.tables, "room for \(room), \(ranges) ranges, \(threads) threads")
        #expect(try json(found, packed) == json(expected, flat))
      }
    }
  }

  @Test func halvesAddUpInEitherOrderWhetherPackedOrFlat() throws {
    let log = try OracleLog(history(values: 30) { 1 + $0 % 5 }, parts: 1)
    let all = try sums(log, question(log))
    for rooms in [(1, 1 << 13), (1 << 13, 1), (3, 3), (1 << 13, 1 << 13)] {
      func half(_ number: Int, _ room: Int) throws -> ReportSums {
        let question = question(log) { $0.room.groups = room }
        return try log.parts(question.selection, ranges: 2, threads: 1) { ReportFold(question, contexts: $0) }[number]
      }
      var (one, other) = (try half(0, rooms.0), try half(1, rooms.1))
      let (first, second) = (one, other)
      try one.add(second)
      try other.add(first)
      #expect(one.tables == all.tables && other.tables == all.tables, "room for \(rooms)")
    }
  }

  @Test func sumsOfOtherNamesAddUpPacked() throws {
    // The same values under other codes: the logs met them in another order.
    let events = history(values: 24) { 1 + $0 % 4 }
    let users = Set(events.map(\.userID)).sorted()
    let first = Set(users.enumerated().filter { $0.offset % 3 > 0 }.map(\.element))
    let whole = try OracleLog(events, parts: 1)
    let asOf = whole.newest
    func part(_ events: [OracleEvent], room: Int) throws -> ReportSums {
      let log = try OracleLog(events, parts: 1)
      var asked = question(log) { $0.room.groups = room }
      asked.windows = AnalysisWindows(asOf: asOf)
      return try sums(log, asked)
    }
    var sum = try part(events.filter { !first.contains($0.userID) }.reversed(), room: 2)
    try sum.add(try part(events.filter { first.contains($0.userID) }, room: 2))
    let expected = try part(events, room: 1 << 13)
    #expect(sum.tables == expected.tables)
    #expect(try ReportSums(tables: sum.tables).tables == expected.tables)
  }

  @Test func theLargestValuesAreTheSameHoweverTheyAreCounted() throws {
    // Values 0 to 9 have one user each, 10 to 19 two: of those with as many the first by their bytes.
    let log = try OracleLog(history(values: 20) { $0 < 10 ? 1 : 2 }, parts: 2)
    for (limit, expected) in [
      (1, ["f10"]), (3, ["f10", "f11", "f12"]), (12, (10...19).map { "f\($0)" } + ["f0", "f1"]),
      (20, (0...19).map { "f\($0)" }),
    ] {
      let asked = question(log) { $0.rows.values = limit }
      let report = try Report(try sums(log, asked), asked, threads: 1)
      let values = report.rows.compactMap { $0.by.first?.value }
      #expect(Set(values) == Set(expected), "limit \(limit)")
      #expect(report.values == 20 && report.valueLimit == limit)
      #expect(report.rows.contains { $0.by.isOther } == (limit < 20))
      #expect(report.rows.filter { $0.week == nil }.reduce(0) { $0 + $1.grants.exposed } == 30, "nobody is lost")
      let one = try json(try sums(log, asked), asked)
      for (ranges, threads, room) in [(1, 2, 1 << 13), (4, 1, 1 << 13), (3, 2, 2), (1, 1, 1)] {
        let other = question(log) {
          $0.rows.values = limit
          $0.room.groups = room
        }
        #expect(try json(try sums(log, other, ranges: ranges, threads: threads), other, threads: threads) == one)
      }
    }
  }

  @Test func theOthersAreLastAndInNoTest() throws {
    let log = try OracleLog(history(values: 6) { 24 - $0 }, parts: 1)
    let asked = question(log) { $0.rows.values = 2 }
    let report = try Report(try sums(log, asked), asked, threads: 1)
    for permission in ["camera", "photos"] {
      let rows = report.rows.filter { $0.permission == permission && $0.week == nil }
      #expect(rows.map { $0.by.first?.value } == ["f0", "f1", nil] && rows.last?.by.isOther == true)
    }
    #expect(report.valueTests.map(\.values) == [2, 2] && report.valueTests.map(\.tested) == [2, 2])
    #expect(report.valueTests.allSatisfy { $0.result?.degreesOfFreedom == 1 })
  }

  @Test func tooManyGroupsAreRefusedAndNotKept() throws {
    let log = try OracleLog(history(values: 200) { _ in 2 }, parts: 1)
    let small = question(log) {
      $0.room.groups = 16
      $0.room.bytes = 4000
    }
    for (ranges, threads) in [(1, 1), (1, 2), (6, 1)] {
      do {
        _ = try sums(log, small, ranges: ranges, threads: threads)
        Issue.record("\(ranges) ranges, \(threads) threads: not refused")
      } catch let error as SumsError {
        #expect(error.code == .tooManyGroups && error.sentence.contains("too many groups"))
      }
    }
    // There is room for as many as fit.
    let enough = question(log) {
      $0.room.groups = 16
      $0.room.bytes = 1 << 16
    }
    #expect(try sums(log, enough).tables == sums(log, question(log)).tables)
  }

  @Test func neitherThreadsNorOrderDecideWhatIsRefused() throws {
    // Each user is of another value than the one before, so that each group is packed many times.
    let log = try OracleLog(history(values: 40) { _ in 30 }, parts: 2)
    func isRefused(_ bytes: Int, _ groups: Int, ranges: Int = 1, threads: Int = 1) throws -> Bool {
      let small = question(log) {
        $0.room.groups = groups
        $0.room.bytes = bytes
      }
      do {
        _ = try sums(log, small, ranges: ranges, threads: threads)
        return false
      } catch let error as SumsError where error.code == .tooManyGroups {
        return true
      }
    }
    // The least room that one thread needs.
    var (refused, enough) = (1, 1 << 20)
    while enough - refused > 1 {
      let middle = (refused + enough) / 2
      if try isRefused(middle, 16) { refused = middle } else { enough = middle }
    }
    for (groups, ranges, threads) in [(16, 1, 2), (5, 1, 1), (90, 1, 1), (16, 1, 4), (7, 3, 1), (16, 3, 2)] {
      #expect(try !isRefused(enough, groups, ranges: ranges, threads: threads), "\(groups), \(ranges), \(threads)")
      #expect(try isRefused(refused, groups, ranges: ranges, threads: threads), "\(groups), \(ranges), \(threads)")
    }
  }

  @Test func threadsShareTheRoomAndOneHasAllOfIt() throws {
    let log = try OracleLog(history(values: 200) { _ in 2 }, parts: 1)
    let asked = question(log) {
      $0.room.groups = 16
      $0.room.bytes = 1 << 15
    }
    // A thread of four has a fourth.
    #expect(throws: SumsError.self) {
      try log.fold(asked.selection, ranges: 1, threads: 1) { contexts in
        var contexts = contexts
        contexts.threads = 4
        return ReportFold(asked, contexts: contexts)
      }
    }
    let seen = Mutex<[Int]>([])
    let sums = try log.fold(asked.selection, ranges: 1, threads: 4) { contexts in
      seen.withLock { $0.append(contexts.threads) }
      return ReportFold(asked, contexts: contexts)
    }
    // The four were refused, and one was asked again.
    #expect(seen.withLock { $0 } == [4, 4, 4, 4, 1])
    #expect(try sums.tables == self.sums(log, question(log)).tables)
  }

  @Test func severalReportsOfOneWalkAreEachThatOfItsOwn() throws {
    let log = try OracleLog(history(values: 200) { _ in 2 }, parts: 2)
    func asked(_ bytes: Int) -> [ReportQuestion] {
      (0..<3).map { number in
        question(log) {
          $0.windows.response = Int64(number + 1) * 1000
          ($0.room.groups, $0.room.bytes) = (16, bytes)
        }
      }
    }
    func together(_ questions: [ReportQuestion], threads: Int) throws -> [ReportSums] {
      try log.snapshot.folds(questions.count, questions[0].selection, threads: threads) {
        ReportFold(questions[$0], contexts: $1)
      }
    }
    // With room for all of them, and for one at a time.
    for bytes in [1 << 20, 1 << 15] {
      let questions = asked(bytes)
      let alone = try questions.map { try sums(log, $0).tables }
      #expect(Set(alone.map { $0.map(\.orderedRows).description }).count == 3)
      for threads in [1, 2] { #expect(try together(questions, threads: threads).map(\.tables) == alone) }
    }
    #expect { try together(asked(4000), threads: 2) } throws: { ($0 as? SumsError)?.code == .tooManyGroups }
  }

  @Test func rowsThatAreMadeWhenTheyAreWrittenAreThoseThatAreKept() throws {
    let log = try OracleLog(history(values: 90) { 1 + $0 % 9 }, parts: 1)
    let (kept, made) = (question(log), question(log) { $0.room.rows = 0 })
    let all = try sums(log, kept)
    let (a, b) = (try Report(all, kept, threads: 1), try Report(all, made, threads: 2))
    #expect(a.rows.count == b.rows.count && a.rows.builder == nil && b.rows.builder != nil)
    #expect(ReportJSON.render(a, threads: 1) == ReportJSON.render(b, threads: 2))
    #expect(ReportCSV.render(a) == ReportCSV.render(b, threads: 3))
    for form in [Document.Form.text, .markdown, .html] {
      // Of rows that are made one by one the values that text leaves out are not counted.
      func page(_ report: Report) -> String {
        String(decoding: ReportDocument.render(report, form), as: UTF8.self)
          .replacing(#/and [0-9,]+ more/#, with: "and more")
      }
      #expect(page(a) == page(b), "\(form)")
    }
    #expect(a.drops.map(\.permission) == b.drops.map(\.permission))
    // A row that is changed stays so.
    var changed = b
    changed.rows[3].permission = "changed"
    #expect(changed.rows[3].permission == "changed" && changed.rows.count == b.rows.count)
  }

  @Test func aPageOfVeryManyValuesCountsThemAll() throws {
    let log = try OracleLog(history(values: 130) { _ in 1 }, parts: 1)
    let asked = question(log) {
      $0.rows.values = 120
      $0.room.rows = 0
    }
    let report = try Report(try sums(log, asked), asked, threads: 1)
    #expect(report.drawn(values: 100).rows.count == 202 && report.rows.count == 242)
    for part in [ReportPart.full, .summary] {
      let text = String(decoding: ReportDocument.render(report, .text, part: part), as: UTF8.self)
        .replacing("\u{A0}", with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        text.contains("of the 130 of feature, the 120 with the most exposures"))
      #expect(text.contains("; the others together are “(other)”") == (part == .full))
      #expect(text.contains("(other) 10 ") == (part == .full) && text.contains("and more"), "\(text)")
    }
  }

  @Test func numbersReadFigureByFigureAreThoseReadOneByOne() throws {
    let seed: UInt64 = 77
    let events = HistoryGenerator(seed: seed).history(users: 60)
    let log = try OracleLog(events, parts: 1)
    let asked = question(log)
    let report = try Report(try sums(log, asked), asked, threads: 1)
    let tree = ReportRow.figures
    #expect(report.rows.contains { $0.trend != nil } && report.rows.contains { $0.trend == nil })
    for row in report.rows {
      var found: [String] = []
      tree.forEachNumber(of: row) { found.append("\(String(decoding: tree.names[$0], as: UTF8.self)) \($1)") }
      let expected = tree.numbers.compactMap { number in number.value(row).map { "\(number.name) \($0)" } }
      #expect(found == expected)
    }
  }

  @Test func aPageHasThePermissionsWithTheMostExposures() throws {
    var events: [OracleEvent] = []
    for permission in 0..<70 {
      for user in 0...permission {
        for (kind, offset) in [("prompt_shown", 0), ("granted", 1000)] {
          events.append(
            OracleEvent(
              userID: "u\(permission)-\(user)", eventID: "\(kind)\(permission)-\(user)",
              timestamp: Self.monday + permission * 100 + user + offset, event: kind,
              permission: "custom_\(100 + permission)"))
        }
      }
    }
    let log = try OracleLog(events, parts: 1)
    for rows in [0, 1 << 14] {
      let asked = question(log) {
        $0.properties = []
        $0.room.rows = rows
      }
      let report = try Report(try sums(log, asked), asked, threads: 1)
      for form in [Document.Form.text, .markdown, .html] {
        let page = String(decoding: ReportDocument.render(report, form), as: UTF8.self)
        #expect(page.contains("custom_169") && page.contains("custom_140") && !page.contains("custom_139"), "\(form)")
        let plain = page.replacing("\u{A0}", with: " ").replacing("\n", with: " ")
        #expect(plain.contains("the 30 with the most exposures, of 70"), "\(form)")
      }
      let summary = String(decoding: ReportDocument.render(report, .text, part: .summary), as: UTF8.self)
      #expect(summary.contains("the 30 with the most exposures, of 70"))
      #expect(Set(report.rows.map(\.permission)).count == 70)
      #expect(String(decoding: ReportCSV.render(report), as: UTF8.self).contains("custom_100"))
    }
  }
}
