// An event is the same event if user and event id are, whatever else a copy says. The first committed
// wins, and within one ingest the least: by time, then by its line in an export.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct DeduplicationTests {
  private static let original = TestEvent(
    user: "alice", id: "e1", time: 1_700_000_000_000, kind: .granted, status: .limited,
    values: [.permission: "camera", .variant: "A", .feature: "scan", .country: "DE"])

  /// Copies that differ from the original in one thing each.
  private static let copies: [TestEvent] = {
    var copies: [TestEvent] = []
    func add(_ change: (inout TestEvent) -> Void) {
      var copy = original
      change(&copy)
      copies.append(copy)
    }
    add { $0.time += 1 }
    add { $0.time -= 40 * 86_400_000 }
    add { $0.kind = .denied }
    add { $0.kind = .appActive }
    add { $0.status = .none }
    add { $0.status = .authorized }
    for field in StringField.allCases {
      add { $0.values[field] = Array("other".utf8) }
      add { $0.values[field] = nil }
    }
    return copies.filter { $0 != original }
  }()

  private func newLog() -> LogDirectory { LogDirectory(path: "/log", files: MemoryFileSystem()) }

  private func counts(_ new: Int, _ duplicates: Int, _ conflicts: Int) -> IngestCounts {
    var counts = IngestCounts()
    (counts.new, counts.duplicates, counts.conflicts) = (new, duplicates, conflicts)
    return counts
  }

  @Test(arguments: copies)
  func aCopyIsDroppedWhereverItComes(copy: TestEvent) throws {
    var log = newLog()
    let least = TestEvent.isLesserCopy(copy, Self.original) ? copy : Self.original
    for copies in [[Self.original, copy], [copy, Self.original]] {
      log = newLog()
      #expect(try log.ingest(copies) == counts(1, 1, 1), "in one round")
      #expect(try log.export() == [least])
      log = newLog()
      #expect(try log.ingest(rounds: copies.map { [$0] }) == counts(1, 1, 1), "in the next round")
      #expect(try log.export() == [least])
    }
    log = newLog()
    try log.ingest([Self.original])
    #expect(try log.ingest([copy]) == counts(0, 1, 1), "in the next ingest")
    #expect(try log.ingest([Self.original]) == counts(0, 1, 0), "and the original again")
    #expect(try log.export() == [Self.original])
    log = newLog()
    try log.ingest([copy])
    #expect(try log.ingest([Self.original]) == counts(0, 1, 1), "the first committed wins, though later in time")
    #expect(try log.export() == [copy])
  }

  @Test func equalCopiesAreNoConflicts() throws {
    let log = newLog()
    #expect(try log.ingest([Self.original, Self.original, Self.original]) == counts(1, 2, 0))
    #expect(try log.ingest(rounds: [[Self.original], [Self.original, Self.original]]) == counts(0, 3, 0))
  }

  @Test func anotherUserOrAnotherSpellingIsAnotherEvent() throws {
    let uuid = "0123abcd-4567-49ef-8123-456789abcdef"
    let events = [
      TestEvent(user: "a", id: "e", time: 1_700_000_000_000), TestEvent(user: "b", id: "e", time: 1_700_000_000_000),
      TestEvent(user: "a", id: "E", time: 1_700_000_000_000), TestEvent(user: "a", id: uuid, time: 1_700_000_000_000),
      TestEvent(user: "a", id: uuid.uppercased(), time: 1_700_000_000_000),
      TestEvent(user: uuid, id: "e", time: 1_700_000_000_000),
      TestEvent(user: uuid.uppercased(), id: "e", time: 1_700_000_000_000),
      // Equal as Swift strings, different as bytes.
      TestEvent(user: "\u{E9}", id: "e", time: 1_700_000_000_000),
      TestEvent(user: "e\u{301}", id: "e", time: 1_700_000_000_000),
    ]
    let log = newLog()
    #expect(try log.ingest(events) == counts(9, 0, 0))
    #expect(try log.ingest(events.reversed()) == counts(0, 9, 0))
    #expect(try log.export() == LogModel(events).export)
  }

  /// Of many copies in many chunks the least stays, however the chunks arrive.
  @Test(arguments: [1, 2], [1, 3, 1000])
  func theLeastInTheInputWins(threads: Int, batch: Int) throws {
    for seed in UInt64(1)...5 {
      var random = RandomEvents(seed: seed, users: 3)
      let ids = ["x", "y", "0123abcd-4567-49ef-8123-456789abcdef"]
      let events = random.events(120).map { event in
        var copy = event
        copy.id = Array((ids.randomElement(using: &random.generator) ?? "x").utf8)
        return copy
      }
      let log = newLog()
      let found = try log.ingest(events, threads: threads, batch: batch)
      let model = LogModel(ingest: events)
      #expect(try log.export() == model.export, "seed \(seed)")
      #expect(found == model.counts, "seed \(seed)")
    }
  }

  /// Users in text whose events are told apart by their ids alone, at one moment.
  @Test func eventsOfOneMomentAreInTheOrderOfKindAndId() throws {
    var events: [TestEvent] = []
    for id in [
      "b", "a", "B", "0123abcd-4567-49ef-8123-456789abcdef", "0123ABCD-4567-49EF-8123-456789ABCDEF", "é", "10", "9",
    ] {
      for kind in [EventKind.appActive, .granted, .explanationShown] {
        events.append(TestEvent(user: "u", id: "\(id)-\(kind.rawValue)", time: 1_700_000_000_000, kind: kind))
        events.append(
          TestEvent(user: "v", id: id + (kind == .granted ? "" : "\(kind)"), time: 1_700_000_000_000, kind: kind))
      }
    }
    // Each event in a part of its own, then all in one.
    let log = newLog()
    for event in events.reversed() { try log.ingest([event]) }
    #expect(try log.export() == LogModel(events).export)
    let other = newLog()
    try other.ingest(events)
    #expect(try other.export() == log.export())
  }
}
