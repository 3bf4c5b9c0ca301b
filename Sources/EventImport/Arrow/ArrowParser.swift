// Rows of a canonical table to events: the usual ones by `ArrowFastRows`, all others by the rules for values of lines.

import Buffers
import PermissionEvents

/// Parses chunks of rows. Owned by one thread and one sink.
final class ArrowParser {
  private let assembler: EventAssembler
  @exclusivity(unchecked) private var fast: ArrowFastRows
  /// False sends every row along the general path; both give the same result.
  private let usesFastRows: Bool
  private let values = Buffer(repeating: FieldValue.absent, count: ImportField.count)
  private let spelling = ArrowSpelling(columns: ImportField.count)
  private let names: CanonicalNames
  private var text = ArrowRowText()

  init(_ assembler: EventAssembler, names: CanonicalNames, usesFastRows: Bool) {
    self.assembler = assembler
    self.names = names
    self.usesFastRows = usesFastRows
    fast = ArrowFastRows(assembler)
  }

  /// Appends the chunk's events to the assembler's batch.
  func parse(_ rows: ArrowRows, _ table: ArrowTable, into result: inout ChunkResult) {
    result.lineEnds = rows.range.count
    do throws(ArrowDamage) { try rows.check() } catch {
      result.failure = .damagedArrow(result.source?.name ?? "", error.cause)
      return
    }
    var first = rows.range.lowerBound
    while first < rows.range.upperBound {
      let block = first..<min(first + ArrowFastRows.block, rows.range.upperBound)
      first = block.upperBound
      if usesFastRows { fast.begin(block, rows.batch, table) }
      for row in block {
        if usesFastRows, fast.append(row) {
          result.accept(ignoredFields: table.ignored(row, rows.batch))
        } else {
          append(row, rows, table, into: &result)
        }
      }
    }
    fast.finish()
  }

  private func append(_ row: Int, _ rows: ArrowRows, _ table: ArrowTable, into result: inout ChunkResult) {
    values.unsafeAddress.update(repeating: .absent, count: ImportField.count)
    let columns = rows.batch.columns
    let line = row - rows.range.lowerBound
    for place in columns.indices where table.fields[place] >= 0 {
      values[table.fields[place]] = spelling.value(columns[place], row, at: table.fields[place])
    }
    do throws(Rejection) {
      let isStored = try assembler.append(values, form: .text) { () throws(Rejection) in
        try names.read(values, line: line, into: &result, .arrow(table), columns: table.columns) {
          (extractor: RecordExtractor) throws(Rejection) in
          _ = try extractor.readRow(rows.batch, row)
        }
      }
      guard isStored else { return result.passOver() }
      result.accept(ignoredFields: table.ignored(row, rows.batch), isRespelled: assembler.isRespelled)
    } catch {
      names.note(error, line: line, into: &result)
      let own = table.fields.indices.filter { table.fields[$0] >= 0 }
      text.make(own.map { table.names[$0] }) { values[table.fields[own[$0]]] }
      text.bytes.withUnsafeBytes { result.reject(error, line: line, text: $0) }
    }
  }
}

/// A row as a line of JSON, for those that are refused.
struct ArrowRowText {
  private(set) var bytes: [UInt8] = []

  /// - Parameters:
  ///   - names: of the columns.
  ///   - value: of a column.
  mutating func make(_ names: [String], _ value: (Int) -> FieldValue) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(0x7B)
    for (place, name) in names.enumerated() where bytes.count <= ImportLimit.rejectedText {
      if place > 0 { bytes.append(0x2C) }
      append(name.utf8.prefix(ImportLimit.rejectedText))
      bytes.append(0x3A)
      let value = value(place)
      switch value.kind {
      case .absent: bytes.append(contentsOf: "null".utf8)
      case .boolean: bytes.append(contentsOf: value.bytes)
      // JSON has no spelling of what is no number.
      case .number where !value.isNoNumber: bytes.append(contentsOf: value.bytes)
      case .number, .string, .object, .array: append(value.bytes.prefix(ImportLimit.rejectedText))
      }
    }
    bytes.append(0x7D)
  }

  private mutating func append(_ text: some Sequence<UInt8>) {
    bytes.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, 0x6E]
      case 0..<0x20:
        bytes += "\\u00".utf8
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 48 + digit : 87 + digit) }
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }
}
