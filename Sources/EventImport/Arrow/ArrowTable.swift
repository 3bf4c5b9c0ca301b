// Which columns of an Arrow stream are read, and as what.

import EventMapping

struct ArrowTable: Sendable {
  /// Their names without spaces at the ends, for the text of a refused row and for mappings.
  let names: [String]
  let ownNames: [String]
  /// Their `ImportField` numbers, if the table is canonical; empty if a mapping reads it. Columns that are not a field
  /// but help to read names have `noField`.
  let fields: [Int]
  /// The names of the columns of a canonical table; fields have their canonical names.
  let columns: [String]
  private let others: [Int]
  static let noField = -1
  let places: [Int]
  /// Columns of which no value can be read, whatever it is.
  let unfit: [(index: Int, fault: Fault)]

  enum Fault: Sendable, Equatable {
    /// Times without a zone: a fault if no zone was given for them.
    case noZone
    /// Decimal numbers where text is needed: 18.1 may have been 18.10.
    case decimals
    /// Other values where text is needed.
    case notText(String)
  }

  /// The columns of the canonical form.
  /// - Throws: if a field has two columns, a required field has no column, or a column has a type that is not read.
  init(canonical schema: ArrowSchema, file: String) throws(ImportError) {
    var columns: [Int: Int] = [:]
    for (index, column) in schema.fields.enumerated() {
      guard let field = column.canonical else { continue }
      if let first = columns[field] {
        let both = [first, index].map { schema.fields[$0].name }
        throw .duplicateColumn(file, ImportField.names[field], both, line: nil)
      }
      columns[field] = index
    }
    let missing = Self.missing(schema)
    if !missing.isEmpty { throw .missingColumns(file, missing, line: nil) }
    try self.init(schema, file: file) { index in
      let field = schema.fields[index]
      return field.canonical != nil
        || field.type.isRead && field.type != .null && CanonicalNames.telling.contains(field.trimmedName)
    }
  }

  /// The columns that a mapping reads.
  /// - Throws: if two have one name, or one has a type that is not read.
  init(_ program: MappingProgram, _ schema: ArrowSchema, file: String) throws(ImportError) {
    try self.init(schema, file: file, isCanonical: false) { index in
      let column = schema.fields[index]
      // A column without a path must have a type that is read.
      return program.firstKeys.contains(column.trimmedName)
        || column.type.isRead && program.wants(column: column.trimmedName)
    }
    var first: [String: String] = [:]
    for (name, own) in zip(names, ownNames) {
      if let other = first[name] { throw .duplicateColumn(file, name, [other, own], line: nil) }
      first[name] = own
    }
  }

  private init(
    _ schema: ArrowSchema, file: String, isCanonical: Bool = true, _ isWanted: (Int) -> Bool
  ) throws(ImportError) {
    places = schema.fields.indices.filter(isWanted)
    ownNames = places.map { schema.fields[$0].name }
    names = places.map { schema.fields[$0].trimmedName }
    let fields = isCanonical ? places.map { schema.fields[$0].canonical ?? Self.noField } : []
    columns = zip(names, fields).map { $1 == Self.noField ? $0 : ImportField.names[$1] }
    others = fields.indices.filter { fields[$0] == Self.noField }
    unfit = zip(places, fields).enumerated().compactMap { index, column in
      Self.fault(of: schema.fields[column.0].type, in: column.1).map { (index, $0) }
    }
    self.fields = fields
    for index in places where !schema.fields[index].type.isRead {
      throw .unreadArrowType(file, schema.fields[index].name, schema.fields[index].typeName)
    }
  }

  private static func fault(of type: ArrowType, in field: Int) -> Fault? {
    switch type {
    case .timestamp(_, let hasZone) where field == ImportField.timestamp && !hasZone: .noZone
    case .double, .float: isText(field) ? .decimals : nil
    case .integer: isText(field) ? .notText("whole numbers") : nil
    case .boolean: isText(field) ? .notText("true and false") : nil
    default: nil
    }
  }

  private static func isText(_ field: Int) -> Bool { field != noField && field < ImportField.stringCount }

  /// Throws if a row has a value that cannot be read, like all others of its column: reading on would reject them one by one.
  /// - Parameter hasInputZone: whether a zone was given for times without one.
  func checkFit(_ rows: ArrowRows, file: String, hasInputZone: Bool) throws(ImportError) {
    for (index, fault) in unfit where !(hasInputZone && fault == .noZone) {
      let column = rows.batch.columns[index]
      if rows.range.contains(where: { column.isValid($0) }) { throw .unfitArrowColumn(file, ownNames[index], fault) }
    }
  }

