// Whose an Arrow stream is, by the names of its columns: it may have no rows to look at.

import EventMapping

/// One stream's detection.
struct ArrowDetector {
  let schema: ArrowSchema
  let format: ImportFormat
  let formats: RecordFormats
  /// The file, for messages.
  let name: String

  /// What reads the stream: a mapping of the user's own, the canonical form, or a vendor's preset.
  func detect() throws(ImportError) -> (InputLayout, ArrowTable) {
    if format == .ndjson || format == .csv { throw .isArrow(name, format.rawValue) }
    if let vendor = format.vendor {
      guard let program = try formats.vendor(vendor), program.record.form != .tsv else { throw .otherForm(name, vendor) }
      let found = try layout(program)
      if found.1.places.isEmpty { throw .otherForm(name, vendor) }
      return found
    }
    let own = formats.own.filter { $0.record.form != .tsv }
    if let program = recognised(own) ?? own.first(where: { $0.record.recognise.isEmpty }) { return try layout(program) }
    if ArrowTable.isCanonical(schema) {
      let table = try ArrowTable(canonical: schema, file: name)
      return (.arrow(table), table)
    }
    if let program = recognised(try formats.vendors().filter({ $0.record.form == .json })) { return try layout(program) }
    // Named for it, the canonical form says what it lacks.
    if format == .arrow, formats.own.isEmpty, schema.fields.contains(where: { ArrowTable.isRequired($0) }) {
      _ = try ArrowTable(canonical: schema, file: name)
    }
    let columns = schema.fields.map { UnknownForm.legible(ArrowTable.name($0)) }
    throw .unknownArrow(name, formats.hidesNames ? [] : columns)
  }

  private func layout(_ program: MappingProgram) throws(ImportError) -> (InputLayout, ArrowTable) {
    let table = try ArrowTable(program, schema, file: name)
    return (.records(program, .arrow(table)), table)
  }

  /// The first mapping that has all places of one of its lists among the columns, by their first keys.
  private func recognised(_ programs: [MappingProgram]) -> MappingProgram? {
    let columns = Set(schema.fields.map { ArrowTable.name($0) })
    func has(_ place: PropertyReference) -> Bool { place.keys.first.map { columns.contains($0) } ?? false }
    return programs.first { program in
      program.record.recognise.contains { !$0.isEmpty && $0.allSatisfy(has) } && !program.record.unless.contains(where: has)
    }
  }
}
