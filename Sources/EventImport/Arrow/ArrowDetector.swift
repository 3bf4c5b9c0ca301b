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
      guard let program = try formats.vendor(vendor), program.record.form != .tsv else {
        throw .otherForm(name, vendor)
      }
      guard namesEvents(program) else { throw .otherForm(name, vendor) }
      return try layout(program)
    }
    let own = formats.own.filter { $0.record.form != .tsv }
    if let program = recognised(own) ?? own.first(where: { $0.record.recognise.isEmpty }) { return try layout(program) }
    if ArrowTable.isCanonical(schema, asSpelled: true) { return try canonical() }
    // Segment has `userId`, `timestamp` and `event` too.
    if let program = recognised(try formats.vendors().filter({ $0.record.form == .json })) {
      return try layout(program)
    }
    if ArrowTable.isCanonical(schema, asSpelled: false) { return try canonical() }
    // Named for it, the canonical form says what it lacks.
    if format == .arrow, formats.own.isEmpty, schema.fields.contains(where: { ArrowTable.isRequired($0) }) {
      _ = try ArrowTable(canonical: schema, file: name)
    }
    let columns = schema.fields.map { UnknownForm.legible(ArrowTable.name($0)) }
    throw .unknownArrow(name, formats.hidesNames ? [] : columns)
  }

  private func canonical() throws(ImportError) -> (InputLayout, ArrowTable) {
    let table = try ArrowTable(canonical: schema, file: name)
    return (.arrow(table), table)
  }

  private func layout(_ program: MappingProgram) throws(ImportError) -> (InputLayout, ArrowTable) {
    let table = try ArrowTable(program, schema, file: name)
    return (.records(program, .arrow(table)), table)
  }

  /// True for a place whose first key is a column.
  private var isThere: (PropertyReference) -> Bool {
    let columns = Set(schema.fields.map { ArrowTable.name($0) })
    return { place in place.keys.first.map { columns.contains($0) } ?? false }
  }

  /// True if a mapping finds the names of events in these columns.
  private func namesEvents(_ program: MappingProgram) -> Bool {
    let has = isThere
    return program.record.event.contains { name in
      switch name {
      case .from(let place): has(place)
      case .joined(let places): places.allSatisfy(has)
      case .constant: true
      }
    }
  }

  /// The first mapping that has all places of one of its lists among the columns.
  private func recognised(_ programs: [MappingProgram]) -> MappingProgram? {
    let has = isThere
    return programs.first { program in
      program.record.recognise.contains { !$0.isEmpty && $0.allSatisfy(has) }
        && !program.record.unless.contains(where: has)
    }
  }
}
