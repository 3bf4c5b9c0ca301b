// What can still be read of a damaged log.

extension LogSnapshot {
  /// Opens what is whole of a log; everything is read once to know. Where the manifest is damaged or missing, all parts
  /// in the directory are taken, so that an event may come twice.
  package static func salvage(_ directory: LogDirectory) throws -> (snapshot: LogSnapshot, found: Verification) {
    let found = try directory.verify()
    let parts = try found.readable.map {
      try PartReader(
        id: $0.id, expected: $0.description, skipping: $0.damagedBlocks, directory: directory.path,
        files: directory.files)
    }
    return (LogSnapshot(directory, parts: parts), found)
  }

  private init(_ directory: LogDirectory, parts: [PartReader]) {
    self.directory = directory
    manifest = Manifest()
    self.parts = parts
  }
}
