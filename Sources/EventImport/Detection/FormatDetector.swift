// Recognises the format of a file by its first bytes, in a sequence of checks.

import EventMapping

enum DetectedFormat {
  /// Lines or records, after a byte-order mark and a header.
  case content(InputLayout, offset: Int, lines: Int)
  /// A document with an array of records: an array, or a page or batch around one.
  case envelope
  /// A file without events, or one that comes with an export.
  case skipped(SkippedFiles.Reason)
}

struct FormatDetector {
  /// The first bytes, as many as `FileHead` needs.
  let head: [UInt8]
  var format: ImportFormat { formats.rows.format }
  let formats: RecordFormats
  let name: String
  /// The head of the file, if this one is what an envelope in it held.
  let document: [UInt8]?
  var unwrapped: Bool { document != nil }

  static let maximumLines = 50

  func detect() throws(ImportError) -> DetectedFormat {
    let offset = FileHead.start(head)
    if let content = ForeignContent(head), content.isColumnar { throw .foreignContent(name, content) }
    if format == .arrow { throw .notArrow(name) }
    if format == .ndjson { return .content(.lines, offset: offset, lines: 0) }
    // The first line that is not empty.
    var lines = 0
    var start = offset
    var i = offset
    while i < head.count, ByteSearch.isSpace(head[i]) {
      if head[i] == ByteSearch.newline {
        lines += 1
        start = i + 1
      }
      i += 1
    }
    guard i < head.count else { return .content(.lines, offset: offset, lines: 0) }
    if format == .csv { return try table(from: start, lines: lines) }
    if let program = try formats.fixed() {
      return try fixed(program, offset: offset, first: i, start: start, lines: lines)
    }
    switch head[i] {
    case 0x7B where !isHeadingOfBraces(from: i): return try objects(offset: offset, first: i)
    case 0x5B where !unwrapped && HeadSketch.isList(head[i...]): return .envelope
    default: return try cells(from: start, lines: lines)
    }
  }

