// The values of one record by slot, for any format: a line of JSON, or cells under the names of columns.

import Buffers
import EventMapping
import PermissionEvents

/// Reads records of one mapping. Owned by one thread.
final class RecordExtractor {
  /// The target of a column of a file with cells.
  private struct Column {
    /// The slot for the cell's text; nil for none.
    var slot: Int?
    /// Another slot for it: of an assignment.
    var other: Int?
    /// The node for an object in the cell; nil for none.
    var node: Int32?
    /// Whether no path leads there, so that the cell need not be JSON.
    var isFound = false
    /// It holds a part of an address, unless the value is an answer for certain.
    var isOfAddress = false
  }

  private let extractor: JSONExtractor
  /// Members without a path that may have an answer.
  let found: FoundMembers
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
    let slots = places.count + FoundMembers.room
    guard let extractor = JSONExtractor(slots: slots, capacity: ImportLimit.line) else {
      throw .outOfMemory("the import")
    }
    values = Buffer(repeating: .absent, count: slots)
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
    let found = FoundMembers(program, extractor)
    let ownNames =
      switch layout {
      case .json: [] as [String]
      case .tsv(let names): names
      case .csv(let table): table.names
      case .arrow(let table): table.names
      }
    let columnNames = columnNames ?? ownNames
    let addresses = program.columnsOfAddresses(columnNames)
    columns = columnNames.map { name in
      if var column = targets[name] {
        if let slot = program.stickySlot(column: name), slot != column.slot { column.other = slot }
        column.isOfAddress = addresses.contains(name)
        return column
      }
      let (slot, node) = found.column(name, extractor)
      return Column(slot: slot, node: node, isFound: true, isOfAddress: addresses.contains(name))
    }
    found.settle(extractor)
    self.found = found
    self.extractor = extractor
    let tableColumns = if case .arrow = layout { columns.count } else { 0 }
    cells = Buffer(repeating: .absent, count: tableColumns)
    spelling = ArrowSpelling(columns: tableColumns)
    self.columnNames = columnNames
    minimumColumns = program.record.minimumColumns ?? columns.count
  }

  /// Reads a line of JSON.
  /// - Returns: the number of unwanted members.
  func readJSON(_ line: PaddedBytes) throws(Rejection) -> Int {
    guard line.beginsObject else { throw .notAnObject }
    return try learning { () throws(Rejection) in try read(line, at: JSONExtractor.root) }
  }

  /// Reads a record, and again as long as it has members that have just been found to be useful.
  private func learning(_ read: () throws(Rejection) -> Int) throws(Rejection) -> Int {
    begin()
    var unknown = try read()
    if extractor.hasNews {
      while found.learn(extractor) {
        begin()
        unknown = try read()
      }
      found.endRecord()
    }
    extractor.fill(values, slots: found.slots.upperBound)
    if found.isOverfull { values[found.overfull] = FieldValue(kind: .object, text: .none) }
    return unknown
  }

  private func read(_ text: PaddedBytes, at node: Int32) throws(Rejection) -> Int {
    let result = extractor.read(text, at: node)
    if result.isDuplicate { throw .duplicateMember(names[result.duplicate]) }
    if let reason = result.reason { throw reason }
    return result.unknown
  }

  private func read(_ text: PaddedBytes, at node: Int32, of column: Column) throws(Rejection) -> Int {
    guard column.isFound else { return try read(text, at: node) }
    let before = extractor.kept
    _ = extractor.read(text, at: node)
    // The object's values replace it.
    if let slot = column.slot, extractor.kept > before { values[slot] = .absent }
    return 0
  }

  func readTabs(_ line: PaddedBytes) throws(Rejection) -> Int {
    try learning { () throws(Rejection) in try takeTabs(line) }
  }

  private func takeTabs(_ line: PaddedBytes) throws(Rejection) -> Int {
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
    return ignored
  }

  func readCells(_ cells: [PaddedBytes]) throws(Rejection) -> Int {
    try learning { () throws(Rejection) in
      var ignored = 0
      for (column, cell) in cells.enumerated() where !cell.isEmpty { ignored += try take(cell, column: column) }
      return ignored
    }
  }

  /// Reads a row of a table with the columns of the layout.
  func readRow(_ batch: ArrowBatch, _ row: Int) throws(Rejection) -> Int {
    for column in batch.columns.indices { cells[column] = spelling.value(batch.columns[column], row, at: column) }
    return try learning { () throws(Rejection) in try takeRow(batch, row) }
  }

  private func takeRow(_ batch: ArrowBatch, _ row: Int) throws(Rejection) -> Int {
    if lists.count > 0 { lists.removeAll() }
    var ignored = batch.ignored(row)
    // The most that the extractor takes of a record at once.
    var left = ImportLimit.line
    for (column, target) in columns.enumerated() {
      let cell = cells[column]
      if cell.isAbsent { continue }
      if target.isOfAddress, !MappingProgram.isAnswer(ofAddress: cell.bytes) { continue }
      if let slot = target.slot { keep(Self.mapped(cell), slot) }
      if let slot = target.other { keep(Self.mapped(cell), slot) }
      guard let node = target.node, cell.kind == .string || cell.kind == .object || cell.kind == .array,
        let first = cell.bytes.first, first == 0x7B || first == 0x5B
      else { continue }
      left -= cell.text.count
      if left < 0 { throw .tooLongLine }
      let isObject = first == 0x7B
      if !isObject, target.isFound { continue }
      ignored += isObject ? try read(cell.text, at: node, of: target) : try readList(cell.text, columnNames[column])
    }
    return ignored
  }

  /// Keeps the value of a cell. If two values about an answer differ, neither is certain.
  private func keep(_ value: FieldValue, _ slot: Int) {
    if values[slot].kind == .absent {
      values[slot] = value
    } else if found.holds(slot), !value.bytes.elementsEqual(values[slot].bytes) {
      values[slot] = FieldValue(kind: .object, text: .none)
    }
  }

  /// NaN must not count as a text, nor as absent.
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
      // JSON cannot have a name with an unescaped control character, so it is looked up as a name that cannot occur.
      if byte == 0x22 || byte == 0x5C { lists.append([0x5C]) }
      lists.append([byte < 0x20 ? 0x20 : byte])
    }
    lists.append("\":".utf8)
    lists.append(text.bytes)
    lists.append("}".utf8)
    return try read(lists[start..<lists.count], at: JSONExtractor.root)
  }

  private func begin() {
    let slots = found.slots.upperBound
    extractor.begin(slots: slots)
    found.begin()
    values.unsafeAddress.update(repeating: .absent, count: slots)
  }

  /// Keeps one cell. Returns 1 if it is unwanted.
  private func take(_ cell: PaddedBytes, column: Int) throws(Rejection) -> Int {
    guard column < columns.count else { return 1 }
    let target = columns[column]
    if target.isOfAddress, !MappingProgram.isAnswer(ofAddress: cell.bytes) { return 1 }
    if let slot = target.slot { keep(FieldValue(kind: .string, text: cell), slot) }
    if let slot = target.other { keep(FieldValue(kind: .string, text: cell), slot) }
    if let node = target.node, cell.bytes.first == 0x7B { return try read(cell, at: node, of: target) }
    return target.slot != nil || target.node != nil ? 0 : 1
  }
}

