// The directory of a log: which files are in it, reading its manifest, committing a new one.

/// A log's directory.
package struct LogDirectory: Sendable {
  package let path: String
  package let files: any FileSystem
  /// True if all names are looked up in one directory that is open.
  let isOpen: Bool
  /// Of all that is read of the log; one for each time that the directory is opened.
  let budget: MemoryBudget

  static let lockName = "lock"
  static let spillPrefix = "spill-"

  /// - Parameter memory: bytes that may be held at once of what is read of the log.
  package init(path: String, files: any FileSystem = SystemFileSystem(), memory: Int? = nil) {
    self.init(path: path, files: files, isOpen: false, MemoryBudget(memory ?? MemoryBudget.bytes))
  }

  private init(path: String, files: any FileSystem, isOpen: Bool, _ budget: MemoryBudget) {
    self.path = path
    self.files = files
    self.isOpen = isOpen
    self.budget = budget
  }

  /// The directory that the path leads to now, open: what is done with it is done with this one, also if the path leads to
  /// another meanwhile. Throws `notFound` if there is none.
  func opened() throws -> LogDirectory {
    guard !isOpen else { return self }
    do {
      return LogDirectory(
        path: path, files: try files.opened(at: path), isOpen: true, MemoryBudget(budget.total))
    } catch let error as FileError where error.isMissingFile {
      throw noLog
    }
  }

  private var noLog: LogError { LogError(.notFound, "no log at \(path)", .makeLog(path: path)) }

  func file(_ name: String) -> String { path + "/" + name }

  /// True for a name that this log gives to its files.
  static func isOurs(_ name: String) -> Bool {
    name == Manifest.fileName || name == Manifest.temporaryName || name == lockName || name.hasPrefix(spillPrefix)
      || isNumbered(name)
  }

  /// True for the names of files that a manifest lists.
  static func isNumbered(_ name: String) -> Bool {
    PartDescription.id(name: name) != nil || ErasureDescription.id(name: name) != nil
      || LinksDescription.id(name: name) != nil
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
    guard isOpen else { return try opened().readManifest() }
    do {
      let bytes = try contents(Manifest.fileName, maximum: Manifest.maximumLength)
      return try Manifest(bytes, file: file(Manifest.fileName))
    } catch let error as FileError where error.isMissingFile {
      let names = (try? files.list(path)) ?? []
      if let other = names.filter(Self.isNumbered).min() {
        throw LogError.damaged(file(Manifest.fileName), "manifest", "it is missing, and the log has \(other)")
      }
      throw noLog
    }
  }

  /// The users that a manifest keeps out; nobody if it names no list.
  func readErasures(_ manifest: Manifest) throws -> ErasureList? {
    try ofErasures(manifest) { try readErasures(id: $0.id, expected: $0) }
  }

  /// Where the key of a manifest's list is; nil if it names no list. The list itself is not read.
  func erasureKeyPlace(_ manifest: Manifest) throws -> ErasureKeyPlace? {
    try ofErasures(manifest) { description in
      let list = try OpenFile(file(description.name), .read, files)
      // A later version is read whole, which says that it is one.
      return try ErasureList.keyPlace(list, expected: description)
        ?? readErasures(id: description.id, expected: description).keyPlace
    }
  }

  private func ofErasures<T>(_ manifest: Manifest, _ body: (ErasureDescription) throws -> T) throws -> T? {
    guard let description = manifest.erasures else { return nil }
    do {
      return try body(description)
    } catch let error as FileError where error.isMissingFile {
      throw LogError.damaged(file(description.name), "list of erased users", "the manifest names it and it is missing")
    }
  }

  /// The list with an id, checked against what a manifest says of it if there is one.
  func readErasures(id: UInt64, expected: ErasureDescription?) throws -> ErasureList {
    try ErasureList(
      try OpenFile(file(ErasureDescription.name(id)), .read, files), id: id, expected: expected, budget)
  }

  /// What readers need of the links: whose rows in older parts are hidden. Nothing of a manifest that names none.
  func readLinksHead(_ manifest: Manifest) throws -> LinksHead {
    try ofLinks(manifest) { try LinksFile.head(OpenFile(file($0.name), .read, files), $0, budget) } ?? LinksHead()
  }

  /// The links of a manifest; empty if it names none.
  func readLinks(_ manifest: Manifest) throws -> LinksContent {
    try ofLinks(manifest) { try readLinks(id: $0.id, expected: $0) } ?? LinksContent()
  }

  /// The links with an id, checked against what a manifest says of them if there is one.
  func readLinks(id: UInt64, expected: LinksDescription?) throws -> LinksContent {
    try LinksFile.read(OpenFile(file(LinksDescription.name(id)), .read, files), id: id, expected: expected, budget)
  }

  private func ofLinks<T>(_ manifest: Manifest, _ body: (LinksDescription) throws -> T) throws -> T? {
    guard let description = manifest.links else { return nil }
    do {
      return try body(description)
    } catch let error as FileError where error.isMissingFile {
      // A writer that commits meanwhile removes it, as it does parts.
      if try readManifest() != manifest { throw error }
      throw LogError.damaged(file(description.name), "links of ids", "the manifest names it and it is missing")
    }
  }

  /// Writes new links; no reader knows them before a manifest names them.
  func write(_ content: LinksContent, id: UInt64) throws -> LinksDescription {
    let (bytes, description) = LinksFile.encode(content, id: id)
    try create(description.name, bytes).close()
    return description
  }

  /// Writes a new list of erased users; no reader knows it before a manifest names it.
  func write(_ erasures: ErasureList, id: UInt64) throws -> ErasureDescription {
    let (bytes, description) = erasures.encode(id: id)
    try create(description.name, bytes).close()
    return description
  }

  /// Makes a file of some bytes and waits until they are on disk; nothing stays if that fails.
  /// - Returns: the file, open.
  private func create(_ name: String, _ bytes: [UInt8]) throws -> OpenFile {
    let created = try OpenFile(file(name), .create, files)
    do {
      try created.write(bytes, at: 0)
      try created.synchronize()
      return created
    } catch {
      created.discard()
      throw error
    }
  }

  /// Replaces the manifest: when this returns, the new state is the log, whatever happens to the machine. Throws if the lock
  /// does not guard what the path leads to.
  func commit(_ manifest: Manifest, holding lock: WriterLock) throws {
    // Also before: a file of this name would be in another writer's way.
    try lock.prove()
    let new = try create(Manifest.temporaryName, manifest.encode())
    do {
      // The new parts' names must be on disk before the manifest that names them.
      try files.synchronizeDirectory(path)
      try lock.prove()
      try files.rename(new.path, to: file(Manifest.fileName))
    } catch {
      new.discard()
      throw error
    }
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
  func create(holding lock: WriterLock) throws {
    // The directory's own name is in the one above, and may be as new as the log.
    try files.synchronizeDirectory(file(".."))
    try? files.remove(file(Manifest.temporaryName))
    try commit(Manifest(), holding: lock)
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