  /// Whether a table begins here whose first heading is a name in braces: `{event_name},{created_at}`.
  private func isHeadingOfBraces(from first: Int) -> Bool {
    let name = head[(first + 1)...].prefix { $0 != 0x7D }
    let isWord = name.allSatisfy { $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
    let next = name.endIndex + 1
    return isWord && !name.isEmpty && next < head.count && CSVShape.delimiters.contains(head[next])
  }

  private func objects(offset: Int, first: Int) throws(ImportError) -> DetectedFormat {
    if let vendor = format.vendor { return try named(vendor, offset: offset, first: first) }
    if isCutLine(from: first) { return .content(.lines, offset: offset, lines: 0) }
    let member = unwrapped ? nil : EnvelopeWalk.member(head[first...])
    let wraps = member != nil
    // Of a file that begins with a batch, lines after it say nothing about the batch. But a record may have items.
    let isLine = isWholeLine(from: first)
    let isDocument = wraps && (member != "items" || !isLine) || !isLine && goesOn(from: first)
    let lines = headLines(from: first, atMost: isDocument ? 1 : Self.maximumLines)
    let own = formats.own.filter { $0.record.form == .json }
    let fallback = own.first { $0.record.recognise.isEmpty }
    if let program = try recognised(own, lines) { return try content(program, offset) }
    if try isCanonical(lines) {
      if let fallback, try !namesKind(lines) { return try content(fallback, offset) }
      return .content(.lines, offset: offset, lines: 0)
    }
    let vendors = try formats.vendors().filter { $0.record.form == .json }
    if let program = try recognised(vendors, lines) { return try content(program, offset) }
    if try isTable(of: vendors + own, lines) { return .skipped(.companion) }
    // An object over several lines, or one longer than the head, shows its keys at least.
    if !isLine || lines.isEmpty, let program = batch(own + vendors, from: first) { return try content(program, offset) }
    if let fallback, isBatch(fallback, member) { return try content(fallback, offset) }
    if let fallback, wraps, try fits(fallback, lines) { return try content(fallback, offset) }
    if wraps { return .envelope }
    let isList = try isList(of: vendors + own, from: first)
    if isPretty(from: first) || isDocument && !isLine {
      if isList { return .skipped(.companion) }
      let sketch = self.sketch
      if case .objects(.some) = sketch.form { throw try unknown(sketch) }
      throw .prettyPrinted(name)
    }
    if let fallback { return try content(fallback, offset) }
    if isList { return .skipped(.companion) }
    // Lines that cannot be read whole have keys at least, and the others of the head may be better.
    let broken = try brokenLines(from: first)
    let keys = Self.quotedKeys(broken)
    if lines.isEmpty, let program = torn(vendors, keys) { return try content(program, offset) }
    if try isCanonical(headLines(from: first, atMost: .max)) || looksCanonical(broken) {
      return .content(.lines, offset: offset, lines: 0)
    }
    if let program = torn(vendors, keys) { return try content(program, offset) }
    throw try unknown()
  }

  /// A named vendor: only the document around the records is still to be recognised.
  private func named(_ vendor: String, offset: Int, first: Int) throws(ImportError) -> DetectedFormat {
    guard let program = try formats.vendor(vendor), program.record.form == .json else { throw .otherForm(name, vendor) }
    let member = unwrapped ? nil : EnvelopeWalk.member(head[first...])
    let wraps = member != nil
    let lines = headLines(from: first, atMost: wraps ? 1 : Self.maximumLines)
    if isBatch(program, member) { return try content(program, offset) }
    if try recognised([program], lines) != nil { return try content(program, offset) }
    if try isTable(of: [program], lines) { return .skipped(.companion) }
    if try isList(of: [program], from: first) { return .skipped(.companion) }
    if batch([program], from: first) != nil { return try content(program, offset) }
    if wraps { return .envelope }
    return try content(program, offset)
  }

  /// Whether the list that an object begins with is the one that the mapping goes through.
  private func isBatch(_ format: RecordFormat, _ member: String?) -> Bool {
    format.record.each != nil && format.record.each == member
  }

  /// The mapping for batches with an object over several lines, by the keys in the head.
  private func batch(_ formats: [RecordFormat], from first: Int) -> RecordFormat? {
    let batches = formats.filter { $0.record.each != nil }
    return batches.isEmpty ? nil : torn(batches, Self.quotedKeys([head[first...]]))
  }

  /// Whether the object that begins here ends in the same line.
  private func isWholeLine(from first: Int) -> Bool {
    var walk = EnvelopeWalk()
    for byte in head[first...] {
      if byte == ByteSearch.newline { return walk.isOutside }
      walk.step(byte)
    }
    return walk.isOutside || FileHead.isCut(head)
  }

  /// Whether the first line ends as a document over several lines does; after a torn record comes another one.
  private func goesOn(from first: Int) -> Bool {
    let end = head[first...].firstIndex(of: ByteSearch.newline) ?? head.count
    guard let last = head[first..<end].last(where: { !ByteSearch.isBlank($0) }) else { return false }
    if last == 0x5B { return true }
    guard last == 0x2C || last == 0x7B || last == 0x3A else { return false }
    let next = head[end...].first { !ByteSearch.isSpace($0) }
    return next != nil && next != 0x7B
  }

  private func layout(_ format: RecordFormat, _ records: RecordLayout) throws(ImportError) -> InputLayout {
    .records(try format.program(for: name), records)
  }

  private func content(_ program: RecordFormat, _ offset: Int) throws(ImportError) -> DetectedFormat {
    .content(try layout(program, .json), offset: offset, lines: 0)
  }

  /// The whole lines of the head; its last one too if the file ends there.
  func headLines(from first: Int, atMost maximum: Int) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var start = first
    while start < head.count, result.count < maximum {
      let end = head[start...].firstIndex(of: ByteSearch.newline) ?? head.count
      if end == head.count, FileHead.isCut(head) { break }
      let line = head[start..<end]
      if line.first(where: { !ByteSearch.isBlank($0) }) == 0x7B { result.append(Array(line)) }
      start = end + 1
    }
    return result
  }

