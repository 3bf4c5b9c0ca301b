// Ids that are made to collide do not: the hash of a table in memory has a key that nobody knows.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

struct IdentifierHashTests {
  /// Slots that are looked at to enter ids into an open table of which half is empty, as the tables of an ingest are.
  private func probes(_ hashes: [UInt64]) -> Int {
    var capacity = 4
    while capacity < 2 * hashes.count { capacity *= 2 }
    var isTaken = [Bool](repeating: false, count: capacity)
    var probes = 0
    for hash in hashes {
      var slot = Int(truncatingIfNeeded: hash >> 20) & (capacity - 1)
      probes += 1
      while isTaken[slot] {
        slot = (slot + 1) & (capacity - 1)
        probes += 1
      }
      isTaken[slot] = true
    }
    return probes
  }

  /// Families of UUIDs: all have one value of the hash before it had a key, or one value of its parts.
  static let families: [@Sendable (UInt64) -> (high: UInt64, low: UInt64)] = [
    { (0x0123_4567_89AB_CDEF ^ $0 &* 0x9E37_79B9_7F4A_7C15, $0) },
    { ($0, 0) }, { (0, $0) }, { ($0, $0) }, { ($0 << 44, 7) }, { (7, $0 << 44) }, { ($0 << 40, $0 << 40) },
    // One user hash, which is part of the format.
    { (UserHash.highWord(hash: 99, low: $0), $0) },
  ]

  @Test(arguments: families.indices)
  func madeUpIDsAreSpread(_ family: Int) {
    let ids = (0..<20_000).map { Self.families[family](UInt64($0)) }
    // With any key, and not only with most.
    for _ in 0..<40 {
      let hash = IdentifierHash()
      let found = probes(ids.map { hash(high: $0.high, low: $0.low) })
      // 1.5 slots an id are expected of a table that is half full at the end (Knuth, volume 3, section 6.4).
      #expect(found < 2 * ids.count, "\(found) slots for \(ids.count) ids")
    }
  }

  @Test func eachHashHasAKeyOfItsOwn() {
    let ids = (0..<64).map { UInt64($0) }
    let (first, second) = (IdentifierHash(), IdentifierHash())
    #expect(ids.map { first(high: $0, low: 1) } != ids.map { second(high: $0, low: 1) })
    let text = Array("an id in text".utf8)
    #expect(text.withUnsafeBytes { first($0) } != text.withUnsafeBytes { second($0) })
  }

  @Test func aFilterHoldsWhatWasEntered() {
    var filter = IdentifierFilter(IdentifierHash())
    for number in 0..<32 as Range<UInt64> {
      let id = IdentifierView(form: IdentifierForm.lowercaseUUID.rawValue, high: number, low: ~number)
      filter.insert(filter.hash(id))
      #expect(filter.mayHold(id) && IdentifierFilter.all.mayHold(id))
    }
  }

  @Test func copiesAmongCollidingIDsAreFound() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let events = (0..<3_000).map { number in
      let (high, low) = Self.families[0](UInt64(number))
      var id: [UInt8] = []
      IdentifierText.writeUUID(form: .lowercaseUUID, high: high, low: low, into: &id)
      return TestEvent(
        user: "u", id: String(decoding: id, as: UTF8.self), time: 1_700_000_000_000 + Milliseconds(number))
    }
    for round in 0..<2 {
      let writer = try EventLogWriter(log, threads: 1)
      try writer.write(events + events.prefix(100))
      try writer.commit()
      #expect(writer.counts.new == (round == 0 ? 3_000 : 0))
      #expect(writer.counts.duplicates == (round == 0 ? 100 : 3_100))
      writer.close()
    }
  }
}
