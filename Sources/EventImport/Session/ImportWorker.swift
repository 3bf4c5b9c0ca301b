// One thread of an import: claims a chunk, parses it, hands its events over, until there is no more.

import PermissionEvents

/// The parsers and memory of one thread, for one sink.
final class ImportWorker {
  private let assembler: EventAssembler
  private let lines: NDJSONParser
  private let records: CSVParser
  private let chunk = Chunk()

  init(options: ImportOptions, dictionary: EventDictionary, usesCommonLine: Bool) throws(ImportError) {
    assembler = EventAssembler(options: options, dictionary: dictionary)
    lines = try NDJSONParser(assembler, usesCommonLine: usesCommonLine)
    records = CSVParser(assembler)
  }

  /// Works until the input ends, the sink is full or any thread has failed.
  /// - Returns: how it ended.
  func run(
    _ queue: InputQueue, into sink: some EventSink, order: ResultOrder, onChunk: () -> Void
  ) throws -> InputQueue.Claim {
    while order.error == nil {
      if sink.isFull { return .full }
      let claim = try queue.claim(chunk, upTo: EventBatch.maximumChunks)
      guard claim == .chunk else { return claim }
      if let pending = chunk.pending {
        try pending.load(into: chunk)
        chunk.pending = nil
      }
      var result = ChunkResult(keepsRejects: order.keepsRejects)
      parse(into: &result)
      if !assembler.batch.events.isEmpty { try sink.append(assembler.batch) }
      order.take(result)
      onChunk()
    }
    return .ended
  }

  private func parse(into result: inout ChunkResult) {
    result.ordinal = chunk.ordinal
    result.source = chunk.source
    result.counts.bytes = chunk.content.count
    assembler.batch.removeAll()
    assembler.batch.chunk = chunk.ordinal
    if let header = chunk.source.header {
      records.parse(chunk, header: header, into: &result)
    } else {
      lines.parse(chunk, into: &result)
    }
  }
}
