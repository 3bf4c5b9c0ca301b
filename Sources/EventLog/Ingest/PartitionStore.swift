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
  /// The shift that turns a user's hash into its partition, its highest bits.
  static let partitionShift = UInt64(64 - partitionCount.trailingZeroBitCount)
  /// Longest record: an event, and two texts with their lengths.
  static let maximumRecord = 48 + 2 + 256 + 2 + 128 + 8

  private enum RecordLocation {
    case memory(EventPage)
    /// In the spill file.
    case file(offset: Int)
  }

  private struct Partition {
    /// Each with its used bytes.
    var pages: [(place: RecordLocation, count: Int)] = []
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
    // Removed entries are freed after the lock is released.
    _ = state.withLock { state in
      defer { state = State() }
      return state
    }
  }

  var longestPartition: Int { state.withLock { $0.longest } }

  func length(partition: Int) -> Int { state.withLock { $0.partitions[partition].length } }

  /// Whether records are followed by texts; else all have one length.
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

// MARK: Distributes the events of batches to the partitions of the hash space

/// One thread's open pages, one a partition.
final class Scatter {
  private let store: PartitionStore
  private let spill: SpillBuffer
  // By partition: the page and its address, the bytes of it that are used, and true if it has a text.
  private var pages: [EventPage]
  private let addresses: Buffer<UnsafeMutableRawPointer>
  private let fills = Buffer(repeating: 0, count: PartitionStore.partitionCount)
  private let texts = Buffer(repeating: false, count: PartitionStore.partitionCount)

  init(_ store: PartitionStore) {
    self.store = store
    spill = SpillBuffer(store)
    pages = (0..<PartitionStore.partitionCount).map { _ in EventPage() }
    addresses = Buffer(repeating: pages[0].address, count: PartitionStore.partitionCount)
    for partition in pages.indices { addresses[partition] = pages[partition].address }
  }

  func append(_ batch: EventBatch) throws {
    // A hot loop.
    let (addresses, fills, hasTexts) = (addresses.unsafeAddress, fills.unsafeAddress, texts.unsafeAddress)
    try batch.texts.withUnsafeBytes { texts in
      for event in batch.events {
        let partition = Int(truncatingIfNeeded: event.userHash &>> PartitionStore.partitionShift)
        var fill = fills[partition]
        if fill > EventPage.length - PartitionStore.maximumRecord {
          try handOver(partition)
          fill = 0
        }
        let target = addresses[partition] + fill
        target.storeBytes(of: event, as: PackedEvent.self)
        fill += MemoryLayout<PackedEvent>.size
        if event.userForm == 0 || event.eventForm == 0 {
          fill += Self.copyTexts(of: event, texts, to: target)
          hasTexts[partition] = true
        }
        fills[partition] = fill
      }
    }
  }

  /// Puts the texts of an event's ids after it; returns their bytes, which are a multiple of 8.
  @inline(never)
  private static func copyTexts(
    of event: PackedEvent, _ texts: UnsafeRawBufferPointer, to record: UnsafeMutableRawPointer
  ) -> Int {
    let target = record + MemoryLayout<PackedEvent>.size
    var count = 0
    if event.userForm == 0 { count += copy(event.userWord, texts, to: target) }
    if event.eventForm == 0 { count += copy(event.eventHigh, texts, to: target + count) }
    return (count + 7) & ~7
  }

  private static func copy(
    _ range: UInt64, _ texts: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
  ) -> Int {
    let range = TextRange(word: range)
    target.storeBytes(of: UInt16(truncatingIfNeeded: range.count), as: UInt16.self)
    let text = UnsafeRawBufferPointer(rebasing: texts[range.offset..<range.offset + range.count])
    if let base = text.baseAddress { (target + 2).copyMemory(from: base, byteCount: text.count) }
    return 2 + text.count
  }

  /// Hands a partition's page to the store, and replaces it with an empty page.
  @inline(never)
  private func handOver(_ partition: Int) throws {
    let (page, count, hasTexts) = (pages[partition], fills[partition], texts[partition])
    fills[partition] = 0
    texts[partition] = false
    if store.keep(page, count: count, hasTexts: hasTexts, partition: partition) {
      pages[partition] = EventPage()
      addresses[partition] = pages[partition].address
    } else {
      try spill.add(page, count: count, partition: partition)
    }
  }

