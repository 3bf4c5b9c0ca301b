// What a log tells of changes of its past: late events, erased users, expiry.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct PastChangesTests {
  private static let day = millisecondsPerDay
  /// Noon of a day of the experiment.
  private static func noon(_ n: Int) -> Milliseconds { 1_700_006_400_000 + Milliseconds(n) * day }
  /// The end of such a day.
  private static func end(_ n: Int) -> Milliseconds { noon(n) + day / 2 }

  private static func event(_ user: Int, _ time: Milliseconds, _ kind: EventKind = .promptShown) -> TestEvent {
    TestEvent(user: "user \(user)", id: "\(user) \(kind.name) \(time)", time: time, kind: kind)
  }

  private func makeLog() -> LogDirectory { LogDirectory(path: "/log", files: MemoryFileSystem()) }

  private func changes(_ log: LogDirectory, by day: Int, since start: Milliseconds? = nil) throws -> PastChanges {
    try LogSnapshot(log).changes(before: [Self.end(day)], since: start)
  }

  private func write<Result>(
    _ log: LogDirectory, at time: Milliseconds?, _ body: (EventLogWriter) throws -> Result
  ) throws -> Result {
    let writer = try EventLogWriter(log, threads: 1, clock: time.map { time in { time } })
    defer { writer.close() }
    return try body(writer)
  }

  /// A daily export of the day before; on day 5 also one event of day 2.
  private func dailyLog(days: Int = 10, late kind: EventKind = .promptShown) throws -> LogDirectory {
    let log = makeLog()
    for n in 0..<days {
      var events = [Self.event(n, Self.noon(n)), Self.event(n, Self.noon(n) + 1000, .granted)]
      if n == 5 { events.append(Self.event(100, Self.noon(2), kind)) }
      try log.ingest(events, at: Self.end(n) + 5 * 3_600_000)
    }
    return log
  }

  @Test func aLateEventIsToldOfTheDaysThatItChanged() throws {
    let log = try dailyLog()
    let committed = Self.end(5) + 5 * 3_600_000
    // When it came the log had reached day 4.
    for day in 2...3 {
      let found = try changes(log, by: day)
      #expect(
        found.lateEvents
          == .init(atMost: 1, committed: committed...committed, oldest: Self.noon(2)), "day \(day)")
      #expect(found.lateActivity == nil && found.erasure == nil && found.expiredBefore == nil)
    }
    // Days before it, and days that no reading had seen.
    for day in [0, 1, 4, 5, 9, 30] { #expect(try changes(log, by: day).isEmpty, "day \(day)") }
    let all = try LogSnapshot(log).changes(before: (0..<10).map(Self.end), since: Self.noon(0))
    #expect(all.lateEvents?.atMost == 1)
    #expect(try LogSnapshot(log).changes(before: [], since: nil).isEmpty)
  }

  @Test func useOfTheAppIsToldApart() throws {
    for kind in [EventKind.appActive, .featureUsed, .appInstalled] {
      let found = try changes(try dailyLog(late: kind), by: 2)
      #expect(found.lateEvents == nil && found.lateActivity?.atMost == 1, "\(kind)")
    }
  }

  /// Who reads an old export into a new log, at once or file by file, has changed nothing.
  @Test func oldDataInOneSittingIsNotLate() throws {
    let log = makeLog()
    let start = Self.noon(300)
    for (minute, user) in [0, 30, 59].enumerated() {
      let events = (0..<10).map { Self.event(user, Self.noon($0)) }
      try log.ingest(events, at: start + Milliseconds(minute) * 60_000)
    }
    for day in 0..<12 { #expect(try changes(log, by: day).isEmpty) }
    // An hour later somebody may have read the log.
    try log.ingest([Self.event(4, Self.noon(3))], at: start + 3_600_000)
    #expect(try changes(log, by: 3).lateEvents?.atMost == 1)
    // A clock that went back begins another sitting.
    try log.ingest([Self.event(5, Self.noon(3)), Self.event(6, Self.noon(3))], at: start - 1)
    let found = try #require(try changes(log, by: 3).lateEvents)
    #expect(found.atMost == 3 && found.committed == start - 1...start + 3_600_000)
  }

  @Test func copiesAndWhatIsKeptOutAreNotLate() throws {
    let log = try dailyLog(days: 5)
    let old = Self.event(1, Self.noon(1))
    try log.ingest([old, Self.event(9, Self.noon(9)), Self.event(9, Self.noon(9))], at: Self.noon(20))
    #expect(try changes(log, by: 3).isEmpty)
    _ = try write(log, at: Self.noon(21)) { try $0.expire(before: Self.noon(2)) }
    try log.ingest([old, Self.event(9, Self.noon(10))], at: Self.noon(22))
    #expect(try changes(log, by: 3).isEmpty)
  }

  @Test func mergingKeepsTheHistory() throws {
    let log = try dailyLog(days: 42)
    #expect(try LogSnapshot(log).parts.count > 1)
    let before = try log.readManifest().changes
    try write(log, at: Self.noon(99)) { _ = try $0.compact() }
    let snapshot = try LogSnapshot(log)
    #expect(snapshot.parts.count == 1 && snapshot.manifest.changes == before)
    #expect(try changes(log, by: 3).lateEvents?.atMost == 1)
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func anErasureIsToldOfAllDaysThatWereReached() throws {
    let log = try dailyLog()
    let nobody = try write(log, at: Self.noon(11)) { try $0.erase([Array("nobody".utf8)]) }
    #expect(nobody.found == 0)
    #expect(try changes(log, by: 8).erasure == nil)
    let users = [3, 4].map { Array("user \($0)".utf8) }
    _ = try write(log, at: Self.noon(12)) { try $0.erase(users) }
    for day in 0...8 {
      #expect(try changes(log, by: day).erasure == .init(atMost: 2, committed: Self.noon(12)...Self.noon(12)))
    }
    #expect(try changes(log, by: 9).erasure == nil)
    // Let in again, their events are late.
    _ = try write(log, at: Self.noon(13)) { try $0.readmit(users) }
    try log.ingest([Self.event(3, Self.noon(3))], at: Self.noon(14))
    let late = try changes(log, by: 3).lateEvents
    #expect(late?.atMost == 2 && late?.committed.upperBound == Self.noon(14))
    // Nothing stays of somebody's time when all go.
    _ = try write(log, at: Self.noon(15)) { try $0.erase((0...100).map { Array("user \($0)".utf8) }) }
    #expect(try LogSnapshot(log).eventCount == 0)
    #expect(try changes(log, by: 8).erasure?.atMost == 2)
  }

  @Test func anExpiryIsToldIfOlderExposuresMayHaveBeen() throws {
    let log = try dailyLog()
    #expect(try changes(log, by: 8, since: Self.noon(0)).expiredBefore == nil)
    _ = try write(log, at: Self.noon(12)) { try $0.expire(before: Self.noon(4)) }
    #expect(try changes(log, by: 8, since: Self.noon(4)).expiredBefore == Self.noon(4))
    #expect(try changes(log, by: 8, since: Self.noon(11)).expiredBefore == nil)
    #expect(try changes(log, by: 8, since: nil).expiredBefore == nil)
    // What was late before that time is gone, and so is what is told of it.
    #expect(try changes(log, by: 3).isEmpty)
    #expect(try log.readManifest().changes.changes.map(\.oldest) == [Self.noon(4)])
    _ = try write(log, at: Self.noon(13)) { try $0.expire(before: Self.noon(5)) }
    #expect(try log.readManifest().changes.changes.isEmpty)
  }

  @Test func aLogThatNotesNothingClaimsNothing() throws {
    let log = makeLog()
    for n in [0, 5, 3] { try log.ingest([Self.event(n, Self.noon(n))]) }
    _ = try write(log, at: nil) { try $0.erase([Array("user 0".utf8)]) }
    for day in 0..<9 { #expect(try changes(log, by: day).isEmpty) }
    // From then on it is noted; the log had come to day 5.
    try log.ingest([Self.event(4, Self.noon(4))], at: Self.noon(9))
    #expect(try changes(log, by: 4).lateEvents?.atMost == 1)
  }

  @Test(arguments: [Milliseconds.min, -1, .max])
  func aClockThatIsFarOffDamagesNothing(time: Milliseconds) throws {
    let log = makeLog()
    try log.ingest([Self.event(5, Self.noon(5))], at: time)
    try log.ingest([Self.event(3, Self.noon(3))], at: time)
    _ = try write(log, at: time) { try $0.erase([Array("user 5".utf8)]) }
    #expect(try log.verify().damage.isEmpty && LogSnapshot(log).eventCount == 1)
  }

  /// Commits in any order of times, each a sitting of its own, against the definition.
  @Test(arguments: UInt64(1)...40)
  func agreesWithTheDefinition(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = makeLog()
    var commits: [[Milliseconds]] = []
    for n in 0..<Int.random(in: 2...9, using: &generator) {
      let times = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        Self.noon(Int.random(in: 0...12, using: &generator)) + Milliseconds.random(in: 0...3, using: &generator)
      }
      let events = times.enumerated().map { Self.event(n * 10 + $0.offset, $0.element) }
      try log.ingest(events, at: Self.noon(50 + n))
      commits.append(times)
      if generator.oneIn(4) { try write(log, at: Self.noon(50 + n)) { _ = try $0.compact() } }
    }
    for day in 0...13 {
      let end = Self.end(day)
      let late = commits.indices.dropFirst().filter { j in
        commits[..<j].joined().contains { $0 >= end } && commits[j].contains { $0 < end }
      }
      let found = try changes(log, by: day).lateEvents
      #expect((found == nil) == late.isEmpty, "seed \(seed), day \(day)")
      guard let found, let first = late.first, let last = late.last else { continue }
      #expect(found.committed == Self.noon(50 + first)...Self.noon(50 + last), "seed \(seed), day \(day)")
      #expect(found.oldest == late.flatMap { commits[$0] }.min(), "seed \(seed), day \(day)")
      let count = late.reduce(0) { $0 + commits[$1].count { $0 < end } }
      #expect((count...late.reduce(0) { $0 + commits[$1].count }).contains(found.atMost), "seed \(seed), day \(day)")
    }
  }

  /// A history has its length; what is joined loses nothing that happened.
  @Test(arguments: UInt64(1)...10)
  func aLongHistoryForgetsNothing(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var history = ChangeHistory()
    var all: [PastChange] = []
    for n in 0..<1000 {
      let reach = Self.noon(n / 2)
      let change = PastChange(
        kind: generator.oneIn(3) ? .lateActivity : .latePermission, first: reach + 1, last: reach + 1, reach: reach,
        oldest: reach - Milliseconds.random(in: 1...20 * Self.day, using: &generator), count: n + 1)
      all.append(change)
      history.note(change)
    }
    #expect(history.isValid && history.changes.count <= 2 * ChangeHistory.limit)
    #expect(history.changes.reduce(0) { $0 + $1.count } == all.reduce(0) { $0 + $1.count })
    for day in stride(from: 0, to: 520, by: 7) {
      for kind in [PastChange.Kind.latePermission, .lateActivity] {
        func count(_ changes: [PastChange]) -> Int {
          changes.filter { $0.kind == kind && $0.touches([Self.end(day)]) }.reduce(0) { $0 + $1.count }
        }
        #expect(count(history.changes) >= count(all), "seed \(seed), day \(day), \(kind)")
      }
    }
  }
}
