// The order of the input changes nothing, and neither does where the rounds of an ingest end: the same events stay, with the
// same counts, tallies and notes of changes.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct LeastCopyTests {
  /// All that an ingest leaves.
  private struct Outcome: Equatable {
    var counts: IngestCounts
    var events: [TestEvent]
    var tally: IngestTally?
    var changes: ChangeHistory
  }

  /// Ingests rounds into a log that has some events already, in blocks of a few.
  private func ingest(
    _ rounds: [[TestEvent]], after old: [TestEvent], threads: Int = 1, memory: Int = 1 << 20, knowsLast: Bool = true
  ) throws -> Outcome {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    try log.ingest(old, at: 1_600_000_000_000)
    // A month later, so that what is before the newest of the log is late.
    let writer = try EventLogWriter(
      log, threads: threads, memory: memory, clock: { 1_700_000_000_250 }, eventsOfUser: 500)
    defer { writer.close() }
    for (i, events) in rounds.enumerated() {
      try writer.write(events, batch: 9, threads: threads, isLast: knowsLast && i == rounds.count - 1)
    }
    try writer.commit()
    let snapshot = try LogSnapshot(log)
    #expect(try log.verify().damage.isEmpty)
    #expect(Set(try log.files.list("/log")) == Set(snapshot.parts.map(\.name) + ["lock", "manifest"]))
    return Outcome(
      counts: writer.counts, events: try snapshot.export(), tally: snapshot.ingestTally,
      changes: snapshot.manifest.changes)
  }

  /// Events with many copies: equal ones, ones of another time, and ones that say something else.
  private func copies(_ random: inout RandomEvents, of events: [TestEvent]) -> [TestEvent] {
    events.flatMap { event in
      (0..<Int.random(in: 1...5, using: &random.generator)).map { _ in
        var copy = event
        switch Int.random(in: 0..<8, using: &random.generator) {
        case 0: copy.time += Milliseconds.random(in: -200...200, using: &random.generator)
        case 1 where copy.kind != .assigned:
          copy.kind = [.granted, .appActive, .denied].randomElement(using: &random.generator) ?? .granted
        case 2: copy.status = random.generator.oneIn(2) ? .none : .always
        case 3: copy.values[.permission] = random.generator.oneIn(2) ? nil : Array("a \"quoted\\\" name".utf8)
        case 4: copy.values[.feature] = random.generator.oneIn(2) ? nil : Array("\u{2028}~é\t".utf8)
        case 5: copy.values[.country] = random.generator.oneIn(2) ? nil : Array("\u{7F}".utf8)
        default: break
        }
        return copy
      }
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func roundsAndOrderChangeNothing(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 1 + Int(seed % 7) * 4)
    let events = random.events(60).map { event in
      guard random.generator.oneIn(4) else { return event }
      var assignment = event
      assignment.kind = .assigned
      return assignment
    }
    let old = copies(&random, of: events.filter { _ in random.generator.oneIn(4) })
    let new = copies(&random, of: events)
    let whole = try ingest([new], after: old)
    var model = LogModel(ingest: old)
    let before = model.counts
    model.ingest(new)
    #expect(whole.events == model.export, "seed \(seed)")
    #expect(whole.counts.new == model.counts.new - before.new, "seed \(seed)")
    #expect(whole.counts.duplicates == model.counts.duplicates - before.duplicates, "seed \(seed)")
    #expect(whole.counts.conflicts == model.counts.conflicts - before.conflicts, "seed \(seed)")
    for trial in 0..<4 {
      let shuffled = new.shuffled(using: &random.generator)
      var rounds: [[TestEvent]] = [[]]
      let oneIn = [1000, 60, 20, 3][trial]
      for event in shuffled {
        if random.generator.oneIn(oneIn) { rounds.append([]) }
        rounds[rounds.count - 1].append(event)
      }
      let outcome = try ingest(
        rounds, after: old, threads: 1 + trial % 2, memory: random.generator.oneIn(2) ? 0 : 1 << 20,
        knowsLast: random.generator.oneIn(2))
      #expect(outcome == whole, "seed \(seed), trial \(trial), \(rounds.count) rounds")
    }
  }

  /// Each round has a lesser copy of every event, so that nothing of the rounds before stays.
  @Test func whatGivesWayIsInNoFile() throws {
    var random = RandomEvents(seed: 3, users: 5)
    let events = random.events(40)
    let rounds = (0..<4).map { round in
      events.flatMap { event in
        var copy = event
        copy.time -= Milliseconds(round)
        return [copy, copy]
      }
    }
    let outcome = try ingest(rounds, after: [])
    #expect(outcome == (try ingest([rounds.flatMap { $0 }], after: [])))
    #expect(outcome.counts.new == 40 && outcome.counts.duplicates == 280 && outcome.counts.conflicts == 240)
    #expect(outcome.events.count == 40)
    let backwards = try ingest(rounds.reversed(), after: [])
    #expect(backwards == outcome)
  }

  /// A user whose log is full: what gives way makes room for what it gives way to.
  @Test func aLesserCopyTakesTheRoomOfTheGreater() throws {
    func events(_ numbers: Range<Int>, _ shift: Milliseconds) -> [TestEvent] {
      numbers.map { TestEvent(user: "bot", id: "\($0)", time: 1_700_000_000_000 + Milliseconds($0) * 10 - shift) }
    }
    let outcome = try ingest([events(0..<500, 0), events(100..<200, 1), events(0..<300, 2)], after: [])
    #expect(outcome.counts.new == 500 && outcome.counts.surplus == 0)
    #expect(outcome.counts.duplicates == 400 && outcome.counts.conflicts == 400)
    #expect(outcome.events == events(0..<300, 2) + events(300..<500, 0))
  }

  /// The order of two copies is that of their lines in an export: any text, and fields that one of them lacks.
  @Test func linesAreThoseOfThePlainWriter() throws {
    var generator = SeededGenerator(seed: 17)
    let pieces =
      ["a", "\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}", "é"]
      + ["\u{2027}", "\u{2028}", "\u{2029}", "\u{202A}", "😀", "/", "~"]
    let kept = LogDirectory(path: "/log", files: MemoryFileSystem())
    var events: [TestEvent] = []
    for n in 0..<300 {
      var text: String { (0..<5).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined() }
      var event = TestEvent(
        user: "u\(n)" + text, id: "e\(n)" + text, time: 1_199_145_600_000 + Milliseconds(n) * 863_999_997,
        kind: EventKind.allCases[n % EventKind.allCases.count],
        status: AuthorizationStatus.allCases[n % AuthorizationStatus.allCases.count])
      for field in StringField.allCases where generator.oneIn(2) { event.values[field] = Array(text.utf8) }
      events.append(event)
    }
    try kept.ingest(events)
    var count = 0
    try LogSnapshot(kept).forEachEvent { event in
      count += 1
      let lines = [event.line, TestEvent(event).line].map { String(decoding: $0, as: UTF8.self) }
      #expect(lines[0] == lines[1])
    }
    #expect(count == 300)
  }
}
