// Times by group and series, under the slots of one walk. While folding they are chains of buckets, which are cheap to add
// to. Chains that grow long are folded into counts, so that memory does not grow with the events.

import Buffers
import PermissionEvents

/// Times of several series of several slots. Owned by one thread.
struct TimeLog: ~Copyable {
  /// Buckets that the chains may have room for: 8 MiB, or if there are many groups, which keep far more than that in
  /// counters, four chunks for each.
  private static let limit = 1 << 22
  private var limit: Int { max(Self.limit, chains.groupCount * 512) }

  private var chains = BucketChains()
  /// By group what was in chains that have been folded.
  private var counts: [Int: BucketCounts] = [:]

  private static func group(_ slot: Int, _ series: TimeSeries) -> Int { slot * TimeSeries.count + series.rawValue }

  @inline(__always)
  mutating func add(slot: Int, series: TimeSeries, time: Milliseconds) {
    let bucket = min(TimeBucket.index(time), UInt32(TimeHistogram.size - 1))
    chains.add(UInt16(truncatingIfNeeded: bucket), to: Self.group(slot, series))
    if chains.room > Self.limit, chains.room > limit { compact() }
  }

  /// Folds the chains into the counts.
  private mutating func compact() {
    let histogram = TimeHistogram()
    for group in 0..<chains.groupCount {
      chains.forEachChunk(of: group) { histogram.add($0) }
      guard histogram.range != nil else { continue }
      if let old = counts.removeValue(forKey: group) { histogram.add(old) }
      counts[group] = BucketCounts(histogram)
      histogram.removeAll()
    }
    chains.removeAll()
  }

  /// The counts of each series of each slot below `slots`, one after the other. The log is empty afterwards.
  mutating func take(slots: Int) -> [BucketCounts] {
    var all = [BucketCounts](repeating: BucketCounts(), count: slots * TimeSeries.count)
    for (group, counts) in counts where group < all.count { all[group] = counts }
    counts = [:]
    for group in 0..<min(all.count, chains.groupCount) { chains.forEachChunk(of: group) { all[group].add($0) } }
    chains.removeAll()
    return all
  }
}

/// Memory for chunks, freed with its owner.
private final class Slab {
  let memory: UnsafeMutableRawPointer

  init(length: Int, alignment: Int) { memory = .allocate(byteCount: length, alignment: alignment) }

  deinit { memory.deallocate() }
}

/// Chains of buckets. A chunk is 256 bytes at an address divisible by 256: the address of the chunk before it, then 124
/// buckets. A group is known by the place of its next bucket; if that is divisible by 256 its chunk is full.
struct BucketChains: ~Copyable {
  private static let chunkLength = 256
  private static let linkLength = 8
  /// Slabs grow from 16 KiB to 1 MiB, so that a small log takes little and a long one few.
  private static let slabLengths = (first: 1 << 14, largest: 1 << 20)

  /// By group the address of its next bucket; 0 if it has none yet.
  private var places = Buffer<UInt>()
  private var slabs: [Slab] = []
  private var nextChunk: UInt = 0
  private var slabEnd: UInt = 0
  private var slabLength = Self.slabLengths.first
  /// Buckets that room was made for: those in the chains and those that still fit in their last chunks.
  private(set) var room = 0

  var groupCount: Int { places.count }

  @inline(__always)
  mutating func add(_ bucket: UInt16, to group: Int) {
    if group >= places.count { places.extend(to: (group | 63) + 1, repeating: 0) }
    var place = places[group]
    if place % UInt(Self.chunkLength) == 0 { place = chunk(after: place) }
    UnsafeMutablePointer<UInt16>(bitPattern: place).unsafelyUnwrapped.pointee = bucket
    places[group] = place &+ 2
  }

  /// The first place in a new chunk that follows the one that ends at `place`; there is none before it if that is 0.
  @inline(never)
  private mutating func chunk(after place: UInt) -> UInt {
    if nextChunk == slabEnd {
      let slab = Slab(length: slabLength, alignment: Self.chunkLength)
      slabs.append(slab)
      nextChunk = UInt(bitPattern: slab.memory)
      slabEnd = nextChunk + UInt(slabLength)
      slabLength = min(slabLength * 2, Self.slabLengths.largest)
    }
    let chunk = nextChunk
    nextChunk += UInt(Self.chunkLength)
    room += (Self.chunkLength - Self.linkLength) / 2
    Self.setLink(of: chunk, to: place == 0 ? 0 : place - UInt(Self.chunkLength))
    return chunk + UInt(Self.linkLength)
  }

  private static func link(of chunk: UInt) -> UInt {
    UnsafePointer<UInt>(bitPattern: chunk).unsafelyUnwrapped.pointee
  }

  private static func setLink(of chunk: UInt, to other: UInt) {
    UnsafeMutablePointer<UInt>(bitPattern: chunk).unsafelyUnwrapped.pointee = other
  }

  /// The chunk that a group's last bucket lies in; 0 if it has none.
  private func lastChunk(of group: Int) -> UInt {
    guard group < places.count, places[group] != 0 else { return 0 }
    return (places[group] - 1) & ~UInt(Self.chunkLength - 1)
  }

  /// Calls `body` with the buckets of a group, chunk after chunk.
  @inline(__always)
  func forEachChunk(of group: Int, _ body: (UnsafeBufferPointer<UInt16>) -> Void) {
    var chunk = lastChunk(of: group)
    guard chunk != 0 else { return }
    var end = places[group]
    while chunk != 0 {
      let start = chunk + UInt(Self.linkLength)
      // Read first, so that the chunk before is fetched while this one is gone through.
      let before = Self.link(of: chunk)
      body(UnsafeBufferPointer(start: UnsafePointer(bitPattern: start), count: Int(end - start) / 2))
      chunk = before
      end = chunk + UInt(Self.chunkLength)
    }
  }

  /// Empties all chains.
  mutating func removeAll() {
    slabs = []
    nextChunk = 0
    slabEnd = 0
    slabLength = Self.slabLengths.first
    room = 0
    places.removeAll()
  }
}
