// An import from beginning to end: files to events.

import Threads
import struct Synchronization.Atomic
import PermissionEvents

/// Reads exports into event batches. A session reads its input once; `run` can be called again with a fresh sink
/// if the last one was full.
package final class ImportSession: Sendable {
  /// Paths of all files that are read, in their order; `-` for standard input.
  package let files: [FilePath]
  private let options: ImportOptions
  private let queue: InputQueue
  private let order: ResultOrder
  private let onProgress: (@Sendable (ImportProgress) -> Void)?
  private let usesCommonLine: Bool
  private let tally: EventTally
  private let answers = AnswerTally()
  private let sessionTally = SessionTally()

  /// - Parameters:
  ///   - source: all files are read in bytewise order of their paths.
  ///   - usesCommonLine: false sends every line along the general path, for tests.
  ///   - chunkSize: bytes of a chunk that is cut from a stream, for tests.
  ///   - onReject: called for every refused line, in the order of the input, never by two threads at once; what it
  ///     throws ends the import.
  ///   - onProgress: called after every chunk, perhaps by several threads at once.
  /// - Throws: if a path does not exist or a directory cannot be read.
  package init(
    _ source: ImportSource, options: ImportOptions, usesCommonLine: Bool = true, chunkSize: Int? = nil,
    onReject: (@Sendable (RejectedLine) throws -> Void)? = nil,
    onProgress: (@Sendable (ImportProgress) -> Void)? = nil
  ) throws(ImportError) {
    self.options = options
    self.onProgress = onProgress
    self.usesCommonLine = usesCommonLine
    tally = EventTally(
      allowsCustomPermissions: options.allowCustomPermissions, showsValues: options.userKey == nil)
    let inputs = try source.inputs()
    files = inputs.map(\.path)
    let formats = try RecordFormats(
      options.mappings, prefersAccount: options.prefersAccount, hidesNames: options.userKey != nil,
      isFixed: options.isFormFixed)
    queue = InputQueue(
      files: inputs, format: options.format, formats: formats, keepsPartial: options.keepsPartial,
      chunkSize: chunkSize ?? ImportLimit.chunk)
    order = ResultOrder(tally: tally, onReject: onReject)
  }

  /// Parses with `options.threads` threads until the input ends or the sink is full.
  /// - Parameter eventIDs: how the log that the sink is of makes and stores ids of events.
  /// - Returns: true at the end of the input; false if the sink was full: call again with a fresh one, and it
  ///   goes on where it stopped.
  /// - Throws: `ImportError` if the input cannot be read, and what the sink or `onReject` throws. Nothing of the
  ///   session may be stored then.
  package func run(into sink: some EventSink, eventIDs: EventIDRules = EventIDRules()) throws -> Bool {
    var options = options
    options.eventIDs = eventIDs
    return try run(into: sink, options)
  }

  private func run(into sink: some EventSink, _ options: ImportOptions) throws -> Bool {
    if let error = order.error { throw error }
    queue.restartOrdinals()
    order.restart()
    let isFull = Atomic(false)
    Workers.run(threads: options.threads) { [self] _ in
      do {
        let worker = try ImportWorker(
          options: options, dictionary: sink.dictionary, tally: tally, answers: answers, sessions: sessionTally,
          usesCommonLine: usesCommonLine)
        let end = try worker.run(queue, into: sink, order: order) { reportProgress() }
        if end == .full { isFull.store(true, ordering: .relaxed) }
      } catch {
        order.fail(error)
      }
    }
    if let error = order.error { throw error }
    return !isFull.load(ordering: .relaxed)
  }

  /// Totals so far.
  package var counts: ImportCounts {
    var counts = order.counts
    counts.files = queue.readFiles
    counts.skippedFiles = queue.skippedFiles.count
    return counts
  }

  /// What became of the events of vendors' exports, by name; complete when `run` has returned. What is not stored and
  /// looks like a permission event comes first.
  package var eventNames: [TalliedEvent] { tally.list }

  /// Yes and no by permission, copies included; complete when `run` has returned.
  package var answerCounts: [AnswerCount] { answers.list }

  /// Ids of users by session, of rows that name one; complete when `run` has returned.
  package var sessions: SessionSample { sessionTally.sample }

  /// Why files of which only a part was kept ended before their end.
  package var partialFiles: [ImportError] { queue.partialFiles }

  /// Files and members of archives that were not read, and why.
  package var skippedFiles: SkippedFiles { queue.skippedFiles }

  /// Files whose text was not UTF-8, and was read all the same.
  package var convertedFiles: ConvertedFiles { queue.convertedFiles }

  private func reportProgress() {
    guard let onProgress else { return }
    onProgress(
      ImportProgress(
        counts: counts, totalFiles: queue.totalFiles, bytesRead: queue.readBytes,
        totalBytes: queue.totalBytes))
  }
}
