// What is read of a log shares one budget of memory. Files that ask for more are refused, one alone and several
// together; a log that fits on one thread is read on any number of them.

import Folding
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct MemoryBudgetTests {
  /// Counts the events of each user.
  private struct Counting: Fold {
    struct Sums: FoldSums, Equatable {
      static let name = "counts 1"
      static var layout: SumsLayout<Self> { [] }
      var counts: [[UInt8]: Int] = [:]
      mutating func add(_ other: Self) { counts.merge(other.counts) { $0 + $1 } }
    }

    mutating func fold(_ user: borrowing Folding.UserHistory, into sums: inout Sums) {
      sums.counts[user.id(), default: 0] += user.eventCount + user.engagementCount
    }
  }

  private func isTooMuch(_ error: any Error) -> Bool {
    let error = error as? LogError
    return error?.code == .limit && error?.exceedsMemory == true
  }

  private func hostilePart(id: UInt64, rows: Int) -> HandmadePart { HandmadePart(manyRows: rows, id: id) }

  private func log(_ parts: [HandmadePart], memory: Int? = nil) throws -> LogDirectory {
    LogDirectory(path: HandmadePart.directory, files: try HandmadePart.log(parts), memory: memory)
  }

  private func fold(_ log: LogDirectory, threads: Int, property: StringField? = nil) throws -> Counting.Sums {
    var selection = HistorySelection(property: property)
    selection.userIDs = true
    return try LogSnapshot(log).fold(selection, threads: threads) { _ in Counting() }
  }

  @Test func smallFilesThatAskForMuchTogetherAreRefused() throws {
    let rows = 1 << 15
    let parts = (UInt64(1)...6).map { hostilePart(id: $0, rows: rows) }
    // Each alone is a part like others.
    let one = try log([parts[0]], memory: 4 << 20)
    #expect(try fold(one, threads: 2).counts.values.reduce(0, +) == rows)
    #expect(try one.export().count == rows)
    let files = try #require(one.files as? MemoryFileSystem)
    #expect(files["/log/part-0000000000000001"]?.count ?? .max < 4096)
    #expect(try fold(log(parts), threads: 2).counts.values.reduce(0, +) == 6 * rows)
    let all = try log(parts, memory: 4 << 20)
    for threads in [1, 4] {
      #expect { try fold(all, threads: threads) } throws: { isTooMuch($0) }
      #expect { try fold(all, threads: threads, property: .surface) } throws: { isTooMuch($0) }
    }
    #expect { try all.export() } throws: { error in
      let text = (error as? LogError)?.message ?? ""
      return isTooMuch(error) && text.contains("part-") && text.contains("block 0") && text.contains("4 MiB")
    }
    let writer = try EventLogWriter(all, threads: 2)
    let apart = try #require(try writer.compact())
    #expect(apart.finding.contains("6 parts have \(6 * rows) events of one user") && apart.remedy == .divideSharedUser)
    #expect(
      apart.finding.contains("more than 4 MiB of memory, so they stay separate") && !apart.text.contains("malicious"))
    writer.close()
    #expect(try all.readManifest().parts.count == 6)
    // One part after the other is held when all are checked, and none of them is damaged.
    #expect(try all.verify().damage.isEmpty)
    // A later ingest is not kept back by parts that it cannot merge.
    #expect(try all.ingest([TestEvent(user: "u", id: "e", time: 1_700_000_000_000)]).new == 1)
  }

  @Test func dictionariesTakeOfTheSameBudget() throws {
    var builder = PartDictionaryBuilder()
    for n in 0..<20_000 { _ = builder.code(.surface, Array("s\(n)".utf8)) }
    let parts = (UInt64(1)...6).map { id in
      var part = hostilePart(id: id, rows: 10)
      part.dictionary = builder.dictionary
      return part
    }
    // Some 60 bytes for each value.
    #expect(try LogSnapshot(log([parts[0]], memory: 2 << 20)).eventCount == 10)
    #expect(try LogSnapshot(log(parts, memory: 12 << 20)).eventCount == 60)
    #expect { try LogSnapshot(log(parts, memory: 4 << 20)) } throws: { isTooMuch($0) }
    #expect { try log(parts, memory: 4 << 20).verify() } throws: { isTooMuch($0) }
  }

  @Test func aFooterThatUnpacksToMuchIsRefusedBeforeItIs() throws {
    var part = hostilePart(id: 1, rows: 10)
    // A section of a later version, of zeros.
    part.editFooter = { bytes in
      var w = ByteWriter(bytes: bytes)
      w.varint(7)
      w.text([UInt8](repeating: 0, count: 8 << 20))
      return w.bytes
    }
    #expect(try LogSnapshot(log([part])).eventCount == 10)
    // Once to read it, and once to keep it.
    #expect { try LogSnapshot(log([part], memory: 15 << 20)) } throws: { isTooMuch($0) }
    #expect(try LogSnapshot(log([part], memory: 18 << 20)).eventCount == 10)
  }

  /// Parts whose blocks overlap in many rows are not begun to be merged, and the log goes on.
  @Test func whatAMergeWouldHoldIsKnownBefore() throws {
    func part(_ id: UInt64, _ hashes: ClosedRange<UInt64>, _ rows: Int) -> HandmadePart {
      var part = hostilePart(id: id, rows: rows)
      (part.entry.firstHash, part.entry.lastHash) = (hashes.lowerBound, hashes.upperBound)
      return part
    }
    func most(_ parts: [HandmadePart]) throws -> Int { HashRanges.peak(try LogSnapshot(log(parts)).parts).rows }
    #expect(try most([part(1, 10...20, 5)]) == 5)
    #expect(try most([part(1, 10...20, 5), part(2, 21...30, 7)]) == 7)
    #expect(try most([part(1, 10...20, 5), part(2, 20...30, 7)]) == 12)
    #expect(try most([part(1, 10...10, 5), part(2, 10...10, 7), part(3, 0...(.max), 2)]) == 14)
    let overlapping = try log((UInt64(1)...3).map { part($0, 0...0, 1 << 14) }, memory: 6 << 20)
    let before = try overlapping.export()
    let recording = FailingFileSystem(overlapping.files)
    let watched = LogDirectory(path: "/log", files: recording, memory: 6 << 20)
    #expect(try watched.ingest([TestEvent(user: "u", id: "e", time: 1_700_000_000_000)]).new == 1)
    // One new part, and no other was begun.
    #expect(recording.calls.count { $0.makes && $0.path.contains("part-") } == 1)
    #expect(try overlapping.export().count == before.count + 1)
  }

  /// A user whose parts cannot be merged keeps no others from it: each ingest would add one, until too many files are open.
  @Test func smallPartsAreMergedBesideAUserWhoIsTooLarge() throws {
    let log = try log((UInt64(1)...4).map { hostilePart(id: $0, rows: 1 << 14) }, memory: 4 << 20)
    for n in 0..<30 {
      let event = TestEvent(user: "u\(n % 3)", id: "e\(n)", time: 1_700_000_000_000 + Milliseconds(n))
      #expect(try log.ingest([event], threads: 2).new == 1)
      #expect(try LogSnapshot(log).parts.count < 4 + MergePolicy.partsPerTier, "ingest \(n)")
    }
    let writer = try EventLogWriter(log, threads: 2)
    // One of the four and all that is small fit into one.
    let apart = try #require(try writer.compact())
    #expect(apart.remedy == .divideSharedUser && apart.finding.contains("stay separate"))
    writer.close()
    #expect(try LogSnapshot(log).parts.count == 4)
    #expect(try log.export().count == 4 << 14 + 30 && log.verify().damage.isEmpty)
  }

  /// A block of a user with millions of events is read as long as no other wants as much.
  @Test func oneLargeBlockAtATimeMayExceedTheBudget() throws {
    let rows = 100_000
    let one = try log([hostilePart(id: 1, rows: rows)], memory: 4 << 20)
    let opened = try one.opened()
    do {
      let snapshot = try LogSnapshot(opened)
      let block = try BlockDecoder(part: snapshot.parts[0])
      try block.open(0)
      try block.verify()
      #expect(block.memory.bytes > opened.budget.total)
      let other = try BlockDecoder(part: snapshot.parts[0])
      try other.open(0)
      #expect { try other.verify() } throws: { isTooMuch($0) }
      block.forget()
      #expect(throws: Never.self) {
        let third = try BlockDecoder(part: snapshot.parts[0])
        other.forget()
        try third.open(0)
        try third.verify()
      }
    }
    #expect(opened.budget.available == opened.budget.total)
    #expect(try one.export().count == rows && one.verify().damage.isEmpty)
    let two = try log((UInt64(1)...2).map { hostilePart(id: $0, rows: rows) }, memory: 4 << 20)
    #expect(try two.verify().damage.isEmpty)
    #expect { try two.export() } throws: { error in
      let error = error as? LogError
      return error?.exceedsMemory == true && error?.explanation.remedy == .divideSharedUser
        && error?.message.contains("as much again") == true && error?.message.contains("nothing is lost") == true
    }
    // As its sentence says, and also if the machine has no second try.
    let writer = try EventLogWriter(one, threads: 2)
    #expect(try writer.expire(before: Timestamp.earliest + 1).events == rows)
    writer.close()
    #expect(throws: LogError.self) { try log([hostilePart(id: 1, rows: 2 * rows)], memory: 4 << 20).export() }
  }

  /// Many events of one user, millisecond and kind in several parts: the work is their number, and not that squared, which
  /// took minutes.
  @Test func manyEventsAlikeAreMergedOneByOne() throws {
    let rows = 1 << 15
    let log = try log((UInt64(1)...6).map { HandmadePart(manyRows: rows, id: $0, kind: .promptShown) })
    #expect(try fold(log, threads: 1).counts.values.reduce(0, +) == 6 * rows)
  }

  /// Who cannot try again counts blocks as they are, not as most are.
  @Test func threadsOfAnIngestHaveRoomForTheLargestBlocks() throws {
    let log = try log((UInt64(1)...2).map { hostilePart(id: $0, rows: 1 << 19) }, memory: 128 << 20)
    let parts = try LogSnapshot(log).parts
    // Two blocks of 40 MiB fit once into three quarters of it.
    #expect(MemoryBudget.threads(8, parts, bytesPerRow: BlockDecoder.bytesOfWholeRow) == 1)
    // A report tries again on one thread.
    let most = 2 * PartFormat.rowsPerBlock
    #expect(
      MemoryBudget.threads(8, parts, bytesPerRow: BlockDecoder.bytesOfHistoryRow(HistorySelection()), most: most) == 8)
  }

  /// The columns of a decoder have the room of the largest block of each, and blocks differ in which are large.
  @Test func whatWasOfAnotherBlockIsCounted() throws {
    let block = try BlockDecoder(part: try LogSnapshot(log([hostilePart(id: 1, rows: 10)])).parts[0])
    try block.open(0)
    try block.hold(30 << 20, as: .texts(.eventTexts))
    try block.open(0)
    try block.hold(20 << 20, as: .texts(.eventTexts))
    try block.hold(30 << 20, as: .group(.history))
    #expect(block.memory.bytes >= 60 << 20 && block.memory.bytes < 62 << 20)
    try block.hold(10 << 20, as: .stored)
    try block.open(0)
    #expect(block.memory.bytes == 0)
  }

  @Test func everythingIsGivenBack() throws {
    let log = try log((UInt64(1)...3).map { hostilePart(id: $0, rows: 1 << 12) })
    let opened = try log.opened()
    do {
      let snapshot = try LogSnapshot(opened)
      #expect(opened.budget.available < opened.budget.total)
      let before = opened.budget.available
      #expect(try snapshot.export().count == 3 << 12)
      _ = try snapshot.fold(HistorySelection(property: .surface), threads: 3) { _ in Counting() }
      #expect(opened.budget.available == before)
    }
    #expect(opened.budget.available == opened.budget.total)
    let budget = MemoryBudget(1000 << 10)
    do {
      let (first, second) = (MemoryShare(budget), MemoryShare(budget))
      #expect(first.raise(to: 600 << 10) && !second.raise(to: 600 << 10) && second.raise(to: 300 << 10))
      #expect(first.raise(to: 1) && first.bytes >= 600 << 10)
      first.release()
      #expect(second.raise(to: 900 << 10))
    }
    #expect(budget.available == budget.total)
  }

  /// A block like no other does not stay in memory when it is done with.
  @Test func aDecoderGivesBackWhatAnExtraordinaryBlockTook() throws {
    let log = try log([hostilePart(id: 1, rows: 1 << 21)])
    let snapshot = try LogSnapshot(log)
    let before = snapshot.directory.budget.available
    let block = try BlockDecoder(part: snapshot.parts[0])
    try block.open(0)
    try block.load(.lanes)
    #expect(before - snapshot.directory.budget.available > 32 << 20)
    try block.load(.details)
    try block.load(.eventIDs)
    #expect(before - snapshot.directory.budget.available > 64 << 20)
    try block.open(0)
    #expect(snapshot.directory.budget.available == before)
    try block.load(.lanes)
    #expect(block.engagement.count >= 1 << 21)
  }

  /// Whatever one thread can read, any number of threads can, with one result.
  @Test func threadsAreAsManyAsTheBudgetHasRoomFor() throws {
    let files = MemoryFileSystem()
    var random = RandomEvents(seed: 44, users: 400)
    for _ in 0..<3 { try LogDirectory(path: "/log", files: files).ingest(random.events(2000)) }
    var (refused, read, fewer) = (0, 0, 0)
    for memory in stride(from: 1 << 18, through: 3 << 20, by: 1 << 18) {
      let log = LogDirectory(path: "/log", files: files, memory: memory)
      func result(_ threads: Int) throws -> Counting.Sums? {
        do { return try fold(log, threads: threads, property: .feature) } catch {
          #expect(isTooMuch(error))
          return nil
        }
      }
      let one = try result(1)
      for threads in [2, 8] { #expect(try result(threads) == one, "\(memory) bytes, \(threads) threads") }
      refused += one == nil ? 1 : 0
      read += one == nil ? 0 : 1
      if one != nil, let snapshot = try? LogSnapshot(log) {
        let bytes = BlockDecoder.bytesOfHistoryRow(HistorySelection())
        fewer += MemoryBudget.threads(8, snapshot.parts, bytesPerRow: bytes) < 8 ? 1 : 0
      }
    }
    #expect(refused > 0 && read > 0 && fewer > 0, "\(refused) refused, \(read) read, \(fewer) on fewer threads")
  }
}
