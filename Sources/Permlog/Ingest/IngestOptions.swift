// How exports are read, and when nothing of them is stored.

import EventImport
import EventLog
import EventMapping
import PermissionEvents

/// How exports are read. The default reads every known form by its content.
@dynamicMemberLookup
public struct IngestOptions: Sendable {
  /// How rows are read; each of these is also an option of its own: `options.format`.
  public var rows = ReadingOptions()
  /// Mappings of one's own, looked at before those that are built in.
  public var mappings: [MappingSource] = []
  /// IANA name of the project's zone, for exports whose times are its wall clock.
  public var projectTimeZone: String?
  /// IANA name of the zone of times that name none; nil to refuse such lines.
  public var inputTimeZone: String?
  /// The log must not be there yet.
  public var needsNewLog = false
  /// Users are taken under other names than the log has: another key, or none. Then one person can be two users, and
  /// who was erased comes back under the other name.
  public var allowsMixedUsers = false
  /// The key of the list of erased users, of a log that keeps it elsewhere.
  public var erasureKey: ErasureKeySource?
  /// Nothing is stored if a line is refused.
  public var isStrict = false
  /// Nothing is stored if more lines are refused.
  public var rejectionLimit: RejectionLimit?
  /// A file that keeps each refused line with its reason (NDJSON); replaced if it is there when the ingest ends, also when
  /// nothing was stored. It must be none that is read, and not in a log's directory. With a `userKey` it has no texts.
  public var rejectsFile: String?
  /// Bytes of refused lines that are kept in `rejectsFile`; further lines are counted.
  public var rejectsLimit = 1_000_000_000
  /// Files that `rejectsFile` must not be, beside those that are read and those of the log: the file of a key.
  public var keptFiles: [String] = []
  /// Files that are written when the ingest is done, which must be none that it reads either.
  public var laterFiles: [String] = []
  /// Milliseconds since 1970 that times are held against; nil for the machine's clock.
  public var now: Milliseconds?

  public init() {}

  public subscript<Value>(dynamicMember option: WritableKeyPath<ReadingOptions, Value>) -> Value {
    get { rows[keyPath: option] }
    set { rows[keyPath: option] = newValue }
  }

  /// What the file of refused lines must not be.
  func protectedFiles(_ source: ImportSource, _ inputs: [FilePath], log: String? = nil) -> ProtectedFiles {
    var files = ProtectedFiles(log: log)
    if case .files = source { for input in inputs { files.add(input, "one of the files to ingest") } }
    for case .file(let path) in mappings { files.add(path, "a mapping of this ingest") }
    if case .file(let path) = erasureKey { files.add(path, "the key of the list of erased users") }
    for path in keptFiles { files.add(path, "a file that this ingest reads") }
    return files
  }

  /// The options of the import. Zones are read here, before any thread is started.
  func importOptions(threads: Int, clock: () -> Milliseconds = { SystemClock.now }) throws -> ImportOptions {
    var options = ImportOptions(rows, now: now ?? clock(), threads: threads)
    if !mappings.isEmpty, rows.format == .ndjson || rows.format == .csv {
      throw PermlogError(
        .usage, "\(rows.format.rawValue) reads canonical files", .leaveOutMappings, argument: .format)
    }
    options.mappings = try mappings.map { try $0.mapping() }
    try Self.checkBases(options.mappings)
    let span = Timestamp.earliest...Timestamp.latest
    options.projectZone = try projectTimeZone.map {
      try SystemZones.table($0, over: span, argument: .projectTimeZone)
    }
    options.inputZone = try inputTimeZone.map { try SystemZones.table($0, over: span, argument: .inputTimeZone) }
    for mapping in options.mappings {
      guard case .named(let name)? = mapping.record?.zone else { continue }
      options.zones[name] = try SystemZones.table(name, over: span, place: mapping.name + ": zone: ")
    }
    for (source, mapping) in zip(mappings, options.mappings) where !rows.allowsCustomPermissions {
      try mapping.requireKnownPermissions(file: source.name)
    }
    return options
  }

  /// The first of two mappings for the same files would be used, and the other not.
  private static func checkBases(_ mappings: [Mapping]) throws(PermlogError) {
    for (index, second) in mappings.enumerated() {
      guard let base = second.base else { continue }
      let first = mappings[..<index].first { $0.base == base && $0.record?.recognise == second.record?.recognise }
      if let first {
        throw PermlogError(
          .usage, "\(first.name) and \(second.name) both extend \(base); put their rules into one file",
          argument: .mappings)
      }
    }
  }
}

/// A share of all lines, or a number of them.
public struct RejectionLimit: Sendable, Hashable {
  /// As it was written: `1%`, `100`.
  public let text: String
  /// Lines in a million of all; nil for a number of lines.
  private let share: Int?
  private let number: Int

  /// - Parameter text: a share in percent, `1%`, or a number of lines, `100`.
  /// - Returns: nil if it is neither.
  public init?(_ text: String) {
    self.text = text
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      share = Int((percent * 10_000).rounded())
      number = 0
    } else {
      guard let lines = Int(text), lines >= 0 else { return nil }
      share = nil
      number = lines
    }
  }

  func isExceeded(_ rejected: Int, of lines: Int) -> Bool {
    guard let share else { return rejected > number }
    // Exact: lines fit in 43 bits.
    return rejected.multipliedFullWidth(by: 1_000_000) > lines.multipliedFullWidth(by: share)
  }
}

private func > (a: (high: Int, low: UInt), b: (high: Int, low: UInt)) -> Bool {
  a.high != b.high ? a.high > b.high : a.low > b.low
}
