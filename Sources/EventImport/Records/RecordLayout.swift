// The forms of a file, as far as its parser has to know them.

import EventMapping

/// How the records of a mapping lie in a file.
enum RecordLayout: Sendable {
  /// An object a line.
  case json
  /// Tab-separated cells under these names.
  case tsv([String])
  /// Comma-separated cells under the names of the file's header.
  case csv([String])
}

/// What the lines of a file are.
enum InputLayout: Sendable {
  /// The canonical form as NDJSON.
  case lines
  /// The canonical form as CSV.
  case table(CSVHeader)
  /// Records that a mapping describes.
  case records(MappingProgram, RecordLayout)

  /// True where a line end inside quotes does not end a record.
  var hasQuotes: Bool {
    switch self {
    case .table, .records(_, .csv): true
    case .lines, .records: false
    }
  }
}
