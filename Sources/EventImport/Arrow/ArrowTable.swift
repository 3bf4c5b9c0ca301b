// Which columns of an Arrow stream are read, and as what.

import EventMapping

/// The columns that are read, in the order of the schema.
struct ArrowTable: Sendable {
  /// Their names without blanks at the ends, for the text of a refused row and for mappings.
  let names: [String]
  /// Their names as the stream has them.
  let ownNames: [String]
  /// Their `ImportField` numbers, if the table is canonical; empty if a mapping reads it.
  let fields: [Int]
  /// Their places in the schema.
  let places: [Int]

  /// The columns of the canonical form.
  /// - Throws: if a field has two columns, a required one has none, or one has a type that is not read.
  init(canonical schema: ArrowSchema, file: String) throws(ImportError) {
    let found = Self.fields(schema)
    var columns: [Int: Int] = [:]
    for (place, field) in found.enumerated() {
      guard let field else { continue }
      if let first = columns[field] {
        throw .duplicateArrowColumn(
          file, ImportField.names[field], [first, place].map { schema.fields[$0].name })
      }
      columns[field] = place
    }
    let missing = ImportField.required.filter { columns[$0] == nil }
    if !missing.isEmpty { throw .missingArrowColumns(file, missing.map { ImportField.names[$0] }) }
    try self.init(schema, file: file) { found[$0] != nil }
  }

  /// The columns that a mapping looks at.
  /// - Throws: if one has a type that is not read.
  init(_ program: MappingProgram, _ schema: ArrowSchema, file: String) throws(ImportError) {
    let wanted = Set(program.places.paths.compactMap(\.keys.first))
    try self.init(schema, file: file, isCanonical: false) { wanted.contains(Self.name(schema.fields[$0])) }
  }

  private init(
    _ schema: ArrowSchema, file: String, isCanonical: Bool = true, _ isWanted: (Int) -> Bool
  ) throws(ImportError) {
    places = schema.fields.indices.filter(isWanted)
    ownNames = places.map { schema.fields[$0].name }
    names = places.map { Self.name(schema.fields[$0]) }
    fields = isCanonical ? places.compactMap { Self.field(schema.fields[$0]) } : []
    for place in places where !schema.fields[place].type.isRead {
      throw .unreadArrowType(file, schema.fields[place].name, schema.fields[place].typeName)
    }
  }

  /// True if the columns are those of the canonical form.
  /// - Parameter asSpelled: the columns that must be there have just these names.
  static func isCanonical(_ schema: ArrowSchema, asSpelled: Bool) -> Bool {
    if asSpelled {
      let names = Set(schema.fields.map(name))
      return ImportField.required.allSatisfy { names.contains(ImportField.names[$0]) }
    }
    let found = Set(fields(schema).compactMap { $0 })
    return ImportField.required.allSatisfy(found.contains)
  }

  /// True for a column that the canonical form cannot do without.
  static func isRequired(_ column: ArrowField) -> Bool {
    field(column).map { ImportField.required.contains($0) } ?? false
  }

  private static func fields(_ schema: ArrowSchema) -> [Int?] { schema.fields.map(field) }

  private static func field(_ column: ArrowField) -> Int? { CSVHeader.field(CSVDialect.trimmed(column.name.utf8)) }

  /// A column's name as headings of CSV are read: without blanks at its ends.
  static func name(_ column: ArrowField) -> String {
    String(decoding: CSVDialect.trimmed(column.name.utf8), as: UTF8.self)
  }
}
