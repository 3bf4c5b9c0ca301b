// Chunks are parsed in any order; their results are taken in the order of the input, so that refused lines
// are reported one file after another, with line numbers that count from the file's beginning.

/// Puts results in order and keeps the totals. Safe to use from several threads.
final class ResultOrder: @unchecked Sendable {
  // Unchecked: everything that changes is touched under `monitor` alone.
  private let monitor = Monitor()
  private let onReject: (@Sendable (RejectedLine) throws -> Void)?
  private var waiting: [UInt64: ChunkResult] = [:]
  private var nextOrdinal: UInt64 = 0
  private var source: InputSource?
  /// Line ends of `source` before the next chunk.
  private var lineEnds = 0
  private var total = ImportCounts()
  private var failure: (any Error)?

  /// Results that may wait for one before them: bounds the memory of refused lines.
  private static let maximumWaiting: UInt64 = 64

  private let tally: EventTally
  private var suggestions = Suggestions()

  init(tally: EventTally, onReject: (@Sendable (RejectedLine) throws -> Void)?) {
    self.tally = tally
    self.onReject = onReject
  }

  var keepsRejects: Bool { onReject != nil }

  /// Totals of the results that were taken.
  var counts: ImportCounts { monitor.withLock { total } }

  /// The first error of any thread; all threads stop when there is one.
  var error: (any Error)? { monitor.withLock { failure } }

  /// Begins a part of the input, whose ordinals count from 0.
  func restart() { monitor.withLock { nextOrdinal = 0 } }

  func fail(_ error: any Error) { monitor.withLock { failed(error) } }

  private func failed(_ error: any Error) {
    if failure == nil { failure = error }
    waiting.removeAll()
    monitor.wakeAll()
  }

  /// Takes a chunk's result, and waits while it is too far ahead of the oldest that is missing.
  func take(_ result: ChunkResult) {
    monitor.withLock {
      while failure == nil, result.ordinal - nextOrdinal > Self.maximumWaiting { monitor.wait() }
      guard failure == nil else { return }
      waiting[result.ordinal] = result
      guard result.ordinal == nextOrdinal else { return }
      do {
        while let next = waiting.removeValue(forKey: nextOrdinal) {
          try report(next)
          nextOrdinal += 1
        }
      } catch {
        failed(error)
      }
      monitor.wakeAll()
    }
  }

  private func report(_ result: ChunkResult) throws {
    if let current = result.source, current !== source {
      source = current
      lineEnds = 0
    }
    total.add(result.counts)
    let name = source?.name ?? ""
    for example in result.examples { tally.note(example.key, file: name, line: lineEnds + example.line + 1) }
    if let onReject {
      for reject in result.rejects {
        let suggestion = reject.unlisted.map { suggestions.text($0) } ?? ""
        try onReject(result.rejectedLine(reject, base: lineEnds, file: name, suggestion: suggestion))
      }
    }
    if let failure = result.failure { throw failure }
    lineEnds += result.lineEnds
  }
}
