// Every stored event in canonical form, in the log's order: hash of the user id, user id, time, kind, event id.

import EventLog
import PermissionEvents
import ReportRendering

extension PermissionLog {
  /// Writes every stored event. If the export is ingested again, it adds nothing.
  /// - Parameters:
  ///   - format: the format of the events.
  ///   - isForSpreadsheets: no cell of CSV is a formula, and hidden characters are visible. Such a file is for viewing,
  ///     not for ingesting. Other formats do not change.
  ///   - write: takes pieces of about 256 KiB that end at the end of an event. If it throws, the export ends with
  ///     `stopped`, and the thrown error is the cause.
  public func export(
    as format: EventFormat = .ndjson, isForSpreadsheets: Bool = false, to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) {
    try translating {
      let snapshot = try LogSnapshot(directory)
      try Self.write(EventText(format, isForSpreadsheets: isForSpreadsheets, unknown: snapshot.unknown.columns), write)
      { try snapshot.forEachEvent($0) }
    }
  }

  /// Writes the undamaged events of a damaged log.
  /// - Parameters:
  ///   - format: the format of the events.
  ///   - erasureKey: the key of the list of erased users, if it is kept outside the log. It is needed if the manifest
  ///     is damaged, because old parts may still have the events of erased users.
  ///   - isForSpreadsheets: as in ``export(as:isForSpreadsheets:to:)``.
  ///   - onDamage: called with the missing pieces, before the first event.
  ///   - write: as in ``export(as:to:)``.
  /// - Returns: the missing events.
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

/// The gaps in an export of a damaged log.
public struct ExportGaps: Sendable {
  /// A sentence for each damaged piece; empty if the log is whole.
  public var damage: [String]
  /// Events that are missing, as far as is known.
  public var lostEvents: Int
  /// Whether the number of missing events is known. If it is not, an event may occur twice.
  public var isCountKnown: Bool
  /// The number of users who were erased from this log. A log made from the export would not know of them.
  public var erasedUsers: Int
}

// MARK: Stored events as canonical NDJSON and CSV

/// Events in canonical text, in pieces.
struct EventText: ~Copyable {
  /// Without those of later versions.
  static let columns =
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
    // Replaces the last comma.
    bytes.removeLast()
    bytes += [0x0D, 0x0A]
  }

  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
