// The forms of a file, as far as its parser has to know them.

import EventMapping

/// How the records of a mapping lie in a file.
enum RecordLayout: Sendable {
  /// An object a line.
  case json
  /// Tab-separated cells under these names.
  case tsv([String])
  /// Cells under the names of the file's header.
  case csv(CSVColumns)
}

/// What the lines of a file are.
enum InputLayout: Sendable {
  /// The canonical form as NDJSON.
  case lines
  /// The canonical form as CSV.
  case table(CSVHeader)
  /// Records that a mapping describes.
  case records(MappingProgram, RecordLayout)

  /// The shape of records whose quoted cells may hold line ends; nil if every line is a record.
  var shape: CSVShape? {
    switch self {
    case .table(let header): header.shape
    case .records(_, .csv(let columns)): columns.shape
    case .lines, .records: nil
    }
  }
}
