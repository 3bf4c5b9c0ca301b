// The one writer of a log: takes runs of events and commits them all at once.

import PermissionEvents

/// Writes to a log. Holds the log's lock from its making until it is closed.
package final class EventLogWriter {
  private let directory: LogDirectory
  private let lock: WriterLock
  private let threads: Int
  private let memory: Int
  private var manifest: Manifest
  /// Parts of the log, then those that this ingest has written and not yet committed.
  private var parts: [PartReader]
  private var uncommitted: [PartReader] = []
  private var nextPart: UInt64
  package private(set) var counts = IngestCounts()

  /// Opens a log for writing, and makes it where there is none.
  /// - Parameter memory: bytes of events to keep in memory before spilling to disk.
  package init(_ directory: LogDirectory, threads: Int, memory: Int = 96 << 20) throws {
    self.directory = directory
    self.threads = threads
    self.memory = memory
    try directory.files.makeDirectory(directory.path)
    try directory.checkIsLogOrEmpty()
    lock = try WriterLock(directory)
    do {
      manifest = try directory.readManifest()
    } catch let error as LogError where error.code == .notFound {
      try directory.create()
      manifest = try directory.readManifest()
    }
    try directory.removeLeftovers(manifest)
    parts = try LogSnapshot(directory).parts
    nextPart = manifest.nextPart
  }

  /// A new run to fill.
  package func beginRun() -> IngestRun { IngestRun(directory: directory, memory: memory) }

  /// Sorts, de-duplicates and writes a run; nothing is visible to readers yet.
  package func finish(_ run: IngestRun) throws {
    let encoder = RunEncoder(run: run, directory: directory, existing: parts + uncommitted, threads: threads)
    let (part, counts) = try encoder.write(part: takePartID())
    self.counts += counts
    if let part { uncommitted.append(try PartReader(part, directory: directory.path, files: directory.files)) }
  }

  private func takePartID() -> UInt64 {
    defer { nextPart += 1 }
    return nextPart
  }

  /// Makes everything that was written the state of the log, merging parts where there are many.
  package func commit() throws {
    guard !uncommitted.isEmpty else { return }
    var all = parts + uncommitted
    var obsolete: [PartReader] = []
    while true {
      let chosen = MergePolicy.choose(all.map { (rows: $0.footer.rows, dictionary: $0.footer.dictionary.weight) })
      guard chosen.count > 1 else { break }
      let sources = chosen.map { all[$0] }
      let merged = try PartMerge(sources: sources, directory: directory, threads: threads).write(part: takePartID())
      obsolete += sources
      all = all.indices.filter { !chosen.contains($0) }.map { all[$0] }
      all.append(try PartReader(merged, directory: directory.path, files: directory.files))
    }
    try replaceParts(with: all)
    // The commit is done; a name that cannot be removed now is removed by the next writer.
    for part in obsolete { try? directory.files.remove(directory.file(part.name)) }
    uncommitted = []
  }

  private func replaceParts(with all: [PartReader]) throws {
    var next = manifest
    next.generation += 1
    next.nextPart = nextPart
    next.parts = all.map(\.description).sorted { $0.id < $1.id }
    try directory.commit(next)
    manifest = next
    parts = all
  }

  /// Removes what was written and not committed, and lets the lock go.
  package func close() {
    // A commit can fail after the manifest has been replaced, so the manifest on disk says what goes.
    if !uncommitted.isEmpty, let manifest = try? directory.readManifest() {
      try? directory.removeLeftovers(manifest)
    }
    uncommitted = []
    lock.release()
  }
}
