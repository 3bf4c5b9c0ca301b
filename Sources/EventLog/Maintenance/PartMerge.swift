// Writes parts anew as one: merged, where nothing that can be read changes, or without events that are to go. Ranges
// of the hash space are independent work for the cores.

import Threads
import PermissionEvents

struct PartMerge {
  let sources: [PartReader]
  var removal: Removal?
  let directory: LogDirectory
  let threads: Int

  /// Writes the new part; nil where none of the rows stays. That the rows are those of the sources, less those that
  /// were removed, is checked.
  func write(part id: UInt64) throws -> (part: PartDescription?, removed: Removal.Counts) {
    if let part = sources.first(where: { !$0.footer.extensions.isEmpty }) {
      throw LogError(
        .newerFormat,
        "\(directory.file(part.name)): it has columns that this permlog does not know, and writing it anew would lose "
          + "them. Use a newer permlog.")
    }
    let vocabulary = LogVocabulary(sources.map(\.footer.dictionary))
    try vocabulary.requireRoom(directory)
    var builder = PartDictionaryBuilder(vocabulary)
    let recodings = sources.map { builder.adopt($0.footer.dictionary) }
    let dictionary = builder.dictionary
    let rows = sources.reduce(0) { $0 + $1.footer.rows }
    let count = max(1, min(16, Int(rows) / 400_000))
    let ranges = HashRanges.divide(sources, count: count)
    let tasks = Workers.Tasks(count: ranges.count)
    let writer = try PartWriter(id: id, directory: directory.path, files: directory.files, dictionary: dictionary)
    let total = Mutex(Removal.Counts())
    do {
      try Workers.run(threads: min(threads, ranges.count)) { _ in
        let encoder = try BlockEncoder(dictionary)
        var removed = Removal.Counts()
        while let task = tasks.claim() {
          try merge(ranges[task], vocabulary, recodings, encoder, writer, &removed)
          try writer.write(encoder)
        }
        total.withLock { $0.formUnion(removed) }
      }
      let removed = total.withLock { $0 }
      let part = try writer.finish()
      guard Int(part?.rows ?? 0) + removed.events == Int(rows), removal != nil || removed.events == 0 else {
        throw LogError(
          .damaged, "rewriting parts of \(directory.path) lost events; nothing was changed", .verifyAndReport)
      }
      return (part, removed)
    } catch {
      writer.abandon()
      throw error
    }
  }

  private func merge(
    _ range: ClosedRange<UInt64>, _ vocabulary: LogVocabulary, _ recodings: [PartRecoding], _ encoder: BlockEncoder,
    _ writer: PartWriter, _ removed: inout Removal.Counts
  ) throws {
    let merge = MergeCursor(
      try sources.map { try PartCursor($0, range: range, kinds: vocabulary.codes(of: $0.footer.dictionary)) })
    let hasColumns = !vocabulary.columns.isEmpty
    while try merge.advance() {
      for cursor in merge.current {
        try cursor.block.load(.details)
        try cursor.block.load(.eventIDs)
        if hasColumns { try cursor.block.load(.columns) }
      }
      let first = merge.current[0]
      let id = first.userID
      if removal?.removes(id, hash: first.hash) == true {
        removed.users.insert(id.bytes)
        removed.events += merge.current.reduce(0) { $0 + $1.rows.count }
        continue
      }
      let sources = merge.sources
      var isBegun = false
      try merge.forEachRow { number, row in
        let block = merge.current[number].block
        if removal?.removes(block.times.pointer[row]) == true {
          removed.events += 1
          return
        }
        if !isBegun { encoder.begin(StoredUser(hash: first.hash, word: id.low, form: id.form), text: id.text) }
        isBegun = true
        let recoding = recodings[sources[number]]
        var event = block.event(row)
        event.context = recoding.contexts[Int(event.context)]
        event.attributes = recoding.attributes[Int(event.attributes)]
        event.feature = recoding.features[Int(event.feature)]
        encoder.append(event, text: event.eventForm == 0 ? block.eventID(row).text : .init(start: nil, count: 0))
        if hasColumns { Self.appendColumns(block, row, recoding, encoder) }
      }
      if isBegun { encoder.end() }
      if encoder.rows >= PartFormat.rowsPerBlock { try writer.write(encoder) }
    }
  }

  /// The values of a row in columns that the program does not know.
  private static func appendColumns(
    _ block: DecodedBlock, _ row: Int, _ recoding: PartRecoding, _ encoder: BlockEncoder
  ) {
    for number in encoder.columns.indices {
      let source = recoding.columns.firstIndex { $0?.number == number }
      let code = source.flatMap { source in
        recoding.columns[source].map { $0.codes[Int(block.columns[source].pointer[row])] }
      }
      encoder.append(code ?? 0, column: number)
    }
  }
}
