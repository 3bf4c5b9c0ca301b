// How exports are read, and when nothing is stored.

import EventImport
import EventLog
import EventMapping
import PermissionEvents
import ReportRendering

/// How exports are read. The default reads every known form by its content.
@dynamicMemberLookup
public struct IngestOptions: Sendable {
  /// How rows are read. Each of these is also an option by itself: `options.format`.
  public var rows = ReadingOptions()
  /// The caller's mappings, tried before the built-in ones.
  public var mappings: [MappingSource] = []
  /// IANA name of the project's time zone, for exports whose times are in local time.
  public var projectTimeZone: String?
  /// IANA name of the zone for times without a zone; nil to refuse such lines.
  public var inputTimeZone: String?
  /// The moment of files in which each row is a user at one time (OneSignal's subscriptions): a snapshot. A date is its first moment, by
  /// `inputTimeZone` or in UTC.
  public var snapshotTime: Moment?
  /// Whether the ingest is refused if the log exists.
  public var needsNewLog = false
  /// Accepts users under another key than the log's, or under no key. Then one person may count as two users, and
  /// erased users reappear under the other name.
  public var allowsMixedUsers = false
  /// The key of the list of erased users, if it is kept outside the log.
  public var erasureKey: ErasureKeySource?
  /// Whether nothing is stored if a line is refused.
  public var isStrict = false
  /// Whether an input without any event that is understood is in order: a server gets many of an app's other events. By default it
  /// is refused, because it is mostly a file in another form.
  public var acceptsNothing = false
  /// Files that cannot be read to their end are left out, and the others are stored. By default nothing is stored then.
  public var skipsBadFiles = false
  /// Files of a directory are read again even if the log has the same bytes, read in the same way.
  public var readsKnownFiles = false
  /// Nothing is stored if more lines than this are refused. Events that look like permission events but are not understood count
  /// as refused.
  public var rejectionLimit: RejectionLimit?
  /// A file for each refused line with its reason (NDJSON). It is replaced when the ingest ends, even if nothing was
  /// stored. It must not be a file that the ingest reads, and must not be in a log's directory. With a `userKey` it has
  /// no texts.
  public var rejectsFile: String?
  /// The largest size of `rejectsFile` in bytes; further lines are only counted.
  public var rejectsLimit = 1_000_000_000
  /// Other files that `rejectsFile` must not be, besides the files that are read and the log's files: the file of a
  /// key.
  public var keptFiles: [String] = []
  /// Files that are written after the ingest. They must not be files that it reads either.
  public var laterFiles: [String] = []
  /// The clock for the limits of timestamps, in milliseconds since 1970; nil for the machine's clock.
  public var now: Milliseconds?

  public init() {}