// MARK: Members of records without a path of a mapping, and the meaning of their keys, which is computed once and
// cached. Members that may have an answer get their own slot beside those of the mapping's paths.

/// A thread's knowledge of the members of one mapping's records. Owned by one thread.
final class FoundMembers {
  /// Slots for members about an answer; the last is for records with more members.
  static let room = 129
  /// Reading a record again each time that it has something new is not done without end.
  private static let maximumRounds = 24

  private let program: MappingProgram
  private let first: Int
  private let held: Set<Int>
  /// The keys of the members by slot, after the mapping's own.
  @exclusivity(unchecked) private(set) var keys: [TellingKey] = []
  /// The keys from the root to the nodes.
  private var paths: [Int32: [String]] = [:]
  /// The part that always stays: the columns of a table.
  private var settled = (nodes: Int32(0), keys: 0)
  /// Whether the record has more members than slots.
  @exclusivity(unchecked) private(set) var isOverfull = false
  /// Changes when slots get another meaning.
  @exclusivity(unchecked) private(set) var generation = 0
  private var rounds = 0
  /// Properties of experiments and states that the rows carry, unread.
  @exclusivity(unchecked) private(set) var unread: Set<StickyProperty> = []
  private static let mostUnread = 1000
  /// Hashes of the keys that were looked at: what a key means takes microseconds to say, and each chunk has the same ones.
  private var looked: Set<UInt64> = []
  private static let mostLooked = 1 << 14
  private var hasForgotten = false

  init(_ program: MappingProgram, _ extractor: borrowing JSONExtractor) {
    self.program = program
    first = program.places.count
    held = program.heldSlots
    for slot in held { extractor.hold(slot) }
    open([], extractor)
    for (keys, _) in program.places.paths {
      for count in keys.indices.map({ $0 + 1 }) { open(Array(keys.prefix(count)), extractor) }
    }
  }

