// The values of one record by slot, whatever the file's form: a line of JSON, or cells under the names of columns.

import CSimdJSON
import EventMapping

/// Reads records of one mapping. Owned by one thread.
final class RecordExtractor {
  /// What a column of a file with cells leads to.
  private struct Column {
    /// The slot for the cell's text; -1 for none.
    var slot: Int
    /// The node for an object in the cell; -1 for none.
    var node: Int32
  }

  private let extractor: OpaquePointer
  private let names: [String]
  private let columns: [Column]
  private let minimumColumns: Int
  /// Values by slot. A parser's memory: valid until the next record.
  let values: UnsafeMutablePointer<FieldValue>
  private let count: Int

  /// - Parameter layout: for files with cells the names of their columns.
  init(_ program: MappingProgram, layout: RecordLayout) throws(ImportError) {
    let places = program.places
    names = places.names
    count = places.count
    guard let extractor = csj_extractor_new(max(1, places.count), ImportLimit.line) else {
      throw .outOfMemory("the import")
    }
    self.extractor = extractor
    values = .allocate(capacity: max(1, places.count))
    values.initialize(repeating: .absent, count: max(1, places.count))
    var branches: [String: Int32] = [:]
    var leaves: [String: Int] = [:]
    for (keys, slot) in places.paths {
      var node: Int32 = 0
      for key in keys {
        let bytes = Array(key.utf8)
        node = bytes.withUnsafeBufferPointer { csj_extractor_child(extractor, node, $0.baseAddress, $0.count) }
        if node < 0 { break }
        if key == keys[0], keys.count > 1, branches[key] == nil { branches[key] = node }
      }
      csj_extractor_want(extractor, node, slot)
      if keys.count == 1, let key = keys.first { leaves[key] = slot }
    }
    switch layout {
    case .json: columns = []
    case .tsv(let names): columns = names.map { Column(slot: leaves[$0] ?? -1, node: branches[$0] ?? -1) }
    case .csv(let table): columns = table.names.map { Column(slot: leaves[$0] ?? -1, node: branches[$0] ?? -1) }
    }
    minimumColumns = program.record.minimumColumns ?? columns.count
  }

  deinit {
    csj_extractor_free(extractor)
    values.deallocate()
  }

  /// Reads a line of JSON.
  /// - Returns: the number of members that nobody asked for.
  func readJSON(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Int {
    guard line.first(where: { !ByteSearch.isBlank($0) }) == 0x7B else { throw .notAnObject }
    csj_extractor_begin(extractor)
    let unknown = try read(0, line)
    let raw = csj_extractor_values(extractor)
    for slot in 0..<count {
      guard let value = raw?[slot] else { break }
      values[slot] = JSONObject.fieldValue(value)
    }
    return unknown
  }

  private func read(_ node: Int32, _ text: UnsafeRawBufferPointer) throws(Rejection) -> Int {
    let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = csj_extractor_read(extractor, node, base, text.count)
    if UInt32(result.status) == CSJ_DUPLICATE.rawValue { throw .duplicateMember(names[result.duplicate]) }
    if let reason = JSONObject.reason(result) { throw reason }
    return result.unknown
  }

  /// Reads a line of tab-separated cells.
  func readTabs(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Int {
    csj_extractor_begin(extractor)
    values.update(repeating: .absent, count: count)
    guard let base = line.baseAddress else { throw .tooFewCells(found: 0, minimum: minimumColumns) }
    let end = line.last == 0x0D ? line.count - 1 : line.count
    var from = 0
    var column = 0
    var ignored = 0
    while true {
      let stop = ByteSearch.first(0x09, base, from..<end) ?? end
      if stop > from {
        ignored += try take(UnsafeRawBufferPointer(start: base + from, count: stop - from), column: column)
      }
      column += 1
      if stop == end { break }
      from = stop + 1
    }
    guard column >= minimumColumns else { throw .tooFewCells(found: column, minimum: minimumColumns) }
    keepExtracted()
    return ignored
  }

  /// Reads the cells of a CSV record.
  func readCells(_ cells: [UnsafeRawBufferPointer]) throws(Rejection) -> Int {
    csj_extractor_begin(extractor)
    values.update(repeating: .absent, count: count)
    var ignored = 0
    for (column, cell) in cells.enumerated() where !cell.isEmpty { ignored += try take(cell, column: column) }
    keepExtracted()
    return ignored
  }

  /// Keeps one cell; 1 where nobody asked for it.
  private func take(_ cell: UnsafeRawBufferPointer, column: Int) throws(Rejection) -> Int {
    guard column < columns.count else { return 1 }
    let target = columns[column]
    if target.slot >= 0, values[target.slot].kind == .absent {
      values[target.slot] = FieldValue(kind: .string, bytes: cell)
    }
    if target.node >= 0, cell.first == 0x7B { return try read(target.node, cell) }
    return target.slot >= 0 || target.node >= 0 ? 0 : 1
  }

  /// Takes over what was found in cells that hold JSON.
  private func keepExtracted() {
    guard let raw = csj_extractor_values(extractor) else { return }
    for slot in 0..<count where values[slot].kind == .absent && UInt32(raw[slot].type) != CSJ_ABSENT.rawValue {
      values[slot] = JSONObject.fieldValue(raw[slot])
    }
  }
}
