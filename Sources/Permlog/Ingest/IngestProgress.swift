// How far an ingest has come.

/// How far an ingest has come.
public enum IngestProgress: Sendable {
  /// Files are read: lines so far, and the share of all bytes from 0 to 1; nil if a pipe is among the files.
  case reading(lines: Int, share: Double?)
  /// What was read is sorted and written.
  case writing
}