  public subscript<Value>(dynamicMember option: WritableKeyPath<ReadingOptions, Value>) -> Value {
    get { rows[keyPath: option] }
    set { rows[keyPath: option] = newValue }
  }

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
      throw PermlogError(.usage, "\(rows.format.rawValue) reads canonical files", .leaveOutMappings, argument: .format)
    }
    options.mappings = try mappings.map { try $0.mapping() }
    try checkSticky(options.mappings)
    try checkEventName()
    try Self.checkBases(options.mappings)
    let span = Timestamp.earliest...Timestamp.latest
    options.projectZone = try projectTimeZone.map {
      try SystemZones.table($0, over: span, argument: .projectTimeZone)
    }
    options.inputZone = try inputTimeZone.map { try SystemZones.table($0, over: span, argument: .inputTimeZone) }
    options.rows.snapshotTime = try snapshotTime?.time(in: options.inputZone ?? .utc)
    for mapping in options.mappings {
      guard case .named(let name)? = mapping.record?.zone else { continue }
      options.zones[name] = try SystemZones.table(name, over: span, location: mapping.name + ": zone: ")
    }
    for (source, mapping) in zip(mappings, options.mappings) where !rows.allowsCustomPermissions {
      try mapping.requireKnownPermissions(file: source.name)
    }
    return options
  }

  private func checkEventName() throws(PermlogError) {
    guard let name = rows.eventName else { return }
    guard (1...256).contains(name.utf8.count) else {
      throw .usage("the name of an event has 1 to 256 bytes", .eventName)
    }
  }

  private func checkSticky(_ mappings: [Mapping]) throws(PermlogError) {
    let count = rows.experiments.count + rows.states.count + (mappings.map(\.sticky.count).max() ?? 0)
    guard count <= ReadingOptions.mostSticky else {
      throw .usage(
        "at most \(ReadingOptions.mostSticky) experiments and states can be read from properties at once, not \(count)")
    }
    guard rows.experiments.allSatisfy({ (1...StringField.maximumLength).contains($0.utf8.count) }) else {
      throw .usage("the name of an experiment has 1 to \(StringField.maximumLength) bytes")
    }
    for (index, state) in rows.states.enumerated() {
      guard (1...PermissionState.longestProperty).contains(state.property.utf8.count) else {
        throw .usage("the name of a state's property has 1 to \(PermissionState.longestProperty) bytes", .states)
      }
      guard rows.allowsCustomPermissions || PermissionCode.taxonomy.contains(state.permission) else {
        throw .usage(
          "there is no permission \(state.permission); use one of \(PermissionCode.taxonomy.joined(separator: ", "))",
          .states)
      }
      if rows.states[..<index].contains(where: { $0.permission == state.permission }) {
        throw .usage("\(state.permission) has one state: name one property for it", .states)
      }
    }
  }

  /// Of two mappings for the same files, only the first would be used.
  private static func checkBases(_ mappings: [Mapping]) throws(PermlogError) {
    for (index, second) in mappings.enumerated() {
      guard let base = second.base else { continue }
      let first = mappings[..<index].first { $0.base == base && $0.record?.recognise == second.record?.recognise }
      if let first {
        throw .usage("\(first.name) and \(second.name) both extend \(base); put their rules into one file", .mappings)
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
      (share, number) = (Int((percent * 10_000).rounded()), 0)
    } else {
      guard let lines = Int(text), lines >= 0 else { return nil }
      (share, number) = (nil, lines)
    }
  }

  func isExceeded(_ rejected: Int, of lines: Int) -> Bool {
    guard let share else { return rejected > number }
    // Exact: lines fit in 43 bits.
    return rejected.multipliedFullWidth(by: 1_000_000) > lines.multipliedFullWidth(by: share)
  }
}

// MARK: The result of an ingest, and the reason if nothing was stored

/// The lines and events that an ingest read, stored and refused.
public struct IngestResult: Sendable {
  /// Files and lines, and the outcomes of the lines.
  public var read: ImportCounts
  /// The outcomes of the events: new, copies, left out.
  public var stored: IngestCounts
  /// Copies that contradict the events in the log.
  public var contradictions: Contradictions
  public var rejections: RejectionSummary
  /// Event names of vendors' exports, and unknown names in canonical files, with their outcome. Names that look like
  /// permission events but were not stored come first.
  public var names: [TalliedEvent]
  /// Properties that rows carry again and again, like `$feature/push_copy` and `push_enabled`: `experiments` and `states` read them.
  public var carried: CarriedProperties
  /// Permissions with many answers of one kind and no answers of the other: rarely the truth. Usually the export lacks
  /// an event or a word was not understood.
  public var oneSidedAnswers: [AnswerCount]
  /// Files and members of archives without events.
  public var skippedFiles: SkippedFiles
  /// Files in another encoding than UTF-8.
  public var convertedFiles: ConvertedFiles
  /// Damaged files that were kept in part, each with the error at its end.
  public var partialFiles: [PermlogError]
  /// Why the log's list of ingests could not be read, so that a new one begins; nil if it could.
  public var damagedHistory: String?
  /// Why some numbers of events could not be read, so that the log has them no more; nil if all could.
  public var damagedNumbers: String?
  /// Files that were left out because they cannot be read to their end, each with its error.
  public var badFiles: [PermlogError]
  /// Files of directories that were not read because the log has their bytes already, read in the same way.
  public var knownFiles: Int
  /// What is far outside the log's own past.
  public var health: [HealthFinding]
  /// What the log's rule for old events removed before this ingest; nil if nothing was due.
  public var retention: AppliedRetention?
  /// Why nothing was stored; nil if the events are in the log.
  public var refusal: IngestRefusal?
  /// The time of the newest event in the log after the ingest; nil if the log has no events.
  public var newest: Milliseconds?
  /// How long it took.
  public var seconds: Double
  /// For remedies in the JSON.
  var words: RemedyWords

