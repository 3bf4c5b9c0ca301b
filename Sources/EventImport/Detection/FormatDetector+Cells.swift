// Files of cells: tabs without a header, or any delimiter with one.

import EventMapping

extension FormatDetector {
  func cells(from start: Int, lines: Int) throws(ImportError) -> DetectedFormat {
    let end = head[start...].firstIndex(of: ByteSearch.newline) ?? head.count
    let columns = head[start..<end].count { $0 == 0x09 } + 1
    if columns > 2, format.vendor == nil, isCanonicalTable(from: start, lines: lines) {
      return try table(from: start, lines: lines)
    }
    var candidates = formats.own
    if columns > 2 || format.vendor != nil { candidates += try formats.vendors() }
    for program in candidates where program.record.form == .tsv {
      if let vendor = format.vendor, program.mapping.name != vendor, program.mapping.base != vendor { continue }
      let minimum = program.record.minimumColumns ?? program.record.columns.count
      if columns >= minimum, columns <= max(program.record.columns.count, minimum) + 20 {
        return .content(.records(program, .tsv(program.record.columns)), offset: start, lines: lines)
      }
    }
    if let vendor = format.vendor { throw .otherForm(name, vendor) }
    return try table(from: start, lines: lines)
  }

  func table(from start: Int, lines: Int) throws(ImportError) -> DetectedFormat {
    let dialects = CSVDialect.all(head, from: start, lines: lines)
    let canonical = dialects.first { CSVHeader.isHeader($0.names) }
    if format == .auto {
      let isCanonical = canonical.map { namesKind($0) } ?? false
      if let (program, dialect) = own(canonical.map { [$0] } ?? dialects, isCanonical: isCanonical) {
        return content(program, dialect)
      }
      guard canonical != nil else { throw try unknown() }
    }
    guard let dialect = canonical ?? dialects.first else { throw .unreadableHeader(name, line: lines + 1) }
    let header = try CSVHeader(names: dialect.names, delimiter: dialect.delimiter, file: name, line: dialect.lines)
    return .content(.table(header), offset: dialect.offset, lines: dialect.lines)
  }

  func content(_ program: MappingProgram, _ dialect: CSVDialect) -> DetectedFormat {
    let columns = CSVColumns(names: dialect.names, delimiter: dialect.delimiter)
    return .content(.records(program, .csv(columns)), offset: dialect.offset, lines: dialect.lines)
  }

  /// True if tabs are between the cells of a canonical heading, and its records are canonical too.
  private func isCanonicalTable(from start: Int, lines: Int) -> Bool {
    CSVDialect.all(head, from: start, lines: lines).contains {
      $0.delimiter == 0x09 && CSVHeader.isHeader($0.names) && namesKind($0)
    }
  }

  /// A user's mapping for files with one of these headers.
  private func own(_ dialects: [CSVDialect], isCanonical: Bool) -> (MappingProgram, CSVDialect)? {
    let tables = formats.own.filter { $0.record.form == .csv }
    for dialect in dialects {
      if let program = tables.first(where: { recognised($0, [dialect]) != nil }) { return (program, dialect) }
    }
    guard !isCanonical, let dialect = dialects.first else { return nil }
    return tables.first { $0.record.recognise.isEmpty }.map { ($0, dialect) }
  }

  /// The first of these headers by which a mapping tells its files.
  func recognised(_ program: MappingProgram, _ dialects: [CSVDialect]) -> CSVDialect? {
    dialects.first { dialect in
      let known = Set(dialect.names)
      func has(_ place: PropertyReference) -> Bool {
        if case .pointer(let keys) = place { return keys.first.map { known.contains(Array($0.utf8)) } ?? false }
        return known.contains(Array(place.text.utf8))
      }
      return program.record.recognise.contains { $0.allSatisfy(has) }
    }
  }

  /// True if an event of the first records is a kind, or there is none yet.
  private func namesKind(_ dialect: CSVDialect) -> Bool {
    let column = dialect.names.firstIndex { CSVHeader.field($0) == ImportField.event }
    guard let column else { return true }
    var seen = false
    var isKind = false
    let shape = CSVShape(delimiter: dialect.delimiter, names: dialect.names)
    CSVDialect.forEachRecord(head, from: dialect.offset, shape) { reading, cells in
      if reading == .cells || reading == .otherCount, cells.indices.contains(column), !cells[column].isEmpty {
        isKind = ClosedList.kinds.contains(Array(cells[column].bytes))
        seen = true
      }
      return !isKind
    }
    return isKind || !seen
  }
}
