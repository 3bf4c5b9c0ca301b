// The types of Arrow's columns: those whose values are read, and of all others how many nodes and buffers they take in a
// batch, so that a column that nobody asks for can be passed over.

/// A whole number's size and sign.
struct ArrowInteger: Equatable, Sendable, BitwiseCopyable {
  /// 1, 2, 4 or 8.
  var bytes: Int
  var isSigned: Bool
}

/// What the values of a column are.
enum ArrowType: Equatable, Sendable, BitwiseCopyable {
  case null
  case boolean
  case integer(ArrowInteger)
  case float
  case double
  /// A text, or bytes that should be one. Large ones have offsets of 64 bits.
  case text(isLarge: Bool)
  /// Ticks since 1970, so many a second; without a zone they are a wall clock's.
  case timestamp(perSecond: Int64, hasZone: Bool)
  /// Days since 1970 in 32 bits, or milliseconds in 64.
  case date(isDays: Bool)
  /// Indices of texts that the stream holds once.
  case dictionary(ArrowInteger)
  /// A type that is not read.
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

/// What a column takes in the lists of a batch.
struct ArrowShape: Equatable, Sendable {
  var nodes = 1
  var buffers = 2
  /// Columns whose number of buffers each batch says.
  var views = 0

  static func + (a: Self, b: Self) -> Self {
    ArrowShape(nodes: a.nodes + b.nodes, buffers: a.buffers + b.buffers, views: a.views + b.views)
  }
}

/// A type as a schema describes it, before its children are looked at.
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
      // Which zone it is does not matter: the ticks are those of UTC.
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
