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
    let memory = UnsafeRawPointer(chunk.memory)
    let end = chunk.end
    var line = chunk.linesBefore
    var position = chunk.start
    while position < end {
      let (stop, inner, _) = CSVRecord.end(memory, from: position, end: end)
      parseRecord(
        UnsafeRawBufferPointer(start: memory + position, count: stop - position), header, number: line,
        isCut: chunk.endsOverlong && stop == end, into: &result)
      line += inner
      if stop < end { line += 1 }
      position = stop + 1
    }
    result.lineEnds = line + chunk.linesAfter
  }

  private func parseRecord(
    _ bytes: UnsafeRawBufferPointer, _ header: CSVHeader, number: Int, isCut: Bool, into result: inout ChunkResult
  ) {
    if isCut || bytes.count > ImportLimit.line { return result.reject(.tooLongLine, line: number, text: bytes) }
    if bytes.allSatisfy({ ByteSearch.isBlank($0) }) { return }
    do throws(Rejection) {
      let ignored = try readValues(bytes, header)
      try assembler.append(values, form: .text)
      result.accept(ignoredFields: ignored, isRespelled: assembler.isRespelled)
    } catch {
      result.reject(error, line: number, text: bytes)
    }
  }

  /// Puts the record's cells into `values`.
  /// - Returns: the number of cells that are not empty and no fields.
  private func readValues(_ bytes: UnsafeRawBufferPointer, _ header: CSVHeader) throws(Rejection) -> Int {
    do throws(CSVRecord.Fault) { try record.split(bytes) } catch { throw .invalidCSV(error) }
    let cells = record.cells
    guard cells.count == header.fields.count else {
      throw .cellCount(found: cells.count, expected: header.fields.count)
    }
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
