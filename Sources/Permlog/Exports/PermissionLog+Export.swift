// Every stored event in canonical form, in the log's order: hash of the user id, user id, time, kind, event id.

import EventLog
import PermissionEvents

extension PermissionLog {
  /// Writes every stored event. Ingested again, the export adds nothing.
  /// - Parameters:
  ///   - format: of the events.
  ///   - write: takes pieces of about 256 KiB that end at an event's end; what it throws ends the export with
  ///     `stopped`, and is its cause.
  public func export(as format: EventFormat = .ndjson, to write: ([UInt8]) throws -> Void) throws(PermlogError) {
    try translating {
      let snapshot = try LogSnapshot(directory)
      try Self.write(.log(snapshot), format, write)
    }
  }

  /// Writes the events that are whole of a damaged log.
  /// - Parameters:
  ///   - format: of the events.
  ///   - onDamage: told what is missing before the first event.
  ///   - write: as in ``export(as:to:)``.
  /// - Returns: what is missing.
  @discardableResult
  public func exportWhatIsWhole(
    as format: EventFormat = .ndjson, onDamage: (ExportGaps) throws -> Void = { _ in },
    to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) -> ExportGaps {
    try translating {
      let salvage = try Salvage(directory)
      let gaps = ExportGaps(
        damage: salvage.found.damage, lostEvents: salvage.found.lostEvents, isCountKnown: salvage.found.hasManifest,
        erasedUsers: salvage.erasedUsers)
      try onDamage(gaps)
      try Self.write(.damagedLog(salvage), format, write)
      return gaps
    }
  }

  private static func write(
    _ source: EventSource, _ format: EventFormat, _ write: ([UInt8]) throws -> Void
  ) throws {
    var text = EventText(format, unknown: source.unknown.columns)
    try source.forEachEvent { event in
      text.append(event)
      if text.count >= 1 << 18 { try write(text.take()) }
    }
    try write(text.take())
  }
}

private enum EventSource {
  case log(LogSnapshot)
  case damagedLog(Salvage)

  /// What the program does not know, and exports as it is.
  var unknown: UnknownVocabulary {
    switch self {
    case .log(let snapshot): snapshot.unknown
    case .damagedLog(let salvage): salvage.unknown
    }
  }

  func forEachEvent(_ body: (ExportedEvent) throws -> Void) throws {
    switch self {
    case .log(let snapshot): try snapshot.forEachEvent(body)
    case .damagedLog(let salvage): try salvage.forEachEvent(body)
    }
  }
}

/// The format of exported events.
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
