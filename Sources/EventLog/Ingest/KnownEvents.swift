// Which events a log has, as a filter in memory: a writer that stays open asks it before it reads blocks of the log for copies.

import PermissionEvents
import Threads

/// A set of ids of events and of users that may also seem to hold a few others: what it does not hold is not in the log.
///
/// It is a blocked Bloom filter (Putze, Sanders, Singler 2007, doi:10.1007/978-3-540-72845-0_9): a key sets 6 bits in one line of
/// 64 bytes. With 12 bits for a key about one key in a hundred seems to be there that is not. Beyond its memory it has fewer bits
/// for a key and errs more often, which costs time and changes no result.
///
/// Many threads may ask it while nobody adds to it.
package final class KnownEvents: @unchecked Sendable {
  // Unchecked: the one writer adds between its rounds, when no thread asks.
  private static let bitsPerKey = 12
  private static let leastKeys = 1 << 16

  private let hash = IdentifierHash()
  /// Each with its number of lines of 8 words, in the order in which they were filled.
  private var layers: [UnsafeMutablePointer<UInt64>] = []
  private var lines: [UInt64] = []
  /// Keys that the newest layer may still take.
  private var room = 0
  private var usedBytes = 0
  private let memory: Int
  /// Parts of the log whose events are in it.
  private var parts: Set<PartDescription> = []

  /// - Parameter memory: the most bytes that it uses.
  package init(memory: Int) { self.memory = memory }

  deinit { for layer in layers { layer.deallocate() } }

  // MARK: Asking

  /// Whether the log may have an event with this id, of any user.
  func mayHold(event: IdentifierView) -> Bool { mayHold(hash(event)) }

  /// Whether the log may have a user with this hash of the id.
  func mayHold(user: UInt64) -> Bool { mayHold(hash(high: user, low: Self.ofUsers)) }

  /// Keeps users apart from events.
  private static let ofUsers: UInt64 = 0x5553_4552_5553_4552

  private func mayHold(_ key: UInt64) -> Bool {
    for (layer, lines) in zip(layers, lines) {
      let line = layer + Int(key.multipliedFullWidth(by: lines).high) * 8
      if Self.places(key).allSatisfy({ line[$0 >> 6] >> (UInt64($0) & 63) & 1 != 0 }) { return true }
    }
    return false
  }

  /// Six places among the 512 bits of a line, of nine bits each.
  private static func places(_ key: UInt64) -> some Collection<Int> {
    // The upper bits chose the line.
    let mixed = key &* 0x9E37_79B9_7F4A_7C15
    return (0..<6).lazy.map { Int(truncatingIfNeeded: mixed >> UInt64(64 - 9 * ($0 + 1))) & 511 }
  }

  // MARK: Adding

  func key(event: IdentifierView) -> UInt64 { hash(event) }

  func key(user: UInt64) -> UInt64 { hash(high: user, low: Self.ofUsers) }

  func insert(_ keys: [UInt64]) {
    if keys.isEmpty { return }
    if room < keys.count { grow(for: keys.count) }
    room -= keys.count
    guard let layer = layers.last, let lines = lines.last else { return }
    for key in keys {
      let line = layer + Int(key.multipliedFullWidth(by: lines).high) * 8
      for place in Self.places(key) { line[place >> 6] |= 1 << (UInt64(place) & 63) }
    }
  }

  /// Begins a layer twice as large as all before, or as large as the memory allows.
  private func grow(for count: Int) {
    let wanted = max(count, Self.leastKeys, usedBytes * 8 / Self.bitsPerKey * 2) * Self.bitsPerKey / 8
    let bytes = min(wanted, memory - usedBytes) / 64 * 64
    // Without memory left the newest layer takes all: then more keys seem to be there.
    guard bytes >= 4096 || layers.isEmpty else { return room = .max }
    let count = max(bytes, 4096) / 64
    let layer = UnsafeMutablePointer<UInt64>.allocate(capacity: count * 8)
    layer.initialize(repeating: 0, count: count * 8)
    layers.append(layer)
    lines.append(UInt64(count))
    usedBytes += count * 64
    room = bytes < wanted ? .max : count * 64 * 8 / Self.bitsPerKey
  }

  /// Takes the events and users of parts that it does not know yet.
  func read(_ readers: [PartReader], threads: Int) throws {
    let new = readers.filter { !parts.contains($0.description) }
    let events = new.reduce(0) { $0 + Int($1.footer.rows) }
    if events > room { grow(for: events + events / 4) }
    for part in new {
      let tasks = Workers.Tasks(count: part.footer.blocks.count)
      let lock = Mutex(())
      try Workers.run(threads: min(threads, part.footer.blocks.count)) { [self] _ in
        let block = try BlockDecoder(part: part)
        while let task = tasks.claim() {
          try block.open(task)
          try block.load(.keys)
          var keys = (0..<block.users).map { key(user: block.hashes[$0]) }
          try block.forEachEventID(0..<Int(block.entry.rows), in: .all) { keys.append(key(event: $1)) }
          lock.withLock { _ in insert(keys) }
        }
      }
      parts.insert(part.description)
    }
  }

  /// The log has these parts now: those of its own ingests need not be read.
  func keep(_ readers: [PartReader]) { parts = Set(readers.map(\.description)) }
}
