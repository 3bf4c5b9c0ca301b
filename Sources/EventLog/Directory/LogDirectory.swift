// The directory of a log: which files are in it, reading its manifest, committing a new one.

import PermissionEvents

package struct LogDirectory: Sendable {
  package let path: String
  package let files: any FileSystem
  /// Whether all names are looked up in one directory that is open.
  let isOpen: Bool
  /// Of all that is read of the log; one for each time that the directory is opened.
  let budget: MemoryBudget

  static let lockName = "lock"
  static let spillPrefix = "spill-"

  /// - Parameter memory: the most bytes of the log that may be in memory at once.
  package init(path: String, files: any FileSystem = SystemFileSystem(), memory: Int? = nil) {
    self.init(path: path, files: files, isOpen: false, MemoryBudget(memory ?? MemoryBudget.bytes))
  }

  private init(path: String, files: any FileSystem, isOpen: Bool, _ budget: MemoryBudget) {
    self.path = path
    self.files = files
    self.isOpen = isOpen
    self.budget = budget
  }

  /// Opens the directory at the path. All operations use this directory, even if the path leads to another one later.
  /// Throws `notFound` if it does not exist.
  func opened() throws -> LogDirectory {
    guard !isOpen else { return self }
    do {
      return LogDirectory(path: path, files: try files.opened(at: path), isOpen: true, MemoryBudget(budget.total))
    } catch let error as FileError where error.isMissingFile {
      throw noLog
    }
  }

  private var noLog: LogError { LogError(.notFound, "no log at \(path)", .makeLog(path: path)) }

  func file(_ name: String) -> String { path + "/" + name }

  static func isOurs(_ name: String) -> Bool {
    name == Manifest.fileName || name == Manifest.temporaryName || name == lockName || name.hasPrefix(spillPrefix)
      || name == LiveStatus.fileName || name == LiveStatus.temporaryName || KeptAnswers.isName(name) || isNumbered(name)
  }

  /// Whether a manifest lists files of this name.
  static func isNumbered(_ name: String) -> Bool {
    PartDescription.id(name: name) != nil || ErasureDescription.id(name: name) != nil
      || LinksDescription.id(name: name) != nil || HistoryDescription.id(name: name) != nil
      || ExclusionDescription.id(name: name) != nil || NumbersDescription.id(name: name) != nil
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
        throw LogError.damaged(file(Manifest.fileName), "manifest", "it is missing, but the log has \(other)")
      }
      throw noLog
    }
  }

  /// The users that a manifest keeps out, or nil if it names no list.
  func readErasures(_ manifest: Manifest) throws -> ErasureList? {
    try ofErasures(manifest) { try readErasures(id: $0.id, expected: $0) }
  }

  /// Where the key of a manifest's list is; nil if it names no list. The list itself is not read.
  func erasureKeyPlace(_ manifest: Manifest) throws -> ErasureKeyLocation? {
    try ofErasures(manifest) { description in
      let list = try OpenFile(file(description.name), .read, files)
      // A later version is read whole, which says that it is one.
      return try ErasureList.keyPlace(list, expected: description)
        ?? readErasures(id: description.id, expected: description).keyPlace
    }
  }

  /// The content of a file that a manifest may name, or nil if it names no such file.
  func named<File: NumberedFile, T>(
    _ description: File?, _ what: String, _ manifest: Manifest, _ body: (File) throws -> T
  ) throws -> T? {
    do {
      return try description.map(body)
    } catch let error as FileError where error.isMissingFile {
      // A writer that commits meanwhile removes it, as it does parts.
      guard let description, try readManifest() == manifest else { throw error }
      throw LogError.damaged(file(File.name(description.id)), what, "the manifest lists it, but it is missing")
    }
  }

  private func ofErasures<T>(_ manifest: Manifest, _ body: (ErasureDescription) throws -> T) throws -> T? {
    try named(manifest.erasures, "list of erased users", manifest, body)
  }

  /// The list with an id, checked against its description in a manifest, if any.
  func readErasures(id: UInt64, expected: ErasureDescription?) throws -> ErasureList {
    try ErasureList(try OpenFile(file(ErasureDescription.name(id)), .read, files), id: id, expected: expected, budget)
  }

  /// The part of the links that readers need: the users with hidden rows in older parts. Empty if the manifest names no links.
  func readLinksHead(_ manifest: Manifest) throws -> LinksHead {
    try ofLinks(manifest) { try LinksFile.head(OpenFile(file($0.name), .read, files), $0, budget) } ?? LinksHead()
  }

  /// The links of a manifest; empty if it names none.
  func readLinks(_ manifest: Manifest) throws -> LinksContent {
    try ofLinks(manifest) { try readLinks(id: $0.id, expected: $0) } ?? LinksContent()
  }

  /// The links with an id, checked against their description in a manifest, if any.
  func readLinks(id: UInt64, expected: LinksDescription?) throws -> LinksContent {
    try LinksFile.read(OpenFile(file(LinksDescription.name(id)), .read, files), id: id, expected: expected, budget)
  }

  private func ofLinks<T>(_ manifest: Manifest, _ body: (LinksDescription) throws -> T) throws -> T? {
    try named(manifest.links, "links of ids", manifest, body)
  }

  /// A log's memory of its ingests; empty if its manifest names none.
  package func readHistory(_ manifest: Manifest) throws -> IngestHistory {
    try named(manifest.history, "list of ingests", manifest) { try readHistory(id: $0.id, expected: $0) }
      ?? IngestHistory()
  }

  /// The ingests that the log remembers now.
  package func readHistory() throws -> IngestHistory {
    let directory = try opened()
    return try directory.readHistory(directory.readManifest())
  }

  /// The same of a manifest, for answers that do without it; nil if the list is damaged, which `verify` tells. If a writer has
  /// replaced the list meanwhile, the newer one: it has all of the older.
  package func readHistoryIfWhole(_ manifest: Manifest) throws -> IngestHistory? {
    var manifest = manifest
    for _ in 0..<100 {
      do { return try readHistory(manifest) } catch let error as LogError where error.code == .damaged {
        return nil
      } catch let error as FileError where error.isMissingFile {
        manifest = try readManifest()
      }
    }
    return nil
  }

  /// The list of ingests with an id, checked against its description in a manifest, if any.
  func readHistory(id: UInt64, expected: HistoryDescription?) throws -> IngestHistory {
    try HistoryFile.read(OpenFile(file(HistoryDescription.name(id)), .read, files), id: id, expected: expected)
  }

  /// Writes a new list of ingests; no reader knows it before a manifest names it.
  func write(_ history: IngestHistory, id: UInt64) throws -> HistoryDescription {
    let (bytes, description) = HistoryFile.encode(history, id: id)
    try create(description.name, bytes).close()
    return description
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
  func create(_ name: String, _ bytes: [UInt8]) throws -> OpenFile {
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

  /// Replaces the manifest: when this returns, the new state is the log, even if the machine fails. Throws if the lock
  /// does not guard the directory at the path.
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
    // They answer for the state before.
    try? removeKeptAnswers()
  }

  /// Throws if the directory holds other things than a log. Called before anything is put there: the
  /// lock would overwrite a file of that name.
  func checkIsLogOrEmpty() throws {
    do {
      _ = try readManifest()
    } catch let error as LogError where error.code == .notFound {
      guard let other = try files.list(path).filter({ !Self.isOurs($0) }).min() else { return }
      throw LogError(.notFound, "\(path) is not a log and not empty (it has \(other))", .nameEmptyDirectory)
    }
  }

  /// Makes an empty log in the directory. Only a writer that holds the lock calls this.
  func create(holding lock: WriterLock) throws {
    // The directory's own name is in the one above, and may be as new as the log.
    try files.synchronizeDirectory(file(".."))
    try? files.remove(file(Manifest.temporaryName))
    try commit(Manifest(), holding: lock)
  }

  /// Names of the files with answers that are kept.
  func keptAnswers() throws -> [String] { try files.list(path).filter(KeptAnswers.isName) }

  /// Removes all answers. Readers give files other names, and remove some, at the same time: so it looks until there are none.
  /// - Throws: if readers keep new answers faster than they can be removed.
  func removeKeptAnswers() throws {
    for _ in 0..<100 {
      let names = try keptAnswers()
      if names.isEmpty { return }
      try remove(names)
    }
    throw LogError(
      .inputOutput,
      "the log was changed as requested, but answers that were kept before are still in the directory, because reports are read all the time",
      .compact)
  }

  /// Removes files, as far as they are still there.
  private func remove(_ names: [String]) throws {
    for name in names {
      do { try files.remove(file(name)) } catch let error as FileError where error.isMissingFile {}
    }
  }

  /// Names of files of this log that its manifest does not know.
  func leftovers(_ manifest: Manifest) throws -> [String] {
    let live = Set(manifest.fileNames)
    return try files.list(path).filter { name in
      name == Manifest.temporaryName || name.hasPrefix(Self.spillPrefix)
        || Self.isNumbered(name) && !live.contains(name) || KeptAnswers.isLeftOver(name, by: manifest)
    }
  }

  /// Removes what an interrupted writer left. Only a writer that holds the lock calls this.
  func removeLeftovers(_ manifest: Manifest) throws {
    // The previous writer may have failed to get its manifest's name on disk. Only when the name is on disk is its work
    // complete, and only then can the parts of the earlier manifest be removed.
    try files.synchronizeDirectory(path)
    let leftovers = try leftovers(manifest)
    let (kept, others) = (leftovers.filter(KeptAnswers.isName), leftovers.filter { !KeptAnswers.isName($0) })
    try remove(kept)
    try removeForGood(others, isChanged: !kept.isEmpty)
  }

  /// Removes files, and waits until their names are off the disk. If one cannot be removed, it continues, and throws at the end.
  /// - Parameter isChanged: whether names were removed before.
  func removeForGood(_ names: [String], isChanged: Bool = false) throws {
    guard !names.isEmpty || isChanged else { return }
    var failure: (any Error)?
    for name in names {
      do { try files.remove(file(name)) } catch { failure = failure ?? error }
    }
    try files.synchronizeDirectory(path)
    if let failure { throw failure }
  }
}

