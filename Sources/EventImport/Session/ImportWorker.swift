// One thread of an import: claims a chunk, parses it, hands its events over, until there is no more.

import EventMapping
import PermissionEvents

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
  private let words: RemedyWords
  private let showsValues: Bool
  private let countsKinds: Bool
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
    words = options.words
    showsValues = options.userKey == nil
    countsKinds = options.countsKinds
    self.answers = answers
    self.sessions = sessions
    // User ids that are hidden, and events that replace others, go along the general path.
    let usesFastPath = usesCommonLine && options.userKey == nil && !options.replaces
    let names = CanonicalNames(tally: tally)
    lines = try NDJSONParser(assembler, names: names, usesCommonLine: usesFastPath)
    records = CSVParser(assembler, names: names)
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
      var result = ChunkResult(keepsRejects: order.keepsRejects, showsValues: showsValues, words: words)
      try parse(into: &result)
      counter.count(assembler.batch)
      if countsKinds, chunk.source.layout.isCanonical { kinds.count(assembler.batch, except: assembler.named) }
      if !assembler.batch.events.isEmpty || !assembler.batch.links.isEmpty { try sink.append(assembler.batch) }
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
    case .records(let program, let layout):
      try parser(program, layout).parse(chunk, into: &result)
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
