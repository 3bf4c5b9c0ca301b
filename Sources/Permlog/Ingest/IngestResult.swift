// What an ingest did, and why it stored nothing if that is so.

import EventImport
import EventLog
import PermissionEvents
import ReportRendering

/// What an ingest read, stored and refused.
public struct IngestResult: Sendable {
  /// Files and lines, and what became of the lines.
  public var read: ImportCounts
  /// What became of the events: new, copies, left out.
  public var stored: IngestCounts
  /// Copies that tell of something else than the events that the log had.
  public var contradictions: Contradictions
  /// Refused lines by reason.
  public var rejections: RejectionSummary
  /// Event names of vendors' exports, and names in canonical files that are in no closed list, with what became of them; what is not stored and looks like a permission event
  /// comes first.
  public var names: [TalliedEvent]
  /// Permissions with many answers of one side and none of the other: rarely the truth. Mostly the export lacks an event or
  /// a word was not understood.
  public var oneSidedAnswers: [AnswerCount]
  /// Files and members of archives that hold no events.
  public var skippedFiles: SkippedFiles
  /// Files whose text was not UTF-8.
  public var convertedFiles: ConvertedFiles
  /// Damaged files of which what could be read was kept, each with why it ended.
  public var partialFiles: [PermlogError]
  /// Why nothing was stored; nil if what was read is in the log.
  public var refusal: IngestRefusal?
  /// The time of the log's newest event, as the log is afterwards; nil if it has none.
  public var newest: Milliseconds?
  /// How long it took.
  public var seconds: Double

  /// Events that were read and may not enter the log: of erased users, expired, or more than it holds of one user.
  public var leftOut: Int { stored.erased + stored.expired + stored.surplus }

  /// Whose events were left out because the log holds no more of one user, and what to do; nil if none were.
  public var surplusNote: ErrorExplanation? {
    guard stored.surplus > 0 else { return nil }
    let users = stored.surplusUsers.sorted()
    let shown = users.prefix(5).joined(separator: ", ") + (users.count > 5 ? " and \(users.count - 5) more" : "")
    return ErrorExplanation(
      "\(counted(stored.surplus, "event was", "events were")) left out, read after the log had "
        + "\(grouped(IngestCounts.mostEventsOfUser)) of the same user: of \(counted(users.count, "user", "users")) "
        + "(\(users.count == 1 ? "hash" : "hashes") \(shown))", .divideSharedUser)
  }

  /// Whether copies tell of something else than the events that are kept, and what to do; nil if none do.
  public var contradictionNote: ErrorExplanation? {
    guard contradictions.count > 0 else { return nil }
    let are = counted(contradictions.count, "copy tells", "copies tell")
    return ErrorExplanation(
      "\(are) of another kind, permission, status, variant or time than the event that the log keeps", .replaceEvents)
  }

  /// Lines that were rejected because a name in them was not understood; nil of no lines.
  public var notUnderstood: IngestTally.LineShare? {
    IngestTally.LineShare(Int64(read.notUnderstood), of: Int64(read.lines))
  }

  /// What is missing in figures because of those lines, that with the most lines first: `skips (skip rate)`. An empty text stands for names of
  /// which nobody knows what they mean.
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
        // Of those that were left out, as conflicts are of the duplicates.
        "surplus": stored.surplus,
        "rejected": read.rejected, "respelled": read.respelled, "newest": newest.map { Timestamp.text($0) },
        "ignored_fields": read.ignoredFields, "unmapped_events": read.unmapped, "seconds": seconds,
        "contradictions": contradictions.count, "replaced": stored.replaced, "withdrawn": stored.withdrawn,
        "links": stored.links, "refused_links": stored.refusedLinks, "moved": stored.moved,
      ] as JSONMembers)
  }
}

/// Why nothing of what was read is stored.
public enum IngestRefusal: Sendable, Equatable {
  /// So many lines were refused, and none may be.
  case strict(rejected: Int)
  /// More lines were refused than may be.
  case tooManyRejected(Int, limit: RejectionLimit)
  /// Events were to replace others, and so many rows have no id of their own that tells which.
  case noEventIDs(Int)
  /// Lines were read, and none was understood.
  case nothingUnderstood(ImportCounts)

  init?(_ counts: ImportCounts, _ options: IngestOptions) {
    if options.isStrict, counts.rejected > 0 {
      self = .strict(rejected: counts.rejected)
    } else if let limit = options.rejectionLimit, limit.isExceeded(counts.rejected, of: counts.lines) {
      self = .tooManyRejected(counts.rejected, limit: limit)
    } else if options.replacesEvents, counts.contentIDs > 0 {
      self = .noEventIDs(counts.contentIDs)
    } else if counts.lines > 0, counts.events + counts.links == 0 {
      self = .nothingUnderstood(counts)
    } else {
      return nil
    }
  }

  /// A sentence that says what was found. Nothing was stored.
  public var finding: String {
    switch self {
    case .strict(let count): "\(counted(count, "line was", "lines were")) rejected"
    case .tooManyRejected(let count, let limit):
      "\(counted(count, "line was", "lines were")) rejected, more than \(limit.text)"
    case .noEventIDs(let count):
      "\(counted(count, "row has", "rows have")) no event id, so that nothing tells which events of the log they replace"
    case .nothingUnderstood(let counts):
      "\(counted(counts.lines, "line was", "lines were")) read and none was understood (\(Self.parts(counts)))"
    }
  }

  private static func parts(_ counts: ImportCounts) -> String {
    var parts: [String] = []
    if counts.rejected > 0 { parts.append("\(grouped(counts.rejected)) rejected") }
    if counts.unmapped > 0 { parts.append("\(grouped(counts.unmapped)) with names that are not mapped") }
    return parts.joined(separator: ", ")
  }
}
