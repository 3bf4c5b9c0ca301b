// The columns of an Arrow stream, as its first message describes them.

/// One column.
struct ArrowField: Sendable {
  let name: String
  /// The name as headings of CSV are read: without blanks at its ends.
  let trimmedName: String
  /// The `ImportField` that the name means; nil if none.
  let canonical: Int?
  let type: ArrowType
  /// The type's name for messages.
  let typeName: String
  /// If it is a dictionary's: the number of the dictionary, and whether its texts have offsets of 64 bits.
  let dictionary: (id: Int64, isLarge: Bool)?
  let shape: ArrowShape
  /// A batch says which of its values are there, in the first buffer.
  let hasValidity: Bool
  /// Texts that hold JSON: `permlog.json` in the column's metadata is `true`, as the Python package sets it for nested columns.
  let holdsJSON: Bool
}

/// All columns, in their order.
struct ArrowSchema: Sendable {
  let fields: [ArrowField]

  /// Columns that may be nested in one another, and columns altogether: a small description may name one many times.
  private static let maximumDepth = 64
  static let maximumFields = 100_000
  /// Bytes of a column's name.
  static let maximumName = 1 << 16
  /// Longer names than these are none of the canonical form, in whatever spelling.
  private static let maximumCanonicalName = 256

  init(fields: [ArrowField]) { self.fields = fields }

  /// - Throws: `ArrowDamage` if the description is none.
  init(_ table: FlatTable, isOldest: Bool) throws(ArrowDamage) {
    var fields: [ArrowField] = []
    var left = ArrowBudget(columns: Self.maximumFields, description: table)
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
    _ table: FlatTable, depth: Int, isOldest: Bool, _ left: inout ArrowBudget
  ) throws(ArrowDamage) -> ArrowField {
    left.columns -= 1
    guard left.columns >= 0 else { throw ArrowDamage("it has more than \(maximumFields) columns") }
    guard depth < maximumDepth else { throw ArrowDamage("its columns are nested more than \(maximumDepth) deep") }
    let reading = try ArrowTypeReading(
      number: table.number(2, else: 0), table.table(3), isOldest: isOldest)
    var shape = ArrowShape(buffers: reading.buffers, views: reading.hasViews ? 1 : 0)
    if let children = try table.vector(5, of: 4) {
      for index in 0..<children.count {
        shape = shape + (try field(children.table(index), depth: depth + 1, isOldest: isOldest, &left)).shape
      }
    }
    // Columns in others are not asked for by their names.
    let name = depth > 0 ? "" : try table.text(0, "the name of a column", maximum: maximumName, &left) ?? ""
    let trimmed = depth > 0 ? [] : CSVDialect.trimmed(name.utf8)
    let trimmedName = trimmed.count == name.utf8.count ? name : String(decoding: trimmed, as: UTF8.self)
    let canonical = trimmed.count > maximumCanonicalName ? nil : CSVHeader.field(trimmed)
    let own = reading.type.isRead ? Self.name(reading.type) : reading.otherName
    guard let encoding = try table.table(4) else {
      let holdsJSON = if case .text = reading.type { try holdsJSON(table, &left) } else { false }
      return ArrowField(
        name: name, trimmedName: trimmedName, canonical: canonical, type: reading.type, typeName: own, dictionary: nil,
        shape: shape, hasValidity: reading.hasValidity, holdsJSON: holdsJSON)
    }
    // A batch has the indices; the values come in messages of their own. Without a type, indices have 32 bits.
    let index =
      try encoding.table(1).map { table throws(ArrowDamage) in try ArrowTypeReading.integer(table) }
      ?? ArrowInteger(bytes: 4, isSigned: true)
    var isLarge: Bool?
    if case .text(let large) = reading.type { isLarge = large }
    let typeName = "dictionary of \(own)"
    return ArrowField(
      name: name, trimmedName: trimmedName, canonical: canonical, type: isLarge == nil ? .other : .dictionary(index),
      typeName: typeName, dictionary: (try encoding.number(0, else: 0 as Int64), isLarge ?? false), shape: ArrowShape(),
      hasValidity: true, holdsJSON: false)
  }

  private static func holdsJSON(_ field: FlatTable, _ left: inout ArrowBudget) throws(ArrowDamage) -> Bool {
    guard let pairs = try field.vector(6, of: 4) else { return false }
    left.pairs -= pairs.count
    guard left.pairs >= 0 else { throw .repeating }
    for index in 0..<pairs.count {
      let pair = try pairs.table(index)
      if try pair.isText(0, "permlog.json") { return try pair.isText(1, "true") }
    }
    return false
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
