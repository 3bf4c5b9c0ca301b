// The questions that are asked of a file's first bytes, one after another.

import EventMapping

/// One file's detection.
struct FormatDetector {
  let head: [UInt8]
  let format: ImportFormat
  let formats: RecordFormats
  let name: String
  let unwrapped: Bool

  /// Lines that are looked at.
  private static let maximumLines = 50

  func detect() throws(ImportError) -> DetectedFormat {
    let offset = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if format == .ndjson { return .content(.lines, offset: offset, lines: 0) }
    // The first line that is not blank.
    var lines = 0
    var start = offset
    var i = offset
    while i < head.count, ByteSearch.isBlank(head[i]) || head[i] == ByteSearch.newline {
      if head[i] == ByteSearch.newline {
        lines += 1
        start = i + 1
      }
      i += 1
    }
    guard i < head.count else { return .content(.lines, offset: offset, lines: 0) }
    if format == .csv { return try table(from: start, lines: lines) }
    switch head[i] {
    case 0x7B: return try objects(offset: offset, first: i)
    case 0x5B where !unwrapped: return .envelope(offset: offset)
    default: return try cells(from: start, lines: lines)
    }
  }

  // MARK: JSON

  private func objects(offset: Int, first: Int) throws(ImportError) -> DetectedFormat {
    if let vendor = format.vendor { return try named(vendor, offset: offset, first: first) }
    let lines = headLines(from: first)
    let own = formats.own.filter { $0.record.form == .json }
    if let program = try recognised(own, lines) { return content(program, offset) }
    if try isCanonical(lines) { return .content(.lines, offset: offset, lines: 0) }
    let vendors = try formats.vendors().filter { $0.record.form == .json }
    if let program = try recognised(vendors, lines) { return content(program, offset) }
    if try isCompanion(vendors + own, lines) { return .companion }
    if !unwrapped, EnvelopeScan.isEnvelope(head[first...]) { return .envelope(offset: offset) }
    if let program = own.first(where: { $0.record.recognise.isEmpty }) { return content(program, offset) }
    // Canonical lines of which none is whole are told what is wrong with them, line by line.
    if looksCanonical { return .content(.lines, offset: offset, lines: 0) }
    if let program = torn(vendors) { return content(program, offset) }
    throw try unknown()
  }

  /// A vendor that was named: only what is around the records is still to be found out.
  private func named(_ vendor: String, offset: Int, first: Int) throws(ImportError) -> DetectedFormat {
    guard let program = try formats.vendor(vendor), program.record.form == .json else { throw .otherForm(name, vendor) }
    let lines = headLines(from: first)
    if try recognised([program], lines) != nil { return content(program, offset) }
    if try isCompanion([program], lines) { return .companion }
    if !unwrapped, EnvelopeScan.isEnvelope(head[first...]) { return .envelope(offset: offset) }
    return content(program, offset)
  }

  private func content(_ program: MappingProgram, _ offset: Int) -> DetectedFormat {
    .content(.records(program, .json), offset: offset, lines: 0)
  }

  /// The whole lines of the head; its last one too where the file ends there.
  private func headLines(from first: Int) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var start = first
    while start < head.count, result.count < Self.maximumLines {
      let end = head[start...].firstIndex(of: ByteSearch.newline) ?? head.count
      if end == head.count, head.count == ImportLimit.head { break }
      let line = head[start..<end]
      if line.first(where: { !ByteSearch.isBlank($0) }) == 0x7B { result.append(Array(line)) }
      start = end + 1
    }
    return result
  }

  private func recognised(_ programs: [MappingProgram], _ lines: [[UInt8]]) throws(ImportError) -> MappingProgram? {
    let probe = try probe()
    for (index, program) in programs.enumerated() { probe.add(program.record.recognise, target: index) }
    for line in lines {
      if let index = probe.target(line) { return programs[index] }
    }
    return nil
  }

  private func isCanonical(_ lines: [[UInt8]]) throws(ImportError) -> Bool {
    let probe = try probe()
    probe.add([ImportField.required.map { .pointer([ImportField.names[$0]]) }], target: 0)
    return lines.contains { probe.target($0) != nil }
  }

  private func isCompanion(_ programs: [MappingProgram], _ lines: [[UInt8]]) throws(ImportError) -> Bool {
    let probe = try probe()
    for program in programs { probe.add(program.record.companions, target: 0) }
    return lines.contains { probe.target($0) != nil }
  }

  private func probe() throws(ImportError) -> PlaceProbe {
    guard let probe = PlaceProbe() else { throw .outOfMemory(name) }
    return probe
  }

  /// True where the name of a canonical field stands somewhere in quotes.
  private var looksCanonical: Bool {
    ImportField.required.contains { contains(key: ImportField.names[$0]) }
  }

  /// A vendor whose places all stand somewhere as keys: for files whose first line is longer than the head, or torn.
  private func torn(_ programs: [MappingProgram]) -> MappingProgram? {
    programs.first { program in
      program.record.recognise.contains { places in
        !places.isEmpty
          && places.allSatisfy { place in
            if case .pointer(let keys) = place { return keys.allSatisfy { contains(key: $0) } }
            return contains(key: place.text)
          }
      }
    }
  }

  private func contains(key: String) -> Bool {
    let needle = Array("\"\(key)\"".utf8)
    guard head.count >= needle.count else { return false }
    return (0...head.count - needle.count).contains { start in
      head[start] == 0x22 && head[start..<start + needle.count].elementsEqual(needle)
    }
  }

  // MARK: Cells

  private func cells(from start: Int, lines: Int) throws(ImportError) -> DetectedFormat {
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

  private func table(from start: Int, lines: Int) throws(ImportError) -> DetectedFormat {
    let line = lines + 1
    let (end, inner, _) = head.withUnsafeBytes { memory in
      memory.baseAddress.map { CSVRecord.end($0, from: start, end: head.count) } ?? (head.count, 0, false)
    }
    let isCut = end == head.count && head.count == ImportLimit.head
    let names = isCut ? nil : Self.names(Array(head[start..<end]))
    let offset = min(end + 1, head.count)
    let isCanonical = names.map { CSVHeader.isHeader($0) } ?? false
    if format == .auto {
      if let names, let program = own(names, isCanonical: isCanonical) {
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

  private func unknown() throws(ImportError) -> ImportError {
    let utf16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    return .unknownFormat(name, utf16: utf16, own: formats.own.map(\.mapping.name))
  }
}
