// The values of one record by slot, whatever the file's form: a line of JSON, or cells under the names of columns.

import Buffers
import EventMapping

/// Reads records of one mapping. Owned by one thread.
final class RecordExtractor {
  /// What a column of a file with cells leads to.
  private struct Column {
    /// The slot for the cell's text; nil for none.
    var slot: Int?
    /// The node for an object in the cell; nil for none.
    var node: Int32?
  }

  private let extractor: JSONExtractor
  private let names: [String]
  private let columns: [Column]
  private let minimumColumns: Int
  /// Values by slot. A parser's memory: valid until the next record.
  let values: Buffer<FieldValue>

  /// - Parameter layout: for files with cells the names of their columns.
  init(_ program: MappingProgram, layout: RecordLayout) throws(ImportError) {
    let places = program.places
    names = places.names
    guard let extractor = JSONExtractor(slots: places.count, capacity: ImportLimit.line) else {
      throw .outOfMemory("the import")
    }
    values = Buffer(repeating: .absent, count: places.count)
    var targets: [String: Column] = [:]
    for (keys, slot) in places.paths {
      let node = extractor.want(keys, slot: slot)
      guard let first = keys.first else { continue }
      if keys.count == 1 {
        targets[first, default: Column()].slot = slot
      } else if targets[first]?.node == nil {
        targets[first, default: Column()].node = node
      }
    }
    self.extractor = extractor
    let columnNames =
      switch layout {
      case .json: [] as [String]
      case .tsv(let names): names
      case .csv(let table): table.names
      }
    columns = columnNames.map { targets[$0] ?? Column() }
    minimumColumns = program.record.minimumColumns ?? columns.count
  }

  /// Reads a line of JSON.
  /// - Returns: the number of members that nobody asked for.
  func readJSON(_ line: PaddedBytes) throws(Rejection) -> Int {
    guard line.beginsObject else { throw .notAnObject }
    begin()
    let unknown = try read(line, at: JSONExtractor.root)
    extractor.fill(values)
    return unknown
  }

  private func read(_ text: PaddedBytes, at node: Int32) throws(Rejection) -> Int {
    let result = extractor.read(text, at: node)
    if result.isDuplicate { throw .duplicateMember(names[result.duplicate]) }
    if let reason = result.reason { throw reason }
    return result.unknown
  }

  /// Reads a line of tab-separated cells.
  func readTabs(_ line: PaddedBytes) throws(Rejection) -> Int {
    begin()
    let end = line.bytes.last == 0x0D ? line.count - 1 : line.count
    var from = 0
    var column = 0
    var ignored = 0
    while true {
      let stop = ByteSearch.first(0x09, line.bytes, from..<end) ?? end
      if stop > from { ignored += try take(line[from..<stop], column: column) }
      column += 1
      if stop == end { break }
      from = stop + 1
    }
    guard column >= minimumColumns else { throw .tooFewCells(found: column, minimum: minimumColumns) }
    extractor.fill(values)
    return ignored
  }

  /// Reads the cells of a CSV record.
  func readCells(_ cells: [PaddedBytes]) throws(Rejection) -> Int {
    begin()
    var ignored = 0
    for (column, cell) in cells.enumerated() where !cell.isEmpty { ignored += try take(cell, column: column) }
    extractor.fill(values)
    return ignored
  }

  private func begin() {
    extractor.begin()
    values.unsafeAddress.update(repeating: .absent, count: values.count)
  }

  /// Keeps one cell; 1 if nobody asked for it.
  private func take(_ cell: PaddedBytes, column: Int) throws(Rejection) -> Int {
    guard column < columns.count else { return 1 }
    let target = columns[column]
    if let slot = target.slot, values[slot].kind == .absent { values[slot] = FieldValue(kind: .string, text: cell) }
    if let node = target.node, cell.bytes.first == 0x7B { return try read(cell, at: node) }
    return target.slot != nil || target.node != nil ? 0 : 1
  }
}