  private func open(_ keys: [String], _ extractor: borrowing JSONExtractor) {
    let node = extractor.node(keys)
    guard node >= 0, paths[node] == nil else { return }
    paths[node] = keys
    if keys.isEmpty || program.looksInto(keys) { extractor.open(node) }
  }

  /// The slot for a record that has more members than slots.
  var overfull: Int { first + Self.room - 1 }

  /// Whether two different values in the slot cancel each other.
  func holds(_ slot: Int) -> Bool { slot >= first || held.contains(slot) }

  /// The slots of the members about an answer.
  var slots: Range<Int> { first..<first + keys.count }

  func key(_ slot: Int) -> TellingKey { slot == overfull ? .tooMany : keys[slot - first] }

  // MARK: Columns

  func noteUnread(_ key: String) {
    var key = key
    key.withUTF8 { noteUnread(UnsafeRawBufferPointer($0)) }
  }

  func noteUnread(_ key: UnsafeRawBufferPointer) {
    if looked.count >= Self.mostLooked { looked.removeAll(keepingCapacity: true) }
    guard unread.count < Self.mostUnread, looked.insert(UserHash.text(key)).inserted,
      let property = program.unread(String(bounded: key))
    else { return }
    unread.insert(property)
  }

  func column(_ name: String, _ extractor: borrowing JSONExtractor) -> (slot: Int?, node: Int32?) {
    noteUnread(name)
    switch program.meaning(of: [name]) {
    case .nothing, .closed: return (nil, nil)
    case .place(let keys):
      let node = extractor.node(keys)
      let slot = program.places.paths.first { $0.keys == keys }?.slot
      return (slot, slot == nil ? node : nil)
    case .properties: return (nil, node([name], slot: nil, extractor))
    case .slot(let slot): return (slot, node([name], slot: nil, extractor))
    case .telling(let key):
      let slot = self.slot(key, extractor)
      return (slot, node([name], slot: nil, extractor))
    }
  }

  func settle(_ extractor: borrowing JSONExtractor) { settled = ((paths.keys.max() ?? 0) + 1, keys.count) }

  private func node(_ keys: [String], slot: Int?, _ extractor: borrowing JSONExtractor) -> Int32? {
    let node = extractor.add(slot: slot)
    guard node >= 0 else { return nil }
    paths[node] = keys
    return node
  }

  /// The slot of a key; nil if no slot is left.
  private func slot(_ key: TellingKey, _ extractor: borrowing JSONExtractor) -> Int? {
    if keys.count == Self.room - 1 { return nil }
    keys.append(key)
    extractor.hold(first + keys.count - 1)
    return first + keys.count - 1
  }

  // MARK: Members of objects

  /// Learns what the record that was just read has that is new.
  /// - Returns: whether the record is to be read again.
  func learn(_ extractor: borrowing JSONExtractor) -> Bool {
    let (members, isCut) = extractor.news
    if members.isEmpty { return false }
    rounds += 1
    if rounds > Self.maximumRounds || isCut {
      isOverfull = true
      return false
    }
    var isRead = false
    for (node, key, isObject) in members {
      guard let target = target(node, key, isObject, extractor), extractor.learn(node, key, target: target) else {
        // No room: all that is not of this record is forgotten, once.
        if hasForgotten {
          isOverfull = true
          return false
        }
        hasForgotten = true
        forget(extractor)
        return true
      }
      if target >= 0 { isRead = true }
    }
    return isRead
  }

  func endRecord() {
    rounds = 0
    hasForgotten = false
  }

  func begin() { isOverfull = false }

  private func forget(_ extractor: borrowing JSONExtractor) {
    extractor.forget(from: settled.nodes)
    paths = paths.filter { $0.key < settled.nodes }
    keys.removeLast(keys.count - settled.keys)
    generation += 1
  }

  /// The node that a member leads to, or -1 or -2 as the extractor has it; nil if there is no room.
  private func target(
    _ parent: Int32, _ key: [UInt8], _ isObject: Bool, _ extractor: borrowing JSONExtractor
  ) -> Int32? {
    guard let above = paths[parent] else { return JSONExtractor.unwanted }
    let name = String(bounded: key)
    noteUnread(name)
    let path = above + [name]
    switch program.meaning(of: path) {
    case .closed: return JSONExtractor.unwanted
    case .nothing where !isObject, .properties where !isObject: return JSONExtractor.ifObject
    case .nothing, .properties: return node(path, slot: nil, extractor)
    case .place(let keys): return extractor.node(keys)
    case .slot(let slot): return node(path, slot: slot, extractor)
    case .telling(let key):
      guard let slot = slot(key, extractor) else { return nil }
      return node(path, slot: slot, extractor)
    }
  }
}