  func recognised(_ programs: [RecordFormat], _ lines: [[UInt8]]) throws(ImportError) -> RecordFormat? {
    let probe = try probe()
    for (index, program) in programs.enumerated() {
      probe.add(program.record.recognise, target: index)
      probe.exclude(program.record.unless, target: index)
    }
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

  /// Whether an event of these lines is a kind, so that the lines are canonical, not a vendor's.
  private func namesKind(_ lines: [[UInt8]]) throws(ImportError) -> Bool {
    let probe = try probe()
    let slot = probe.slot(.pointer([ImportField.names[ImportField.event]]))
    return lines.contains { line in probe.text(line, slot).map { ClosedList.kinds.contains($0) } ?? false }
  }

  func probe() throws(ImportError) -> PathProbe {
    guard let probe = PathProbe(capacity: head.count) else { throw .outOfMemory(name) }
    return probe
  }

  var sketch: HeadSketch {
    let all = document ?? head
    return HeadSketch(all, isCut: FileHead.isCut(all))
  }

  func unknown() throws(ImportError) -> ImportError { try unknown(sketch) }

  private func unknown(_ sketch: HeadSketch) throws(ImportError) -> ImportError {
    if let content = ForeignContent(document ?? head) { return .foreignContent(name, content) }
    let programs = formats.own + (try formats.vendors())
    return .unknownForm(
      name,
      UnknownForm(sketch, programs: programs, own: formats.own.map(\.mapping.name), hidesNames: formats.hidesNames))
  }

  // MARK: Files with a named format, which is used for any rows: all files of one export must be read in the same way,
  // even one that happens to have only bad rows.

  /// Only the document around the records is still to be recognised.
  /// - Parameters:
  ///   - offset: where the content begins.
  ///   - first: the first byte that is not whitespace.
  ///   - start: of the line of `first`.
  ///   - lines: line ends before it.
  func fixed(
    _ program: RecordFormat, offset: Int, first: Int, start: Int, lines: Int
  ) throws(ImportError) -> DetectedFormat {
    switch program.record.form {
    case .tsv: return .content(try layout(program, .tsv(program.record.columns)), offset: start, lines: lines)
    case .csv:
      let dialects = CSVDialect.all(head, from: start, lines: lines)
      let found = recognised(program, dialects) ?? recognised(program, dialects.map(\.inLowerCase))
      guard let dialect = found ?? dialects.first else {
        throw .unreadableHeader(name, line: lines + 1)
      }
      return try content(program, dialect)
    case .json:
      if try isEnvelope(of: program, from: first) { return .envelope }
      return .content(try layout(program, .json), offset: offset, lines: 0)
    }
  }

  /// Whether it is an array of records, or a document around one that is not a record itself.
  private func isEnvelope(of program: RecordFormat, from first: Int) throws(ImportError) -> Bool {
    if unwrapped { return false }
    if head[first] == 0x5B { return HeadSketch.isList(head[first...]) }
    guard head[first] == 0x7B, let member = EnvelopeWalk.member(head[first...]) else { return false }
    if isBatch(program, member) { return false }
    return try recognised([program], headLines(from: first, atMost: 1)) == nil
  }

  // MARK: Files of cells: tabs without a header, or any delimiter with one

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
        // A table of the same vendor may have as many columns, and a heading.
        if format == .auto, try vendorTable(CSVDialect.all(head, from: start, lines: lines)) != nil { break }
        return .content(try layout(program, .tsv(program.record.columns)), offset: start, lines: lines)
      }
    }
    if let vendor = format.vendor {
      let program = try formats.vendor(vendor)
      let dialects = CSVDialect.all(head, from: start, lines: lines).map(\.inLowerCase)
      guard let program, program.record.form == .csv, let dialect = recognised(program, dialects) else {
        throw .otherForm(name, vendor)
      }
      return try content(program, dialect)
    }
    return try table(from: start, lines: lines)
  }

  func table(from start: Int, lines: Int) throws(ImportError) -> DetectedFormat {
    let dialects = CSVDialect.all(head, from: start, lines: lines)
    let canonical = dialects.first { CSVHeader.isHeader($0.names) }
    if format == .auto {
      let isCanonical = canonical.map { namesKind($0) } ?? false
      if let (program, dialect) = own(canonical.map { [$0] } ?? dialects, isCanonical: isCanonical) {
        return try content(program, dialect)
      }
      if !isCanonical {
        if let (program, dialect) = try vendorTable(dialects) { return try content(program, dialect) }
        if canonical == nil, try isCompanionTable(dialects) { return .skipped(.companion) }
      }
      guard canonical != nil else { throw try unknown() }
    }
    guard let dialect = canonical ?? dialects.first else { throw .unreadableHeader(name, line: lines + 1) }
    let header = try CSVHeader(names: dialect.names, delimiter: dialect.delimiter, file: name, line: dialect.lines)
    return .content(.table(header), offset: dialect.offset, lines: dialect.lines)
  }

  func content(_ program: RecordFormat, _ dialect: CSVDialect) throws(ImportError) -> DetectedFormat {
    let columns = CSVColumns(names: dialect.names, delimiter: dialect.delimiter)
    return .content(try layout(program, .csv(columns)), offset: dialect.offset, lines: dialect.lines)
  }

  /// Whether a canonical heading has tabs between its cells, and its records are canonical too.
  private func isCanonicalTable(from start: Int, lines: Int) -> Bool {
    CSVDialect.all(head, from: start, lines: lines).contains {
      $0.delimiter == 0x09 && CSVHeader.isHeader($0.names) && namesKind($0)
    }
  }

  /// A user's mapping for files with one of these headers.
  private func own(_ dialects: [CSVDialect], isCanonical: Bool) -> (RecordFormat, CSVDialect)? {
    let tables = formats.own.filter { $0.record.form == .csv }
    for dialect in dialects {
      if let program = tables.first(where: { recognised($0, [dialect]) != nil }) { return (program, dialect) }
    }
    guard !isCanonical, let dialect = dialects.first else { return nil }
    return tables.first { $0.record.recognise.isEmpty }.map { ($0, dialect) }
  }

  /// A vendor's preset for tables with one of these headers.
  private func vendorTable(_ dialects: [CSVDialect]) throws(ImportError) -> (RecordFormat, CSVDialect)? {
    let tables = try formats.vendors().filter { $0.record.form == .csv }
    for dialect in dialects.lazy.map(\.inLowerCase) {
      if let program = tables.first(where: { recognised($0, [dialect]) != nil }) { return (program, dialect) }
    }
    return nil
  }

  /// A table that comes with a vendor's tables and has no events.
  private func isCompanionTable(_ dialects: [CSVDialect]) throws(ImportError) -> Bool {
    let tables = try formats.vendors() + formats.own
    // Of one column none can be sure.
    let companions = tables.filter { $0.record.form == .csv }.flatMap(\.record.companions).filter { $0.count > 1 }
    return dialects.contains { dialect in
      let known = Set(dialect.inLowerCase.names)
      return companions.contains { $0.allSatisfy { known.contains(Array(($0.keys.first ?? "").utf8)) } }
    }
  }

  /// The first of these headers by which a mapping recognises its files.
  func recognised(_ program: RecordFormat, _ dialects: [CSVDialect]) -> CSVDialect? {
    dialects.first { dialect in
      func has(_ place: PropertyReference) -> Bool {
        guard let column = dialect.names.firstIndex(of: Array((place.keys.first ?? "").utf8)) else { return false }
        return place.keys.count == 1 || isInside(column, Array(place.keys.dropFirst()), dialect)
      }
      return program.record.recognise.contains { $0.allSatisfy(has) } && !program.record.unless.contains(where: has)
    }
  }

  /// Whether the text of a JSON object in a column has a member, in one of the first records.
  private func isInside(_ column: Int, _ keys: [String], _ dialect: CSVDialect) -> Bool {
    guard let probe = try? probe() else { return false }
    probe.add([[.pointer(keys)]], target: 0)
    var isThere = false
    let shape = CSVShape(delimiter: dialect.delimiter, names: dialect.names)
    CSVDialect.forEachRecord(head, from: dialect.offset, shape) { reading, cells in
      if reading == .cells || reading == .otherCount, cells.indices.contains(column), !cells[column].isEmpty {
        isThere = probe.target(Array(cells[column].bytes)) != nil
      }
      return !isThere
    }
    return isThere
  }

  /// Whether an event of the first records is a kind, or there are no events yet.
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
