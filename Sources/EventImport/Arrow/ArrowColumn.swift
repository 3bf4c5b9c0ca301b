// One column of one batch: where its values are in the batch's body. What the stream says about them is checked once for the
// rows of a chunk; after that they are read without further questions.

import Buffers

/// Values by row. The memory, and the dictionary, are the batch's: nothing is counted when a column is handed on.
struct ArrowColumn: BitwiseCopyable {
  let type: ArrowType
  let holdsJSON: Bool
  let rows: Int
  /// A bit for each row that has a value; nil if all have.
  private let validity: UnsafePointer<UInt8>?
  /// Numbers, bits or indices; of texts the offsets.
  private let values: UnsafeRawBufferPointer
  /// Bytes of texts.
  private let data: UnsafeRawBufferPointer
  private let texts: Unmanaged<ArrowDictionary>?

  /// - Parameters:
  ///   - buffer: returns the column's buffers by their index in its list.
  ///   - nulls: rows without a value, as the batch says.
  init(
    _ type: ArrowType, holdsJSON: Bool = false, rows: Int, nulls: Int64, dictionary: ArrowDictionary?,
    buffer: (Int) throws(ArrowDamage) -> UnsafeRawBufferPointer
  ) throws(ArrowDamage) {
    self.type = type
    self.holdsJSON = holdsJSON
    self.rows = rows
    texts = dictionary.map { Unmanaged.passUnretained($0) }
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    guard type != .null, type.isRead, rows > 0 else {
      (validity, values, data) = (nil, none, none)
      return
    }
    let bitBytes = (rows + 7) / 8
    if nulls == 0 {
      validity = nil
    } else {
      let bits = try buffer(0)
      guard bits.count >= bitBytes else { throw .missingValidity }
      validity = bits.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
    let values = try buffer(1)
    var needed = bitBytes
    var data = none
    if case .text(let isLarge) = type {
      needed = (rows + 1) * (isLarge ? 8 : 4)
      data = try buffer(2)
    } else if let width = type.width {
      needed = rows * width
    }
    guard values.count >= needed else { throw ArrowDamage("a column has fewer values than rows") }
    self.values = values
    self.data = data
  }

  @inline(__always)
  func isValid(_ row: Int) -> Bool {
    guard type != .null else { return false }
    guard let validity else { return true }
    return validity[row &>> 3] &>> UInt8(truncatingIfNeeded: row & 7) & 1 != 0
  }

  // MARK: Checks

  /// Checks the references of some rows' values. No other function may be called for an unchecked row.
  func checkBounds(of range: Range<Int>) throws(ArrowDamage) {
    guard range.lowerBound >= 0, range.upperBound <= rows else { throw .outside }
    switch type {
    case .text(let isLarge):
      if isLarge { try checkOffsets(range, Int64.self) } else { try checkOffsets(range, Int32.self) }
    case .dictionary(let index):
      switch (index.bytes, index.isSigned) {
      case (1, true): try checkIndices(range, Int8.self)
      case (1, false): try checkIndices(range, UInt8.self)
      case (2, true): try checkIndices(range, Int16.self)
      case (2, false): try checkIndices(range, UInt16.self)
      case (4, true): try checkIndices(range, Int32.self)
      case (4, false): try checkIndices(range, UInt32.self)
      case (8, true): try checkIndices(range, Int64.self)
      default: try checkIndices(range, UInt64.self)
      }
    default: return
    }
  }

  private func checkOffsets<Offset: FixedWidthInteger>(_ range: Range<Int>, _: Offset.Type) throws(ArrowDamage) {
    guard !range.isEmpty else { return }
    var last = value(range.lowerBound, Offset.self)
    var isGood = last >= 0
    for row in range {
      let next = value(row + 1, Offset.self)
      if next < last { isGood = false }
      last = next
    }
    guard isGood, last <= data.count else { throw ArrowDamage("a text is not in its column") }
  }

  private func checkIndices<Index: FixedWidthInteger>(_ range: Range<Int>, _: Index.Type) throws(ArrowDamage) {
    let count = dictionary?.count ?? 0
    for row in range {
      let index = value(row, Index.self)
      // A row without a value may have any index.
      if index < 0 || index >= count, isValid(row) { throw ArrowDamage("a value is not in its dictionary") }
    }
  }

  // MARK: Values of rows that were checked

  @inline(__always)
  private func value<Number: FixedWidthInteger>(_ row: Int, _: Number.Type) -> Number {
    Number(littleEndian: values.loadUnaligned(fromByteOffset: row &* MemoryLayout<Number>.size, as: Number.self))
  }

  /// The text of a row with a value, of a column of texts.
  @inline(__always)
  func text(_ row: Int, isLarge: Bool) -> PaddedBytes {
    let start: Int
    let end: Int
    if isLarge {
      start = Int(truncatingIfNeeded: value(row, Int64.self))
      end = Int(truncatingIfNeeded: value(row &+ 1, Int64.self))
    } else {
      start = Int(value(row, Int32.self))
      end = Int(value(row &+ 1, Int32.self))
    }
    return PaddedBytes(unsafePadded: data.baseAddress.map { $0 + start }, count: end &- start)
  }

  /// The dictionary, of a column of indices.
  var dictionary: ArrowDictionary? { texts?.takeUnretainedValue() }

  /// The text of a row with a value, in a dictionary's column.
  @inline(__always)
  func text(_ row: Int, _ type: ArrowInteger) -> PaddedBytes {
    texts?._withUnsafeGuaranteedRef { $0.text(index(row, type)) } ?? .none
  }

  /// The index of a row with a value, in a dictionary's column.
  @inline(__always)
  func index(_ row: Int, _ type: ArrowInteger) -> Int {
    Int(truncatingIfNeeded: type.isSigned ? signed(row, type) : Int64(bitPattern: unsigned(row, type)))
  }

  @inline(__always)
  func signed(_ row: Int, _ type: ArrowInteger) -> Int64 {
    switch type.bytes {
    case 1: Int64(value(row, Int8.self))
    case 2: Int64(value(row, Int16.self))
    case 4: Int64(value(row, Int32.self))
    default: value(row, Int64.self)
    }
  }

  @inline(__always)
  func unsigned(_ row: Int, _ type: ArrowInteger) -> UInt64 {
    switch type.bytes {
    case 1: UInt64(value(row, UInt8.self))
    case 2: UInt64(value(row, UInt16.self))
    case 4: UInt64(value(row, UInt32.self))
    default: value(row, UInt64.self)
    }
  }

  func double(_ row: Int) -> Double { Double(bitPattern: value(row, UInt64.self)) }
  func float(_ row: Int) -> Float { Float(bitPattern: value(row, UInt32.self)) }

  @inline(__always)
  func ticks(_ row: Int) -> Int64 { value(row, Int64.self) }

  func days(_ row: Int) -> Int32 { value(row, Int32.self) }

  func boolean(_ row: Int) -> Bool { values[row &>> 3] &>> UInt8(truncatingIfNeeded: row & 7) & 1 != 0 }
}

// MARK: The types of Arrow's columns: those with values that are read, and for all others the number of nodes and
// buffers in a batch, so that an unwanted column can be skipped.

struct ArrowInteger: Equatable, Sendable, BitwiseCopyable {
  /// 1, 2, 4 or 8.
  var bytes: Int
  var isSigned: Bool
}

enum ArrowType: Equatable, Sendable, BitwiseCopyable {
  case null
  case boolean
  case integer(ArrowInteger)
  case float
  case double
  /// A text, or bytes that should be one. Large ones have offsets of 64 bits.
  case text(isLarge: Bool)
  /// Ticks since 1970, with their number per second. Without a zone they are a wall clock's.
  case timestamp(perSecond: Int64, hasZone: Bool)
  /// Days since 1970 in 32 bits, or milliseconds in 64.
  case date(isDays: Bool)
  /// Indices of texts that the stream holds once.
  case dictionary(ArrowInteger)
  case other

