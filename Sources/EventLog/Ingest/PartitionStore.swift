// Packed events on their way from the parsers to the sort, in 256 partitions of the hash space: pages in
// memory up to a budget, then in an unlinked file. Memory does not grow with the input.

import Buffers
import PermissionEvents
import Threads

/// Memory for packed events of one partition, freed with its last owner. There are many pages, and each is one allocation.
struct EventPage: @unchecked Sendable {
  // Unchecked: one thread fills a page, and later one reads it; the store's lock is in between.
  static let length = 16_384

  private let memory = ManagedBuffer<Void, UInt8>.create(minimumCapacity: length) { _ in }

  var address: UnsafeMutableRawPointer { memory.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }
}

/// Pages of packed events by partition; filled by several threads, then read by several threads.
final class PartitionStore: Sendable {
  static let partitionCount = 256
  /// What leaves the partition of a user's hash, its highest bits.
  static let partitionShift = UInt64(64 - partitionCount.trailingZeroBitCount)
  /// Longest record: an event, and two texts with their lengths.
  static let maximumRecord = 48 + 2 + 256 + 2 + 128 + 8

  private enum Place {
    case memory(EventPage)
    /// In the spill file.
    case file(offset: Int)
  }

  private struct Partition {
    /// Each with its used bytes.
    var pages: [(place: Place, count: Int)] = []
    /// Some id of the partition's events is a text, so that records differ in length.
    var hasTexts = false
    var length = 0
  }

  private struct State {
    var partitions = Array(repeating: Partition(), count: partitionCount)
    var longest = 0
    var pagesInMemory = 0
    var spillEnd = 0
    var file: OpenFile?
  }

  private let state = Mutex(State())
  private let pageBudget: Int
  private let directory: LogDirectory

  /// - Parameter memory: bytes of pages to keep in memory before spilling.
  init(directory: LogDirectory, memory: Int) {
    self.directory = directory
    pageBudget = memory / EventPage.length
  }

  /// Gives up memory and file; nothing is taken or read from here on.
  func forget() {
    // What goes is freed when the lock is open again.
    _ = state.withLock { state in
      defer { state = State() }
      return state
    }
  }

  /// Bytes of the longest partition.
  var longestPartition: Int { state.withLock { $0.longest } }

  /// Bytes of a partition.
  func length(partition: Int) -> Int { state.withLock { $0.partitions[partition].length } }

  /// True if records are followed by texts; else all have one length.
  func hasTexts(partition: Int) -> Bool { state.withLock { $0.partitions[partition].hasTexts } }

  /// Takes a page of a partition if there is memory for it; false if it is to be spilled. Either way its bytes are counted.
  func keep(_ page: EventPage, count: Int, hasTexts: Bool, partition: Int) -> Bool {
    state.withLock { state in
      if hasTexts { state.partitions[partition].hasTexts = true }
      state.partitions[partition].length += count
      state.longest = max(state.longest, state.partitions[partition].length)
      guard state.pagesInMemory < pageBudget else { return false }
      state.pagesInMemory += 1
      state.partitions[partition].pages.append((.memory(page), count))
      return true
    }
  }

  /// Writes pages that are one after the other, each with the length of a page, to the spill file.
  /// - Parameter pages: partition and used bytes of each.
  func spill(_ bytes: UnsafeRawBufferPointer, pages: [(partition: Int, count: Int)]) throws {
    let (file, offset) = try state.withLock { state in
      let file = try state.file ?? OpenFile(spillPath, .scratch, directory.files)
      state.file = file
      defer { state.spillEnd += bytes.count }
      return (file, state.spillEnd)
    }
    try file.write(bytes, at: offset)
    state.withLock { state in
      for (i, page) in pages.enumerated() {
        state.partitions[page.partition].pages.append((.file(offset: offset + i * EventPage.length), page.count))
      }
    }
  }

  private var spillPath: String { directory.file(LogDirectory.spillPrefix + "events") }

  /// Appends a partition's pages one after the other.
  /// - Parameter keeping: whether the partition keeps them.
  func drain(partition: Int, into buffer: inout Buffer<UInt8>, keeping: Bool = false) throws {
    let (pages, file) = state.withLock { state in
      defer { if !keeping { state.partitions[partition].pages = [] } }
      return (state.partitions[partition].pages, state.file)
    }
    buffer.reserve(buffer.count + pages.reduce(0) { $0 + $1.count })
    for page in pages {
      let target = UnsafeMutableRawPointer(buffer.unsafeAppend(page.count))
      switch page.place {
      case .memory(let memory): target.copyMemory(from: memory.address, byteCount: page.count)
      case .file(let offset):
        let bytes = UnsafeMutableRawBufferPointer(start: target, count: page.count)
        guard try file?.read(into: bytes, at: offset) == page.count else {
          throw LogError(.inputOutput, "\(spillPath): the temporary file ends too early. Check the disk and try again.")
        }
      }
    }
  }
}
