// Merges parts into one: nothing that can be read changes. Ranges of the hash space are independent work
// for the cores.

import PermissionEvents
import Synchronization

struct PartMerge {
  let sources: [PartReader]
  let directory: LogDirectory
  let threads: Int

  /// Writes the merged part; its rows are those of the sources, which is checked.
  func write(part id: UInt64) throws -> PartDescription {
    var builder = PartDictionaryBuilder()
    let recodings = sources.map { builder.adopt($0.footer.dictionary) }
    let dictionary = builder.dictionary
    let rows = sources.reduce(0) { $0 + $1.footer.rows }
    let count = max(1, min(16, Int(rows) / 400_000))
    let ranges = HashRanges.divide(sources, count: count)
    let tasks = Workers.Tasks(count: ranges.count)
    let writer = try PartWriter(id: id, directory: directory.path, files: directory.files)
    let total = Mutex(DictionaryUsage(dictionary))
    do {
      try Workers.run(threads: min(threads, ranges.count)) { _ in
        let encoder = try BlockEncoder()
        var usage = DictionaryUsage(dictionary)
        while let task = tasks.claim() {
          try merge(ranges[task], recodings, encoder, writer, &usage)
          try writer.write(encoder)
        }
        total.withLock { $0.formUnion(usage) }
      }
      guard let part = try writer.finish(dictionary: total.withLock { $0 }.pruned(dictionary)), part.rows == rows
      else {
        throw LogError(
          .damaged,
          "merging parts of \(directory.path) lost events; nothing was changed. Run `permlog verify` and report this.")
      }
      return part
    } catch {
      writer.abandon()
      throw error
    }
  }

  private func merge(
    _ range: ClosedRange<UInt64>, _ recodings: [PartRecoding], _ encoder: BlockEncoder, _ writer: PartWriter,
    _ usage: inout DictionaryUsage
  ) throws {
    let merge = MergeCursor(try sources.map { try PartCursor($0, range: range) })
    while try merge.advance() {
      for cursor in merge.current {
        try cursor.block.load(.details)
        try cursor.block.load(.eventIDs)
      }
      let first = merge.current[0]
      let id = first.userID
      encoder.begin(StoredUser(hash: first.hash, word: id.low, form: id.form), text: id.text)
      let sources = merge.sources
      try merge.forEachRow { number, row in
        let block = merge.current[number].block
        let recoding = recodings[sources[number]]
        var event = block.event(row)
        event.context = recoding.contexts[Int(event.context)]
        event.attributes = recoding.attributes[Int(event.attributes)]
        event.feature = recoding.features[Int(event.feature)]
        usage.mark(event)
        encoder.append(event, text: event.eventForm == 0 ? block.eventID(row).text : .init(start: nil, count: 0))
      }
      encoder.end()
      if encoder.rows >= PartFormat.rowsPerBlock { try writer.write(encoder) }
    }
  }
}
