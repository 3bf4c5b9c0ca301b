// Rewrites parts as one: merged, so that no answer changes, or without removed events. Ranges
// of the hash space are independent work for the cores.

import PermissionEvents
import Threads

struct PartMerge {
  let sources: [PartReader]
  var removal: Removal?
  /// Knows events of the sources that were replaced by lesser copies; nil without such events.
  var replaced: CopyLedger?
  /// The counts of the sources' ingests. They are of the lines read, so they still include removed events.
  var tally: IngestTally?
  let directory: LogDirectory
  var threads: Int
  /// For an event's id another, or nil if it stays.
  var newEventID: (@Sendable ([UInt8]) -> EventBatch.Identifier?)?
  /// Most events of one user, and of a block.
  var eventsOfUser = PartFormat.maximumRows

  /// Writes the new part; nil if no row stays. It checks that the rows are those of the sources minus the removed ones,
  /// and that as many were replaced by lesser copies as the ledger has.
  func write(part id: UInt64) throws -> (part: PartDescription?, removed: Removal.Counts) {
    if let part = sources.first(where: { !$0.footer.extensions.isEmpty }) {
      throw LogError(
        .newerFormat,
        "\(directory.file(part.name)): it has columns that this permlog does not know, and rewriting it would lose "
          + "them. Use a newer permlog.")
    }
    try requireMemory()
    let vocabulary = LogVocabulary(sources)
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
        var encoder = try BlockEncoder(dictionary)
        var removed = Removal.Counts()
        while let task = tasks.claim() {
          try merge(ranges[task], vocabulary, recodings, &encoder, writer, &removed)
          try writer.write(&encoder)
        }
        total.withLock { $0.formUnion(removed) }
      }
      let removed = total.withLock { $0 }
      let part = try writer.finish(tally: tally)
      let gaveWay = replaced.map { ledger in sources.reduce(0) { $0 + ledger.replaced(part: $1.id) } } ?? 0
      guard Int(part?.rows ?? 0) + removed.events + removed.hidden == Int(rows),
        removal != nil || removed.hidden > 0 || removed.events == gaveWay
      else {
        throw LogError(
          .damaged, "rewriting parts of \(directory.path) lost events; nothing was changed", .verifyAndReport)
      }
      return (part, removed)
    } catch {
      writer.abandon()
      throw error
    }
  }

  /// Throws if parts have so much of one user that they and the block that is made of them would not fit. Known before
  /// anything is read: each ingest tries again.
  private func requireMemory() throws {
    guard sources.count > 1, let budget = sources.first?.budget else { return }
    let rows = HashRanges.peak(sources).rows
    let row = BlockDecoder.bytesOfWholeRow + BlockEncoder.bytesOfRow
    guard rows <= budget.available / row else {
      var error = LogError(
        .limit,
        "\(directory.path): \(sources.count) parts have \(rows) events of one user, or of a few users. Merging them "
          + "needs more than \(budget.total >> 20) MiB of memory, so they stay separate and are read as before",
        .divideSharedUser)
      error.exceedsMemory = true
      throw error
    }
  }

  private func merge(
    _ range: ClosedRange<UInt64>, _ vocabulary: LogVocabulary, _ recodings: [PartRecoding],
    _ encoder: inout BlockEncoder,
    _ writer: PartWriter, _ removed: inout Removal.Counts
  ) throws {
    let merge = UserMerge(
      try sources.map { try PartCursor($0, range: range, kinds: vocabulary.codes(of: $0.footer.dictionary)) })
    let marks = replaced.map { ledger in sources.map { CopyMarks(ledger, part: $0.id) } }
    let hasColumns = !vocabulary.columns.isEmpty
    defer { removed.hidden += merge.cursors.reduce(0) { $0 + $1.hiddenRows } }
    while try merge.advance() {
      let first = merge.first
      let id = first.userID
      let count = (0..<merge.sourceCount).reduce(0) { $0 + merge.cursors[merge.sources[$1]].rows.count }
      if removal?.removes(id, hash: first.hash) == true {
        removed.users[id.bytes, default: 0] += count
        removed.events += count
        continue
      }
      guard count <= eventsOfUser || sources.count == 1 else {
        throw LogError(
          .limit,
          "\(directory.path): the parts have \(count) events of the user with the hash "
            + "\(FileName.digits(first.hash)), but one part holds at most \(eventsOfUser) events of a user. They "
            + "stay separate, and are read as before",
          .divideSharedUser)
      }
      try merge.loadEvents(columns: hasColumns)
      if let marks {
        for part in (0..<merge.sourceCount).map({ merge.sources[$0] }) {
          try marks[part].open(merge.cursors[part].block)
        }
      }
      if encoder.rows + count > eventsOfUser { try writer.write(&encoder) }
      var isBegun = false
      var renamed: [RenamedRow] = []
      try merge.forEachRow { part, row in
        let block = merge.cursors[part].block
        if removal?.removes(block.times[row]) == true || marks?[part].isReplaced(row) == true {
          removed.events += 1
          return
        }
        if !isBegun { encoder.begin(StoredUser(hash: first.hash, word: id.low, form: id.form), text: id.text) }
        isBegun = true
        var event = block.event(row)
        event.context = recodings[part].contexts[Int(event.context)]
        event.attributes = recodings[part].attributes[Int(event.attributes)]
        event.feature = recodings[part].features[Int(event.feature)]
        let columns = hasColumns ? Self.columns(of: row, block, recodings[part], vocabulary) : nil
        if let newEventID {
          renamed.append(RenamedRow(event, columns, id: block.eventID(row).bytes, newEventID))
          return
        }
        encoder.append(event, text: event.eventForm == 0 ? block.eventID(row).text : .init(start: nil, count: 0))
        if let columns { encoder.append(columns: columns) }
      }
      renamed.sort { RenamedRow.isBefore($0, $1) }
      for row in renamed {
        row.text.withUnsafeBytes { encoder.append(row.event, text: $0) }
        if let columns = row.columns { encoder.append(columns: columns) }
      }
      if isBegun { encoder.end() }
      if encoder.rows >= PartFormat.rowsPerBlock { try writer.write(&encoder) }
    }
  }

  /// The codes of a row in columns that the program does not know.
  private static func columns(
    of row: Int, _ block: BlockDecoder, _ recoding: PartRecoding, _ vocabulary: LogVocabulary
  ) -> [UInt32] {
    var codes = [UInt32](repeating: 0, count: vocabulary.columns.count)
    for (source, column) in recoding.columns.enumerated() {
      if let column { codes[column.number] = column.codes[block.columnCode(source, row)] }
    }
    return codes
  }
}

