// Chunks of CSV to events.

import Buffers
import PermissionEvents

/// Parses chunks of records. Owned by one thread.
final class CSVParser {
  private let assembler: EventAssembler
  private let record = CSVRecord()
  private let values = Buffer(repeating: FieldValue.absent, count: ImportField.count)
  private let names: CanonicalNames

  init(_ assembler: EventAssembler, names: CanonicalNames) {
    self.assembler = assembler
    self.names = names
  }

  /// Appends the chunk's events to the assembler's batch.
  func parse(_ chunk: Chunk, header: CSVHeader, into result: inout ChunkResult) {
    var walk = CSVWalk(chunk, header.shape, record)
    loop: while true {
      let found = walk.next(into: &result)
      if found == .end { break }
      switch header.repetition(walk.record.cells) {
      case .none: break
      case .same: continue
      case .other:
        result.failure = .secondHeading(chunk.source.name, line: walk.fileLine)
        break loop
      }
      if found == .otherCount {
        walk.rejectCount(into: &result)
        continue
      }
      let ignored = readValues(walk.record.cells, header)
      do throws(Rejection) {
        let isStored = try assembler.append(values, form: .text) { () throws(Rejection) in
          try names.read(values, line: walk.line, into: &result, .json, columns: header.columns) {
            (extractor: RecordExtractor) throws(Rejection) in
            _ = try extractor.readCells(walk.record.cells)
          }
        }
        if isStored {
          result.accept(ignoredFields: ignored, isRespelled: assembler.isRespelled)
        } else {
          result.passOver()
        }
      } catch {
        names.note(error, line: walk.line, into: &result)
        result.reject(error, line: walk.line, text: walk.text)
      }
    }
    result.lineEnds = walk.lineEnds + chunk.linesAfter
  }

  /// Puts the record's cells into `values`.
  /// - Returns: the number of cells that are not empty and no fields.
  private func readValues(_ cells: [PaddedBytes], _ header: CSVHeader) -> Int {
    values.unsafeAddress.update(repeating: .absent, count: ImportField.count)
    var ignored = 0
    for (cell, field) in zip(cells, header.fields) {
      if field >= 0 {
        values[field] = FieldValue(kind: .string, text: cell)
      } else if !cell.isEmpty {
        ignored += 1
      }
    }
    return ignored
  }
}

/// Goes over the records of a chunk, for the canonical form and for mappings: what is no record is rejected here, a physical
/// line each. Owned by one thread, for one chunk.
struct CSVWalk {
  enum Found {
    case record
    /// A line with another number of cells than the heading: `rejectCount` unless it is something else.
    case otherCount
    case end
  }

  private let chunk: PaddedBytes
  private let shape: CSVShape
  private let tail: CSVRecord.Tail
  /// Line ends of the file before the chunk.
  private let base: Int
  private var position: Int
  /// Line ends of the chunk so far, those before its content too.
  private(set) var lineEnds: Int
  /// The line of the file that opened a quote, as long as no record was found after it.
  private var quoteLine: Int?
  let record: CSVRecord
  /// What was found, without its line end, and the line ends of the chunk before it.
  private(set) var text = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var line = 0

  /// - Parameter record: memory to be used.
  init(_ chunk: Chunk, _ shape: CSVShape, _ record: CSVRecord) {
    self.chunk = chunk.text
    self.shape = shape
    tail = chunk.endsOverlong ? .cut : .whole
    base = chunk.lineEndsBefore
    position = chunk.start
    lineEnds = chunk.linesBefore
    quoteLine = chunk.quoteLine
    self.record = record
  }

  /// The number of the line in the file.
  var fileLine: Int { base + line + 1 }

  mutating func next(into result: inout ChunkResult) -> Found {
    while position < chunk.count {
      let reading = record.read(chunk, from: position, shape, tail)
      line = lineEnds
      text = chunk[position..<CSVRecord.textEnd(chunk.bytes, position, record.end)].bytes
      lineEnds += record.lines + (record.end < chunk.count ? 1 : 0)
      position = record.end + 1
      switch reading {
      case .cells:
        quoteLine = nil
        return .record
      case .otherCount: return .otherCount
      case .blank: continue
      case .fault(let fault): rejectQuote(.invalidCSV(fault), into: &result)
      case .openQuote: rejectQuote(.openQuote(columns: shape.columns), into: &result)
      case .tooLong, .undecided: reject(.tooLongLine, into: &result)
      }
    }
    return .end
  }

  func rejectCount(into result: inout ChunkResult) {
    reject(.cellCount(found: record.cells.count, expected: shape.columns), into: &result)
  }

  /// Rejects a line with a fault of its quotes. An odd number of them leaves it open whether the lines after it are text of
  /// a cell, so what is rejected there names this line.
  private mutating func rejectQuote(_ reason: Rejection, into result: inout ChunkResult) {
    reject(reason, into: &result)
    if quoteLine == nil, !ByteSearch.count(ByteSearch.quote, text, 0..<text.count).isMultiple(of: 2) {
      quoteLine = fileLine
    }
  }

  private func reject(_ reason: Rejection, into result: inout ChunkResult) {
    result.reject(quoteLine.map { .afterQuote(line: $0, reason) } ?? reason, line: line, text: text)
  }
}
