// A user with more events than the log holds of one: what was read first stays, the rest is counted, and everybody else goes on.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct SurplusTests {
  private static let limit = 100

  private static func event(_ user: String, _ n: Int) -> TestEvent {
    TestEvent(user: user, id: "\(user) \(n)", time: 1_700_000_000_000 + Milliseconds(n))
  }

  private static func events(_ user: String, _ numbers: some Sequence<Int>) -> [TestEvent] {
    numbers.map { event(user, $0) }
  }

  private static func hash(_ user: String) -> String {
    FileName.digits(Array(user.utf8).withUnsafeBytes(UserHash.of))
  }

  /// One ingest of rounds into a log that takes so many events of a user.
  @discardableResult
  private func ingest(_ log: LogDirectory, _ rounds: [TestEvent]..., limit: Int = Self.limit) throws -> IngestCounts {
    let writer = try EventLogWriter(log, threads: 2, eventsOfUser: limit)
    defer { writer.close() }
    for events in rounds { try writer.write(events) }
    try writer.commit()
    return writer.counts
  }

  private func log() -> LogDirectory { LogDirectory(path: "/log", files: MemoryFileSystem()) }

  @Test func theLatestEventsOfOneUserAreLeftOutAndEverybodyElseIsStored() throws {
    let log = log()
    let (bot, person) = (Self.events("bot", 0..<150), Self.events("person", 0..<100))
    let counts = try ingest(log, (bot + bot.prefix(5) + person).shuffled())
    #expect(counts.new == 200 && counts.surplus == 50 && counts.duplicates == 5)
    #expect(counts.surplusUsers == [Self.hash("bot")])
    let stored = LogModel(Array(bot.prefix(100)) + person).export
    #expect(try log.export() == stored)
    #expect(try LogSnapshot(log).parts.allSatisfy { $0.footer.blocks.allSatisfy { $0.rows <= Self.limit } })
    // The same again: what is stored are copies, what was left out is left out.
    let again = try ingest(log, bot + person)
    #expect(again.new == 0 && again.duplicates == 200 && again.surplus == 50)
    #expect(try log.export() == stored && log.verify().damage.isEmpty)
  }

  @Test func whatIsStoredStaysAndOfTheRestTheEarliestFit() throws {
    let log = log()
    #expect(try ingest(log, Self.events("bot", 200..<260)).surplus == 0)
    let counts = try ingest(log, Self.events("bot", 0..<60), Self.events("bot", 0..<80))
    #expect(counts.new == 40 && counts.surplus == 60 - 40 + 40 && counts.duplicates == 40)
    #expect(try log.export() == Self.events("bot", 0..<40) + Self.events("bot", 200..<260))
    // Until events of that user go.
    let writer = try EventLogWriter(log, threads: 1, eventsOfUser: Self.limit)
    _ = try writer.expire(before: Self.event("bot", 30).time)
    writer.close()
    #expect(try ingest(log, Self.events("bot", 30..<90)).new == 30)
  }

  /// The limit is held round by round: what was read before it was reached stays, whatever its time.
  @Test func aLaterRoundOfEarlierEventsIsLeftOut() throws {
    let log = log()
    let counts = try ingest(
      log, Self.events("bot", 100..<210), Self.events("bot", 0..<50) + Self.events("person", 0..<3))
    #expect(counts.new == 103 && counts.surplus == 60 && counts.surplusUsers == [Self.hash("bot")])
    #expect(try log.export().filter { $0.user == Array("bot".utf8) } == Self.events("bot", 100..<200))
  }

  @Test func surplusEventsAreNotLate() throws {
    let log = log()
    var counts = IngestCounts()
    for events in [Self.events("bot", 0..<100) + Self.events("person", [500]), Self.events("bot", 100..<150)] {
      let writer = try EventLogWriter(
        log, threads: 1, clock: { 1_800_000_000_000 + Milliseconds(events.count) * 10_000_000 },
        eventsOfUser: Self.limit)
      try writer.write(events)
      try writer.commit()
      counts += writer.counts
      writer.close()
    }
    #expect(counts.surplus == 50)
    #expect(try log.readManifest().changes.changes.isEmpty)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func anyIngestsKeepWhatFits(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 5)
    let log = log()
    let limit = Int.random(in: 1...12, using: &random.generator)
    var stored: [TestEvent] = []
    for number in 0..<8 {
      let events = random.events(Int.random(in: 0...40, using: &random.generator))
      let counts = try ingest(log, events, limit: limit)
      var surplus = 0
      var seen = Set(stored.map { [$0.user, $0.id] })
      let new = events.filter { seen.insert([$0.user, $0.id]).inserted }.sorted(by: TestEvent.isBefore)
      let before = stored
      for event in new {
        if stored.count(where: { $0.user == event.user }) < limit { stored.append(event) } else { surplus += 1 }
      }
      #expect(counts.surplus == surplus && counts.new == new.count - surplus, "seed \(seed), ingest \(number)")
      #expect(counts.new + counts.duplicates + counts.surplus == events.count, "seed \(seed), ingest \(number)")
      #expect(try log.export() == stored.sorted(by: TestEvent.isBefore), "seed \(seed), ingest \(number)")
      #expect(Set(before).isSubset(of: stored))
    }
    let writer = try EventLogWriter(log, threads: 2, eventsOfUser: limit)
    try writer.compact()
    writer.close()
    #expect(try log.export() == stored.sorted(by: TestEvent.isBefore), "seed \(seed), compacted")
  }

  /// A log of before this rule: its parts have more of a user than one part holds.
  @Test func partsThatCannotBeOneStaySeveralAndTheLogGoesOn() throws {
    let log = log()
    let old = (0..<4).map { Self.events("bot", $0 * 60..<$0 * 60 + 60) }
    for events in old.dropLast() { try ingest(log, events, limit: .max) }
    let parts = try LogSnapshot(log).parts.count
    // Four parts of one size would be merged.
    let counts = try ingest(log, Self.events("person", 0..<10) + Self.events("bot", 500..<510))
    #expect(counts.new == 10 && counts.surplus == 10)
    #expect(try LogSnapshot(log).parts.count == parts + 1)
    let before = try log.export()
    #expect(before.count == 190)
    let writer = try EventLogWriter(log, threads: 2, eventsOfUser: Self.limit)
    // What it can it merges, and says why it left the rest.
    let apart = try #require(try writer.compact())
    #expect(apart.finding.contains("180 events of the user") && apart.finding.contains(Self.hash("bot")))
    #expect(apart.remedy == .divideSharedUser)
    writer.close()
    #expect(try LogSnapshot(log).parts.count == parts)
    #expect(try log.export() == before && log.verify().damage.isEmpty && log.verify().notes.isEmpty)
    // What the sentence says helps.
    let erasing = try EventLogWriter(log, threads: 2, eventsOfUser: Self.limit)
    #expect(try erasing.erase([Array("bot".utf8)]).events == 180)
    try erasing.compact()
    erasing.close()
    #expect(try log.export() == Self.events("person", 0..<10))
  }
}
