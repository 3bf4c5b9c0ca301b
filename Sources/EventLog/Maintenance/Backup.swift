// A copy of a log, taken beside its writer. The files of a log never change, so a copy that is renewed takes the new ones only.

import PermissionEvents

/// What a backup copied.
public struct Backup: Sendable, Hashable {
  /// Files of the log's state that was copied.
  public var files = 0
  public var bytes = 0
  /// Of them, those that were not there before.
  public var newFiles = 0
  public var newBytes = 0
  /// Files of former states that are gone from the copy.
  public var removedFiles = 0
  /// The name of the state, as `info` has it.
  public var fingerprint = ""
}

extension LogDirectory {
  /// Makes or renews a copy of the log's last commit. Another writer may commit meanwhile.
  /// - Parameter place: an empty directory or none, or an earlier copy of this log.
  package func backUp(to place: LogDirectory) throws -> Backup {
    let source = try opened()
    _ = try source.readManifest()
    let (copy, lock, new) = try NewLog.open(place)
    defer { lock.release() }
    do {
      for _ in 0..<100 {
        let manifest = try source.readManifest()
        do {
          return try copy.renew(from: source, manifest, holding: lock)
        } catch let error as FileError where error.isMissingFile {
          // A writer has committed and removed the file; or it is missing.
          guard try source.readManifest() != manifest else { throw error }
        }
      }
      throw LogError(.locked, "\(path): it changed each time permlog copied it", .tryLater)
    } catch {
      try? copy.removeLeftovers(copy.readManifest())
      new?.remove()
      throw error
    }
  }

  /// Copies the files of a manifest that are not there, then makes it the copy's.
  private func renew(from source: LogDirectory, _ manifest: Manifest, holding lock: WriterLock) throws -> Backup {
    let old = try readManifest()
    try checkIsCopy(old, of: source, manifest)
    try removeLeftovers(old)
    let present = Set(old.fileNames)
    var backup = Backup()
    backup.fingerprint = manifest.fingerprint
    for name in manifest.fileNames {
      let size = try OpenFile(source.file(name), .read, source.files).size()
      backup.files += 1
      backup.bytes += size
      guard !present.contains(name) else { continue }
      try copy(name, size, from: source)
      backup.newFiles += 1
      backup.newBytes += size
    }
    if old != manifest { try commit(manifest, holding: lock) }
    let gone = present.subtracting(manifest.fileNames).sorted()
    try removeForGood(gone)
    backup.removedFiles = gone.count
    return backup
  }

  /// Throws if a log is no earlier state of the one that is to be copied over it: then it would be lost.
  private func checkIsCopy(_ old: Manifest, of source: LogDirectory, _ new: Manifest) throws {
    guard old.generation > 0, old != new else { return }
    // Those of the state before the newest ingest are known, too.
    let parts = Dictionary(
      (new.parts + (new.previous?.state.parts ?? [])).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let areOfTheLog = old.parts.allSatisfy { part in parts[part.id].map { $0 == part } ?? true }
    // Its parts may have been merged since. Its ingests are remembered.
    let ingests = Set(try source.readHistory(new).ingests.map { [Int64($0.number), $0.time, Int64($0.new)] })
    let known = try readHistory(old).ingests.map { [Int64($0.number), $0.time, Int64($0.new)] }
    let isKnown = known.isEmpty ? old.parts.contains { parts[$0.id] != nil } : known.allSatisfy(ingests.contains)
    let isOlder = old.generation < new.generation && old.nextPart <= new.nextPart && areOfTheLog && isKnown
    guard isOlder else {
      throw LogError(
        .notFound,
        "\(path) is a log, but not an earlier copy of this one: it has commits or ingests that this log does not have. Nothing was "
          + "changed", .nameEmptyDirectory)
    }
  }

  private func copy(_ name: String, _ size: Int, from source: LogDirectory) throws {
    let from = try OpenFile(source.file(name), .read, source.files)
    let to = try OpenFile(file(name), .create, files)
    do {
      var done = 0
      while done < size {
        let bytes = try from.read(min(1 << 22, size - done), at: done)
        guard !bytes.isEmpty else { throw LogError.damaged(source.file(name), "size", "it became shorter") }
        try to.write(bytes, at: done)
        done += bytes.count
      }
      try to.synchronize()
      try to.close()
    } catch {
      to.discard()
      throw error
    }
  }
}
