// Stored events as canonical NDJSON and CSV.

import EventLog
import PermissionEvents
import ReportRendering

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
