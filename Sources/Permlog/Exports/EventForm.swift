// The forms in which stored events are written.

/// The form of exported events.
public enum EventForm: String, CaseIterable, Sendable {
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
