// What an ingest finds in an older part, which has many small blocks here.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct StoredUsersTests {
  private struct User {
    var hash: UInt64
    var word: UInt64
    var form: UInt8
    var text: [UInt8]
    var ids: [(high: UInt64, low: UInt64)] = []

    /// Users of texts and of UUIDs; several have one hash.
    static func random(_ generator: inout SeededGenerator) -> User {
      if generator.oneIn(3) {
        let text = Array("user-\(generator.next() % 1_000_000)".utf8)
        return User(hash: text.withUnsafeBytes(UserHash.text), word: 0, form: 0, text: text)
      }
      let hash = generator.oneIn(2) ? generator.next() : (generator.next() % 4) << 62
      let word = generator.next() % 16 | 0x8000_0000_0000_0000
      return User(hash: hash, word: word, form: IdentifierForm.lowercaseUUID.rawValue, text: [])
    }

    func withID<Result>(_ body: (IdentifierView) throws -> Result) rethrows -> Result {
      try text.withUnsafeBytes { text in
        let high = form == 0 ? 0 : UserHash.highWord(hash: hash, low: word)
        return try body(IdentifierView(form: form, high: high, low: word, text: text))
      }
    }

    static func isBefore(_ a: User, _ b: User) -> Bool {
      a.hash != b.hash ? a.hash < b.hash : a.withID { a in b.withID { IdentifierView.compare(a, $0) < 0 } }
    }
  }

  /// Users in the log's order, each once.
  private func users(_ count: Int, _ generator: inout SeededGenerator) -> [User] {
    var sorted = (0..<count).map { _ in User.random(&generator) }
    sorted.sort(by: User.isBefore)
    return sorted.indices.filter { $0 == 0 || User.isBefore(sorted[$0 - 1], sorted[$0]) }.map { sorted[$0] }
  }

  /// A part with blocks of one to five users. Some ids are texts if `hasTexts`, which turns their packing
  /// off for the block.
  private func part(_ users: inout [User], hasTexts: Bool, _ generator: inout SeededGenerator) throws -> PartReader {
    let files = MemoryFileSystem()
    let writer = try PartWriter(
      id: 1, directory: "/log", files: files, dictionary: PartDictionaryBuilder().dictionary)
    var encoder = try BlockEncoder(PartDictionaryBuilder().dictionary)
    for i in users.indices {
      let user = users[i]
      user.text.withUnsafeBytes {
        encoder.begin(StoredUser(hash: user.hash, word: user.word, form: user.form), text: $0)
      }
      for n in 0...Int(generator.next() % 5) {
        let isText = hasTexts && generator.oneIn(8)
        let id = (
          high: generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
          low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
        if !isText { users[i].ids.append(id) }
        let event = StoredEvent(
          time: 1_700_000_000_000 + Int64(n), eventHigh: isText ? 0 : id.high, eventLow: isText ? 0 : id.low,
          context: 0, attributes: 0, feature: 0, kind: EventKind.appActive.rawValue, status: 0,
          eventForm: isText ? IdentifierForm.text.rawValue : IdentifierForm.lowercaseUUID.rawValue)
        Array((isText ? "event \(i) \(n)" : "").utf8).withUnsafeBytes { encoder.append(event, text: $0) }
      }
      encoder.end()
      if generator.oneIn(3) { try writer.write(&encoder) }
    }
    try writer.write(&encoder)
    let finished = try writer.finish()
    let description = try #require(finished)
    return try PartReader(description, in: LogDirectory(path: "/log", files: files))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func findsUsersAndTheirEventIDs(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var all = users(300, &generator)
    // Who is asked for: some are in the part, some are not.
    let isStored = all.map { _ in generator.oneIn(2) }
    var inside = all.indices.filter { isStored[$0] }.map { all[$0] }
    let part = try part(&inside, hasTexts: seed % 2 == 0, &generator)
    var next = 0
    for i in all.indices where isStored[i] {
      all[i] = inside[next]
      next += 1
    }
    let stored = try StoredUsers(part)
    for (i, user) in all.enumerated() where !generator.oneIn(3) {
      let rows = try user.withID { try stored.rows(of: $0, hash: user.hash) }
      #expect((rows != nil) == isStored[i], "seed \(seed), user \(i)")
      guard let rows else { continue }
      var found: [UInt64] = []
      try stored.block.forEachEventID(rows, in: .all) { _, id in if id.form != 0 { found += [id.high, id.low] } }
      #expect(found == user.ids.flatMap { [$0.high, $0.low] }, "seed \(seed), user \(i)")
      // A filter leaves no id out that is in it.
      for id in user.ids {
        let view = IdentifierView(form: IdentifierForm.lowercaseUUID.rawValue, high: id.high, low: id.low)
        var filter = IdentifierFilter(IdentifierHash())
        filter.insert(filter.hash(view))
        var isThere = false
        try stored.block.forEachEventID(rows, in: filter) { _, found in if found == view { isThere = true } }
        #expect(isThere, "seed \(seed), user \(i)")
      }
      // What a block takes can be given back at any time.
      if generator.oneIn(3) {
        stored.forget()
        #expect(stored.block.memory.bytes == 0)
      }
    }
  }

  /// Blocks between the users that are asked for are not read: their bytes may be anything.
  @Test func blocksWithoutTheUsersAreNotRead() throws {
    var generator = SeededGenerator(seed: 9)
    var all = users(200, &generator)
    let part = try part(&all, hasTexts: false, &generator)
    let last = try #require(all.last)
    let stored = try StoredUsers(part)
    #expect(try last.withID { try stored.rows(of: $0, hash: last.hash) } != nil)
    #expect(stored.block.index == part.footer.blocks.count - 1)
    let none = try StoredUsers(part)
    let outside = IdentifierView(form: 0)
    #expect(try none.rows(of: outside, hash: 0) == nil || all[0].hash == 0)
  }
}
