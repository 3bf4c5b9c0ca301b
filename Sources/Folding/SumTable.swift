// A table of integers under names, as which all sums travel.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Integers by key and column. A key is a list of byte strings, each of which may be absent; columns have names, or are
/// numbered (the buckets of a histogram). Zeros are not stored.
public struct SumTable: Sendable, Equatable {
  /// Byte strings, one for each of `keys`; nil is absent, and is not the same as empty.
  public typealias Key = [[UInt8]?]

  public enum Columns: Sendable, Hashable {
    case named([String])
    /// Numbered from 0 up to a count.
    case numbered(Int)

    package var count: Int {
      switch self {
      case .named(let names): names.count
      case .numbered(let count): count
      }
    }
  }

  /// The cells of a row that are not 0, by ascending number of the column.
  public struct Row: Sendable, Equatable {
    public private(set) var columns: [Int] = []
    public private(set) var values: [Int64] = []

    public init() {}

    /// A row with a value for each column; zeros are left out.
    public init(_ values: [Int64]) {
      for (column, value) in values.enumerated() { append(column, value) }
    }

    /// Cells by ascending column; none is 0.
    package init(ascending columns: [Int], _ values: [Int64]) {
      precondition(columns.count == values.count && values.allSatisfy { $0 != 0 }, "each column has a value")
      precondition(columns.indices.dropFirst().allSatisfy { columns[$0 - 1] < columns[$0] }, "columns ascend")
      precondition(columns.first ?? 0 >= 0, "columns are numbered from 0")
      (self.columns, self.values) = (columns, values)
    }

    /// Cells as they were read: columns ascend, and no value is 0. They are copied, because the arrays that they were
    /// read into are reused.
    init(columns: [Int], values: [Int64]) {
      self.columns = columns.withUnsafeBufferPointer { Array($0) }
      self.values = values.withUnsafeBufferPointer { Array($0) }
    }

    /// The value in a column; 0 if it was never added to.
    public subscript(_ column: Int) -> Int64 {
      let position = position(of: column)
      return position < columns.count && columns[position] == column ? values[position] : 0
    }

