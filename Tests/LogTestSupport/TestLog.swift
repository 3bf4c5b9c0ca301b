// Whole ingests and exports in one call, and a directory that goes away with its owner.

import Threads
import EventLog
import Foundation
import PermissionEvents

extension LogDirectory {
  /// Ingests rounds of events and commits; each round is cut into batches whose chunks are in the order of the input.
  /// - Parameter time: of the commit; nil for a writer without a clock.
  @discardableResult
  package func ingest(
    rounds: [[TestEvent]], threads: Int = 1, memory: Int = 1 << 20, batch length: Int = 1000,
    at time: Milliseconds? = nil
  ) throws -> IngestCounts {
    let writer = try EventLogWriter(
      self, threads: threads, memory: memory, clock: time.map { time in { time } })
    defer { writer.close() }
    for events in rounds { try writer.write(events, batch: length, threads: threads) }
    try writer.commit()
    return writer.counts
  }

  @discardableResult
  package func ingest(
    _ events: [TestEvent], threads: Int = 1, memory: Int = 1 << 20, batch length: Int = 1000,
    at time: Milliseconds? = nil
  ) throws -> IngestCounts {
    try ingest(rounds: [events], threads: threads, memory: memory, batch: length, at: time)
  }

  /// Every event in the log's order.
  package func export() throws -> [TestEvent] { try LogSnapshot(self).export() }
}

extension EventLogWriter {
  /// Fills a round with events and finishes it. With several threads batches arrive in any order.
  package func write(
    _ events: [TestEvent], batch length: Int = 1000, threads: Int = 1, isLast: Bool = false,
    reading: IngestTally = IngestTally()
  ) throws {
    let round = beginRound()
    let starts = Array(stride(from: 0, to: events.count, by: length))
    let tasks = Workers.Tasks(count: starts.count)
    try Workers.run(threads: threads) { _ in
      let batch = EventBatch()
      while let task = tasks.claim() {
        // From the last chunk to the first: what counts is the chunk's number, not when it arrives.
        let chunk = starts.count - 1 - task
        batch.removeAll()
        batch.chunk = UInt64(chunk)
        for event in events[starts[chunk]..<min(starts[chunk] + length, events.count)] {
          batch.append(event, dictionary: round.dictionary)
        }
        batch.resolveNumbers()
        try round.append(batch)
      }
    }
    try finish(round, isLast: isLast, reading: reading)
  }
}

extension LogSnapshot {
  /// Every event in the log's order.
  package func export() throws -> [TestEvent] {
    var events: [TestEvent] = []
    try forEachEvent { events.append(TestEvent($0)) }
    return events
  }
}

/// A new directory of the machine's file system, removed with its owner.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("permlog-tests-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
