// Random sequences of everything that a log can be asked, against a plain dictionary.
//
// Invariants: after every step events, erased users and expiry are the model's, and so is what the step reported; what
// the analysis reads is what the export says; a reader that began before a step still reads what it began with;
// nothing of what was removed stays in a file; only live files stay; `verify` finds nothing.

import Threads
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct ModelTests {
  private static let sequences = 240
  private static let steps = 9

  /// Draws steps over few users and events, so that they meet.
  private struct Steps {
    var random: RandomEvents
    let events: [TestEvent]
    let users: [[UInt8]]

    init(seed: UInt64) {
      random = RandomEvents(seed: seed, users: 5)
      events = random.events(40)
      users = Set(events.map(\.user)).sorted { $0.lexicographicallyPrecedes($1) }
    }

    mutating func someUsers() -> [[UInt8]] {
      let ghost = random.generator.oneIn(4) ? [Array("a user without events".utf8)] : []
      let count = Int.random(in: 1...2, using: &random.generator)
      return (0..<count).compactMap { _ in users.randomElement(using: &random.generator) } + ghost
    }

    mutating func run() -> [TestEvent] {
      var chosen: [TestEvent] = []
      for event in events where random.generator.oneIn(3) {
        var event = event
        // A copy that says something else.
        if random.generator.oneIn(6) { event.values[.surface] = Array("elsewhere".utf8) }
        if random.generator.oneIn(9) { event.time += Int64.random(in: -200...200, using: &random.generator) }
        chosen.append(event)
      }
      return chosen.shuffled(using: &random.generator)
    }

    mutating func next() -> LogStep {
      switch Int.random(in: 0..<24, using: &random.generator) {
      case 0..<6: .ingest(random.generator.oneIn(3) ? [run(), run()] : [run()])
      case 6, 7, 8: .erase(someUsers())
      case 9, 10: .readmit(someUsers())
      case 11: .expire(before: .random(in: random.times, using: &random.generator))
      case 12: .readmitExpired
      case 13, 14: .eraseWithKey(someUsers())
      case 15: .moveKey
      case 16: .compact
      case 17, 18: .exclude(someUsers())
      case 19: .include(someUsers())
      default: .undo
      }
    }
  }

  private func expectModel(_ log: LogDirectory, seed: UInt64) throws {
    var steps = Steps(seed: seed)
    var model = LogModel()
    var readers: [(snapshot: LogSnapshot, expected: [TestEvent])] = []
    var first: LogStep? = .ingest([steps.run()])
    for number in 0..<Self.steps {
      let step = first ?? steps.next()
      first = nil
      let comment: Comment = "seed \(seed), step \(number)"
      if number > 0, steps.random.generator.oneIn(2) { readers.append((try LogSnapshot(log), model.export)) }
      let threads = steps.random.generator.oneIn(2) ? 1 : 2
      let memory = steps.random.generator.oneIn(2) ? 0 : 1 << 20
      // The file of another key than the log's is left by a list that is gone.
      if case .moveKey = step, try LogSnapshot(log).erasureKeyPlace() == .inside { try? log.files.remove(log.keyPath) }
      let outcome = try log.perform(step, threads: threads, memory: memory, batch: 7)
      #expect(outcome == model.perform(step), "\(comment): \(step)")
      let users = Set(steps.users + [Array("a user without events".utf8)])
      #expect(try LogState(log, users: users) == LogState(model), "\(comment): \(step)")
      let selection = HistorySelection(variants: true, property: .surface)
      let histories = try UserHistory.scan(log, selection, threads: 1)
      #expect(histories == UserHistory.expected(model.export, selection), "\(comment): \(step)")
      try expectLeftOut(
        log, model, without: steps.random.generator.oneIn(2) ? [] : steps.someUsers(), selection, comment)
      for reader in readers { #expect(try reader.snapshot.export() == reader.expected, comment) }
      if readers.count > 3 { readers.removeFirst() }
      let names = Set(try log.readManifest().fileNames + ["lock", "manifest"])
      #expect(Set(try log.files.list(log.path)) == names, comment)
      if let files = log.files as? MemoryFileSystem {
        #expect(ResidueSearch(step).matches(files.contents).isEmpty, "\(comment): \(step)")
      }
    }
    let found = try log.verify()
    #expect(found.damage.isEmpty && found.notes.isEmpty && found.events == model.export.count, "seed \(seed)")
  }

  /// What answers see: the log without excluded users, and without those of the question.
  private func expectLeftOut(
    _ log: LogDirectory, _ model: LogModel, without more: [[UInt8]], _ selection: HistorySelection, _ comment: Comment
  ) throws {
    let snapshot = try LogSnapshot(asked: log, without: more, threads: 2)
    let gone = model.excluded.union(more)
    let (kept, left) = (
      model.export.filter { !gone.contains($0.user) }, model.export.filter { gone.contains($0.user) }
    )
    #expect(try UserHistory.scan(snapshot, selection, threads: 2) == UserHistory.expected(kept, selection), comment)
    #expect(snapshot.eventCount == kept.count, comment)
    #expect(try snapshot.userCount(threads: 1) == Set(kept.map(\.user)).count, comment)
    let times = kept.map(\.time)
    #expect(snapshot.timeRange?.lowerBound == times.min() && snapshot.timeRange?.upperBound == times.max(), comment)
    #expect(snapshot.leftOut.ids == gone.count && snapshot.leftOut.events == left.count, comment)
    #expect(snapshot.leftOut.users == Set(left.map(\.user)).count, comment)
  }

  @Test func sequencesOfEverythingGiveTheModel() throws {
    let tasks = Workers.Tasks(count: Self.sequences)
    try Workers.run(threads: 2) { _ in
      while let task = tasks.claim() {
        let files = MemoryFileSystem()
        try expectModel(LogDirectory(path: "/log", files: files), seed: UInt64(task))
        #expect(files.openDescriptors == 0 && files.closesOfClosed == 0, "seed \(task)")
      }
    }
    print("model: \(Self.sequences) sequences of \(Self.steps) steps, seeds 0 to \(Self.sequences - 1)")
  }

  @Test(arguments: 1000..<1010 as Range<UInt64>)
  func sequencesOnTheMachinesFilesGiveTheModel(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    try expectModel(LogDirectory(path: directory.path + "/log"), seed: seed)
  }
}
