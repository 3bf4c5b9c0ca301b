// A table of sums: counts by key. One declaration defines how it is kept, added, written, read, and checked for damage.

package import Folding
import PermissionEvents

struct TableShape: Sendable, Equatable {
  /// Its name, keys and columns.
  let empty: SumTable
  /// The largest count that is read, a power of two.
  let bound: Int64
  /// Most rows that are read.
  let most: Int

  /// - Parameter isOfNobody: whether rows may exist though no users were counted.
  init(
    _ name: String, keys: [String], columns: SumTable.Columns, bound: Int64 = SumKeys.mostUsers, most: Int = .max,
    isOfNobody: Bool = false
  ) {
    var empty = SumTable(name, keys: keys, columns: columns)
    empty.isOfNobody = isOfNobody
    (self.empty, self.bound, self.most) = (empty, bound, most)
  }

  /// Returns the rows of this table among unverified tables. Throws if a count is impossible.
  func rows(in tables: [SumTable]) throws(SumsError) -> [(key: SumTable.Key, row: SumTable.Row)] {
    let rows = try tables.table(like: empty).orderedRows
    guard rows.count <= most else { throw damaged("has more than \(most) rows") }
    for (_, row) in rows {
      for value in row.values where value < 0 || value > bound {
        throw damaged(value < 0 ? "has a count below 0" : "has a count above 2^\(bound.trailingZeroBitCount)")
      }
    }
    return rows
  }

  func row<Row: SumRow>(_ row: SumTable.Row) throws(SumsError) -> Row {
    guard let row = Row(row, width: empty.columns.count) else { throw damaged("has a row that contradicts itself") }
    return row
  }

  func damaged(_ what: String) -> SumsError { SumsError(.damaged, "table \(empty.name) \(what)") }

  var otherKey: SumsError {
    damaged("has a row with a key that this version does not know (\(empty.keys.joined(separator: ", ")))")
  }
}

/// The counts of a key: the cells of a row.
package protocol SumRow: Sendable {
  /// Of nobody.
  init()

  /// - Parameter row: with counts that are within the table's bound.
  /// - Returns: nil if the counts contradict each other.
  init?(_ row: SumTable.Row, width: Int)

  var row: SumTable.Row { get }

  mutating func add(_ other: Self) throws(SumsError)
}

package struct CountTable<Key: SumKey, Row: SumRow>: SumsPart {
  let shape: TableShape
  package var rows: [Key: Row] = [:]

  init(
    _ name: String, columns: [String], bound: Int64 = SumKeys.mostUsers, most: Int = .max, isOfNobody: Bool = false
  ) {
    shape = TableShape(
      name, keys: Key.names, columns: .named(columns), bound: bound, most: most, isOfNobody: isOfNobody)
  }

  package subscript(_ key: Key) -> Row? {
    get { rows[key] }
    set { rows[key] = newValue }
  }

  mutating func add(_ row: Row, to key: Key) throws(SumsError) { try rows[key, default: Row()].add(row) }

  package mutating func add(_ other: CountTable) throws(SumsError) {
    // Of many tables one of the two is empty.
    if rows.isEmpty {
      rows = other.rows
    } else {
      for (key, row) in other.rows { try add(row, to: key) }
    }
  }

  package var tables: [SumTable] { [shape.empty.filled(rows.map { (key: $0.parts, row: $1.row) })] }

  package mutating func read(_ tables: [SumTable]) throws(SumsError) {
    let found = try shape.rows(in: tables)
    rows.reserveCapacity(found.count)
    for (parts, row) in found {
      guard let key = Key(parts) else { throw shape.otherKey }
      rows[key] = try shape.row(row)
    }
  }
}

extension CountTable: Equatable where Row: Equatable {}

extension CountTable where Row == BucketCounts {
  /// A table of times, whose columns are the buckets.
  init(times name: String) { shape = TableShape(name, keys: Key.names, columns: .numbered(TimeHistogram.size)) }
}

/// Counts of all together: a table without keys.
struct CountRow<Row: SumRow>: SumsPart {
  private let shape: TableShape
  var row: Row

  init(_ name: String, columns: [String], bound: Int64 = SumKeys.mostUsers, isOfNobody: Bool = false, _ row: Row) {
    shape = TableShape(name, keys: [], columns: .named(columns), bound: bound, isOfNobody: isOfNobody)
    self.row = row
  }

  mutating func add(_ other: CountRow) throws(SumsError) { try row.add(other.row) }

  var tables: [SumTable] { [shape.empty.filled([(key: [], row: row.row)])] }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    guard let found = try shape.rows(in: tables).first?.row else { return }
    row = try shape.row(found)
  }
}

// MARK: Rows

extension Int64: SumRow {
  package init?(_ row: SumTable.Row, width: Int) { self = row[0] }
  package var row: SumTable.Row { SumTable.Row([self]) }
  package mutating func add(_ other: Int64) throws(SumsError) { self = try CheckedSum.add(self, other) }
}

/// A count for each column. An empty array is the same as counts of no users.
extension [Int64]: SumRow {
  package init?(_ row: SumTable.Row, width: Int) {
    self.init(repeating: 0, count: width)
    for (column, value) in zip(row.columns, row.values) { self[column] = value }
  }

  package var row: SumTable.Row { SumTable.Row(self) }

  package mutating func add(_ other: [Int64]) throws(SumsError) {
    if isEmpty {
      self = other
    } else {
      for (place, value) in other.enumerated() { self[place] = try CheckedSum.add(self[place], value) }
    }
  }
}

