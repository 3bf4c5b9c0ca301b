// The layout of a file, as far as its parser needs it.

import Buffers
import EventMapping

enum RecordLayout: Sendable {
  /// An object a line.
  case json
  case tsv([String])
  case csv(CSVColumns)
  case arrow(ArrowTable)
}

enum InputLayout: Sendable {
  /// The canonical form as NDJSON.
  case lines
  /// The canonical form as CSV.
  case table(CSVHeader)
  /// The canonical form as an Arrow stream.
  case arrow(ArrowTable)
  case records(MappingProgram, RecordLayout)

  var isCanonical: Bool { if case .records = self { false } else { true } }

  /// The key of the list of records in each line; nil if a line is a record.
  var each: String? { if case .records(let program, .json) = self { program.record.each } else { nil } }

  /// Whether each line of the file is a record.
  var areLines: Bool { shape == nil && each == nil }

  /// The shape of records whose quoted cells may hold line ends; nil if every line is a record.
  var shape: CSVShape? {
    switch self {
    case .table(let header): header.shape
    case .records(_, .csv(let columns)): columns.shape
    case .lines, .arrow, .records: nil
    }
  }
}

/// The common facts of all chunks of one file, or of one member of an archive.
final class InputSource: Sendable {
  let name: String
  let layout: InputLayout

  init(name: String, layout: InputLayout) {
    self.name = name
    self.layout = layout
  }
}

// MARK: A piece of the input: whole lines of one file, in memory that a thread keeps and uses again; or rows of a batch

/// Whole lines, with a newline after them in any case. Owned by one thread.
final class Chunk {
  private static let capacity = ImportLimit.chunk + ImportLimit.line + (1 << 16)

  private let memory = PaddedBuffer(capacity: Chunk.capacity)
  /// The content is `text[start...]`.
  var start = 0
  private(set) var end = 0
  /// Its number in the part of the input that one sink takes.
  var ordinal: UInt64 = 0
  var source = InputSource(name: "", layout: .lines)
  var linesBefore = 0
  var linesAfter = 0
  /// Line ends of the file before the chunk, and the line of an open quote there; for files with quoted cells.
  var lineEndsBefore = 0
  var quoteLine: Int?
  /// The last line is longer than is allowed; only its beginning is here.
  var endsOverlong = false
  /// The file ends here, without a line end: its last line may be cut off.
  private(set) var endsOpen = false
  /// The range still to be read, for a plain file.
  var pending: PlainRange?
  /// Rows of an Arrow stream, with values in their own memory: then there are no lines.
  var rows: ArrowRows?

  func reset(ordinal: UInt64, source: InputSource) {
    self.ordinal = ordinal
    self.source = source
    (start, end) = (0, 0)
    (linesBefore, linesAfter, lineEndsBefore) = (0, 0, 0)
    quoteLine = nil
    endsOverlong = false
    endsOpen = false
    pending = nil
    rows = nil
  }

  /// Memory for the bytes read: a chunk, the longest line, and a little.
  var room: UnsafeMutableRawBufferPointer { memory.room }
  /// The same, for those who search in it.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(room) }

  /// Ends the content and puts the newline after it.
  func finish(end: Int) {
    self.end = end
    room[end] = ByteSearch.newline
  }

  /// Ends the content where the file ends.
  func finishFile(end: Int) {
    // After a carriage return only the line feed is missing.
    endsOpen = end > start && bytes[end - 1] != ByteSearch.newline && bytes[end - 1] != 0x0D
    finish(end: end)
  }

  var text: PaddedBytes { memory[0..<end] }
  /// The first bytes, which have been read but not finished.
  func read(_ count: Int) -> PaddedBytes { memory[0..<count] }
}
