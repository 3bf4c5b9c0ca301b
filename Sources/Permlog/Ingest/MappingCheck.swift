// Reads exports without storing anything, and lists the outcome of each event name.

import EventImport
import EventMapping
import PermissionEvents
import SystemCalls

/// The result of reading exports without storing anything.
public struct MappingCheck: Sendable {
  public var read: ImportCounts
  public var rejections: RejectionSummary
  /// Event names of files in every form, with their answers and outcomes. Names that look like permission events but
  /// were not understood come first.
  public var names: [TalliedEvent]
  /// Properties that rows carry again and again, with the users of each value if the files can be read twice.
  public var carried: CarriedProperties
  public var oneSidedAnswers: [AnswerCount]
  public var skippedFiles: SkippedFiles
  public var convertedFiles: ConvertedFiles
  public var partialFiles: [PermlogError]

  /// Reads files, directories (every file below) or `-` for standard input.
  /// - Parameters:
  ///   - options: as for an ingest; limits on refused lines do not count.
  ///   - threads: at least 1; nil for one a core.
  /// - Throws: if a file cannot be read to its end.
  public init(_ files: [FilePath], options: IngestOptions = IngestOptions(), threads: Int? = nil) throws(PermlogError) {
    self = try translating {
      let rejected = RejectKeeper(options)
      let source = ImportSource.files(files)
      var reading = try options.importOptions(threads: PermissionLog.threads(threads))
      reading.countsKinds = true
      let session = try ImportSession(source, options: reading, onReject: { try rejected.add($0) })
      try rejected.open(besides: options.protectedFiles(source, session.files))
      try rejected.keeping {
        while try !session.run(into: DiscardingSink()) {}
        try rejected.close()
      }
      var check = MappingCheck(session, rejected.summary)
      try check.countUsers(source, reading)
      return check
    }
  }

  /// Reads the files again with the properties that nothing reads, and counts their users.
  private mutating func countUsers(_ source: ImportSource, _ options: ImportOptions) throws {
    guard case .files(let files) = source, !files.contains(FilePath("-")), !carried.unread.isEmpty else { return }
    var options = options
    options.countsKinds = false
    let room = ReadingOptions.mostSticky - (options.mappings.map(\.sticky.count).max() ?? 0)
    let users = CarriedUsers()
    var rest = carried.unread
    // A permission has one state at a time.
    for _ in 0..<Self.mostPasses where !rest.isEmpty {
      var permissions: Set<String> = []
      let now = Array(
        rest.filter { $0.permission.map { permissions.insert($0).inserted } ?? true }.prefix(max(0, room)))
      options.rows.experiments = now.filter { $0.permission == nil }.map(\.name)
      options.rows.states = now.compactMap { property in
        property.permission.map { PermissionState(permission: $0, property: property.name) }
      }
      let session = try ImportSession(source, options: options)
      while try !session.run(into: users) {}
      rest.removeAll { now.contains($0) }
    }
    carried.unread = carried.unread.map { users.counted($0) }
  }

  private static let mostPasses = 4

  /// The same for paths that are text.
  public init(_ files: [String], options: IngestOptions = IngestOptions(), threads: Int? = nil) throws(PermlogError) {
    try self.init(files.map { FilePath($0) }, options: options, threads: threads)
  }

  private init(_ session: ImportSession, _ rejections: RejectionSummary) {
    read = session.counts
    self.rejections = rejections
    names = session.eventNames
    carried = session.carried
    oneSidedAnswers = session.answerCounts.filter(\.isOneSided)
    skippedFiles = session.skippedFiles
    convertedFiles = session.convertedFiles
    partialFiles = session.partialFiles(areKept: true)
  }
}

final class DiscardingSink: EventSink {
  let dictionary = EventDictionary()
  var isFull: Bool { dictionary.isFull }
  func append(_ batch: EventBatch) throws {}
}

/// The built-in mappings, one for each vendor.
public enum VendorMappings {
  public static var names: [String] { Presets.names }

  /// The names of the vendors, as an enumeration in a sentence.
  public static var titles: String { Presets.titles }

  /// The YAML of a vendor's mapping, to copy and change; nil for an unknown name.
  /// - Parameter words: the advice about the import.
  public static func yaml(_ name: String, saying words: RemedyWords = { $0.advice }) -> String? {
    Presets.text(name, saying: words)
  }

