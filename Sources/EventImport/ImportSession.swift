// An import from beginning to end: files to events.

import EventMapping
import PermissionEvents
import struct Synchronization.Atomic
import Threads

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
  ///   - onReject: called for every refused line, in the order of the input, never by two threads at once. If it
  ///     throws, the import ends.
  ///   - onUnread: the same for lines with names that look like permission events but are not mapped.
  ///   - onProgress: called after every chunk, perhaps by several threads at once.
  /// - Throws: if a path does not exist or a directory cannot be read.
  package init(
    _ source: ImportSource, options: ImportOptions, usesCommonLine: Bool = true, chunkSize: Int? = nil,
    onReject: (@Sendable (RejectedLine) throws -> Void)? = nil,
    onUnread: (@Sendable (UnreadLine) throws -> Void)? = nil,
    onProgress: (@Sendable (ImportProgress) -> Void)? = nil
  ) throws(ImportError) {
    self.options = options
    self.onProgress = onProgress
    self.usesCommonLine = usesCommonLine
    tally = EventTally(
      allowsCustomPermissions: options.rows.allowsCustomPermissions, showsValues: options.rows.userKey == nil)
    let sticky = options.rows.sticky.count + (options.mappings.map(\.sticky.count).max() ?? 0)
    let inputs = try source.inputs()
    files = inputs.filter { $0.leftOut == nil }.map(\.path)
    queue = InputQueue(
      files: inputs, formats: try RecordFormats(options.mappings, rows: options.rows),
      // Each row may also give a variant of each experiment, and the state of each permission.
      chunkSize: (chunkSize ?? ImportLimit.chunk) / (1 + sticky))
    order = ResultOrder(
      tally: tally, keepsPartial: options.rows.keepsPartialFiles, onReject: onReject, onUnread: onUnread)
  }

  /// Parses with `options.threads` threads until the input ends or the sink is full.
  /// - Parameters:
  ///   - eventIDs: how the log that the sink is of makes and stores ids of events.
  ///   - isKeptOut: whether a user was erased from that log under a pseudonym.
  /// - Returns: true at the end of the input; false if the sink was full: call again with a new one, and it continues
  ///   where it stopped.
  /// - Throws: `ImportError` if the input cannot be read, and what the sink or `onReject` throws. Nothing of the
  ///   session may be stored then.
  package func run(
    into sink: some EventSink, eventIDs: EventIDRules = EventIDRules(),
    isKeptOut: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
  ) throws -> Bool {
    var options = options
    (options.eventIDs, options.isKeptOut) = (eventIDs, isKeptOut)
    if let error = order.error { throw error }
    queue.restartOrdinals()
    order.restart()
    let isFull = Atomic(false)
    Workers.run(threads: options.threads) { [self, options] _ in
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

  package var counts: ImportCounts {
    var counts = order.counts
    counts.files = queue.readFiles
    counts.skippedFiles = queue.skippedFiles.count
    return counts
  }

  /// The outcomes of the events of vendors' exports, by name; complete when `run` has returned. Events that are not
  /// stored but look like permission events come first.
  package var eventNames: [TalliedEvent] { tally.list }

  /// Properties that rows carry again and again; complete when `run` has returned.
  package var carried: CarriedProperties { CarriedProperties(tally.stickyProperties, wanted: options.rows.sticky) }

  /// Yes and no by permission, copies included; complete when `run` has returned.
  package var answerCounts: [AnswerCount] { answers.list }

  /// Events by permission, copies included; complete when `run` has returned.
  package var permissionCounts: [PermissionCount] { answers.permissions }

  /// Ids of users by session, of rows that name one; complete when `run` has returned.
  package var sessions: SessionSample { sessionTally.sample }

  /// Why files of which only a part was kept ended before their end.
  package var partialFiles: [ImportError] { queue.partialFiles + order.partialFiles }

  /// Files and members of archives that were not read, and why.
  package var skippedFiles: SkippedFiles { queue.skippedFiles }

  /// The paths of files that were left out as a whole.
  package var skippedWholeFiles: Set<FilePath> { queue.skippedWholeFiles }

  /// Files with text that was not UTF-8 but was read.
  package var convertedFiles: ConvertedFiles { queue.convertedFiles }

  private func reportProgress() {
    guard let onProgress else { return }
    onProgress(
      ImportProgress(
        counts: counts, totalFiles: queue.totalFiles, bytesRead: queue.readBytes, totalBytes: queue.totalBytes))
  }
}

// MARK: One thread of an import: claims a chunk, parses it, hands its events over, until the input ends

/// The parsers and memory of one thread, for one sink.
final class ImportWorker {
  private let assembler: EventAssembler
  private let lines: NDJSONParser
  private let records: CSVParser
  private let rows: ArrowParser
  private let chunk = Chunk()
  private let tally: EventTally
  private let answers: AnswerTally
  private let sessions: SessionTally
  private var counter = AnswerCounter()
  private var kinds = KindCounter()
  /// The parser of the last mapped file; files of one export follow one another.
  private var mapped: (source: InputSource, parser: RecordParser)?

  init(
    options: ImportOptions, dictionary: EventDictionary, tally: EventTally, answers: AnswerTally,
    sessions: SessionTally,
    usesCommonLine: Bool
  ) throws(ImportError) {
    assembler = EventAssembler(options: options, dictionary: dictionary)
    self.tally = tally
    self.answers = answers
    self.sessions = sessions
    // User ids that are hidden, and events that replace others, go along the general path.
    let usesFastPath = usesCommonLine && options.rows.userKey == nil && !options.rows.replacesEvents
    let names = CanonicalNames(tally: tally)
    lines = try NDJSONParser(assembler, names: names, usesCommonLine: usesFastPath)
    records = CSVParser(assembler, names: names, usesCommonRecord: usesFastPath)
    rows = ArrowParser(assembler, names: names, usesFastRows: usesFastPath)
  }

  /// Works until the input ends, the sink is full or any thread has failed.
  /// - Returns: how it ended.
  func run(
    _ queue: InputQueue, into sink: some EventSink, order: ResultOrder, onChunk: () -> Void
  ) throws -> InputQueue.Claim {
    defer {
      counter.flush(assembler.dictionary, to: answers)
      kinds.flush(assembler.dictionary, to: tally)
    }
    while order.error == nil {
      if sink.isFull { return .full }
      let claim = try queue.claim(chunk, upTo: EventBatch.maximumChunks)
      guard claim == .chunk else { return claim }
      if let pending = chunk.pending {
        try pending.load(into: chunk)
        chunk.pending = nil
      }
      let options = assembler.options
      var result = ChunkResult(
        keepsRejects: order.keepsRejects, keepsUnread: order.keepsUnread,
        showsValues: options.rows.userKey == nil, words: options.rows.words)
      try parse(into: &result)
      counter.count(assembler.batch)
      if options.countsKinds, chunk.source.layout.isCanonical { kinds.count(assembler.batch, except: assembler.named) }
      assembler.batch.resolveNumbers()
      if !assembler.batch.isEmpty { try sink.append(assembler.batch) }
      order.take(result)
      onChunk()
    }
    return .ended
  }

  private func parse(into result: inout ChunkResult) throws(ImportError) {
    result.ordinal = chunk.ordinal
    result.source = chunk.source
    result.counts.bytes = chunk.rows?.bytes ?? chunk.end - chunk.start
    assembler.batch.removeAll()
    assembler.named.removeAll()
    assembler.contentIDs = 0
    defer { result.counts.contentIDs = assembler.contentIDs }
    assembler.batch.chunk = chunk.ordinal
    switch chunk.source.layout {
    case .lines: lines.parse(chunk, into: &result)
    case .table(let header): records.parse(chunk, header: header, into: &result)
    case .arrow(let table):
      if let part = chunk.rows { rows.parse(part, table, into: &result) }
    case .records(let program, let layout): try parser(program, layout).parse(chunk, into: &result)
    }
  }

  private func parser(_ program: MappingProgram, _ layout: RecordLayout) throws(ImportError) -> RecordParser {
    if let mapped {
      if mapped.source === chunk.source { return mapped.parser }
      if mapped.parser.reads(program, layout) {
        self.mapped?.source = chunk.source
        return mapped.parser
      }
    }
    let parser = try RecordParser(program, layout: layout, assembler: assembler, tally: tally, sessions: sessions)
    mapped = (chunk.source, parser)
    return parser
  }
}

// MARK: Ids of users by session, over all that an import read

/// Sessions of a whole import; safe to use from several threads.
final class SessionTally: Sendable {
  private let sum = Mutex(SessionSample())

  func add(_ sample: SessionSample) {
    if sample.count > 0 { sum.withLock { $0 += sample } }
  }

  var sample: SessionSample { sum.withLock { $0 } }
}

// MARK: The columns of a table that an import reads: a program that passes a table need not read others

package enum TableColumns {
  /// The names of the columns, in the table's order and as the table has them.
  /// - Parameters:
  ///   - source: its first table is examined: a CSV file with a heading, or an Arrow stream, which may have no rows.
  ///   - options: how it would be read.
  /// - Throws: the error of an import of the table, and if it is not a table.
  package static func names(of source: ImportSource, options: ImportOptions) throws(ImportError) -> [String] {
    let queue = InputQueue(files: try source.inputs(), formats: try RecordFormats(options.mappings, rows: options.rows))
    let names = try names(queue.firstLayout(), of: queue.path)
    // In a list with one name a line it would be two.
    let broken = names.first { name in name.utf8.contains { $0 == 0x0A || $0 == 0x0D } }
    if let broken { throw .brokenColumnName(queue.path, broken) }
    return names
  }

  private static func names(_ layout: InputLayout?, of path: String) throws(ImportError) -> [String] {
    switch layout {
    case .arrow(let table), .records(_, .arrow(let table)): return table.ownNames
    case .table(let header):
      return zip(header.ownNames, header.fields).filter { $1 >= 0 || CanonicalNames.telling.contains($0) }.map(\.0)
    case .records(let program, .csv(let columns)): return columns.names.filter { program.wants(column: $0) }
    case .lines, .records, nil: throw .noTable(path, isEmpty: layout == nil)
    }
  }
}
