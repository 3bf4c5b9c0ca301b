// The numbers of events in their files: what was written is read, whatever the pieces, and no damage is taken for numbers.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct NumbersFileTests {
  private let log = LogDirectory(path: "/log", files: MemoryFileSystem())

  init() throws { try log.ingest([TestEvent(user: "u", id: "e", time: 1_700_000_000_000)]) }

  /// One number of a counter.
  private struct Number: Hashable {
    var counter, number, user: UInt64
    var quarter: UInt32
    var source: String
  }

  /// Numbers as an app would write them: sessions that go on counting, of some installs, with gaps and copies.
  private static func numbers(seed: UInt64, installs: Int) -> [Number] {
    var random = SeededGenerator(seed: seed)
    var all: [Number] = []
    for install in 0..<installs {
      let counter = UserHash.mix(UInt64(install) << 20 | seed)
      var number = UInt64.random(in: 0..<1000, using: &random)
      var quarter = UInt32.random(in: 1_800_000..<1_900_000, using: &random)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let source = "1.\(Int.random(in: 0..<3, using: &random))"
        let user = UInt64.random(in: 0..<3, using: &random)
        for _ in 0..<Int.random(in: 1...9, using: &random) {
          number += random.oneIn(12) ? 3 : 1
          all.append(Number(counter: counter, number: number, user: user, quarter: quarter, source: source))
        }
        quarter += UInt32.random(in: 0..<300, using: &random)
      }
    }
    return all + all.filter { _ in random.oneIn(9) }
  }

  private func collect(_ numbers: [Number], into collector: NumberCollector, rounds: Int, shuffled seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let pieces = (0..<rounds).map { round in numbers.indices.filter { $0 % rounds == round }.map { numbers[$0] } }
    for piece in pieces.shuffled(using: &random) {
      // Each round has codes of its own.
      let dictionary = EventDictionary()
      var batch: ContiguousArray<EventNumber> = []
      for one in piece {
        var tuple = AttributeTuple { _ in 0 }
        tuple.appVersion = Array(one.source.utf8).withUnsafeBytes { dictionary.code(.appVersion, $0) }
        batch.append(
          EventNumber(
            counter: one.counter, number: one.number, user: one.user,
            time: Milliseconds(one.quarter) * NumberRun.millisecondsPerQuarter, attributes: dictionary.code(tuple)))
      }
      try collector.append(batch, dictionary)
      try collector.endRound()
    }
  }

  private func contents(_ merge: NumbersMerge, counters: ClosedRange<UInt64> = 0...UInt64.max) throws -> Set<Number> {
    var found: Set<Number> = []
    var walk = try merge.walk(counters: counters)
    while let run = try walk.next() {
      for number in run.first..<run.end {
        let source = String(decoding: merge.sources[Int(run.source)].version, as: UTF8.self)
        found.insert(
          Number(counter: run.counter, number: number, user: run.user, quarter: run.quarter, source: source))
      }
    }
    return found
  }

  /// A run has the time of its first number: all are compared by that.
  private func withoutTimes(_ numbers: some Sequence<Number>) -> Set<Number> {
    Set(numbers.map { Number(counter: $0.counter, number: $0.number, user: $0.user, quarter: 0, source: $0.source) })
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func whatIsWrittenIsRead(seed: UInt64) throws {
    let numbers = Self.numbers(seed: seed, installs: seed % 3 == 0 ? 3000 : 60)
    let collector = NumberCollector(directory: log)
    try collect(numbers, into: collector, rounds: Int(seed % 4) + 1, shuffled: seed)
    let merge = NumbersMerge(collector.pieces)
    let file = try #require(try log.writeNumbers(id: 40 + seed, merge.sources) { try merge.forEachRun($0) })
    let read = NumbersMerge([try log.readNumbers(id: file.id, expected: file)])
    let found = try contents(read)
    #expect(withoutTimes(found) == withoutTimes(numbers), "seed \(seed)")
    // In ranges of counters as in one.
    var parts: Set<Number> = []
    let ends = [0, 1 << 61, 1 << 63, UInt64.max]
    for (low, high) in zip(ends, ends.dropFirst()) {
      let part = try contents(read, counters: (low == 0 ? 0 : low + 1)...high)
      #expect(parts.isDisjoint(with: part))
      parts.formUnion(part)
    }
    #expect(parts == found, "seed \(seed)")
    // The order that a walk over several files needs.
    var last: NumberRun?
    try read.forEachRun { run in
      #expect(last.map { NumberRun.isBefore($0, run) } ?? true)
      last = run
    }
  }

  @Test func aCounterOfChanceIsMarkedAndNotKept() throws {
    var random = SeededGenerator(seed: 4)
    let chance = (0..<70_000).map { _ in
      Number(counter: 7, number: .random(in: 0..<1 << 40, using: &random), user: 1, quarter: 1_800_000, source: "1")
    }
    let good = (0..<20).map { Number(counter: 9, number: UInt64($0), user: 1, quarter: 1_800_000, source: "1") }
    let collector = NumberCollector(directory: log)
    try collect(chance + good, into: collector, rounds: 3, shuffled: 1)
    let merge = NumbersMerge(collector.pieces)
    let file = try #require(try log.writeNumbers(id: 50, merge.sources) { try merge.forEachRun($0) })
    var walk = try NumbersMerge([try log.readNumbers(id: 50, expected: file)]).walk()
    var runs: [NumberRun] = []
    #expect(try walk.nextCounter(&runs) && runs.map(\.count) == [0] && runs[0].counter == 7 && runs[0].user == 0)
    #expect(try walk.nextCounter(&runs) && runs.map(\.count) == [20])
    #expect(try !walk.nextCounter(&runs))
  }

  /// Files that say anything under right checksums: they are read or refused, and nothing traps.
  @Test(arguments: [3, 4, 5] as [UInt64])
  func nothingTrapsOnForgedFiles(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (read, refused) = (0, 0)
    func number(_ usual: ClosedRange<UInt64>) -> UInt64 {
      random.oneIn(40)
        ? [0, 1, UInt64(UInt32.max), 1 << 47, UInt64.max, .random(in: 0...UInt64.max, using: &random)][
          Int.random(in: 0..<6, using: &random)]
        : .random(in: usual, using: &random)
    }
    for id in 100..<400 as Range<UInt64> {
      var raw = ByteWriter()
      let runs = Int.random(in: 1...12, using: &random)
      for _ in 0..<runs {
        raw.varint(number(0...5))
        raw.u8(random.oneIn(3) ? 1 : 0)
        if raw.bytes.last == 1 { raw.u64(number(0...9)) }
        for field in [1_800_000...1_800_001, 0...90, 1...4, 0...1] as [ClosedRange<UInt64>] {
          raw.varint(number(field))
        }
      }
      let stored = try Compressor().compress(raw.bytes)
      var footer = ByteWriter()
      footer.varint(2)
      for text in ["1.0", "ios", "2.0", ""] { footer.text(Array(text.utf8)) }
      footer.u64(random.oneIn(20) ? number(0...3) : UInt64(runs))
      footer.u32(UInt32(truncatingIfNeeded: random.oneIn(20) ? number(0...3) : 1_800_000))
      footer.u32(UInt32(truncatingIfNeeded: random.oneIn(20) ? number(0...3) : 4_000_000))
      footer.varint(1)
      footer.u64(0)
      for length in [UInt64(stored.count), UInt64(raw.bytes.count), UInt64(runs)] {
        footer.u32(UInt32(truncatingIfNeeded: random.oneIn(30) ? number(0...100) : length))
      }
      footer.u64(Checksum.of(stored, seed: id))
      let checksum = Checksum.of(footer.bytes, seed: id)
      var tail = ByteWriter()
      tail.u64(UInt64(NumbersFormat.headLength + stored.count))
      tail.u32(UInt32(footer.bytes.count))
      tail.u32(0)
      tail.u64(checksum)
      tail.u64(NumbersFormat.magic)
      try log.create(
        NumbersDescription.name(id), NumbersFormat.head(id: id) + stored + footer.bytes + tail.bytes
      ).close()
      do {
        let merge = NumbersMerge([try log.readNumbers(id: id, expected: nil)])
        var (walk, counter): (NumbersWalk, [NumberRun]) = (try merge.walk(), [])
        while try walk.nextCounter(&counter) { #expect(!counter.isEmpty) }
        _ = try log.writeNumbers(id: 1000 + id, merge.sources) { try merge.forEachRun($0) }
        read += 1
      } catch is LogError {
        refused += 1
      }
    }
    #expect(read > 10 && refused > 30, "read \(read), refused \(refused)")
  }

  /// Each bit of the file is under a checksum, or must be as it is.
  @Test func noDamageIsTakenForNumbers() throws {
    let collector = NumberCollector(directory: log)
    try collect(Self.numbers(seed: 2, installs: 12), into: collector, rounds: 1, shuffled: 1)
    let merge = NumbersMerge(collector.pieces)
    let file = try #require(try log.writeNumbers(id: 60, merge.sources) { try merge.forEachRun($0) })
    let bytes = try log.contents(file.name, maximum: 1 << 20)
    func expectRefused(_ bytes: [UInt8], _ comment: Comment) throws {
      let log = LogDirectory(path: "/log", files: MemoryFileSystem())
      try log.files.makeDirectory("/log")
      try log.create(file.name, bytes).close()
      #expect(throws: LogError.self, comment) {
        try NumbersMerge([try log.readNumbers(id: file.id, expected: nil)]).forEachRun { _ in }
      }
    }
    for i in bytes.indices {
      var other = bytes
      other[i] ^= i % 2 == 0 ? 1 : 0x80
      try expectRefused(other, "byte \(i)")
      if i % 7 == 0 { try expectRefused(Array(bytes[..<i]), "cut at \(i)") }
    }
    try expectRefused(bytes + [0], "a byte more")
    // Under the name of another file.
    try log.create(NumbersDescription.name(61), bytes).close()
    #expect(throws: LogError.self) { try log.readNumbers(id: 61, expected: nil) }
  }
}
