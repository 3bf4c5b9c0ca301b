// The directory of a log: which files are in it, reading its manifest, committing a new one.

/// A log's directory.
package struct LogDirectory: Sendable {
  package let path: String
  package let files: any FileSystem

  static let lockName = "lock"
  static let spillPrefix = "spill-"

  package init(path: String, files: any FileSystem = SystemFileSystem()) {
    self.path = path
    self.files = files
  }

  func file(_ name: String) -> String { path + "/" + name }

  /// True for a name that this log gives to its files.
  static func isOurs(_ name: String) -> Bool {
    name == Manifest.fileName || name == Manifest.temporaryName || name == lockName || name.hasPrefix(spillPrefix)
      || isNumbered(name)
  }

  /// True for the names of files that a manifest lists.
  static func isNumbered(_ name: String) -> Bool {
    PartDescription.id(name: name) != nil || ErasureDescription.id(name: name) != nil
  }

  /// All bytes of a small file.
  func contents(_ name: String, maximum: Int) throws -> [UInt8] {
    let opened = try OpenFile(file(name), .read, files)
    let size = try opened.size()
    guard size <= maximum else { throw LogError.damaged(file(name), "size", "it has \(size) bytes, which is too many") }
    return try opened.read(size, at: 0)
  }

  /// The manifest; throws `notFound` if there is no log.
  package func readManifest() throws -> Manifest {
    do {
      return try Manifest(try contents(Manifest.fileName, maximum: 1 << 28), file: file(Manifest.fileName))
    } catch let error as FileError where error.isMissingFile {
      let names = (try? files.list(path)) ?? []
      if let other = names.filter(Self.isNumbered).min() {
        throw LogError.damaged(file(Manifest.fileName), "manifest", "it is missing, and the log has \(other)")
      }
      throw LogError(.notFound, "no log at \(path)", .makeLog(path: path))
    }
  }

  /// The users that a manifest keeps out; nobody if it names no list.
  func readErasures(_ manifest: Manifest) throws -> ErasureList? {
    guard let description = manifest.erasures else { return nil }
    do {
      return try readErasures(id: description.id, expected: description)
    } catch let error as FileError where error.isMissingFile {
      throw LogError.damaged(file(description.name), "list of erased users", "the manifest names it and it is missing")
    }
  }

  /// The list with an id, checked against what a manifest says of it if there is one.
  func readErasures(id: UInt64, expected: ErasureDescription?) throws -> ErasureList {
    let name = ErasureDescription.name(id)
    return try ErasureList(
      try contents(name, maximum: ErasureList.maximumLength), id: id, expected: expected, file: file(name))
  }

  /// Writes a new list of erased users; no reader knows it before a manifest names it.
  func write(_ erasures: ErasureList, id: UInt64) throws -> ErasureDescription {
    let (bytes, description) = erasures.encode(id: id)
    try create(description.name, bytes)
    return description
  }

  /// Makes a file of some bytes and waits until they are on disk; nothing stays if that fails.
  private func create(_ name: String, _ bytes: [UInt8]) throws {
    let created = try OpenFile(file(name), .create, files)
    do {
      try created.write(bytes, at: 0)
      try created.synchronize()
      try created.close()
    } catch {
      try? created.close()
      try? files.remove(created.path)
      throw error
    }
  }

  /// Replaces the manifest: when this returns, the new state is the log, whatever happens to the machine.
  func commit(_ manifest: Manifest) throws {
    try create(Manifest.temporaryName, manifest.encode())
    // The new parts' names must be on disk before the manifest that names them.
    try files.synchronizeDirectory(path)
    try files.rename(file(Manifest.temporaryName), to: file(Manifest.fileName))
    try files.synchronizeDirectory(path)
  }

  /// Throws if the directory holds other things than a log. Called before anything is put there: the
  /// lock would overwrite a file of that name.
  func checkIsLogOrEmpty() throws {
    do {
      _ = try readManifest()
    } catch let error as LogError where error.code == .notFound {
      guard let other = try files.list(path).filter({ !Self.isOurs($0) }).min() else { return }
      throw LogError(
        .notFound, "\(path) is not a log and not empty (it has \(other))", .nameEmptyDirectory)
    }
  }

  /// Makes an empty log in the directory. Only a writer that holds the lock calls this.
  func create() throws {
    // The directory's own name is in the one above, and may be as new as the log.
    try files.synchronizeDirectory(file(".."))
    try? files.remove(file(Manifest.temporaryName))
    try commit(Manifest())
  }

  /// Names of files of this log that its manifest does not know.
  func leftovers(_ manifest: Manifest) throws -> [String] {
    let live = Set(manifest.fileNames)
    return try files.list(path).filter { name in
      name == Manifest.temporaryName || name.hasPrefix(Self.spillPrefix)
        || Self.isNumbered(name) && !live.contains(name)
    }
  }

  /// Removes what an interrupted writer left. Only a writer that holds the lock calls this.
  func removeLeftovers(_ manifest: Manifest) throws {
    // The writer before may have failed to get its manifest's name on disk. Only when that is there can its work be
    // taken for done, and only then can the parts go that the manifest before that names.
    try files.synchronizeDirectory(path)
    try removeForGood(try leftovers(manifest))
  }

  /// Removes files, and waits until their names are off the disk. Goes on if one cannot be removed, and throws at
  /// the end.
  func removeForGood(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    var failure: (any Error)?
    for name in names {
      do { try files.remove(file(name)) } catch { failure = failure ?? error }
    }
    try files.synchronizeDirectory(path)
    if let failure { throw failure }
  }
}
