// Files of cells: tabs without a header, or commas with one.

import EventMapping

extension FormatDetector {
  func cells(from start: Int, lines: Int) throws(ImportError) -> DetectedFormat {
    let end = head[start...].firstIndex(of: ByteSearch.newline) ?? head.count
    let columns = head[start..<end].count { $0 == 0x09 } + 1
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
    let line = lines + 1
    let (end, inner, _) = head.withUnsafeBytes { memory in
      memory.baseAddress.map { CSVRecord.end($0, from: start, end: head.count) } ?? (head.count, 0, false)
    }
    let isCut = end == head.count && FileHead.isCut(head)
    let names = isCut ? nil : Self.names(Array(head[start..<end]))
    let offset = min(end + 1, head.count)
    let isCanonical = names.map { CSVHeader.isHeader($0) } ?? false
    if format == .auto {
      if let names, let program = own(names, isCanonical: isCanonical && namesKind(names, from: offset)) {
        let columns = names.map { String(decoding: $0, as: UTF8.self) }
        return .content(.records(program, .csv(columns)), offset: offset, lines: lines + inner + 1)
      }
      guard isCanonical else { throw try unknown() }
    }
    guard let names else { throw .unreadableHeader(name, line: line) }
    let header = try CSVHeader(names: names, file: name, line: line)
    return .content(.table(header), offset: offset, lines: lines + inner + 1)
  }

  /// A user's mapping for files with this header.
  private func own(_ names: [[UInt8]], isCanonical: Bool) -> MappingProgram? {
    let known = Set(names)
    func has(_ place: PropertyReference) -> Bool {
      if case .pointer(let keys) = place { return keys.first.map { known.contains(Array($0.utf8)) } ?? false }
      return known.contains(Array(place.text.utf8))
    }
    let tables = formats.own.filter { $0.record.form == .csv }
    return tables.first { $0.record.recognise.contains { $0.allSatisfy(has) } }
      ?? (isCanonical ? nil : tables.first { $0.record.recognise.isEmpty })
  }

  /// True where an event of the first records is a kind, or there is none yet.
  private func namesKind(_ names: [[UInt8]], from offset: Int) -> Bool {
    let column = names.firstIndex { ImportField.index(of: $0) == ImportField.event }
    guard let column else { return true }
    var start = offset
    var seen = false
    for _ in 0..<Self.maximumLines where start < head.count {
      let (end, _, _) = head.withUnsafeBytes { memory in
        memory.baseAddress.map { CSVRecord.end($0, from: start, end: head.count) } ?? (head.count, 0, false)
      }
      if end == head.count, FileHead.isCut(head) { break }
      if let cells = Self.names(Array(head[start..<end])), cells.indices.contains(column), !cells[column].isEmpty {
        if Vocabulary.kinds.contains(cells[column]) { return true }
        seen = true
      }
      start = end + 1
    }
    return !seen
  }

  /// The cells of a header; nil where it is no CSV record.
  private static func names(_ record: [UInt8]) -> [[UInt8]]? {
    var splitter = CSVRecord()
    defer { splitter.deallocate() }
    return record.withUnsafeBytes { bytes in
      do throws(CSVRecord.Fault) {
        try splitter.split(bytes)
        return splitter.cells.map { Array($0) }
      } catch {
        return nil
      }
    }
  }
}
