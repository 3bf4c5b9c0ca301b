// The columns of an Arrow stream, as its first message describes them.

/// One column.
struct ArrowField: Sendable {
  let name: String
  let type: ArrowType
  /// The type's name for messages.
  let typeName: String
  /// If it is a dictionary's: the number of the dictionary, and whether its texts have offsets of 64 bits.
  let dictionary: (id: Int64, isLarge: Bool)?
  let shape: ArrowShape
  /// A batch says which of its values are there, in the first buffer.
  let hasValidity: Bool
}

/// All columns, in their order.
struct ArrowSchema: Sendable {
  let fields: [ArrowField]

  /// Columns that may be nested in one another, and columns altogether: a small description may name one many times.
  private static let maximumDepth = 64
  static let maximumFields = 100_000

  /// - Throws: `ArrowDamage` if the description is none.
  init(fields: [ArrowField]) { self.fields = fields }

  init(_ table: FlatTable, isOldest: Bool) throws(ArrowDamage) {
    var fields: [ArrowField] = []
    var left = Self.maximumFields
    if let vector = try table.vector(1, of: 4) {
      for index in 0..<vector.count {
        fields.append(try Self.field(vector.table(index), depth: 0, isOldest: isOldest, &left))
      }
    }
    self.fields = fields
  }

  /// True for numbers whose bytes come in the order that is read here.
  static func isLittleEndian(_ table: FlatTable) throws(ArrowDamage) -> Bool {
    try table.number(0, else: 0 as Int16) == 0
  }

  private static func field(
    _ table: FlatTable, depth: Int, isOldest: Bool, _ left: inout Int
  ) throws(ArrowDamage) -> ArrowField {
    left -= 1
    guard left >= 0 else { throw ArrowDamage("it has more than \(maximumFields) columns") }
    guard depth < maximumDepth else { throw ArrowDamage("its columns are nested more than \(maximumDepth) deep") }
    let reading = try ArrowTypeReading(
      number: table.number(2, else: 0), table.table(3), isOldest: isOldest)
    var shape = ArrowShape(buffers: reading.buffers, views: reading.hasViews ? 1 : 0)
    if let children = try table.vector(5, of: 4) {
      for index in 0..<children.count {
        shape = shape + (try field(children.table(index), depth: depth + 1, isOldest: isOldest, &left)).shape
      }
    }
    let name = try table.text(0) ?? ""
    let own = reading.type.isRead ? Self.name(reading.type) : reading.otherName
    guard let encoding = try table.table(4) else {
      return ArrowField(
        name: name, type: reading.type, typeName: own, dictionary: nil, shape: shape, hasValidity: reading.hasValidity)
    }
    // A batch has the indices; the values come in messages of their own. Without a type, indices have 32 bits.
    let index =
      try encoding.table(1).map { table throws(ArrowDamage) in try ArrowTypeReading.integer(table) }
      ?? ArrowInteger(bytes: 4, isSigned: true)
    var isLarge: Bool?
    if case .text(let large) = reading.type { isLarge = large }
    let typeName = "dictionary of \(own)"
    return ArrowField(
      name: name, type: isLarge == nil ? .other : .dictionary(index), typeName: typeName,
      dictionary: (try encoding.number(0, else: 0 as Int64), isLarge ?? false), shape: ArrowShape(), hasValidity: true)
  }

  private static func name(_ type: ArrowType) -> String {
    switch type {
    case .null: "null"
    case .boolean: "bool"
    case .integer(let integer), .dictionary(let integer): "\(integer.isSigned ? "" : "u")int\(integer.bytes * 8)"
    case .float: "float"
    case .double: "double"
    case .text: "string"
    case .timestamp: "timestamp"
    case .date: "date"
    case .other: "other"
    }
  }
}