  /// Events that must not be stored: of erased users, expired, or above the limit of one user.
  public var leftOut: Int { stored.erased + stored.expired + stored.surplus }

  /// The users whose events were left out because of the limit of one user, and what to do; nil if there are no such
  /// users.
  public var surplusNote: ErrorExplanation? {
    guard stored.surplus > 0 else { return nil }
    let users = stored.surplusUsers.sorted()
    return ErrorExplanation(
      "\(counted(stored.surplus, "event was", "events were")) left out because the log already had "
        + "\(grouped(IngestCounts.mostEventsOfUser)) of the same user: of \(counted(users.count, "user", "users")) "
        + "(\(users.count == 1 ? "hash" : "hashes") \(listed(users, most: 5)))", .divideSharedUser)
  }

  /// Whether copies contradict the stored events, and what to do; nil if there are no such copies.
  public var contradictionNote: ErrorExplanation? {
    guard contradictions.count > 0 else { return nil }
    let are = counted(contradictions.count, "copy differs", "copies differ")
    return ErrorExplanation(
      "\(are) in kind, permission, status, variant or time from the event that the log keeps", .replaceEvents)
  }

  /// That many events have the id of another event of this ingest and are of another kind or time, so that their ids are hardly
  /// right; nil if they are few. An export that is read again with other properties has many copies that differ, but not in these.
  public var sharedIDNote: String? {
    let copies = contradictions.namesakes
    let events = stored.new + stored.duplicates
    guard copies >= 10, 20 * copies >= events else { return nil }
    return
      "\(grouped(copies)) of \(grouped(events)) events have the event_id of another event of their user and differ from it, so "
      + "they count as its copies. If they are different events, give each an event_id of its own."
  }

  /// Lines that were rejected because a name in them was not understood; nil if there were no lines.
  public var notUnderstood: IngestTally.LineShare? {
    IngestTally.LineShare(Int64(read.notUnderstood), of: Int64(read.lines))
  }

  /// Lines that were rejected for other reasons, if they are ten or more and at least a fifth of all; else nil.
  public var manyRejected: IngestTally.LineShare? {
    let others = read.rejected - read.notUnderstood
    guard others >= 10, 5 * others >= read.lines else { return nil }
    return IngestTally.LineShare(Int64(others), of: Int64(read.lines))
  }

