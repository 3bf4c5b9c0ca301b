// Chunks of CSV to events.

import PermissionEvents

/// Parses chunks of records. Owned by one thread.
final class CSVParser {
  private let assembler: EventAssembler
  private var record = CSVRecord()
  private let values = UnsafeMutablePointer<FieldValue>.allocate(capacity: ImportField.count)

  init(_ assembler: EventAssembler) {
    self.assembler = assembler
    values.initialize(repeating: .absent, count: ImportField.count)
  }

  deinit {
    record.deallocate()
    values.deallocate()
  }

  /// Appends the chunk's events to the assembler's batch.
  func parse(_ chunk: Chunk, header: CSVHeader, into result: inout ChunkResult) {
    var walk = CSVWalk(chunk, header.shape, record)
    defer { record = walk.record }
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
        try assembler.append(values, form: .text)
        result.accept(ignoredFields: ignored, isRespelled: assembler.isRespelled)
      } catch {
        result.reject(error, line: walk.line, text: walk.text)
      }
    }
    result.lineEnds = walk.lineEnds + chunk.linesAfter
  }

  /// Puts the record's cells into `values`.
  /// - Returns: the number of cells that are not empty and no fields.
  private func readValues(_ cells: [UnsafeRawBufferPointer], _ header: CSVHeader) -> Int {
    values.update(repeating: .absent, count: ImportField.count)
    var ignored = 0
    for (cell, field) in zip(cells, header.fields) {
      if field >= 0 {
        values[field] = FieldValue(kind: .string, bytes: cell)
      } else if !cell.isEmpty {
        ignored += 1
      }
    }
    return ignored
  }
}
