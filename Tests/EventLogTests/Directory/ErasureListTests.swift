// The list of erased users: keyed hashes and no ids, in a file of which every byte is accounted for.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct ErasureListTests {
  /// Made apart, with Python's hmac, hashlib and xxhash: id 7, key 00 … 1f, and three users.
  private let stored: [UInt8] = stride(from: 0, to: 240, by: 2).compactMap { i in
    let text = Array(
      """
      50524d4c4f47453101000000030000000700000000000000000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
      ec5ce7db285a6bd508dead6eea880ea9e3e2f847c4d9d9d97cc764b91e1830b1f88dd49fc25e4482e1228a9717c09dc4\
      0fbc11a236521b5e
      """.utf8)
    return i + 1 < text.count ? UInt8(String(decoding: text[i...i + 1], as: UTF8.self), radix: 16) : nil
  }
  private let description = ErasureDescription(id: 7, checksum: 0x5e1b_5236_a211_bc0f, users: 3)

  @Test func isThisFile() throws {
    #expect(stored.count == 64 + 3 * 16)
    let list = try ErasureList(stored, id: 7, expected: description, file: "erased")
    for id in ["user-1", "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", "ü"] { #expect(try list.contains(Array(id.utf8))) }
    for id in ["user-2", "8c1b3f6e-2d7a-4e55-9a0b-0f3c6d1e7a42", "u\u{308}", ""] {
      #expect(try !list.contains(Array(id.utf8)), "ids are bytes")
    }
    let copy = list.encode(id: 7)
    #expect(copy.bytes == stored && copy.description == description)
  }

  @Test func keysAreNewAndIdsAreNotKept() throws {
    var (a, b) = (ErasureList(), ErasureList())
    let id = Array("0123456789abcdef".utf8)
    let isNew = (try a.insert([id, id]), try b.insert([id]), try a.insert([id]))
    #expect(isNew == (1, 1, 0))
    let bytes = a.encode(id: 1).bytes
    #expect(bytes != b.encode(id: 1).bytes, "two lists have two keys")
    #expect(!bytes.indices.contains { bytes[$0...].starts(with: id) })
    let wasThere = (try a.remove([id]), try a.remove([id]))
    let isThere = try a.contains(id)
    #expect(wasThere == (1, 0) && !isThere)
  }

  /// A list of an older version has no times. They are there from its first change on, and what was not recorded stays unknown.
  @Test func timesAreKeptFromTheFirstChangeOn() throws {
    var list = try ErasureList(stored, id: 7, expected: description, file: "erased")
    let (old, new, linked) = (Array("user-1".utf8), Array("user-2".utf8), Array("user-3".utf8))
    #expect(try list.record(of: old) == ErasureRecord() && list.requests == [list.requests[0]])
    #expect(list.requests[0].ids == 3 && list.requests[0].found == nil && list.requests[0].events == nil)
    let count = try list.insert([
      (new, ErasureRecord(time: 1000, events: 5, wasFound: true)),
      (linked, ErasureRecord(time: 1000, events: 0, wasFound: false)),
      (old, ErasureRecord(time: 1000, events: 0, wasFound: false)),
    ])
    #expect(count == 2)
    let (bytes, description) = list.encode(id: 8)
    #expect(bytes.count == 64 + 5 * 32 && bytes.count == list.fileLength)
    let again = try ErasureList(bytes, id: 8, expected: description, file: "erased")
    #expect(again == list)
    #expect(try again.record(of: new) == ErasureRecord(time: 1000, events: 5, wasFound: true))
    #expect(try again.record(of: linked) == ErasureRecord(time: 1000, events: 0, wasFound: false))
    #expect(try again.record(of: old) == ErasureRecord(), "the first request stays")
    #expect(again.requests.map(\.ids) == [3, 2] && again.requests[1].found == 1 && again.requests[1].events == 5)
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(isDamage(changed, id: 8, description), "bit \(bit)")
    }
    // Once not found, and found later: that is what the list says then.
    var later = again
    #expect(try later.insert([(linked, ErasureRecord(time: 2000, events: 2, wasFound: true))]) == 0)
    #expect(try later.record(of: linked) == ErasureRecord(time: 2000, events: 2, wasFound: true))
  }

  private func isDamage(_ bytes: [UInt8], id: UInt64 = 7, _ expected: ErasureDescription) -> Bool {
    do {
      _ = try ErasureList(bytes, id: id, expected: expected, file: "erased")
      return false
    } catch {
      return (error as? LogError)?.code == .damaged
    }
  }

  @Test func everyFlippedBitAndEveryOtherLengthIsDamage() {
    func isDamage(_ bytes: [UInt8]) -> Bool { self.isDamage(bytes, description) }
    #expect(!isDamage(stored))
    for bit in 0..<stored.count * 8 {
      var changed = stored
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(isDamage(changed), "bit \(bit)")
    }
    for end in 0..<stored.count { #expect(isDamage(Array(stored[..<end])), "\(end) bytes") }
    #expect(isDamage(stored + [0]))
  }

  /// A list may be sparse, and as long as the disk: only one of its manifest's length is read, in memory that is asked for.
  @Test func aListIsReadOnlyIfItHasItsLengthAndThereIsRoom() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    try log.ingest([TestEvent(user: "u", id: "e", time: 1_700_000_000_000)])
    try log.perform(.erase((0..<20_000).map { Array("user \($0)".utf8) }))
    let name = log.file(try #require(try log.readManifest().erasures?.name))
    let bytes = try #require(files[name])
    #expect(try log.readErasures(log.readManifest())?.fileLength == bytes.count)
    let small = LogDirectory(path: "/log", files: files, memory: 256 << 10)
    // What asks nobody needs no room.
    #expect(try small.information().erasureKey == .inside && small.information().erasedUsers == 20_000)
    #expect(try small.export().count == 1)
    let refused = #expect(throws: LogError.self) { try small.ingest([]) }
    #expect(refused?.code == .limit && refused?.message.contains("list of erased users") == true)
    do {
      let opened = try log.opened()
      let list = try opened.readErasures(opened.readManifest())
      #expect(list?.count == 20_000 && opened.budget.total - opened.budget.available >= 320_000)
      withExtendedLifetime(list) {}
    }
    files[name] = bytes + [UInt8](repeating: 0, count: 1 << 20)
    for body in [{ _ = try small.information() }, { _ = try small.ingest([]) }] as [() throws -> Void] {
      let error = #expect(throws: LogError.self) { try body() }
      #expect(error?.code == .damaged && error?.message.contains("20000 users has \(bytes.count)") == true)
    }
    #expect(try log.verify().damage.count == 1)
  }

  @Test func aNewerVersionIsSaidToBeOne() throws {
    var bytes = Array(stored.dropLast(8))
    bytes[8] = 5
    let checksum = Checksum.of(bytes, seed: 7)
    var tail = ByteWriter()
    tail.u64(checksum)
    let error = #expect(throws: LogError.self) {
      try ErasureList(
        bytes + tail.bytes, id: 7, expected: ErasureDescription(id: 7, checksum: checksum, users: 3), file: "erased")
    }
    #expect(error?.code == .newerFormat)
  }

  @Test func aManifestThatNamesOneIsOfVersionTwo() throws {
    var manifest = Manifest()
    manifest.nextPart = 8
    manifest.erasures = description
    manifest.expiredBefore = 1_700_000_000_000
    let text = String(decoding: manifest.encode(), as: UTF8.self)
    #expect(text.hasPrefix("permlog-manifest 2\n"))
    #expect(
      text.contains("\nerased-0000000000000007 checksum 5e1b5236a211bc0f users 3\nexpired-before 1700000000000\n"))
    #expect(try Manifest(manifest.encode(), file: "manifest") == manifest)
    #expect(manifest.fileNames == ["erased-0000000000000007"])
  }
}

extension ErasureList {
  /// Adds users of whom nothing else is recorded.
  mutating func insert(_ ids: [[UInt8]]) throws -> Int { try insert(ids.map { (id: $0, record: ErasureRecord()) }) }
}
