// Stored events as lines of canonical NDJSON. `export` writes these lines, and an ingest chooses between copies of an event by
// them, so that which copy stays can be read off an export.

import Buffers
import PermissionEvents

/// Lines of events, in pieces.
package struct EventLines: ~Copyable {
  private var bytes = Buffer<UInt8>(capacity: 1 << 14)
  private var time: [UInt8] = []
  /// Names of fields that the program does not know.
  private let unknown: [String]

  /// - Parameter unknown: names of fields that the program does not know, in the order of an event's `unknownValues`.
  package init(unknown: [String] = []) { self.unknown = unknown }

  /// Bytes that were written and not taken.
  package var count: Int { bytes.count }

  /// What was written since the last time.
  package mutating func take() -> [UInt8] {
    let taken = bytes.span.withUnsafeBufferPointer { Array($0) }
    bytes.removeAll()
    return taken
  }

  /// Absent fields are left out.
  package mutating func append(_ event: ExportedEvent) {
    time.removeAll(keepingCapacity: true)
    Timestamp.write(event.time, into: &time)
    literal("{\"event_id\":")
    text(event.eventID)
    literal(",\"user_id\":")
    text(event.userID)
    literal(",\"timestamp\":")
    text(time)
    literal(",\"event\":")
    text(event.kindName)
    let permission = event.values[StringField.permission.rawValue]
    if !permission.isEmpty {
      literal(",\"permission\":")
      text(permission)
    }
    if event.status != .none {
      literal(",\"status\":")
      text(event.status.name)
    }
    for field in StringField.allCases.dropFirst() { member(field.name, event.values[field.rawValue]) }
    for (name, value) in zip(unknown, event.unknownValues) { member(name, value) }
    literal("}\n")
  }

  private mutating func member(_ name: String, _ value: [UInt8]) {
    guard !value.isEmpty else { return }
    bytes.append(0x2C)
    text(name)
    bytes.append(0x3A)
    text(value)
  }

  private mutating func literal(_ literal: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  private mutating func text(_ text: [UInt8]) { text.withUnsafeBufferPointer { JSONText.append($0, to: &bytes) } }

  private mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { JSONText.append($0, to: &bytes) }
  }
}

extension ExportedEvent {
  /// The event's line of canonical NDJSON.
  package var line: [UInt8] {
    var lines = EventLines()
    lines.append(self)
    return lines.take()
  }
}
