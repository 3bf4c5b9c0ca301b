// Packed events on their way from the parsers to the sort, in 256 partitions of the hash space: pages in
// memory up to a budget, then in an unlinked file. Memory does not grow with the input.

import Threads
import PermissionEvents

/// Pages of packed events by partition; filled by several threads, then read by several threads.
final class PartitionStore: Sendable {
  static let partitionCount = 256
  /// What leaves the partition of a user's hash, its highest bits.
  static let partitionShift = UInt64(64 - partitionCount.trailingZeroBitCount)
  static let pageLength = 16_384
  /// Longest record: an event, and two texts with their lengths.
  static let maximumRecord = 48 + 2 + 256 + 2 + 128 + 8

  struct Page: @unchecked Sendable {
    var bytes: UnsafeMutableRawPointer?
    var offset: Int
    var count: Int
  }

  private struct State: @unchecked Sendable {
    var pages: [[Page]] = Array(repeating: [], count: partitionCount)
    /// Some id of the partition's events is a text, so that records differ in length.
    var hasTexts = [Bool](repeating: false, count: partitionCount)
    var lengths = [Int](repeating: 0, count: partitionCount)
    var longest = 0
    var pagesInMemory = 0
    var spillEnd = 0
    var descriptor: Int32?
  }

  private let state = Mutex(State())
  private let pageBudget: Int
  private let directory: LogDirectory

  /// - Parameter memory: bytes of pages to keep in memory before spilling.
  init(directory: LogDirectory, memory: Int) {
    self.directory = directory
    pageBudget = memory / Self.pageLength
  }

  deinit { forget() }

  /// Gives up memory and file; nothing is taken or read from here on.
  func forget() {
    let (pages, descriptor) = state.withLock { state in
      defer {
        state.pages = Array(repeating: [], count: Self.partitionCount)
        state.descriptor = nil
      }
      return (state.pages, state.descriptor)
    }
    for pages in pages { for page in pages { page.bytes?.deallocate() } }
    if let descriptor { try? directory.files.close(descriptor) }
  }

  /// Bytes of the longest partition.
  var longestPartition: Int { state.withLock { $0.longest } }

  static func newPage() -> UnsafeMutableRawPointer { .allocate(byteCount: pageLength, alignment: 64) }

  /// Takes a page of a partition where there is memory for it, and gives an empty one in its place; nil where it is to be
  /// spilled. Either way its bytes are counted.
  func keep(
    _ page: UnsafeMutableRawPointer, count: Int, hasTexts: Bool, partition: Int
  ) -> UnsafeMutableRawPointer? {
    let isKept = state.withLock { state -> Bool in
      if hasTexts { state.hasTexts[partition] = true }
      state.lengths[partition] += count
      state.longest = max(state.longest, state.lengths[partition])
      guard state.pagesInMemory < pageBudget else { return false }
      state.pagesInMemory += 1
      state.pages[partition].append(Page(bytes: page, offset: 0, count: count))
      return true
    }
    return isKept ? Self.newPage() : nil
  }

  /// Writes pages that lie one behind the other, each with `pageLength` bytes, to the spill file.
  /// - Parameter pages: partition and used bytes of each.
  func spill(_ bytes: UnsafeRawBufferPointer, pages: [(partition: Int, count: Int)]) throws {
    let (descriptor, offset) = try state.withLock { state in
      if state.descriptor == nil { state.descriptor = try directory.files.open(spillPath, .scratch) }
      defer { state.spillEnd += bytes.count }
      return (state.descriptor ?? -1, state.spillEnd)
    }
    try directory.files.write(descriptor, bytes, at: offset, path: spillPath)
    state.withLock { state in
      for (i, page) in pages.enumerated() {
        state.pages[page.partition].append(Page(bytes: nil, offset: offset + i * Self.pageLength, count: page.count))
      }
    }
  }

  private var spillPath: String { directory.file(LogDirectory.spillPrefix + "events") }

  /// True where records have texts behind them; else all have one length.
  func hasTexts(partition: Int) -> Bool { state.withLock { $0.hasTexts[partition] } }

  /// Bytes of a partition.
  func length(partition: Int) -> Int { state.withLock { $0.lengths[partition] } }

  /// Copies a partition's pages one behind the other, frees them, and returns the number of bytes.
  func drain(partition: Int, into buffer: GrowingBuffer<UInt8>) throws -> Int {
    let (pages, descriptor) = state.withLock { state in
      defer { state.pages[partition] = [] }
      return (state.pages[partition], state.descriptor)
    }
    defer { for page in pages { page.bytes?.deallocate() } }
    buffer.reserve(pages.reduce(0) { $0 + $1.count })
    var end = 0
    for page in pages {
      let target = UnsafeMutableRawPointer(buffer.pointer + end)
      if let bytes = page.bytes {
        target.copyMemory(from: bytes, byteCount: page.count)
      } else {
        let n = try directory.files.read(
          descriptor ?? -1, into: UnsafeMutableRawBufferPointer(start: target, count: page.count), at: page.offset,
          path: spillPath)
        guard n == page.count else {
          throw LogError(.inputOutput, "\(spillPath): the temporary file ends too early. Check the disk and try again.")
        }
      }
      end += page.count
    }
    return end
  }
}
