// Every stored event in canonical form, in the log's order: hash of the user id, user id, time, kind, event id.

import EventLog
import PermissionEvents
import ReportRendering

extension PermissionLog {
  /// Writes every stored event. Ingested again, the export adds nothing.
  /// - Parameters:
  ///   - format: of the events.
  ///   - isForSpreadsheets: no cell of CSV is a formula, and what is hidden in it is shown: to be looked at, and not to be
  ///     ingested again. Other formats stay as they are.
  ///   - write: takes pieces of about 256 KiB that end at an event's end; what it throws ends the export with
  ///     `stopped`, and is its cause.
  public func export(
    as format: EventFormat = .ndjson, isForSpreadsheets: Bool = false, to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) {
    try translating {
      let snapshot = try LogSnapshot(directory)
      try Self.write(EventText(format, isForSpreadsheets: isForSpreadsheets, unknown: snapshot.unknown.columns), write)
      { try snapshot.forEachEvent($0) }
    }
  }

  /// Writes the events that are whole of a damaged log.
  /// - Parameters:
  ///   - format: of the events.
  ///   - erasureKey: the key of the list of erased users, if it is kept elsewhere: needed if the manifest is damaged, as
  ///     parts may be there that still have their events.
  ///   - isForSpreadsheets: as in ``export(as:isForSpreadsheets:to:)``.
  ///   - onDamage: told what is missing before the first event.
  ///   - write: as in ``export(as:to:)``.
  /// - Returns: what is missing.
  @discardableResult
  public func exportWhatIsWhole(
    as format: EventFormat = .ndjson, isForSpreadsheets: Bool = false, erasureKey: ErasureKeySource? = nil,
    onDamage: (ExportGaps) throws -> Void = { _ in },
    to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) -> ExportGaps {
    try translating {
      let salvage = try Salvage(directory, key: try erasureKey?.key(besides: path))
      let gaps = ExportGaps(
        damage: salvage.found.damage, lostEvents: salvage.found.lostEvents, isCountKnown: salvage.found.hasManifest,
        erasedUsers: salvage.erasedUsers)
      try onDamage(gaps)
      try Self.write(EventText(format, isForSpreadsheets: isForSpreadsheets, unknown: salvage.unknown.columns), write) {
        try salvage.forEachEvent($0)
      }
      return gaps
    }
  }

  private static func write(
    _ text: consuming EventText, _ write: ([UInt8]) throws -> Void,
    _ events: @escaping ((ExportedEvent) throws -> Void) throws -> Void
  ) throws {
    try events { event in
      text.append(event)
      if text.count >= 1 << 18 { try write(text.take()) }
    }
    try write(text.take())
  }
}

public enum EventFormat: String, CaseIterable, Sendable {
  /// One JSON object a line.
  case ndjson
  /// Comma-separated values with a heading (RFC 4180).
  case csv
}

/// What an export could not save of a damaged log.
public struct ExportGaps: Sendable {
  /// A sentence for each damaged piece; empty if the log is whole.
  public var damage: [String]
  /// Events that are missing, as far as is known.
  public var lostEvents: Int
  /// False if nothing tells what is missing, and an event can come twice.
  public var isCountKnown: Bool
  /// Users who were erased from this log, which a log made of the export would not know.
  public var erasedUsers: Int
}

// MARK: Stored events as canonical NDJSON and CSV

/// Events in canonical text, in pieces.
struct EventText: ~Copyable {
  private static let columns =
    ["event_id", "user_id", "timestamp", "event", "permission", "status"] + StringField.names.dropFirst()

  private let format: EventFormat
  private var lines: EventLines
  private var csv: CSVLines
  private var time: [UInt8] = []

  /// - Parameter unknown: names of fields that the program does not know: of later versions' columns, from the log.
  init(_ format: EventFormat, isForSpreadsheets: Bool = false, unknown: [String]) {
    self.format = format
    lines = EventLines(unknown: unknown)
    csv = CSVLines(isForSpreadsheets: isForSpreadsheets)
    if format == .csv { csv.heading(Self.columns + unknown) }
  }

  var count: Int { format == .csv ? csv.bytes.count : lines.count }

  mutating func take() -> [UInt8] { format == .csv ? csv.take() : lines.take() }

  mutating func append(_ event: ExportedEvent) {
    switch format {
    case .ndjson: lines.append(event)
    case .csv: appendCSV(event)
    }
  }

  private mutating func appendCSV(_ event: ExportedEvent) {
    time.removeAll(keepingCapacity: true)
    Timestamp.write(event.time, into: &time)
    csv.cell(event.eventID)
    csv.cell(event.userID)
    csv.cell(time)
    csv.cell(Array(event.kindName.utf8))
    csv.cell(event.values[StringField.permission.rawValue])
    csv.cell(Array(event.status.name.utf8))
    for field in StringField.allCases.dropFirst() { csv.cell(event.values[field.rawValue]) }
    for value in event.unknownValues { csv.cell(value) }
    csv.endLine()
  }
}

/// Lines of CSV, cell after cell, in pieces.
struct CSVLines {
  /// No cell is a formula, and hidden characters are shown.
  let isForSpreadsheets: Bool
  private(set) var bytes: [UInt8] = []

  init(isForSpreadsheets: Bool) { self.isForSpreadsheets = isForSpreadsheets }

  mutating func heading(_ columns: [String]) {
    // Without the mark spreadsheets take UTF-8 for another encoding.
    if isForSpreadsheets { bytes += [0xEF, 0xBB, 0xBF] }
    for name in columns { cell(Array(name.utf8)) }
    endLine()
  }

  /// A cell of letters and digits.
  mutating func plain(_ text: String) {
    bytes += text.utf8
    bytes.append(0x2C)
  }

  mutating func cell(_ value: [UInt8]) {
    if isForSpreadsheets { CSVText.writeHarmless(value, into: &bytes) } else { CSVText.write(value, into: &bytes) }
    bytes.append(0x2C)
  }

  mutating func endLine() {
    // In place of the last comma.
    bytes.removeLast()
    bytes += [0x0D, 0x0A]
  }

  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
