// Stored events as canonical NDJSON and CSV.

import EventLog
import PermissionEvents
import ReportRendering

/// Events in canonical text, in pieces.
struct EventText: ~Copyable {
  private static let columns =
    ["event_id", "user_id", "timestamp", "event", "permission", "status"] + StringField.names.dropFirst()

  private let format: EventFormat
  private let isForSpreadsheets: Bool
  private var lines: EventLines
  private var csv: [UInt8] = []
  private var time: [UInt8] = []

  init(_ format: EventFormat, isForSpreadsheets: Bool = false, unknown: [String]) {
    self.format = format
    self.isForSpreadsheets = isForSpreadsheets
    lines = EventLines(unknown: unknown)
    if format == .csv { appendHeading(unknown) }
  }

  /// - Parameter unknown: names of fields that the program does not know.
  private mutating func appendHeading(_ unknown: [String]) {
    // Without the mark spreadsheets take UTF-8 for another encoding.
    if isForSpreadsheets { csv += [0xEF, 0xBB, 0xBF] }
    // Names of later versions' columns come from the log.
    for name in Self.columns + unknown { cell(Array(name.utf8)) }
    csv.removeLast()
    csv += [0x0D, 0x0A]
  }

  /// Bytes that were written and not taken.
  var count: Int { format == .csv ? csv.count : lines.count }

  /// What was written since the last time.
  mutating func take() -> [UInt8] {
    guard format == .csv else { return lines.take() }
    defer { csv.removeAll(keepingCapacity: true) }
    return csv
  }

  mutating func append(_ event: ExportedEvent) {
    switch format {
    case .ndjson: lines.append(event)
    case .csv: appendCSV(event)
    }
  }

  private mutating func appendCSV(_ event: ExportedEvent) {
    time.removeAll(keepingCapacity: true)
    Timestamp.write(event.time, into: &time)
    cell(event.eventID)
    cell(event.userID)
    cell(time)
    cell(Array(event.kindName.utf8))
    cell(event.values[StringField.permission.rawValue])
    cell(Array(event.status.name.utf8))
    for field in StringField.allCases.dropFirst() { cell(event.values[field.rawValue]) }
    for value in event.unknownValues { cell(value) }
    // In place of the last comma.
    csv.removeLast()
    csv += [0x0D, 0x0A]
  }

  private mutating func cell(_ value: [UInt8]) {
    if isForSpreadsheets { CSVText.writeHarmless(value, into: &csv) } else { CSVText.write(value, into: &csv) }
    csv.append(0x2C)
  }
}
