// What a file is, as far as its parser has to know it.

import EventMapping

/// How the records of a mapping are laid out in a file.
enum RecordLayout: Sendable {
  /// An object a line.
  case json
  /// Tab-separated cells under these names.
  case tsv([String])
  /// Cells under the names of the file's header.
  case csv(CSVColumns)
  /// Columns of an Arrow stream.
  case arrow(ArrowTable)
}

/// What the lines of a file are.
enum InputLayout: Sendable {
  /// The canonical form as NDJSON.
  case lines
  /// The canonical form as CSV.
  case table(CSVHeader)
  /// The canonical form as an Arrow stream.
  case arrow(ArrowTable)
  /// Records that a mapping describes.
  case records(MappingProgram, RecordLayout)

  /// Whether its lines are of the canonical form.
  var isCanonical: Bool { if case .records = self { false } else { true } }

  /// The shape of records whose quoted cells may hold line ends; nil if every line is a record.
  var shape: CSVShape? {
    switch self {
    case .table(let header): header.shape
    case .records(_, .csv(let columns)): columns.shape
    case .lines, .arrow, .records: nil
    }
  }
}

/// What all chunks of one file, or of one member of an archive, have in common.
final class InputSource: Sendable {
  /// The name for messages.
  let name: String
  /// What its lines are.
  let layout: InputLayout

  init(name: String, layout: InputLayout) {
    self.name = name
    self.layout = layout
  }
}
