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

  /// Bytes of new input in a chunk. A chunk's events must fit in a batch, and a record between commas may be as short as
  /// `1,1.7e9`.
  var chunkBytes: Int {
    switch self {
    case .lines, .table, .records(_, .json): ImportLimit.chunk
    case .records(_, .tsv), .records(_, .csv): ImportLimit.chunk / 4
    }
  }

  /// True where a line end inside quotes does not end a record.
  var hasQuotes: Bool {
    switch self {
    case .table, .records(_, .csv): true
    case .lines, .records: false
    }
  }
}
