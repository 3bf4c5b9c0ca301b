// Both lanes of a history as one walk, with the attributes of every event.

import Folding
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct EveryEventTests {
  private struct Step: Hashable {
    var time: Milliseconds
    var kind: EventKind
    var attributes: [[UInt8]]
  }

  /// What a walk gives of each user, by id.
  private func walked(_ log: LogDirectory, _ selection: HistorySelection) throws -> [[UInt8]: [Step]] {
    let scan = try HistoryScan(try LogSnapshot(log), selection: selection)
    let contexts = scan.contexts
    var found: [[UInt8]: [Step]] = [:]
    let memory = HistoryScan.ThreadMemory(parts: scan.snapshot.parts.count, selection, scan.snapshot.directory.budget)
    try scan.scan(
      0...(.max),
      into: { batch in
        batch.forEachUser { user in
          var steps: [Step] = []
          user.forEachEvent { time, kind, code in
            let names = selection.attributes.indices.map { Array(contexts.attribute($0, of: code).utf8) }
            steps.append(Step(time: time, kind: kind, attributes: selection.allAttributes ? names : []))
          }
          found[user.id()] = steps
        }
      }, memory)
    return found
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func everyEventComesInTheLogsOrder(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: 6)
    random.times = 1_700_000_000_000...1_700_000_000_009
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var events: [TestEvent] = []
    for _ in 0..<1 + seed % 3 {
      let new = random.events(120)
      try log.ingest(new)
      events += new
    }
    for all in [true, false] {
      let selection = HistorySelection(attributes: [.appVersion, .platform], userIDs: true, allAttributes: all)
      let wanted = Dictionary(grouping: LogModel(events).export, by: \.user).mapValues { own in
        own.map { event in
          let values = selection.attributes.map { event.values[$0] ?? [] }
          return Step(time: event.time, kind: event.kind, attributes: all ? values : [])
        }
      }
      #expect(try walked(log, selection) == wanted, "seed \(seed)")
    }
  }

  /// Kinds in another order than the program's are brought into its own, attributes with them.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func attributesFollowKindsOfAnotherOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var writer = ForeignWriter.later
    writer.kinds.reverse()
    let kinds = ["app_active", "feature_used", "granted", "app_installed"]
    let parts = (0..<1 + Int(seed % 2)).map { part in
      (0..<60).map { n in
        ForeignEvent(
          user: "u\(Int.random(in: 0..<3, using: &generator))", id: "e\(part)-\(n)",
          time: 1_700_000_000_000 + .random(in: 0..<6, using: &generator),
          kind: kinds.randomElement(using: &generator) ?? "granted", status: .none,
          values: [
            "permission": "camera",
            "app_version": ["1", "2", "3"].randomElement(using: &generator) ?? "1",
          ])
      }
    }
    let log = try writer.log(parts)
    let selection = HistorySelection(attributes: [.appVersion], userIDs: true, allAttributes: true)
    let found = try walked(log, selection)
    for (user, own) in Dictionary(grouping: parts.flatMap { $0 }, by: \.user) {
      let steps = own.compactMap { event in
        EventKind.allCases.first { $0.name == event.kind }.map { kind in (event, kind) }
      }.sorted { a, b in (a.0.time, a.1.rawValue, a.0.id) < (b.0.time, b.1.rawValue, b.0.id) }
      let wanted = steps.map {
        Step(time: $0.0.time, kind: $0.1, attributes: [Array(($0.0.values["app_version"] ?? "").utf8)])
      }
      #expect(found[Array(user.utf8)] == wanted, "seed \(seed), \(user)")
    }
  }
}