// MARK: The view of a reader: the parts of one manifest, all open. A writer that commits meanwhile does not disturb it.

/// One state of a log, open for reading. Safe to use from several threads.
package struct LogSnapshot: Sendable {
  package let directory: LogDirectory
  package let manifest: Manifest
  package let parts: [PartReader]
  /// Which numbers of events arrived, in files that are open.
  let numbers: [NumbersContent]
  /// Why they cannot be read; nil if they can.
  package let numbersDamage: String?
  /// The number of sessions in which the user's id changed without a link between the ids.
  private let splitSessions: Int64
  /// The users that this view of the log leaves out.
  package internal(set) var leftOut = LeftOutUsers()
  /// Times of the oldest and of the newest event without them; nil if the parts' footers say it.
  var keptTimes: ClosedRange<Milliseconds>??
  /// What was found out about it; shared by its copies.
  package internal(set) var facts = SnapshotFacts()

  /// Opens the newest state. If a part vanishes between reading the manifest and opening it, a writer has committed
  /// meanwhile, and the newer state is opened. All files are from one directory, even if another directory takes its
  /// path meanwhile.
  package init(_ directory: LogDirectory) throws {
    var attempt = 0
    while true {
      let opened = try directory.opened()
      let manifest = try opened.readManifest()
      do {
        let found = try manifest.parts.map { try PartReader($0, in: opened) }
        let head = try opened.readLinksHead(manifest)
        var (contents, finding): ([NumbersContent], String?) = ([], nil)
        do {
          contents = try manifest.numbers.map { try opened.readNumbers(id: $0.id, expected: $0) }
        } catch let error as LogError where error.code == .damaged {
          // All else can be answered without them.
          (contents, finding) = ([], error.finding)
        }
        (numbers, numbersDamage) = (contents, finding)
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
          throw LogError.damaged(error.path, "part", "the manifest lists it, but it is missing")
        }
      }
    }
  }

  init(_ directory: LogDirectory, _ manifest: Manifest, _ parts: [PartReader]) {
    self.directory = directory
    self.manifest = manifest
    self.parts = parts
    (numbers, numbersDamage) = ([], nil)
    splitSessions = 0
  }

  /// The counts of ingests in the parts that have them; nil if no part has.
  package var ingestTally: IngestTally? {
    guard var tally = IngestTally.sum(parts.map(\.footer.tally)) else { return nil }
    tally.changedSessions = min(splitSessions, tally.sessions)
    return tally
  }

  package var eventCount: Int { parts.reduce(0) { $0 + Int($1.visibleRows) } }

  /// Times of the oldest and of the newest event; nil for an empty log.
  package var timeRange: ClosedRange<Milliseconds>? {
    if let keptTimes { return keptTimes }
    guard let low = parts.map(\.footer.minimumTime).min(), let high = parts.map(\.footer.maximumTime).max() else {
      return nil
    }
    return low...high
  }
}

// MARK: Names of files that carry a number: a word and sixteen hexadecimal digits in lower case

/// The description in a manifest of a file with a name made of a word and the file's id.
protocol NumberedFile {
  static var word: String { get }
  var id: UInt64 { get }
}

extension NumberedFile {
  static func name(_ id: UInt64) -> String { word + "-" + FileName.digits(id) }

  /// The id in a file's name; nil if it is not a name with this word.
  static func id(name: String) -> UInt64? {
    guard name.hasPrefix(word + "-") else { return nil }
    let digits = name.utf8.dropFirst(word.utf8.count + 1)
    return FileName.areDigits(digits) ? UInt64(Substring(digits), radix: 16) : nil
  }
}

enum FileName {
  /// The directory that a path's name is in.
  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether these are sixteen hexadecimal digits in lower case.
  static func areDigits(_ text: some Collection<UInt8>) -> Bool {
    text.count == 16 && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Sixteen hexadecimal digits.
  static func digits(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
