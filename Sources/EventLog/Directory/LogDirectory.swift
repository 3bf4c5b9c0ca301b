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
      || PartDescription.id(name: name) != nil
  }

  /// All bytes of a small file.
  func contents(_ name: String, maximum: Int) throws -> [UInt8] {
    let descriptor = try files.open(file(name), .read)
    defer { try? files.close(descriptor) }
    let size = try files.size(descriptor, path: file(name))
    guard size <= maximum else { throw LogError.damaged(file(name), "size", "it has \(size) bytes, which is too many") }
    var bytes = [UInt8](repeating: 0, count: size)
    let n = try bytes.withUnsafeMutableBytes { try files.read(descriptor, into: $0, at: 0, path: file(name)) }
    return Array(bytes[..<n])
  }

  /// The manifest; throws `notFound` where there is no log.
  package func readManifest() throws -> Manifest {
    do {
      return try Manifest(try contents(Manifest.fileName, maximum: 1 << 28), file: file(Manifest.fileName))
    } catch let error as FileError where error.isMissingFile {
      let names = (try? files.list(path)) ?? []
      if names.contains(where: { PartDescription.id(name: $0) != nil }) {
        throw LogError.damaged(file(Manifest.fileName), "manifest", "it is missing, and the log has parts")
      }
      throw LogError(
        .notFound, "no log at \(path). Make one with `permlog ingest FILE --log \(path)`, or name another with --log.")
    }
  }

  /// Replaces the manifest: when this returns, the new state is the log, whatever happens to the machine.
  func commit(_ manifest: Manifest) throws {
    let temporary = file(Manifest.temporaryName)
    let descriptor = try files.open(temporary, .create)
    do {
      let bytes = manifest.encode()
      try bytes.withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: temporary) }
      try files.synchronize(descriptor, path: temporary)
    } catch {
      try? files.close(descriptor)
      try? files.remove(temporary)
      throw error
    }
    try files.close(descriptor)
    // The new parts' names must be on disk before the manifest that names them.
    try files.synchronizeDirectory(path)
    try files.rename(temporary, to: file(Manifest.fileName))
    try files.synchronizeDirectory(path)
  }

  /// Throws where the directory holds other things than a log. Called before anything is put there: the
  /// lock would overwrite a file of that name.
  func checkIsLogOrEmpty() throws {
    do {
      _ = try readManifest()
    } catch let error as LogError where error.code == .notFound {
      guard let other = try files.list(path).filter({ !Self.isOurs($0) }).min() else { return }
      throw LogError(
        .notFound,
        "\(path) is not a log and not empty (it has \(other)). Name an empty or a new directory with --log.")
    }
  }

  /// Makes an empty log in the directory. Only a writer that holds the lock calls this.
  func create() throws {
    try? files.remove(file(Manifest.temporaryName))
    try commit(Manifest())
  }

  /// Removes what an interrupted writer left. Only a writer that holds the lock calls this.
  func removeLeftovers(_ manifest: Manifest) throws {
    let live = Set(manifest.parts.map(\.name))
    let leftovers = try files.list(path).filter { name in
      name == Manifest.temporaryName || name.hasPrefix(Self.spillPrefix)
        || PartDescription.id(name: name) != nil && !live.contains(name)
    }
    guard !leftovers.isEmpty else { return }
    // The writer before may have failed to get its manifest on disk; the parts that the one before that
    // names go only when it can no longer come back.
    try files.synchronizeDirectory(path)
    for name in leftovers { try files.remove(file(name)) }
  }
}

extension FileError {
  var isMissingFile: Bool { errorNumber == 2 }
}