  /// The figures that lack those lines, those with the most lines first: `skips (skip rate)`. An empty text means that
  /// permlog does not know the meaning of some names.
  public var missing: [String] {
    var counts: [String: Int] = [:]
    for name in names {
      guard let missing = name.missing else { continue }
      for text in missing.isEmpty ? [""] : missing { counts[text, default: 0] += name.count }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// The summary as JSON; docs/event-format.md has the keys.
  public var json: [UInt8] {
    JSONWriter.document(
      [
        "files": read.files, "skipped_files": read.skippedFiles, "lines": read.lines, "events": read.events - leftOut,
        "new": stored.new, "duplicates": stored.duplicates, "conflicts": stored.conflicts, "erased": leftOut,
        // A part of the events that were left out, as conflicts are a part of the duplicates.
        "surplus": stored.surplus,
        "rejected": read.rejected, "respelled": read.respelled, "newest": newest.map { Timestamp.text($0) },
        "ignored_fields": read.ignoredFields, "unmapped_events": read.unmapped, "seconds": seconds,
        "contradictions": contradictions.count, "replaced": stored.replaced, "withdrawn": stored.withdrawn,
        "links": stored.links, "refused_links": stored.refusedLinks, "moved": stored.moved,
        "known_files": knownFiles, "bad_files": badFiles.map { $0.explanation.text(saying: words) },
        "health": health.map(\.json),
        "retention": retention.map { applied in
          [
            "rule": applied.rule.description, "before": Timestamp.text(applied.limit), "events": applied.events,
            "refused": applied.refusal != nil,
          ] as JSONMembers
        },
        "not_stored": names.filter { !$0.isStored }.prefix(Self.mostNames).map { name in
          [
            "name": name.name, "answer": name.answer, "outcome": name.outcome, "count": name.count,
            "looks_like_permission": name.looksLikePermission, "example": name.example,
          ] as JSONMembers
        },
      ] as JSONMembers, isOneLine: true)
  }

  /// Names in the JSON.
  private static let mostNames = 100
}

extension [TalliedEvent] {
  /// Rows that were not rejected, with names that look like permission events and are not mapped.
  var unreadPermissionEvents: Int {
    reduce(0) { $0 + (!$1.isStored && $1.looksLikePermission && $1.missing == nil ? $1.count : 0) }
  }
}

/// Why nothing was stored.
public enum IngestRefusal: Sendable, Equatable {
  /// This many lines were refused, and `isStrict` allows none.
  case strict(rejected: Int)
  /// More lines were refused than the limit.
  /// - Parameter unread: rows among them that were not rejected, but have names that look like permission events and are not mapped.
  case tooManyRejected(Int, unread: Int, limit: RejectionLimit)
  /// Events were to replace others, but this many rows have no event id to find them by.
  case noEventIDs(Int)
  /// Lines were read, but none was understood.
  case nothingUnderstood(ImportCounts)

  /// - Parameter unread: rows with names that look like permission events but are not mapped.
  init?(_ counts: ImportCounts, unread: Int, _ options: IngestOptions) {
    if options.isStrict, counts.rejected > 0 {
      self = .strict(rejected: counts.rejected)
    } else if let limit = options.rejectionLimit, limit.isExceeded(counts.rejected + unread, of: counts.lines) {
      self = .tooManyRejected(counts.rejected + unread, unread: unread, limit: limit)
    } else if options.replacesEvents, counts.contentIDs > 0 {
      self = .noEventIDs(counts.contentIDs)
    } else if counts.lines > 0, counts.events + counts.links == 0, !options.acceptsNothing {
      self = .nothingUnderstood(counts)
    } else {
      return nil
    }
  }

  /// A sentence about the problem. Nothing was stored.
  public var finding: String {
    switch self {
    case .strict(let count): "\(counted(count, "line was", "lines were")) rejected"
    case .tooManyRejected(let count, let unread, let limit):
      "\(counted(count, "line was", "lines were")) rejected\(Self.unread(unread)), more than \(limit.text)"
    case .noEventIDs(let count):
      "\(counted(count, "row has", "rows have")) no event id, so permlog cannot tell which events of the log they replace"
    case .nothingUnderstood(let counts):
      "\(counted(counts.lines, "line was", "lines were")) read and none was understood (\(Self.parts(counts)))"
    }
  }

  /// The lines that were not rejected, but count as if they were.
  package static func unread(_ count: Int) -> String {
    count == 0
      ? ""
      : " or not read (\(counted(count, "has a name that looks", "have names that look")) like permission events and \(count == 1 ? "is" : "are") not mapped)"
  }

  private static func parts(_ counts: ImportCounts) -> String {
    var parts: [String] = []
    if counts.rejected > 0 { parts.append("\(grouped(counts.rejected)) rejected") }
    if counts.unmapped > 0 { parts.append("\(grouped(counts.unmapped)) with names that are not mapped") }
    return parts.joined(separator: ", ")
  }
}