/// A mark that something is true: it stays 1 when sums are added.
package struct Mark: SumRow, Equatable {
  package init() {}
  package init?(_ row: SumTable.Row, width: Int) { if row.values != [1] { return nil } }
  package var row: SumTable.Row { SumTable.Row([1]) }
  package mutating func add(_ other: Mark) {}
}

extension BucketCounts: SumRow {
  package init?(_ row: SumTable.Row, width: Int) {
    guard let counts = try? BucketCounts(columns: row.columns, values: row.values) else { return nil }
    self = counts
  }

  package var row: SumTable.Row { row(countedIn: TimeHistogram()) }
}

// MARK: Room

/// How much memory sums may take, and why not everything could be counted. It is in no table.
struct SumsLimit: SumsPart {
  var room = GroupRoom()
  var failure: SumsError?

  var tables: [SumTable] { [] }
  mutating func read(_ tables: [SumTable]) {}

  mutating func add(_ other: SumsLimit) throws(SumsError) {
    try checkSize(for: other)
    room.bytes = min(room.bytes, other.room.bytes)
  }

  func checkSize(for other: SumsLimit? = nil) throws(SumsError) {
    if let failure = failure ?? other?.failure { throw failure }
  }
}

extension CheckedSum {
  /// A sum of counts that stays at the limit.
  static func bounded(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, isOver) = a.addingReportingOverflow(b)
    return isOver ? limit : min(sum, limit)
  }
}

// MARK: Keys of tables of sums
// A key is declared once: the line of a part names it, writes it, and reads it from what anybody may have written.

/// The key of a row: its parts are names, weeks and words.
package protocol SumKey: Hashable, Sendable {
  init()

  /// Hands over each of the parts, in their order.
  mutating func visit(_ parts: inout KeyParts)
}

extension SumKey {
  static var names: [String] {
    var (key, parts) = (Self(), KeyParts(.names))
    key.visit(&parts)
    return parts.names
  }

  var parts: SumTable.Key {
    var (key, parts) = (self, KeyParts(.writing))
    key.visit(&parts)
    return parts.parts
  }

  /// - Parameter parts: as many as there are names.
  /// - Returns: nil if they are no key that this version knows.
  init?(_ parts: SumTable.Key) {
    var parts = KeyParts(.reading, parts)
    self.init()
    visit(&parts)
    if !parts.areKnown { return nil }
  }
}

package struct KeyParts {
  enum Way {
    case names, writing, reading
  }

  private let way: Way
  fileprivate private(set) var names: [String] = []
  fileprivate private(set) var parts: SumTable.Key
  private var next = 0
  fileprivate var areKnown = true

  fileprivate init(_ way: Way, _ parts: SumTable.Key = []) { (self.way, self.parts) = (way, parts) }

  /// - Parameter read: nil for what this version does not know.
  @inline(__always)
  mutating func part<Value>(
    _ name: String, _ value: inout Value, _ write: (Value) -> [UInt8]?, _ read: ([UInt8]?) -> Value?
  ) {
    switch way {
    case .names: names.append(name)
    case .writing: parts.append(write(value))
    case .reading:
      if let read = read(parts[next]) { value = read } else { areKnown = false }
      next += 1
    }
  }

  mutating func name(_ name: String, _ value: inout [UInt8]) { part(name, &value, { $0 }, \.name) }

  /// A missing name is empty, and absent in a file.
  mutating func nameOrNone(_ name: String, _ value: inout [UInt8]) { part(name, &value, \.orAbsent, \.nameOrNone) }

  /// By the index of the ISO week.
  mutating func week(_ name: String, _ value: inout Int64) {
    part(name, &value, { CalendarWeek(index: $0).bytes }, \.week)
  }

  mutating func day(_ name: String, _ value: inout DayNumber) { part(name, &value, { CivilDate($0).bytes }, \.day) }

  /// A word by its index among all.
  mutating func word(_ name: String, _ value: inout Int, of words: [[UInt8]]) {
    part(name, &value, { words[$0] }, { part in words.firstIndex { $0 == part } })
  }

  mutating func word(_ name: String, _ value: inout Bool, no: String, yes: String) {
    part(name, &value, { Array(($0 ? yes : no).utf8) }) { part in
      part == Array(yes.utf8) ? true : part == Array(no.utf8) ? false : nil
    }
  }
}

enum SumKeys {
  /// More journeys than there will be: figures made of counts up to this do not overflow.
  static let mostUsers: Int64 = 1 << 40

  static func words(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }
}

extension [UInt8]? {
  /// A name, neither empty nor longer than a log allows.
  var name: [UInt8]? { flatMap { $0.isEmpty || $0.count > StringField.maximumLength ? nil : $0 } }
  var nameOrNone: [UInt8]? { self == nil ? [] : name }
  var week: Int64? { flatMap { CalendarWeek(parsing: $0)?.index } }
  var day: DayNumber? { flatMap { CivilDate(parsing: $0)?.dayNumber } }
}

extension [UInt8] {
  var orAbsent: [UInt8]? { isEmpty ? nil : self }
  /// nil if it is empty.
  var text: String? { isEmpty ? nil : String(bounded: self) }
}

/// A permission alone.
extension [UInt8]: SumKey {
  package mutating func visit(_ parts: inout KeyParts) { parts.name("permission", &self) }
}