  /// A first mapping, guessed from the start of a file.
  /// - Parameters:
  ///   - path: a file, compressed or not, or `-` for standard input.
  ///   - words: the advice about the draft.
  /// - Throws: `dataRefused` if the file is neither JSON nor a table.
  public static func draft(
    from path: String, saying words: @escaping RemedyWords = { $0.advice }
  ) throws(PermlogError) -> String {
    try draft(from: FilePath(path), saying: words)
  }

  /// The same for a path that need not be text.
  public static func draft(
    from path: FilePath, saying words: @escaping RemedyWords = { $0.advice }
  ) throws(PermlogError) -> String {
    try translating {
      var draft = MappingDraft(try HeadSketch(path: path), path: path.shown, words: words)
      draft.tryOut()
      return draft.text
    }
  }

  /// A first rule for each name of events that were not understood, as the `rules` of a mapping. Its guesses are to be read by a person:
  /// what the names do not say is left to fill in, and until then the mapping is refused.
  public static func rules(for events: [String]) -> String {
    "rules:\n" + events.map { RuleDraft.text(for: $0) + "\n" }.joined()
  }

  // MARK: The columns of a table that an ingest would read

  /// The names of the columns that an ingest would read, in the table's order. Nothing is stored, and no rows are read.
  /// - Parameters:
  ///   - path: a CSV file with a heading, or an Arrow stream; neither needs rows. `-` is standard input.
  ///   - options: as for an ingest.
  /// - Throws: as an ingest would for the table; `dataRefused` if it is not a table.
  public static func columns(
    of path: FilePath, options: IngestOptions = IngestOptions()
  ) throws(PermlogError) -> [String] {
    try translating {
      try TableColumns.names(of: .files([path]), options: try options.importOptions(threads: 1))
    }
  }
}

// MARK: Files of settings, read whole: the user's mappings

/// A description of exports in YAML (docs/mapping.md).
public enum MappingSource: Sendable {
  case file(String)
  /// The text itself, and a name for messages.
  case yaml([UInt8], name: String)

  var name: String {
    switch self {
    case .file(let path): path
    case .yaml(_, let name): name
    }
  }

  func text() throws(PermlogError) -> [UInt8] {
    switch self {
    case .yaml(let text, _): return text
    case .file(let path):
      guard let text = try SmallFile.read(path, limit: 1 << 20, argument: .mapping) else {
        throw .usage("\(path): it is larger than 1 MiB, too large for a mapping", .mapping)
      }
      return text
    }
  }

  /// The text as it is now: what becomes of the file later changes nothing.
  public func content() throws(PermlogError) -> MappingSource { .yaml(try text(), name: name) }

  /// The preset that the mapping extends, `segment`; nil if it describes records of its own.
  /// - Throws: if it is no mapping.
  public func extendedPreset() throws(PermlogError) -> String? { try translating { try mapping().base } }

  func mapping() throws -> Mapping { try Mapping(yaml: try text(), name: name) }
}

enum SmallFile {
  /// Whether a plain file is there; a link to one counts.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// - Parameter isRegular: refuses pipes and devices, for files that are read several times or have other files next
  ///   to them.
  /// - Returns: the bytes; nil if there are more than `limit`.
  static func read(
    _ path: String, limit: Int, argument: PermlogError.Argument, isRegular: Bool = false
  ) throws(PermlogError) -> [UInt8]? {
    func failure(_ operation: String) -> PermlogError { .unreadable(path, operation, argument) }
    // Opening a pipe without a writer must not block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw failure("open") }
    var status = stat()
    if isRegular, fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
      close(descriptor)
      throw .usage("\(path): it is not a regular file. Name a file that was written to a disk.", argument)
    }
    guard let file = fdopen(descriptor, "r") else {
      close(descriptor)
      throw failure("open")
    }
    defer { fclose(file) }
    // A file of a known size is read at once, unless it grows now.
    var room = isRegular ? max(Int(status.st_size), 0) + 1 : 1 << 16
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      room = min(room, limit + 1 - bytes.count)
      let part = [UInt8](unsafeUninitializedCapacity: room) { $1 = fread($0.baseAddress, 1, room, file) }
      bytes += part
      if part.count < room { break }
      room = 1 << 16
    }
    guard ferror(file) == 0 else { throw failure("read") }
    return bytes.count > limit ? nil : bytes
  }
}