  var isRead: Bool { self != .other }

  /// Bytes of a value, for types with values of one size; nil for others.
  var width: Int? {
    switch self {
    case .integer(let integer), .dictionary(let integer): integer.bytes
    case .float: 4
    case .double, .timestamp: 8
    case .date(let isDays): isDays ? 4 : 8
    case .null, .boolean, .text, .other: nil
    }
  }
}

/// The entries of a column in the lists of a batch.
struct ArrowShape: Equatable, Sendable {
  var nodes = 1
  var buffers = 2
  /// Columns with a number of buffers that each batch states.
  var views = 0

  static func + (a: Self, b: Self) -> Self {
    ArrowShape(nodes: a.nodes + b.nodes, buffers: a.buffers + b.buffers, views: a.views + b.views)
  }
}

/// A type as a schema describes it, before its children are read.
struct ArrowTypeReading {
  let type: ArrowType
  /// The type's name, if it is not read.
  private(set) var otherName = ""
  /// Buffers of its own, children not counted.
  let buffers: Int
  private(set) var hasViews = false
  /// The first buffer says which values are there.
  let hasValidity: Bool

  /// - Parameters:
  ///   - number: of the type in the schema's union.
  ///   - table: the type's own description.
  ///   - isOldest: metadata of version 4, in which unions say which values are there.
  init(number: UInt8, _ table: FlatTable?, isOldest: Bool) throws(ArrowDamage) {
    func field(_ index: Int, else absent: Int16) throws(ArrowDamage) -> Int16 {
      try table?.number(index, else: absent) ?? absent
    }
    // A union's first buffer has the types.
    let isUnion = number == 14
    switch number {
    case 1: (type, buffers) = (.null, 0)
    case 2: (type, buffers) = (.integer(try Self.integer(table)), 2)
    case 3:
      let precision = try field(0, else: 0)
      (type, buffers) = (precision == 2 ? .double : precision == 1 ? .float : .other, 2)
      otherName = "halffloat"
    case 4, 5: (type, buffers) = (.text(isLarge: false), 3)
    case 6: (type, buffers) = (.boolean, 2)
    case 8: (type, buffers) = (.date(isDays: try field(0, else: 1) == 0), 2)
    case 10:
      let units: [Int64] = [1, 1000, 1_000_000, 1_000_000_000]
      let unit = Int(try field(0, else: 0))
      guard units.indices.contains(unit) else { throw ArrowDamage("a timestamp has an unknown unit") }
      // The zone does not matter: the ticks are in UTC.
      let hasZone = try table?.hasText(1) ?? false
      (type, buffers) = (.timestamp(perSecond: units[unit], hasZone: hasZone), 2)
    case 14:
      let isDense = try field(0, else: 0) == 1
      (type, buffers) = (.other, (isDense ? 2 : 1) + (isOldest ? 1 : 0))
      otherName = "union"
    case 19, 20: (type, buffers) = (.text(isLarge: true), 3)
    case 23, 24:
      (type, buffers) = (.other, 2)
      otherName = number == 23 ? "binary_view" : "string_view"
      hasViews = true
    default:
      guard let other = Self.others[number] else { throw ArrowDamage("a column has the unknown type \(number)") }
      (type, buffers) = (.other, other.buffers)
      otherName = other.name
    }
    hasValidity = !isUnion && buffers > 0
  }

