// Whose an Arrow stream is, by the names of its columns: it may have no rows to look at.

import EventMapping

/// One stream's detection.
struct ArrowDetector {
  private let schema: ArrowSchema
  private let format: ImportFormat
  private let formats: RecordFormats
  /// The file, for messages.
  private let name: String
  /// The names of the columns.
  private let columns: Set<String>

  init(schema: ArrowSchema, format: ImportFormat, formats: RecordFormats, name: String) {
    self.schema = schema
    self.format = format
    self.formats = formats
    self.name = name
    columns = Set(schema.fields.map(\.trimmedName))
  }

  /// What reads the stream: a mapping of the user's own, the canonical form, or a vendor's preset.
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
    if let program = recognised(own) ?? own.first(where: { $0.record.recognise.isEmpty }) { return try layout(program) }
    if ImportField.required.allSatisfy({ columns.contains(ImportField.names[$0]) }) { return try canonical() }
    // Segment has `userId`, `timestamp` and `event` too.
    if let program = recognised(try formats.vendors().filter({ $0.record.form == .json })) {
      return try layout(program)
    }
    if ArrowTable.missing(schema).isEmpty { return try canonical() }
    // Named for it, the canonical form says what it lacks.
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

  private func layout(_ program: MappingProgram) throws(ImportError) -> (InputLayout, ArrowTable) {
    let table = try ArrowTable(program, schema, file: name)
    return (.records(program, .arrow(table)), table)
  }

  /// True for a place whose first key is a column, or all of them together, as in a flattened table.
  private func isThere(_ place: PropertyReference) -> Bool {
    place.keys.first.map { columns.contains($0) } ?? false
      || [".", "_"].contains { columns.contains(place.keys.joined(separator: $0)) }
  }

  /// True if a mapping finds the names of events in these columns.
  private func namesEvents(_ program: MappingProgram) -> Bool {
    program.record.event.contains { name in
      switch name {
      case .from(let place): isThere(place)
      case .joined(let places): places.allSatisfy(isThere)
      case .constant: true
      }
    }
  }

  /// The first mapping that has all places of one of its lists among the columns.
  private func recognised(_ programs: [MappingProgram]) -> MappingProgram? {
    programs.first { program in
      program.record.recognise.contains { !$0.isEmpty && $0.allSatisfy(isThere) }
        && !program.record.unless.contains(where: isThere)
    }
  }
}
