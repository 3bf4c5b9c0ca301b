// Closes a run: sorts each partition, drops what is a copy, and writes the rest as a part. Partitions in
// order are the order of the log, so groups of them are independent work for the cores.

import Threads
import PermissionEvents

struct RunEncoder {
  let run: IngestRun
  let directory: LogDirectory
  /// What is already kept: copies of these events are dropped.
  let existing: [PartReader]
  let admission: Admission
  let threads: Int

  /// Rows of a group of partitions at least; fewer where some thread would have nothing to do.
  private static let rowsPerGroup = 400_000
  /// Fewer rows than half a block are not worth a thread, nor a block of their own.
  private static let leastRowsPerGroup = PartFormat.rowsPerBlock / 2

  /// Writes the part; nil where no event was new.
  func write(part id: UInt64) throws -> (part: PartDescription?, counts: IngestCounts) {
    try run.close()
    let contents = run.dictionary.contents
    var builder = PartDictionaryBuilder()
    let codes = RunCodes(contents, &builder)
    let dictionary = builder.dictionary
    let recodings = existing.map { builder.find($0.footer.dictionary) }

    let lengths = (0..<PartitionStore.partitionCount).map { run.store.length(partition: $0) }
    let total = lengths.reduce(0, +)
    let size = MemoryLayout<PackedEvent>.size
    let share = max(total / max(1, threads), Self.leastRowsPerGroup * size)
    let groups = Self.groups(lengths, target: max(total / 16, min(share, Self.rowsPerGroup * size)))
    let tasks = Workers.Tasks(count: groups.count)
    let writer = try PartWriter(id: id, directory: directory.path, files: directory.files, dictionary: dictionary)
    let counts = Mutex(IngestCounts())
    do {
      try Workers.run(threads: min(threads, groups.count)) { _ in
        let worker = try PartitionEncoder(
          run: run, codes: codes, existing: existing, recodings: recodings, admission: admission, writer: writer)
        while let task = tasks.claim() { try worker.encode(groups[task]) }
        let found = worker.counts
        counts.withLock { $0 += found }
      }
      return (try finish(writer), counts.withLock { $0 })
    } catch {
      writer.abandon()
      throw error
    }
  }

  /// Waits until the part is on disk. What the system has to do to forget the spilled events is done meanwhile.
  private func finish(_ writer: PartWriter) throws -> PartDescription? {
    let part = Mutex<PartDescription?>(nil)
    try Workers.run(threads: min(threads, 2)) { thread in
      if thread == 0 {
        let written = try writer.finish()
        part.withLock { $0 = written }
      } else {
        run.store.forget()
      }
    }
    return part.withLock { $0 }
  }

  /// Ranges of partitions of about `target` bytes each.
  private static func groups(_ lengths: [Int], target: Int) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var start = 0
    var bytes = 0
    for partition in lengths.indices {
      bytes += lengths[partition]
      if bytes >= target || partition == lengths.count - 1 {
        groups.append(start..<partition + 1)
        start = partition + 1
        bytes = 0
      }
    }
    return groups
  }
}

/// The codes of a run's tuples in the dictionary of the part to write.
struct RunCodes: Sendable {
  struct Context: Sendable, Equatable {
    var context: UInt32
    var feature: UInt32
    var status: UInt8
  }
  var contexts: [Context]
  var attributes: [UInt32]

  init(_ contents: EventDictionary.Contents, _ builder: inout PartDictionaryBuilder) {
    let values = StringField.allCases.map { field in
      contents.values[field.rawValue].map { builder.code(field, $0) }
    }
    func map(_ field: StringField, _ code: UInt32) -> UInt32 { values[field.rawValue][Int(code)] }
    contexts = contents.contexts.map { c in
      let context = builder.code(
        PartDictionary.Context(
          permission: map(.permission, c.permission), variant: map(.variant, c.variant),
          experiment: map(.experiment, c.experiment), surface: map(.surface, c.surface)))
      return Context(context: context, feature: map(.feature, c.feature), status: c.status.rawValue)
    }
    attributes = contents.attributes.map { a in
      builder.code(
        AttributeTuple(
          appVersion: map(.appVersion, a.appVersion), osVersion: map(.osVersion, a.osVersion),
          platform: map(.platform, a.platform), locale: map(.locale, a.locale), country: map(.country, a.country)))
    }
  }
}