    /// The first index with a column that is not before the given one.
    func position(of column: Int) -> Int {
      if let last = columns.last, last < column { return columns.count }
      var (low, high) = (0, columns.count)
      while low < high {
        let middle = (low + high) / 2
        if columns[middle] < column { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Reserves memory for `count` cells.
    public mutating func reserveCapacity(_ count: Int) {
      columns.reserveCapacity(count)
      values.reserveCapacity(count)
    }

    /// Appends a cell, whose column is after all others; a value of 0 is left out.
    public mutating func append(_ column: Int, _ value: Int64) {
      guard value != 0 else { return }
      precondition(column > columns.last ?? -1, "columns ascend")
      columns.append(column)
      values.append(value)
    }

    mutating func add(_ column: Int, _ value: Int64) throws(SumsError) {
      guard value != 0 else { return }
      let position = position(of: column)
      if position < columns.count, columns[position] == column {
        let sum = try CheckedSum.add(values[position], value)
        values[position] = sum
        guard sum == 0 else { return }
        columns.remove(at: position)
        values.remove(at: position)
      } else {
        let sum = try CheckedSum.add(0, value)
        columns.insert(column, at: position)
        values.insert(sum, at: position)
      }
    }
  }

  public private(set) var name: String
  /// The names of the parts of a key, like `permission` and `week`.
  public let keys: [String]
  public let columns: Columns
  /// Rows may exist although no user was counted.
  package var isOfNobody = false
  // Rows that arrive in order stay ordered, so reading and writing need no hashes. One of the two is empty.
  private var ordered: [(key: Key, row: Row)] = []
  private var keyed: [Key: Row] = [:]

  public init(_ name: String, keys: [String], columns: Columns) {
    self.name = name
    self.keys = keys
    self.columns = columns
  }

  public init(_ name: String, keys: [String], columns: [String]) {
    self.init(name, keys: keys, columns: .named(columns))
  }

  /// A table of rows in any order.
  /// - Parameter rows: those without cells are left out; of two with one key the last is taken.
  public init(_ name: String, keys: [String], columns: Columns, rows: [(key: Key, row: Row)]) {
    self.init(name, keys: keys, columns: columns)
    var rows = rows.filter { !$0.row.columns.isEmpty }
    for (key, row) in rows {
      precondition(key.count == keys.count && row.columns.last ?? 0 < columns.count, "the row is one of this table")
    }
    if !Self.isAscending(rows) {
      rows = Self.sorted(rows)
      guard Self.isAscending(rows) else {
        for (key, row) in rows { keyed[key] = row }
        return
      }
    }
    ordered = rows
  }

  /// Rows in the order of their keys. Those are put one after the other as bytes of that order: to compare them counts no references.
  private static func sorted(_ rows: [(key: Key, row: Row)]) -> [(key: Key, row: Row)] {
    var bytes: [UInt8] = []
    var ends = [0]
    for (key, _) in rows {
      for part in key {
        bytes.append(part == nil ? 0 : 1)
        guard let part else { continue }
        // The end of a part sorts before every byte of a longer one.
        if part.contains(0) {
          for byte in part { bytes.append(contentsOf: byte == 0 ? [0, 0xFF] : [byte]) }
        } else {
          bytes.append(contentsOf: part)
        }
        bytes.append(0)
        bytes.append(0)
      }
      ends.append(bytes.count)
    }
    return bytes.withUnsafeBytes { bytes in
      // The first eight bytes as a number decide most often; they exist, or another key's end is among them.
      let keys = rows.indices.map { row -> (head: UInt64, row: Int) in
        let key = UnsafeRawBufferPointer(rebasing: bytes[ends[row]..<ends[row + 1]])
        return (key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * max(0, 8 - key.count)), row)
      }
      return keys.sorted { a, b in
        if a.head != b.head { return a.head < b.head }
        let (left, right) = (bytes[ends[a.row]..<ends[a.row + 1]], bytes[ends[b.row]..<ends[b.row + 1]])
        return compare(UnsafeRawBufferPointer(rebasing: left), UnsafeRawBufferPointer(rebasing: right)) < 0
      }
    }.map { rows[$0.row] }
  }

  private static func isAscending(_ rows: [(key: Key, row: Row)]) -> Bool {
    rows.indices.dropFirst().allSatisfy { precedes(rows[$0 - 1].key, rows[$0].key) }
  }

  /// A table like this one with other rows, in any order.
  public func filled(_ rows: [(key: Key, row: Row)]) -> SumTable {
    var table = SumTable(name, keys: keys, columns: columns, rows: rows)
    table.isOfNobody = isOfNobody
    return table
  }

  /// The same table under another name.
  package func named(_ name: String) -> SumTable {
    var table = self
    table.name = name
    return table
  }

  /// The rows by their keys.
  public var rows: [Key: Row] {
    ordered.isEmpty ? keyed : Dictionary(uniqueKeysWithValues: ordered.map { ($0.key, $0.row) })
  }

  /// Puts the rows into the dictionary by key, so that they can be changed.
  private mutating func makeKeyed() {
    guard !ordered.isEmpty else { return }
    keyed = rows
    ordered = []
  }

  /// Adds to the cell of a key and a column, by its number.
  public mutating func add(_ value: Int64, _ column: Int, of key: Key) throws(SumsError) {
    precondition(key.count == keys.count, "a key has one part for each of the table's keys")
    precondition(column >= 0 && column < columns.count, "the table has no such column")
    guard value != 0 else { return }
    makeKeyed()
    // Taken out, so that it is not copied. A refused value leaves the row unchanged.
    var row = keyed.removeValue(forKey: key) ?? Row()
    defer { if !row.columns.isEmpty { keyed[key] = row } }
    try row.add(column, value)
  }

  /// Adds to the cell of a key of texts and a column, by its name.
  public mutating func add(_ value: Int64, _ column: String, of key: String?...) throws(SumsError) {
    try add(value, number(of: column), of: Self.key(key))
  }

  /// Counts one in the cell of a key of texts and a column, by its name.
  public mutating func count(_ column: String, of key: String?...) {
    // A count at its limit stays there; no program counts to 2^62 one by one.
    try? add(1, number(of: column), of: Self.key(key))
  }

  /// The value of a cell, by names; 0 if nothing was added to it.
  public subscript(_ column: String, of key: String?...) -> Int64 {
    precondition(key.count == keys.count, "a key has one part for each of the table's keys")
    return row(Self.key(key))?[number(of: column)] ?? 0
  }

  private func row(_ key: Key) -> Row? {
    ordered.isEmpty ? keyed[key] : ordered.first { $0.key == key }?.row
  }

  private func number(of column: String) -> Int {
    guard case .named(let names) = columns, let number = names.firstIndex(of: column) else {
      preconditionFailure("the table has no column \(column)")
    }
    return number
  }

  private static func key(_ texts: [String?]) -> Key { texts.map { $0.map { Array($0.utf8) } } }

  /// Replaces a whole row.
  public mutating func setRow(_ key: Key, _ row: Row) {
    precondition(key.count == keys.count && row.columns.last ?? 0 < columns.count, "the row is one of this table")
    makeKeyed()
    if row.columns.isEmpty { keyed.removeValue(forKey: key) } else { keyed[key] = row }
  }

  /// Adds the cells of another table with the same name, keys and columns.
  public mutating func add(_ other: SumTable) throws(SumsError) {
    guard other.name == name, other.keys == keys, other.columns == columns else {
      throw SumsError(.otherFold, "table \(other.name) has other keys or columns than \(name)")
    }
    var sums = rows
    for (key, row) in other.rows {
      guard var sum = sums[key] else {
        sums[key] = row
        continue
      }
      for (column, value) in zip(row.columns, row.values) { try sum.add(column, value) }
      sums[key] = sum.columns.isEmpty ? nil : sum
    }
    (ordered, keyed) = ([], sums)
  }

  /// The rows in their one order: by the parts of the key, absent ones first, then bytewise.
  public var orderedRows: [(key: Key, row: Row)] {
    guard ordered.isEmpty else { return ordered }
    return Self.sorted(keyed.map { (key: $0.key, row: $0.value) })
  }

  public static func == (a: SumTable, b: SumTable) -> Bool {
    guard a.name == b.name, a.keys == b.keys, a.columns == b.columns, a.rowCount == b.rowCount else { return false }
    if a.ordered.isEmpty == b.ordered.isEmpty {
      return a.ordered.isEmpty ? a.keyed == b.keyed : zip(a.ordered, b.ordered).allSatisfy { $0 == $1 }
    }
    let (ordered, keyed) = a.ordered.isEmpty ? (b.ordered, a.keyed) : (a.ordered, b.keyed)
    return ordered.allSatisfy { keyed[$0.key] == $0.row }
  }

  private var rowCount: Int { ordered.count + keyed.count }

  /// The order of rows. Most parts of two keys are the same, and most often of one memory.
  static func precedes(_ a: Key, _ b: Key) -> Bool {
    for part in 0..<min(a.count, b.count) {
      guard let left = a[part] else {
        if b[part] == nil { continue }
        return true
      }
      guard let right = b[part] else { return false }
      let order = compare(left, right)
      if order != 0 { return order < 0 }
    }
    return false
  }

  private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in compare(a, b) } }
  }

  @inline(__always)
  private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    guard let left = a.baseAddress, let right = b.baseAddress, left != right else { return a.count - b.count }
    let order = memcmp(left, right, min(a.count, b.count))
    return order == 0 ? a.count - b.count : Int(order)
  }
}

extension SumTable: SumsPart {
  public var tables: [SumTable] { [self] }
  public mutating func read(_ tables: [SumTable]) throws(SumsError) { self = try tables.table(like: self) }
}

extension [SumTable] {
  /// The table of a name, if it has the keys and columns that are expected.
  public func table(like expected: SumTable) throws(SumsError) -> SumTable {
    guard let table = first(where: { $0.name == expected.name }) else {
      throw SumsError(.otherFold, "there is no table \(expected.name)")
    }
    guard table.keys == expected.keys, table.columns == expected.columns else {
      throw SumsError(.otherFold, "table \(expected.name) has other keys or columns than this version's")
    }
    return table
  }
}