  static func integer(_ table: FlatTable?) throws(ArrowDamage) -> ArrowInteger {
    let bits = try table?.number(0, else: 0 as Int32) ?? 0
    guard [8, 16, 32, 64].contains(bits) else { throw ArrowDamage("a whole number has \(bits) bits") }
    return ArrowInteger(bytes: Int(bits) / 8, isSigned: try table?.flag(1) ?? false)
  }

  /// Types that are not read: their names, and their own buffers.
  private static let others: [UInt8: (name: String, buffers: Int)] = [
    7: ("decimal", 2), 9: ("time", 2), 11: ("interval", 2), 12: ("list", 2), 13: ("struct", 1),
    15: ("fixed_size_binary", 2), 16: ("fixed_size_list", 1), 17: ("map", 2), 18: ("duration", 2),
    21: ("large_list", 2),
    22: ("run_end_encoded", 0), 25: ("list_view", 3), 26: ("large_list_view", 3),
  ]
}

// MARK: Where the columns of one batch are: a batch lists the nodes and buffers of all columns one after another

/// The lists of a batch, or of a dictionary's texts.
struct ArrowLists {
  let rows: Int
  private let body: ArrowBody
  private let nodes: FlatVector
  private let buffers: FlatVector
  /// The additional buffers of views: before the first view, the second and so on.
  private var viewBuffers = [0]

  /// Rows of a batch beyond those that its bytes can hold, because columns of only nulls take no bytes.
  private static let rowsWithoutBytes = 1024
  private static let missingLists = ArrowDamage("a batch does not list the positions of its columns")

  /// - Returns: nil if the body is compressed.
  init?(_ table: FlatTable, _ body: ArrowBody) throws(ArrowDamage) {
    guard try !table.has(3) else { return nil }
    let rows = try table.number(0, else: 0 as Int64)
    guard rows >= 0, rows <= body.count * 8 + Self.rowsWithoutBytes else {
      throw ArrowDamage("a batch has more rows than its bytes can hold")
    }
    guard let nodes = try table.vector(1, of: 16), let buffers = try table.vector(2, of: 16) else {
      throw Self.missingLists
    }
    self.rows = Int(rows)
    self.body = body
    self.nodes = nodes
    self.buffers = buffers
    guard let counts = try table.vector(4, of: 8) else { return }
    for view in 0..<counts.count {
      let count = try counts.number(view)
      guard count >= 0, count <= buffers.count else { throw .outside }
      viewBuffers.append(viewBuffers[view] + Int(count))
    }
  }

  /// A column that is read.
  /// - Parameter start: what comes before it in the lists.
  func column(
    _ type: ArrowType, _ start: ArrowShape, _ dictionary: ArrowDictionary?, holdsJSON: Bool = false
  ) throws(ArrowDamage) -> ArrowColumn {
    guard try nodes.number(start.nodes) == rows else {
      throw ArrowDamage("a column does not have as many rows as its batch")
    }
    return try ArrowColumn(
      type, holdsJSON: holdsJSON, rows: rows, nulls: nodes.number(start.nodes, word: 1), dictionary: dictionary
    ) { place throws(ArrowDamage) in try part(start, place)
    }
  }

  /// Which values of an unwanted column are present; nil if all are.
  func validity(_ field: ArrowField, _ start: ArrowShape) throws(ArrowDamage) -> UnsafeRawBufferPointer? {
    guard field.hasValidity, try nodes.number(start.nodes, word: 1) != 0 else { return nil }
    let bits = try part(start, 0)
    guard bits.count >= (rows + 7) / 8 else { throw .missingValidity }
    return bits
  }

  private func part(_ start: ArrowShape, _ place: Int) throws(ArrowDamage) -> UnsafeRawBufferPointer {
    guard start.views < viewBuffers.count else { throw Self.missingLists }
    let index = start.buffers + viewBuffers[start.views] + place
    return try body.part(offset: buffers.number(index), count: buffers.number(index, word: 1))
  }
}
