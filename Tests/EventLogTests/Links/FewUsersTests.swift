// What joining ids reads of a block: some users' rows, which must be what the whole block says of them, and their event ids before
// all of the block's are checked.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct FewUsersTests {
  private func same(_ a: StoredEvent, _ b: StoredEvent) -> Bool {
    a.time == b.time && a.eventHigh == b.eventHigh && a.eventLow == b.eventLow && a.context == b.context
      && a.attributes == b.attributes && a.feature == b.feature && a.kind == b.kind && a.status == b.status
      && a.eventForm == b.eventForm
  }

  /// - Parameter version: of the event ids, which are UUIDs then; nil for ids in all forms.
  @Test(arguments: [(1, nil), (2, 4), (3, 4), (4, 7), (5, nil)] as [(UInt64, Int?)])
  func aUsersRowsAloneAreThoseOfTheBlock(seed: UInt64, version: Int?) throws {
    var random = RandomEvents(seed: seed, users: 60)
    // Times over years have many bits.
    if seed % 2 == 0 { random.times = Timestamp.earliest...Timestamp.latest }
    var events = random.events(3000)
    if let version {
      for i in events.indices {
        let id = RandomEvents.uuid(version: version, &random.generator)
        events[i].id = Array((seed == 3 ? id.uppercased() : id).utf8)
      }
    }
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    try log.ingest(events)
    let part = try LogSnapshot(log).parts[0]
    let (whole, few) = (try BlockDecoder(part: part), try BlockDecoder(part: part))
    try whole.open(0)
    for group: BlockDecoder.Group in [.details, .eventIDs] { try whole.load(group) }
    try few.open(0)
    try few.load(.rowCounts)
    // In the block's order, and out of it.
    let inOrder = (0..<few.users).filter { _ in random.generator.oneIn(3) }
    for user in inOrder + inOrder.shuffled(using: &random.generator) {
      try few.loadRows(of: user)
      let rows = Int(few.firstRows[user])..<Int(few.firstRows[user + 1])
      var next = rows.lowerBound
      try few.forEachEventID(rows, in: .all, unchecked: true) { row, id in
        #expect(row == next && same(few.event(row, id), whole.event(row)), "seed \(seed), user \(user), row \(row)")
        next += 1
      }
      #expect(next == rows.upperBound)
    }
    #expect(few.isLoaded(.packedEventIDs) == (version == nil), "ids of other rows were read")
    try part.checkEventIDs()
  }

  private func link(_ a: [UInt8], _ b: [UInt8], in log: LogDirectory, _ events: [TestEvent]) throws {
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    let round = writer.beginRound()
    let batch = EventBatch()
    batch.links.append(try #require(UserLink(a, b)))
    for event in events { batch.append(event, dictionary: round.dictionary) }
    try round.append(batch)
    try writer.finish(round, isLast: true)
    try writer.commit()
  }

  /// Whether the day has events that bring the walk for copies to the block, or none.
  @Test(arguments: [true, false]) func damagedIDsOfOtherRowsAreFoundBeforeTheCommit(isOpened: Bool) throws {
    var generator = SeededGenerator(seed: 12)
    let events = (0..<300).map { n in
      TestEvent(
        user: "user \(n % 10)", id: RandomEvents.uuid(version: 4, &generator), time: 1_700_000_000_000 + Int64(n))
    }
    let day = isOpened ? [TestEvent(user: "user 9", id: "day", time: 1_700_000_100_000)] : []
    for isDamaged in [false, true] {
      let files = MemoryFileSystem()
      let log = LogDirectory(path: "/log", files: files)
      try log.ingest(events)
      let part = try LogSnapshot(log).parts[0]
      let block = try BlockDecoder(part: part)
      try block.open(0)
      try block.load(.keys)
      let words = try #require(block.entry(BlockStream.eventWords.rawValue))
      let moved = try #require((0..<block.users).first { block.userID($0).bytes == Array("user 2".utf8) })
      // An id of somebody else.
      let row = Int(block.firstRows[moved == 0 ? 1 : 0])
      if isDamaged {
        let file = try OpenFile(log.file(part.name), .read, files)
        let place = Int(block.entry.offset) + words.offset + row * 15 + 3
        let byte = try file.read(1, at: place)
        try file.write([byte[0] ^ 0x10], at: place)
      }
      let before = try log.readManifest()
      // The log has no events under the user's name, which would bring the walk to the block too.
      func join() throws { try link(Array("a user".utf8), Array("user 2".utf8), in: log, day) }
      if isDamaged {
        #expect { try join() } throws: { ($0 as? LogError)?.message.contains("stream 12") == true }
        #expect(try log.readManifest() == before)
      } else {
        try join()
        #expect(try log.export().count { $0.user == Array("a user".utf8) } == 30)
      }
    }
  }
}