  /// The values of a row that the log does not keep.
  @inline(__always)
  func ignored(_ row: Int, _ batch: ArrowBatch) -> Int {
    var count = batch.ignored(row)
    for index in others where batch.columns[index].isValid(row) { count += 1 }
    return count
  }

  /// The names of the columns that the canonical form needs and the table does not have, in any spelling.
  static func missing(_ schema: ArrowSchema) -> [String] {
    let found = Set(schema.fields.compactMap(\.canonical))
    return ImportField.required.filter { !found.contains($0) }.map { ImportField.names[$0] }
  }
}

// MARK: The vendor of an Arrow stream, by the names of its columns, because it may have no rows

struct ArrowDetector {
  private let schema: ArrowSchema
  private var format: ImportFormat { formats.rows.format }
  private let formats: RecordFormats
  private let name: String
  private let columns: Set<String>

  init(schema: ArrowSchema, formats: RecordFormats, name: String) {
    self.schema = schema
    self.formats = formats
    self.name = name
    columns = Set(schema.fields.map(\.trimmedName))
  }

  /// The reader of the stream: a mapping of the user's own, the canonical form, or a vendor's preset.
  func detect() throws(ImportError) -> (InputLayout, ArrowTable) {
    if format == .ndjson || format == .csv { throw .isArrow(name, format.rawValue) }
    if let vendor = format.vendor {
      guard let program = try formats.vendor(vendor), program.record.form != .tsv else {
        throw .otherForm(name, vendor)
      }
      guard namesEvents(program) else { throw .otherForm(name, vendor) }
      return try layout(program)
    }
    let own = formats.own.filter { $0.record.form != .tsv }
    if let program = recognised(own, byColumns: 1) ?? own.first(where: { $0.record.recognise.isEmpty }) {
      return try layout(program)
    }
    let vendors = try formats.vendors()
    let tables = vendors.filter { $0.record.form == .csv }
    // Segment's tables have columns of these names, too, and the name of the event in another one.
    if format != .arrow, let program = recognised(tables.filter { !$0.namesEventInCanonicalColumn }) {
      return try layout(program)
    }
    if ImportField.required.allSatisfy({ columns.contains(ImportField.names[$0]) }) { return try canonical() }
    // Segment has `userId`, `timestamp` and `event` too.
    if let program = recognised(tables) ?? recognised(vendors.filter({ $0.record.form == .json })) {
      return try layout(program)
    }
    if ArrowTable.missing(schema).isEmpty { return try canonical() }
    // If Arrow was named as the format, the error lists the missing canonical columns.
    if format == .arrow, formats.own.isEmpty, ArrowTable.missing(schema).count < ImportField.required.count {
      _ = try ArrowTable(canonical: schema, file: name)
    }
    throw .unknownArrow(
      name, formats.hidesNames ? [] : schema.fields.map(\.trimmedName), missing: ArrowTable.missing(schema))
  }

  private func canonical() throws(ImportError) -> (InputLayout, ArrowTable) {
    let table = try ArrowTable(canonical: schema, file: name)
    return (.arrow(table), table)
  }

  private func layout(_ format: RecordFormat) throws(ImportError) -> (InputLayout, ArrowTable) {
    let program = try format.program(for: name)
    let table = try ArrowTable(program, schema, file: name)
    return (.records(program, .arrow(table)), table)
  }

  /// Whether the first key of a path is a column, or all keys together are, as in a flattened table.
  private func isThere(_ reference: PropertyReference) -> Bool {
    reference.keys.first.map { columns.contains($0) } ?? false
      || [".", "_"].contains { columns.contains(reference.keys.joined(separator: $0)) }
  }

  /// The column of a path: that of its first key, or one of all keys together.
  private func column(_ reference: PropertyReference) -> String {
    let joined = [".", "_"].map { reference.keys.joined(separator: $0) }.first { columns.contains($0) }
    return joined ?? reference.keys.first ?? ""
  }

  /// Whether a mapping finds the names of events in these columns.
  private func namesEvents(_ program: RecordFormat) -> Bool {
    program.record.event.contains { name in
      switch name {
      case .from(let reference): isThere(reference)
      case .joined(let places): places.allSatisfy(isThere)
      case .constant, .given: true
      }
    }
  }

  /// The first mapping with all paths of one of its lists among the columns.
  private func recognised(_ programs: [RecordFormat], byColumns least: Int = 2) -> RecordFormat? {
    programs.first { program in
      // What is in a column is not known, so that one alone shows nothing: many tables have a column `event`.
      program.record.recognise.contains { $0.allSatisfy(isThere) && Set($0.map(column)).count >= least }
        && !program.record.unless.contains(where: isThere)
    }
  }
}
