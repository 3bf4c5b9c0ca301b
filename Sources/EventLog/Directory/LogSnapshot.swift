// What a reader sees: the parts of one manifest, all open. A writer that commits meanwhile does not
// disturb it.

import PermissionEvents

/// One state of a log, open for reading. Safe to use from several threads.
package struct LogSnapshot: Sendable {
  package let directory: LogDirectory
  package let manifest: Manifest
  package let parts: [PartReader]
  /// Sessions within which the user's id changed, and no link says that the ids are one user.
  private let splitSessions: Int64

  /// Opens the newest state. If a part vanishes between reading the manifest and opening it, a writer
  /// has committed meanwhile, and the newer state is taken. All files are those of one directory, also if another takes its
  /// path meanwhile.
  package init(_ directory: LogDirectory) throws {
    var attempt = 0
    while true {
      let opened = try directory.opened()
      let manifest = try opened.readManifest()
      do {
        let found = try manifest.parts.map { try PartReader($0, in: opened) }
        let head = try opened.readLinksHead(manifest)
        for part in found { part.hidden = head.hidden }
        parts = found
        splitSessions = head.splitSessions
        self.directory = opened
        self.manifest = manifest
        return
      } catch let error as FileError where error.isMissingFile {
        attempt += 1
        let isSame = try directory.readManifest() == manifest
        if isSame || attempt > 100 {
          throw LogError.damaged(error.path, "part", "the manifest names it and it is missing")
        }
      }
    }
  }

  /// Parts that are open already.
  init(_ directory: LogDirectory, _ manifest: Manifest, _ parts: [PartReader]) {
    self.directory = directory
    self.manifest = manifest
    self.parts = parts
    splitSessions = 0
  }

  /// What the ingests of those parts found out that keep it; nil if none does.
  package var ingestTally: IngestTally? {
    guard var tally = IngestTally.sum(parts.map(\.footer.tally)) else { return nil }
    tally.changedSessions = min(splitSessions, tally.sessions)
    return tally
  }

  package var eventCount: Int { parts.reduce(0) { $0 + Int($1.visibleRows) } }

  /// Times of the oldest and of the newest event; nil for an empty log.
  package var timeRange: ClosedRange<Milliseconds>? {
    guard let low = parts.map(\.footer.minimumTime).min(), let high = parts.map(\.footer.maximumTime).max() else {
      return nil
    }
    return low...high
  }
}