/// A row that may get a new event id, and so a new position among the rows of its millisecond and kind.
private struct RenamedRow {
  var event: StoredEvent
  var columns: [UInt32]?
  /// The id; of a UUID the event has the words.
  var id: [UInt8]

  init(_ event: StoredEvent, _ columns: [UInt32]?, id: [UInt8], _ rename: ([UInt8]) -> EventBatch.Identifier?) {
    (self.event, self.columns, self.id) = (event, columns, id)
    guard let new = rename(id) else { return }
    (self.event.eventForm, self.event.eventHigh, self.event.eventLow) = (new.form.rawValue, new.high, new.low)
    self.id = []
    IdentifierText.writeUUID(form: new.form, high: new.high, low: new.low, into: &self.id)
  }

  /// The text of the event id, which the encoder needs beside the event.
  var text: [UInt8] { event.eventForm == IdentifierForm.text.rawValue ? id : [] }

  static func isBefore(_ a: Self, _ b: Self) -> Bool {
    if a.event.time != b.event.time { return a.event.time < b.event.time }
    if a.event.kind != b.event.kind { return a.event.kind < b.event.kind }
    return a.id.lexicographicallyPrecedes(b.id)
  }
}

// MARK: Which parts to merge
// As soon as there are four of about one size they become one of the next size, so that the number of parts grows
// with the logarithm of the log and an event is rewritten that often. And as soon as the others have a quarter of the
// largest one's rows, all become one: a report then finds most users' events in one place.

extension PartReader {
  /// Bytes that the part brings to a merged dictionary; more than any limit if it cannot be rewritten.
  var mergeWeight: Int { footer.extensions.isEmpty ? footer.dictionary.weight : 1 << 40 }
}

enum MergePolicy {
  static let partsPerTier = 4
  /// Of four parts or more, the largest has at least this many times the rows of all others together.
  static let largestShare: UInt64 = 4
  private static let smallestTier: UInt64 = 16_384
  /// Most bytes of a merged dictionary; a part with more than its share of them is not merged any further.
  static let dictionaryLimit = 64 << 20

  static func tier(rows: UInt64) -> Int {
    var tier = 0
    var size = smallestTier
    while rows >= size {
      tier += 1
      size *= UInt64(partsPerTier)
    }
    return tier
  }

  /// The indices of the parts to merge into one; may be empty.
  /// - Parameter parts: rows, and weight of the dictionary, of each part.
  static func choose(_ parts: [(rows: UInt64, dictionary: Int)]) -> [Int] {
    let mergeable = parts.indices.filter { parts[$0].dictionary < dictionaryLimit / partsPerTier }
    let largest = mergeable.map { parts[$0].rows }.max() ?? 0
    let all = mergeable.reduce(0) { $0 + parts[$1].rows }
    let tiers = Dictionary(grouping: mergeable) { tier(rows: parts[$0].rows) }
    let full: Int
    if mergeable.count >= partsPerTier, all - largest >= largest / largestShare {
      full = .max
    } else if let tier = tiers.filter({ $0.value.count >= partsPerTier }).keys.max() {
      full = tier
    } else {
      return []
    }
    // Smaller parts are included: they would have to be merged soon, and add little.
    var weight = 0
    return mergeable.filter { i in
      guard tier(rows: parts[i].rows) <= full, weight + parts[i].dictionary <= dictionaryLimit else { return false }
      weight += parts[i].dictionary
      return true
    }
  }

  /// Indices of parts in as few groups as the limit of a merged dictionary allows; a part that weighs more stays alone.
  /// - Parameter weights: of the parts' dictionaries.
  static func fewest(_ weights: [Int]) -> [[Int]] {
    var groups: [[Int]] = []
    // Nothing more fits into the group before the first.
    var weight = dictionaryLimit + 1
    for i in weights.indices where weights[i] <= dictionaryLimit {
      if weight + weights[i] > dictionaryLimit {
        groups.append([])
        weight = 0
      }
      groups[groups.count - 1].append(i)
      weight += weights[i]
    }
    return groups + weights.indices.filter { weights[$0] > dictionaryLimit }.map { [$0] }
  }
}
