// A round of an ingest: the events that one dictionary and one set of partitions take. An ordinary ingest
// is one round; a huge one, or one with very many distinct values, is several.

import PermissionEvents
import Threads

/// Takes batches from the parsers.
package final class IngestRound: EventSink {
  package let dictionary = EventDictionary()
  let store: PartitionStore
  private let idle = Mutex<Idle>(Idle())
  /// Each once.
  private let foundLinks = Mutex<Set<UserLink>>([])

  private struct Idle: @unchecked Sendable {
    var scatters: [Scatter] = []
    var all: [Scatter] = []
  }

  /// Longest partition, in bytes. A thread sorts one in two and a half times its memory, and the pages are still there: an
  /// ingest on two threads stays within 256 MB whatever it reads, as long as no user has hundreds of thousands of events. The
  /// price is that more than 64 million events make more than one part.
  private static let partitionLimit = 12 << 20

  init(directory: LogDirectory, memory: Int) {
    store = PartitionStore(directory: directory, memory: memory)
  }

  package func append(_ batch: EventBatch) throws {
    guard !dictionary.isOverfull else {
      throw LogError(
        .limit, "too many different combinations of values are being read at once", .useFewerThreads)
    }
    if !batch.links.isEmpty {
      let links = batch.links
      foundLinks.withLock { $0.formUnion(links) }
      guard !batch.events.isEmpty else { return }
    }
    let store = store
    // A scatter is used by one thread at a time: it is out of the list while it is used.
    let scatter = idle.withLock { idle -> UncheckedBox<Scatter> in
      if let scatter = idle.scatters.popLast() { return UncheckedBox(scatter) }
      let scatter = Scatter(store)
      idle.all.append(scatter)
      return UncheckedBox(scatter)
    }
    try scatter.value.append(batch)
    idle.withLock { $0.scatters.append(scatter.value) }
  }

  package var isFull: Bool { store.longestPartition > Self.partitionLimit || dictionary.isFull }

  /// What the records said of ids, in an order that does not depend on theirs.
  var links: [UserLink] { foundLinks.withLock { Array($0) }.sorted { UserLink.isBefore($0, $1) } }

  /// Ends the round: all events are in the store.
  func close() throws {
    let all = idle.withLock { idle in
      defer { idle = Idle() }
      return UncheckedBox(idle.all)
    }
    for scatter in all.value { try scatter.flush() }
  }
}

/// Carries a value that is handed from thread to thread, and used by one at a time.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