  func flush() throws {
    for partition in pages.indices where fills[partition] > 0 { try handOver(partition) }
    try spill.flush()
  }
}

/// One thread's pages on their way to the spill file. Whole pages, many at once: the kernel then fills its own pages
/// without clearing them first, and is called less often.
final class SpillBuffer {
  private static let capacity = 16

  private let store: PartitionStore
  // Unchecked: one thread owns the buffer, and an access lasts no longer than a call.
  @exclusivity(unchecked) private var memory = Buffer<UInt8>(capacity: capacity * EventPage.length)
  private var pages: [(partition: Int, count: Int)] = []

  init(_ store: PartitionStore) { self.store = store }

  /// Copies a page, which can be reused afterwards.
  func add(_ page: EventPage, count: Int, partition: Int) throws {
    let target = UnsafeMutableRawPointer(memory.unsafeAppend(EventPage.length))
    target.copyMemory(from: page.address, byteCount: count)
    // The rest of the page is written too; it shall not be what memory held before.
    (target + count).initializeMemory(as: UInt8.self, repeating: 0, count: EventPage.length - count)
    pages.append((partition, count))
    if pages.count == Self.capacity { try flush() }
  }

  func flush() throws {
    guard !pages.isEmpty else { return }
    // If writing fails, the ingest fails too, and no more is added to the collected events.
    defer {
      pages.removeAll(keepingCapacity: true)
      memory.removeAll()
    }
    try store.spill(UnsafeRawBufferPointer(start: memory.unsafeAddress, count: memory.count), pages: pages)
  }
}

// MARK: The rows of an ingest's users in an older part. The ingest asks for users in the log's order. Blocks that
// cannot have any of them are not opened. Of the other blocks only the users are decoded, and the event ids of the
// requested users.

/// Walks over a part. Owned by one thread.
final class StoredUsers {
  let block: BlockDecoder
  private let blocks: [BlockEntry]
  private let hidden: HiddenUsers
  private var next = 0
  /// The first user of the block who may still be requested.
  private var place = 0
  /// The block was given back, and is opened once more for who comes next.
  private var isForgotten = false

  init(_ part: PartReader) throws {
    block = try BlockDecoder(part: part)
    blocks = part.footer.blocks
    hidden = part.hidden
  }

  /// The rows of a user in `block`; nil if the part has no rows of the user.
  /// - Parameter hash: of the user. Never lower than that of the call before.
  func rows(of user: IdentifierView, hash: UInt64) throws -> Range<Int>? {
    while true {
      let hashes = block.hashes.unsafeAddress
      let count = isForgotten ? 0 : block.users
      var place = place
      while place < count, hashes[place] < hash { place += 1 }
      self.place = place
      guard place < count else {
        guard try openNext(for: hash) else { return nil }
        continue
      }
      guard hashes[place] == hash else { return nil }
      let order = IdentifierView.compare(block.userID(place), user)
      if order > 0 { return nil }
      if order == 0 {
        if hidden.hides(user, hash: hash, in: block.part.id) { return nil }
        return Int(block.firstRows[place])..<Int(block.firstRows[place + 1])
      }
      self.place = place + 1
    }
  }

  /// Opens the next block that reaches up to a hash; false, and nothing is read, if that begins after it.
  private func openNext(for hash: UInt64) throws -> Bool {
    next = max(next, blocks.firstBlock(from: hash))
    guard next < blocks.count, blocks[next].firstHash <= hash else { return false }
    try block.open(next)
    try block.load(.keys)
    next += 1
    place = 0
    isForgotten = false
    return true
  }

  /// Gives the block's memory back: of a user with very many events in very many parts, one part's are held at a time.
  func forget() {
    guard !isForgotten, block.index >= 0 else { return }
    next = block.index
    isForgotten = true
    block.forget()
  }

  /// Decodes the events of the last user found, for `block.event`.
  func loadEvents() throws { try block.loadRows(of: place) }
}
