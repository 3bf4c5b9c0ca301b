// `permlog export`: every stored event in canonical form, in the log's order.

import ArgumentParser
import EventLog
import PermissionEvents
import ReportRendering

enum ExportFormat: String, ExpressibleByArgument, CaseIterable { case ndjson, csv }

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print every stored event as canonical NDJSON or CSV.",
    discussion: """
      In the log's order: hash of the user id, user id, timestamp, kind, event id. Ingested again it adds nothing.

      Example:
        permlog export --format csv > events.csv
      """)

  @OptionGroup var log: LogOptions

  @Option(help: "Form of the events: ndjson, csv.")
  var format: ExportFormat = .ndjson

  @Flag(help: "Leave out what is damaged, say what is missing, and end with exit status 2 where anything is.")
  var skipDamaged = false

  func run() throws {
    let salvage = try CommandFailure.wrap {
      let salvage = skipDamaged ? try Salvage(log.directory) : nil
      for sentence in salvage?.found.damage ?? [] { Output.error(sentence) }
      var out: [UInt8] = []
      let snapshot = salvage == nil ? try LogSnapshot(log.directory) : nil
      let unknown = salvage?.unknown.columns ?? snapshot?.unknown.columns ?? []
      if format == .csv { EventText.writeHeader(unknown, into: &out) }
      func write(_ event: ExportedEvent) throws {
        switch format {
        case .ndjson: EventText.writeJSON(event, unknown, into: &out)
        case .csv: EventText.writeCSV(event, into: &out)
        }
        if out.count >= 1 << 18 {
          try Output.result(out)
          out.removeAll(keepingCapacity: true)
        }
      }
      try salvage?.forEachEvent(write)
      try snapshot?.forEachEvent(write)
      try Output.result(out)
      return salvage
    }
    if let salvage, !salvage.found.damage.isEmpty { throw Self.failure(salvage) }
  }

  /// What is missing, and what a log made of the export would not know.
  private static func failure(_ salvage: Salvage) -> CommandFailure {
    if salvage.erasedUsers > 0 {
      let users = counted(salvage.erasedUsers, "user was", "users were")
      Output.error(
        "\(users) erased from this log, and a log made of this export does not know: erase them there, too, before you "
          + "ingest old exports")
    }
    let pieces = counted(salvage.found.damage.count, "piece is", "pieces are")
    let missing =
      salvage.found.hasManifest
      ? counted(salvage.found.lostEvents, "event is", "events are") + " missing from this export"
      : "without the manifest it is not known what is missing, and an event can come twice (an ingest drops the copies)"
    return .badData("\(pieces) damaged; \(missing)")
  }
}

/// Events in canonical text.
enum EventText {
  private static let columns =
    ["event_id", "user_id", "timestamp", "event", "permission", "status"] + StringField.names.dropFirst()

  /// - Parameter unknown: names of fields that the program does not know; so below.
  static func writeHeader(_ unknown: [String], into out: inout [UInt8]) {
    out += (columns + unknown).joined(separator: ",").utf8
    out += "\r\n".utf8
  }

  static func writeJSON(_ event: ExportedEvent, _ unknown: [String], into out: inout [UInt8]) {
    out += "{\"event_id\":".utf8
    quote(event.eventID, into: &out)
    out += ",\"user_id\":".utf8
    quote(event.userID, into: &out)
    out += ",\"timestamp\":\"".utf8
    Timestamp.write(event.time, into: &out)
    out += "\",\"event\":\"".utf8
    out += event.kindName.utf8
    out.append(0x22)
    member("permission", event.values[StringField.permission.rawValue], into: &out)
    member("status", Array(event.status.name.utf8), into: &out)
    for field in StringField.allCases.dropFirst() { member(field.name, event.values[field.rawValue], into: &out) }
    for (name, value) in zip(unknown, event.unknownValues) { member(name, value, into: &out) }
    out += "}\n".utf8
  }

  private static func member(_ name: String, _ value: [UInt8], into out: inout [UInt8]) {
    guard !value.isEmpty else { return }
    out += ",\"".utf8
    out += name.utf8
    out += "\":".utf8
    quote(value, into: &out)
  }

  private static func quote(_ value: [UInt8], into out: inout [UInt8]) { JSONText.write(value, into: &out) }

  static func writeCSV(_ event: ExportedEvent, into out: inout [UInt8]) {
    cell(event.eventID, into: &out)
    out.append(0x2C)
    cell(event.userID, into: &out)
    out.append(0x2C)
    Timestamp.write(event.time, into: &out)
    out.append(0x2C)
    out += event.kindName.utf8
    out.append(0x2C)
    cell(event.values[StringField.permission.rawValue], into: &out)
    out.append(0x2C)
    out += event.status.name.utf8
    for field in StringField.allCases.dropFirst() {
      out.append(0x2C)
      cell(event.values[field.rawValue], into: &out)
    }
    for value in event.unknownValues {
      out.append(0x2C)
      cell(value, into: &out)
    }
    out += "\r\n".utf8
  }

  private static func cell(_ value: [UInt8], into out: inout [UInt8]) { CSVText.write(value, into: &out) }
}
