// `verify` finds every flipped bit, every cut and every right file in a wrong place.

import Threads
import PermissionEvents
import Dispatch
import LogTestSupport
import Testing

@testable import EventLog

@Suite struct VerificationTests {
  /// A log of two small parts with every kind of stream, in memory.
  private func smallLog() throws -> (MemoryFileSystem, LogDirectory) {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: 4, users: 3)
    try log.ingest(random.events(12))
    var generator = SeededGenerator(seed: 5)
    try log.ingest(
      (0..<6).map { n in
        TestEvent(
          user: RandomEvents.uuid(version: 4, &generator), id: RandomEvents.uuid(version: 7, &generator),
          time: 1_700_000_000_000 + Int64(n) * 100_000, kind: .granted, status: .always)
      })
    #expect(try log.verify().damage.isEmpty)
    return (files, log)
  }

  /// Files with damage of which `verify` says nothing, with the numbers of the damages.
  private func missed(_ files: MemoryFileSystem, _ count: Int, _ damage: @Sendable (MemoryFileSystem, Int) -> Void)
    -> [Int]
  {
    let missed = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { share in
      let copy = files.copy()
      let log = LogDirectory(path: "/log", files: copy)
      var n = share
      while n < count {
        damage(copy, n)
        let found = try? log.verify()
        if found.map({ $0.damage.isEmpty }) ?? true { missed.withLock { $0.append(n) } }
        damage(copy, n)
        n += 8
      }
    }
    return missed.withLock { $0 }
  }

  @Test(arguments: ["manifest", "part-0000000000000001", "part-0000000000000002"])
  func everyFlippedBitIsFound(name: String) throws {
    let (files, log) = try smallLog()
    let path = log.file(name)
    let count = try #require(files[path]).count
    let missed = missed(files, count * 8) { files, n in files[path]?[n / 8] ^= 1 << (n % 8) }
    #expect(missed.isEmpty, "bits of \(count) bytes of \(name)")
  }

  @Test(arguments: ["manifest", "part-0000000000000001", "part-0000000000000002"])
  func everyTruncationIsFound(name: String) throws {
    let (files, log) = try smallLog()
    let whole = try #require(files[log.file(name)])
    for end in 0..<whole.count {
      files[log.file(name)] = Array(whole[..<end])
      let found = try log.verify()
      #expect(!found.damage.isEmpty, "\(name) cut to \(end) of \(whole.count) bytes")
    }
    files[log.file(name)] = whole + [0]
    #expect(try !log.verify().damage.isEmpty)
  }

  @Test func partsInEachOthersPlacesAreFound() throws {
    let (files, log) = try smallLog()
    let (first, second) = (log.file("part-0000000000000001"), log.file("part-0000000000000002"))
    (files[first], files[second]) = (files[second], files[first])
    #expect(try log.verify().damage.count == 2)
  }

  @Test func anOlderPartUnderANewerNameIsFound() throws {
    let (files, log) = try smallLog()
    let older = try #require(files[log.file("part-0000000000000001")])
    files[log.file("part-0000000000000002")] = older
    #expect(try log.verify().damage.count == 1)
    // Also if the manifest says that it is as it should be.
    var manifest = try log.readManifest()
    manifest.parts[1] = manifest.parts[0]
    manifest.parts[1].id = 2
    files[log.file("manifest")] = manifest.encode()
    #expect(try log.verify().damage.count == 1)
  }

  @Test func anOlderManifestOverNewerPartsIsFound() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: 6, users: 3)
    try log.ingest(random.events(5))
    let older = files[log.file("manifest")]
    // After a merge the parts that the older manifest names are gone.
    for _ in 0..<3 { try log.ingest(random.events(5)) }
    files[log.file("manifest")] = older
    #expect(try !log.verify().damage.isEmpty)
  }

  /// Two blocks of one part change places: right bytes, right lengths, wrong place.
  @Test func swappedBlocksAreFound() throws {
    let files = MemoryFileSystem()
    let writer = try PartWriter(
      id: 1, directory: "/log", files: files, dictionary: PartDictionaryBuilder().dictionary)
    var encoder = try BlockEncoder(PartDictionaryBuilder().dictionary)
    for user in UInt64(1)...2 {
      encoder.begin(StoredUser(hash: 1, word: user, form: 1), text: .init(start: nil, count: 0))
      let event = StoredEvent(
        time: 1_700_000_000_000, eventHigh: 0x4000, eventLow: 1 << 63 | user, context: 0, attributes: 0, feature: 0,
        kind: 0, status: 0, eventForm: 1)
      encoder.append(event, text: .init(start: nil, count: 0))
      encoder.end()
      try writer.write(&encoder)
    }
    let description = try #require(try writer.finish())
    var manifest = Manifest()
    manifest.nextPart = 2
    manifest.parts = [description]
    files["/log/manifest"] = manifest.encode()
    let log = LogDirectory(path: "/log", files: files)
    #expect(try log.verify().damage.isEmpty)
    let blocks = try PartReader(description, in: LogDirectory(path: "/log", files: files)).footer.blocks
    // Blocks that begin with one hash are in the order in which they were written.
    #expect(blocks.map(\.number) == [0, 1] && blocks[0].length == blocks[1].length)
    var bytes = try #require(files["/log/part-0000000000000001"])
    let (a, b) = (Int(blocks[0].offset), Int(blocks[1].offset))
    let length = Int(blocks[0].length)
    let first = Array(bytes[a..<a + length])
    bytes.replaceSubrange(a..<a + length, with: bytes[b..<b + length])
    bytes.replaceSubrange(b..<b + length, with: first)
    files["/log/part-0000000000000001"] = bytes
    #expect(try log.verify().damage.count == 2)
  }

  @Test func damageNamesItsPlaceAndTheRestIsStillChecked() throws {
    let (files, log) = try smallLog()
    // A byte after the first block's header.
    files[log.file("part-0000000000000001")]?[400] ^= 1
    let found = try log.verify()
    #expect(found.damage.count == 1)
    #expect(found.damage[0].contains("part-0000000000000001") && found.damage[0].contains("block 0"))
    #expect(found.parts == 2 && found.events == 6)
  }

  @Test func countsAreThoseOfTheLog() throws {
    let (files, log) = try smallLog()
    let found = try log.verify()
    let sizes = try ["manifest", "part-0000000000000001", "part-0000000000000002"].map {
      try #require(files[log.file($0)]).count
    }
    #expect(found.bytes == sizes.reduce(0, +))
    #expect(found.parts == 2 && found.events == 18 && found.blocks == 2)
  }
}
