// What an ingest did.

import EventImport
import EventLog
import ReportRendering

/// What an ingest read, stored and refused.
public struct IngestResult: Sendable {
  /// Files and lines, and what became of the lines.
  public var read: ImportCounts
  /// What became of the events: new, copies, left out.
  public var stored: IngestCounts
  /// Refused lines by reason.
  public var rejections: RejectionSummary
  /// Event names of vendors' exports with what became of them; what is not stored and looks like a permission event
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
  /// How long it took.
  public var seconds: Double

  /// Events that were read and may not enter the log: of erased users, or expired.
  public var leftOut: Int { stored.erased + stored.expired }

  /// The summary as JSON; docs/event-format.md has the keys.
  public var json: [UInt8] {
    JSONValue.object([
      ("files", .integer(read.files)), ("skipped_files", .integer(read.skippedFiles)), ("lines", .integer(read.lines)),
      ("events", .integer(read.events - leftOut)),
      ("new", .integer(stored.new)), ("duplicates", .integer(stored.duplicates)),
      ("conflicts", .integer(stored.conflicts)), ("erased", .integer(leftOut)),
      ("rejected", .integer(read.rejected)), ("respelled", .integer(read.respelled)),
      ("ignored_fields", .integer(read.ignoredFields)), ("unmapped_events", .integer(read.unmapped)),
      ("seconds", .number(seconds)),
    ]).encode()
  }
}
