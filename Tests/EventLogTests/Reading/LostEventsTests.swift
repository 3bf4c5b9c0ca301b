// Events that tell of losses: stored and exported as every other, summed apart, and in no history.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct LostEventsTests {
  private func lost(_ user: String, _ id: String, _ surface: String?, at time: Milliseconds) -> TestEvent {
    TestEvent(user: user, id: id, time: time, kind: .lost, values: surface.map { [.surface: $0] } ?? [:])
  }

  /// Several parts, users in all of them, an erasure and a merge.
  @Test(arguments: 1...12 as ClosedRange<UInt64>) func sumsAreThoseOfTheEvents(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 8)
    var generator = SeededGenerator(seed: seed)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let plain = LogDirectory(path: "/log", files: MemoryFileSystem())
    var all: [TestEvent] = []
    for step in 0..<4 {
      let events = random.events(40)
      let losses = (0..<Int.random(in: 0...9, using: &generator)).map { number -> TestEvent in
        let of = events.randomElement(using: &generator) ?? events[0]
        let surface = ["3 app_active full", "1 granted disk", "12 app_active full", "nonsense", nil].randomElement(
          using: &generator)
        var event = lost("", "l\(step)-\(number)", surface ?? nil, at: of.time)
        event.user = of.user
        return event
      }
      try log.ingest(events + losses)
      try plain.ingest(events)
      all += losses
    }
    if seed % 3 == 0, let gone = all.first?.user {
      for one in [log, plain] {
        let writer = try EventLogWriter(one, threads: 1)
        _ = try writer.erase([gone])
        writer.close()
      }
      all.removeAll { $0.user == gone }
    }
    for isMerged in [false, true] {
      if isMerged {
        let writer = try EventLogWriter(log, threads: 1)
        try writer.compact()
        writer.close()
      }
      let snapshot = try LogSnapshot(log)
      for end in [nil, all.map(\.time).sorted().dropFirst(all.count / 2).first] as [Milliseconds?] {
        var wanted: [String: Int] = [:]
        for event in all where end.map({ event.time <= $0 }) ?? true {
          let said = event.values[.surface].flatMap { LostEvents(surface: $0) }
          wanted["\(said?.kind ?? "unknown") \(said?.reason ?? "unknown")", default: 0] += said?.count ?? 1
        }
        for threads in [1, 3] {
          let found = try snapshot.lostEvents(upTo: end, threads: threads)
          #expect(Dictionary(uniqueKeysWithValues: found.map { ("\($0.kind) \($0.reason)", $0.count) }) == wanted)
        }
      }
      #expect(try Set(log.export()).subtracting(all) == Set(plain.export()))
      #expect(try steps(log) == steps(plain))
      #expect(try LogSnapshot(log).unknown.isEmpty && log.verify().damage.isEmpty)
    }
  }

  /// What histories have of each user.
  private func steps(_ log: LogDirectory) throws -> [[UInt8]: [String]] {
    let selection = HistorySelection(variants: true, userIDs: true, surfaces: true)
    let scan = try HistoryScan(try LogSnapshot(log), selection: selection)
    let memory = HistoryScan.ThreadMemory(parts: scan.snapshot.parts.count, selection, scan.snapshot.directory.budget)
    var found: [[UInt8]: [String]] = [:]
    try scan.scan(
      0...(.max),
      into: { batch in
        batch.forEachUser { user in
          var steps: [String] = []
          for i in 0..<user.eventCount {
            let context = scan.contexts.contexts[Int(user.unsafeCodes[i] >> HistoryBatch.contextShift)]
            steps.append(
              "\(user.unsafeTimes[i]) \(user.unsafeCodes[i] & 255) \(scan.contexts.permissions[Int(context.permission)]) "
                + "\(scan.contexts.surfaces[Int(context.surface)])")
          }
          // Whoever has nothing but losses has no history.
          if user.eventCount + user.engagementCount > 0 { found[user.id()] = steps }
        }
      }, memory)
    return found
  }

  @Test func aLogWithoutLossesIsNotRead() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    try log.ingest([TestEvent(user: "u", id: "1", time: 1_700_000_000_000)])
    #expect(try LogSnapshot(log).lostEvents(threads: 2).isEmpty)
    try log.ingest([lost("u", "2", "2 granted full", at: 1_700_000_000_001)])
    #expect(try LogSnapshot(log).lostEvents(threads: 2) == [LostEvents(count: 2, kind: "granted", reason: "full")])
  }
}
