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
  private let columnNames: [String]
  private let columns: [Column]
  private let minimumColumns: Int
  /// Values by slot. A parser's memory: valid until the next record.
  let values: Buffer<FieldValue>
  /// Of a row of a table, the values by column; for the text of one that is refused.
  let cells: Buffer<FieldValue>
  private let spelling: ArrowSpelling
  /// Texts that hold lists, each made the member of an object; made if a table has such texts.
  @exclusivity(unchecked) private var lists = PaddedBuffer(capacity: 0)

  /// - Parameters:
  ///   - layout: for files with cells the names of their columns.
  ///   - columnNames: other names for the columns.
  init(_ program: MappingProgram, layout: RecordLayout, columnNames: [String]? = nil) throws(ImportError) {
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
    let ownNames =
      switch layout {
      case .json: [] as [String]
      case .tsv(let names): names
      case .csv(let table): table.names
      case .arrow(let table): table.names
      }
    let columnNames = columnNames ?? ownNames
    columns = columnNames.map { targets[$0] ?? Column() }
    let tableColumns = if case .arrow = layout { columns.count } else { 0 }
    cells = Buffer(repeating: .absent, count: tableColumns)
    spelling = ArrowSpelling(columns: tableColumns)
    self.columnNames = columnNames
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

  /// Reads a row of a table whose columns are those of the layout.
  func readRow(_ batch: ArrowBatch, _ row: Int) throws(Rejection) -> Int {
    begin()
    if lists.count > 0 { lists.removeAll() }
    for column in batch.columns.indices { cells[column] = spelling.value(batch.columns[column], row, at: column) }
    var ignored = batch.ignored(row)
    // What the extractor takes of a record at once.
    var left = ImportLimit.line
    for (column, target) in columns.enumerated() {
      let cell = cells[column]
      if cell.isAbsent { continue }
      if let slot = target.slot, values[slot].kind == .absent { values[slot] = Self.mapped(cell) }
      guard let node = target.node, cell.kind == .string || cell.kind == .object || cell.kind == .array,
        let first = cell.bytes.first, first == 0x7B || first == 0x5B
      else { continue }
      left -= cell.text.count
      if left < 0 { throw .tooLongLine }
      ignored += first == 0x7B ? try read(cell.text, at: node) : try readList(cell.text, columnNames[column])
    }
    extractor.fill(values)
    return ignored
  }

  /// What is no number must not pass for a text, nor for nothing.
  private static func mapped(_ cell: FieldValue) -> FieldValue {
    cell.isNoNumber ? FieldValue(kind: .object, text: cell.text) : cell
  }

  /// Reads a text that is a list, as the member of an object that its column is.
  private func readList(_ text: PaddedBytes, _ name: String) throws(Rejection) -> Int {
    if lists.capacity == 0 { lists = PaddedBuffer(capacity: ImportLimit.line + (1 << 16)) }
    let start = lists.count
    guard lists.capacity - start > text.count + 2 * name.utf8.count + 8 else { throw .tooLongLine }
    lists.append("{\"".utf8)
    for byte in name.utf8 {
      // A name with a control character is none that JSON could have as it is, and is looked up as no other.
      if byte == 0x22 || byte == 0x5C { lists.append([0x5C]) }
      lists.append([byte < 0x20 ? 0x20 : byte])
    }
    lists.append("\":".utf8)
    lists.append(text.bytes)
    lists.append("}".utf8)
    return try read(lists[start..<lists.count], at: JSONExtractor.root)
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
