// What goes into a block comes out of it, through a part on disk.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct BlockRoundTripTests {
  /// A whole log in memory with these events, exported, verified and scanned.
  private func expectRoundTrip(_ events: [TestEvent], _ comment: Comment) throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let counts = try log.ingest(events)
    let model = LogModel(events)
    #expect(counts == model.counts, comment)
    let export = try log.export()
    #expect(export.count == model.export.count, comment)
    if let (found, wanted) = zip(export, model.export).first(where: { $0.0 != $0.1 }) {
      Issue.record("\(found) is there, and \(wanted) should be; \(comment)")
    }
    let found = try log.verify()
    #expect(found.damage.isEmpty, comment)
    #expect(found.events == model.counts.new, comment)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func randomUsersAndEvents(seed: UInt64) throws {
    var random = RandomEvents(seed: seed, users: Int(seed) * 7)
    // Close times, times over years, and times at both ends of what a log holds.
    random.times =
      seed % 3 == 0
      ? Timestamp.earliest...(1 << 42 - 1) : seed % 3 == 1 ? 1_700_000_000_000...1_700_000_000_005 : random.times
    try expectRoundTrip(random.events(400), "seed \(seed)")
  }

  @Test(arguments: [
    "e", "0123abcd-4567-49ef-8123-456789abcdef", "0123ABCD-4567-49EF-8123-456789ABCDEF",
    "0123abcd-4567-09ef-0123-456789abcdef", "01234567-8901-7345-8789-012345678901",
  ])
  func oneEvent(id: String) throws {
    for user in [id, "somebody"] {
      try expectRoundTrip([TestEvent(user: user, id: id, time: 1_700_000_000_000)], "one event \(id)")
    }
  }

  @Test(arguments: [0, 1, 4, 7, 8] as [Int])
  func idsOfOneVersion(version: Int) throws {
    var generator = SeededGenerator(seed: 77)
    let events = (0..<100).map { n in
      TestEvent(
        user: RandomEvents.uuid(version: 4, &generator), id: RandomEvents.uuid(version: version, &generator),
        time: 1_700_000_000_000 + Int64(n))
    }
    try expectRoundTrip(events, "version \(version)")
    // One id of another kind turns the packing off for the block.
    try expectRoundTrip(
      events + [TestEvent(user: "u", id: "text", time: 1_700_000_000_000)], "version \(version) and a text")
    let other = RandomEvents.uuid(version: version == 4 ? 7 : 4, &generator)
    try expectRoundTrip(
      events + [TestEvent(user: "u", id: other, time: 1_700_000_000_000)], "version \(version) and another")
    try expectRoundTrip(
      events + [TestEvent(user: "u", id: other.uppercased(), time: 1_700_000_000_000)], "version \(version) and upper")
  }

  @Test func longestIdsAndValues() throws {
    let long = String(repeating: "ä", count: 128)
    let values = Dictionary(uniqueKeysWithValues: StringField.allCases.map { ($0, long) })
    try expectRoundTrip(
      (0..<200).map { n in
        TestEvent(
          user: String(repeating: "u", count: 253) + "\(n % 10)", id: String(repeating: "e", count: 125) + "\(n)",
          time: 1_700_000_000_000, kind: .featureUsed, status: .always, values: values)
      }, "longest")
  }

  @Test func contextsOfEngagementAndPermissionsAreApart() throws {
    // Rows alternate between two classes, each of which remembers its own context.
    let kinds: [EventKind] = [.promptShown, .featureUsed, .granted, .appActive, .revoked, .featureUsed]
    var events: [TestEvent] = []
    for n in 0..<60 {
      var values: [StringField: String] = [:]
      if n % 7 != 0 { values[.permission] = ["camera", "mail", "custom"][n / 5 % 3] }
      if n % 4 != 0 { values[.variant] = ["A", "B"][n / 3 % 2] }
      if n % 3 == 0 { values[.feature] = "f\(n % 6)" }
      if n % 9 > 3 { values[.appVersion] = "1.\(n / 10)" }
      events.append(
        TestEvent(
          user: "u\(n / 30)", id: "\(n)", time: 1_700_000_000_000 + Int64(n), kind: kinds[n % 6],
          status: AuthorizationStatus.allCases[n % 12], values: values))
    }
    try expectRoundTrip(events, "alternating")
  }

  /// A user is never cut in two, so a block may be longer than it likes to be, and buffers must grow.
  @Test func aUserWithSeventyThousandEvents() throws {
    let files = MemoryFileSystem()
    let dictionary = PartDictionaryBuilder().dictionary
    let writer = try PartWriter(id: 1, directory: "/log", files: files, dictionary: dictionary)
    var encoder = try BlockEncoder(dictionary)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    for (user, count) in [(UInt64(1), 65_000), (2, 70_000), (3, 1)] {
      encoder.begin(StoredUser(hash: user, word: user, form: 1), text: none)
      for n in 0..<count {
        let time = 1_700_000_000_000 + Int64(n) * Int64(n)
        let event = StoredEvent(
          time: time, eventHigh: UInt64(n) << 16 | 0x4000, eventLow: 1 << 63 | UInt64(n), context: 0, attributes: 0,
          feature: 0, kind: UInt8(n % 12), status: UInt8(n % 12), eventForm: 1)
        encoder.append(event, text: none)
      }
      encoder.end()
    }
    try writer.write(&encoder)
    let written = try writer.finish()
    let part = try PartReader(try #require(written), in: LogDirectory(path: "/log", files: files))
    #expect(part.footer.rows == 135_001 && part.footer.users == 3)
    let block = try BlockDecoder(part: part)
    try block.open(0)
    try block.verify()
    #expect((0..<3).map { block.rowCounts[$0] } == [65_000, 70_000, 1])
    for (user, count) in [(0, 65_000), (1, 70_000), (2, 1)] {
      let first = Int(block.firstRows[user])
      let isWhole = (0..<count).allSatisfy { n in
        let event = block.event(first + n)
        return event.time == 1_700_000_000_000 + Int64(n) * Int64(n) && event.kind == UInt8(n % 12)
          && event.status == UInt8(n % 12) && event.eventHigh == UInt64(n) << 16 | 0x4000
          && event.eventLow == 1 << 63 | UInt64(n)
      }
      #expect(isWhole, "user \(user)")
    }
  }
}
