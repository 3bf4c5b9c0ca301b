// Journeys as lines of NDJSON or CSV.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// The form of the rows of journeys.
struct JourneyForm: Sendable {
  var format: EventFormat
  var isForSpreadsheets: Bool

  /// The first line of CSV.
  var heading: [UInt8] {
    guard format == .csv else { return [] }
    // Without the mark spreadsheets take UTF-8 for another encoding.
    return (isForSpreadsheets ? [0xEF, 0xBB, 0xBF] : []) + (JourneyRow.columns.joined(separator: ",") + "\r\n").utf8
  }
}

/// Makes the lines of some users' journeys. Owned by one thread.
struct JourneyLines: HistoryPieceMaker, ~Copyable {
  private var reader: JourneyReader
  private let lines: Lines

  init(_ question: JourneyQuestion, _ form: JourneyForm, _ contexts: HistoryContexts) {
    reader = JourneyReader(question, contexts: contexts)
    lines = Lines(JourneyRow(question, contexts), form)
  }

  mutating func add(_ batch: HistoryBatch) { reader.read(batch, lines) }

  mutating func take() -> [UInt8] { lines.take() }

  /// What was written since the last time.
  private final class Lines: JourneyRecords {
    // Unchecked: one thread owns them, and an access lasts no longer than a call.
    @exclusivity(unchecked) private var row: JourneyRow
    @exclusivity(unchecked) private var json = JSONWriter(.compact)
    @exclusivity(unchecked) private var csv: JourneyCSVCells
    private let format: EventFormat

    init(_ row: JourneyRow, _ form: JourneyForm) {
      self.row = row
      csv = JourneyCSVCells(isForSpreadsheets: form.isForSpreadsheets)
      format = form.format
    }

    func append(_ record: JourneyRecord, of user: [UInt8]) {
      switch format {
      case .ndjson:
        json.object { row.write(record, of: user, to: &$0) }
        json.endLine()
      case .csv:
        row.write(record, of: user, to: &csv)
        csv.endLine()
      }
    }

    func take() -> [UInt8] { format == .csv ? csv.take() : json.take() }
  }
}
