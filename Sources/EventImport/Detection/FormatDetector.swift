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

  func unknown() throws(ImportError) -> ImportError {
    let utf16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    return .unknownFormat(name, utf16: utf16, own: formats.own.map(\.mapping.name))
  }
}
