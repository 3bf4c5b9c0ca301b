// What the analysis gets of a log: every user once, whole and in order, whatever the parts and threads.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct HistoryScanTests {
  @Test(arguments: [1, 3], [1, 2])
  func everyUserOnceAndInOrder(ingests: Int, threads: Int) throws {
    let seed: UInt64 = 91
    var random = RandomEvents(seed: seed, users: 25)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var events: [TestEvent] = []
    for _ in 0..<ingests {
      let new = random.events(150)
      try log.ingest(new)
      events += new
    }
    for variants in [false, true] {
      for property in [nil] + StringField.allCases {
        let selection = HistorySelection(variants: variants, property: property)
        let found = try UserHistory.scan(log, selection, threads: threads)
        let wanted = UserHistory.expected(LogModel(events).export, selection)
        if threads == 1 { #expect(found == wanted, "seed \(seed), \(selection)") }
        #expect(Set(found) == Set(wanted) && found.count == wanted.count, "seed \(seed), \(selection)")
      }
    }
    for attributes: [StringField] in [[.platform], [.appVersion, .country, .osVersion], [.locale, .platform]] {
      for (property, all) in [(nil, true), (nil, false), (StringField.appVersion, true), (.surface, false)] {
        let selection = HistorySelection(
          variants: true, property: property, attributes: attributes, userIDs: true, allAttributes: all)
        let found = try UserHistory.scan(log, selection, threads: threads)
        let wanted = UserHistory.expected(LogModel(events).export, selection)
        #expect(Set(found) == Set(wanted), "seed \(seed), \(selection)")
      }
    }
  }

  /// Each user is in the range of the user's hash, whatever the ranges.
  @Test(arguments: [1, 3], [1, 2])
  func rangesOfTheHashSpaceDivideTheUsers(ingests: Int, threads: Int) throws {
    let seed: UInt64 = 92
    var random = RandomEvents(seed: seed, users: 40)
    var generator = SeededGenerator(seed: seed)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    for _ in 0..<ingests { try log.ingest(random.events(200)) }
    let selection = HistorySelection(userIDs: true)
    let all = try UserHistory.scan(log, selection, threads: threads)
    for _ in 0..<20 {
      var borders = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        UInt64.random(in: 1...(.max), using: &generator)
      }
      borders = Set(borders).sorted()
      let ranges = zip([0] + borders, borders.map { $0 - 1 } + [.max]).map { $0...$1 }
      var found: [UserHistory] = []
      for range in ranges {
        let own = try UserHistory.scan(log, selection, within: range, threads: threads)
        for history in own { #expect(history.id.withUnsafeBytes { range.contains(UserHash.of($0)) }, "seed \(seed)") }
        found += own
      }
      #expect(Set(found) == Set(all) && found.count == all.count, "seed \(seed)")
    }
  }

  /// Events of few moments in several parts: the order of what happened in one millisecond is that of the ids, whichever
  /// part has them and whatever they say.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func tiesAcrossPartsAreOrderedByIDs(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var events: [TestEvent] = []
    var parts: [[TestEvent]] = [[], [], []]
    let ids = (0..<400).map { "i\($0)" }.shuffled(using: &generator)
    for id in ids {
      let kinds: [EventKind] = [.denied, .promptShown, .appActive]
      let statuses: [AuthorizationStatus] = [.none, .none, .restricted]
      let event = TestEvent(
        user: "u\(Int.random(in: 0..<8, using: &generator))", id: id,
        time: 1_700_000_000_000 + Milliseconds.random(in: 0..<4, using: &generator),
        kind: kinds.randomElement(using: &generator) ?? .denied,
        status: statuses.randomElement(using: &generator) ?? .none,
        values: [.permission: "camera", .appVersion: generator.oneIn(3) ? "2" : "1"])
      events.append(event)
      parts[Int.random(in: 0..<3, using: &generator)].append(event)
    }
    for part in parts { try log.ingest(part) }
    for (property, all) in [(nil, false), (StringField.permission, false), (nil, true)] {
      let selection = HistorySelection(property: property, attributes: all ? [.appVersion] : [], allAttributes: all)
      let found = try UserHistory.scan(log, selection, threads: 1)
      #expect(found == UserHistory.expected(LogModel(events).export, selection), "seed \(seed)")
    }
  }

  /// Ranges of the hash space cover it, do not overlap and cut no user, also if hashes are equal.
  @Test func rangesCoverTheHashSpace() throws {
    let files = MemoryFileSystem()
    let writer = try PartWriter(
      id: 1, directory: "/log", files: files, dictionary: PartDictionaryBuilder().dictionary)
    var encoder = try BlockEncoder(PartDictionaryBuilder().dictionary)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let hashes: [[UInt64]] = [[0, 5], [5, 5], [5, 9], [10, 20], [21, 1 << 60], [1 << 60, .max]]
    for (n, block) in hashes.enumerated() {
      for (m, hash) in block.enumerated() {
        encoder.begin(StoredUser(hash: hash, word: UInt64(n * 2 + m), form: 1), text: none)
        encoder.append(
          StoredEvent(
            time: Timestamp.earliest, eventHigh: 0, eventLow: 0, context: 0, attributes: 0, feature: 0, kind: 0,
            status: 0, eventForm: 1),
          text: none)
        encoder.end()
      }
      try writer.write(&encoder)
    }
    let written = try writer.finish()
    let part = try PartReader(try #require(written), in: LogDirectory(path: "/log", files: files))
    for count in 0...20 {
      let ranges = HashRanges.divide([part], count: count)
      #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == .max)
      for (a, b) in zip(ranges, ranges.dropFirst()) { #expect(a.upperBound + 1 == b.lowerBound) }
      var users: [UInt64] = []
      for range in ranges {
        let cursor = try PartCursor(part, range: range, kinds: part.kindCodes)
        while !cursor.isAtEnd {
          #expect(range.contains(cursor.hash))
          users.append(cursor.userID.low)
          try cursor.advance()
        }
      }
      #expect(users == (0..<12).map { UInt64($0) }, "\(count) ranges")
    }
    #expect(HashRanges.divide([part], count: 20).count > 1)
    #expect(HashRanges.divide([], count: 4).isEmpty)
  }

  /// Users with one hash in several parts are merged by their ids.
  @Test func usersOfOneHashAreMergedByTheirIds() throws {
    // UUIDs with one hash: the high word is what makes it so.
    let hash: UInt64 = 0xABCD_EF01_2345_6789
    let words: [UInt64] = [3, 1 << 63, 77, 12, 1 << 40, 5]
    let users = words.map { low in
      var text: [UInt8] = []
      IdentifierText.writeUUID(
        form: low % 2 == 0 ? .lowercaseUUID : .uppercaseUUID, high: UserHash.highWord(hash: hash, low: low), low: low,
        into: &text)
      return String(decoding: text, as: UTF8.self)
    }
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    var events: [TestEvent] = []
    for part in 0..<3 {
      // Each part has other users, some of them the same.
      let new = users.indices.filter { ($0 + part) % 3 != 0 }.map { n in
        TestEvent(user: users[n], id: "e\(part)", time: 1_700_000_000_000 + Int64(part), kind: .granted)
      }
      events += new
      #expect(try log.ingest(new + new).duplicates == new.count)
      #expect(try log.export() == LogModel(events).export)
    }
    #expect(Set(events.map { $0.user.withUnsafeBytes(UserHash.of) }) == [hash])
    #expect(try log.ingest(events).new == 0)
    #expect(
      try UserHistory.scan(log, HistorySelection(), threads: 1)
        == UserHistory.expected(LogModel(events).export, HistorySelection()))
    try log.ingest([TestEvent(user: "other", id: "e", time: 1_700_000_000_000)])
    #expect(try LogSnapshot(log).parts.count == 1)
    #expect(try log.ingest(events).new == 0)
  }
}
