// Every stored event in canonical form, in the log's order: hash of the user id, user id, time, kind, event id.

import EventLog
import PermissionEvents

extension PermissionLog {
  /// Writes every stored event. Ingested again, the export adds nothing.
  /// - Parameters:
  ///   - form: of the events.
  ///   - write: takes pieces of about 256 KiB that end at an event's end; what it throws ends the export with
  ///     `stopped`, and is its cause.
  public func export(as form: EventForm = .ndjson, to write: ([UInt8]) throws -> Void) throws(PermlogError) {
    try translating {
      let snapshot = try LogSnapshot(directory)
      try Self.write(.log(snapshot), form, write)
    }
  }

  /// Writes the events that are whole of a damaged log.
  /// - Parameters:
  ///   - form: of the events.
  ///   - onDamage: told what is missing before the first event.
  ///   - write: as in ``export(as:to:)``.
  /// - Returns: what is missing.
  @discardableResult
  public func exportWhatIsWhole(
    as form: EventForm = .ndjson, onDamage: (ExportGaps) throws -> Void = { _ in }, to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) -> ExportGaps {
    try translating {
      let salvage = try Salvage(directory)
      let gaps = ExportGaps(
        damage: salvage.found.damage, lostEvents: salvage.found.lostEvents, isCountKnown: salvage.found.hasManifest,
        erasedUsers: salvage.erasedUsers)
      try onDamage(gaps)
      try Self.write(.damagedLog(salvage), form, write)
      return gaps
    }
  }

  private static func write(
    _ source: EventSource, _ form: EventForm, _ write: ([UInt8]) throws -> Void
  ) throws {
    var out: [UInt8] = []
    let unknown = source.unknown.columns
    if form == .csv { EventText.writeHeader(unknown, into: &out) }
    try source.forEachEvent { event in
      switch form {
      case .ndjson: EventText.writeJSON(event, unknown, into: &out)
      case .csv: EventText.writeCSV(event, into: &out)
      }
      if out.count >= 1 << 18 {
        try write(out)
        out.removeAll(keepingCapacity: true)
      }
    }
    try write(out)
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
