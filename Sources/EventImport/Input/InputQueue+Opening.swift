// From a file to its content: undoes compressions, opens archives, splits documents and recognises the format. Called under the
// queue's lock.

extension InputQueue {
  func open(_ file: InputFile) throws(ImportError) {
    let source = FileSource(file)
    guard let size = file.size else {
      let head = try source.readHead()
      return try begin(head: head, source, name: file.path)
    }
    let head = try Self.readHead(file, size: size)
    let packing = Packing(head: head)
    if packing == .zip { return try beginZip(source, file: file, name: file.path) }
    if packing == .none, !head.isEmpty, !head.starts(with: ArrowStream.mark), !head.starts(with: AvroSource.mark),
      !BrotliSource.isNamed(file.path), TextEncoding(head: head) == nil,
      !LineEndSource.isNeeded(head)
    {
      let detected = try detect(head, name: file.path)
      // Lines are read by the threads that claim them. Files with quotes or a surrounding document are cut sequentially.
      if case .content(let layout, let offset, let lines) = detected, layout.areLines, lines == 0 {
        current = Feed(
          source: InputSource(name: file.path, layout: layout),
          bytes: .plain(file, size: size, first: offset, next: offset))
        return
      }
    }
    try begin(source, name: file.path)
  }

  private static func readHead(_ file: InputFile, size: Int) throws(ImportError) -> [UInt8] {
    var offset = 0
    return try FileHead.read { memory throws(ImportError) in
      let count = try file.read(at: offset, into: memory)
      offset += count
      return count
    }
  }

  /// Compressions one inside another that are undone.
  static let maximumLayers = 3

  /// Begins a stream: undoes its compressions, opens it if it is an archive, recognises its format.
  /// - Parameters:
  ///   - head: bytes that were read already.
  ///   - mayBeBrotli: whether its name says so, if it does.
  func begin(
    head: [UInt8] = [], _ source: any ByteSource, name: String, layers: Int = maximumLayers,
    mayBeBrotli: Bool = true
  ) throws(ImportError) {
    var head = head
    var source = source
    if head.isEmpty {
      if keepsPartial {
        let made = PartialSource(source)
        partial = made
        source = made
      }
      head = try source.readHead()
    }
    let packing = Packing(head: head)
    if packing.isArchive, archive != nil { throw .archiveInside(name) }
    let resumed = ResumedSource(head: head, rest: source)
    if packing == .none, head.starts(with: ArrowStream.mark) { return try beginArrow(resumed, name: name) }
    if packing == .none, head.starts(with: AvroSource.mark) {
      let records = keeping(try AvroSource(resumed, name: name))
      return try beginLayout(head: try records.readHead(), records, name: name)
    }
    if packing == .none, mayBeBrotli, layers > 0, !head.isEmpty, BrotliSource.isNamed(name) {
      return try begin(try BrotliSource(resumed, name: name), name: name, layers: layers - 1, mayBeBrotli: false)
    }
    if packing == .none || layers == 0 { return try beginText(head: head, source, name: name) }
    switch packing {
    case .gzip: try begin(GzipSource(resumed, name: name), name: name, layers: layers - 1, mayBeBrotli: false)
    case .zip:
      partial = nil
      try beginZip(resumed, file: nil, name: name)
    case .tar:
      archive = try ArchiveReader(resumed, name: name, packing: packing)
      partial = nil
    default:
      let reader = try ArchiveReader(resumed, name: name, packing: packing)
      if try reader.nextMember() {
        try begin(reader, name: name, layers: layers - 1, mayBeBrotli: false)
      } else if archive == nil {
        finishedBytes += reader.storedBytes
      }
    }
  }

  private func beginZip(_ source: any ByteSource, file: InputFile?, name: String) throws(ImportError) {
    let reader = try ArchiveReader(zip: source, file: file, name: name) { error throws(ImportError) in
      // A zip is read by the directory at its end: of two that were joined the last one is what would be kept.
      guard keepsPartial, error.leavesTheBeginning else { throw error }
      failures.append(error)
    }
    switch reader.content {
    case .members: archive = reader
    case .workbook(let part):
      guard let file = reader.file else { return archive = reader }
      let sheet = try SheetSource.first(of: Workbook(file, part: part, name: name))
      let source = keeping(sheet)
      let head = try source.readHead()
      let place = name + "!" + UnknownForm.legible(sheet.sheet)
      try beginLayout(head: head, source, name: place)
    case .spreadsheet(let what):
      // It was not named, so it is left out like other files next to exports.
      guard !isFound else { return skip(name, .noEvents) }
      throw .workbook(name, "is \(what), which is not read")
    }
  }

  /// Begins text: converts it to UTF-8 with line feeds, and splits a document around records.
  /// - Parameter head: bytes that were read of the source already.
  private func beginText(head: [UInt8], _ source: any ByteSource, name: String) throws(ImportError) {
    var (head, source) = (head, source)
    if let encoding = TextEncoding(head: head) {
      converted.add(name, encoding)
      let whole = ResumedSource(head: head, rest: source)
      source = keeping(try EncodedSource(whole, encoding: encoding, name: name))
      head = try source.readHead()
    }
    if LineEndSource.isNeeded(head) {
      source = LineEndSource(ResumedSource(head: head, rest: source))
      head = try source.readHead()
    }
    try beginLayout(head: head, source, name: name)
  }

  /// A source that ends where it fails, if damaged files are kept in part.
  private func keeping(_ source: any ByteSource) -> any ByteSource {
    guard keepsPartial else { return source }
    let made = PartialSource(source, beneath: partial)
    partial = made
    return made
  }

  private func beginLayout(head: [UInt8], _ source: any ByteSource, name: String) throws(ImportError) {
    switch try detect(head, name: name) {
    case .skipped(let reason): skip(name, reason)
    case .content(let layout, let offset, let lines): start(layout, head[offset...], source, name: name, lines: lines)
    case .envelope:
      let inner = keeping(EnvelopeSource(ResumedSource(head: head, rest: source), name: name))
      let content = try inner.readHead()
      switch try detect(content, name: name, document: head) {
      case .content(let layout, let offset, let lines):
        start(layout, content[offset...], inner, name: name, lines: lines)
      case .skipped(let reason): skip(name, reason)
      case .envelope: throw .damaged(name, "the JSON document", cause: "a list of records is inside another list")
      }
    }
  }

  private func beginArrow(_ source: any ByteSource, name: String) throws(ImportError) {
    let stream = try ArrowStream(source, name: name)
    let detector = ArrowDetector(schema: stream.schema, formats: formats, name: name)
    let (layout, table): (InputLayout, ArrowTable)
    do throws(ImportError) {
      (layout, table) = try detector.detect()
    } catch {
      let error = error.naming(draft: path)
      guard error.code == .unknownFormat, isFound || archive != nil else { throw error }
      throw error.found(inArchive: archive != nil)
    }
    stream.select(table.places)
    if archive != nil { readMembers += 1 }
    current = Feed(
      source: InputSource(name: name, layout: layout),
      bytes: .rows(ArrowCutter(stream, goal: min(ImportLimit.rows, chunkSize))))
  }

  private func start(
    _ layout: InputLayout, _ head: ArraySlice<UInt8>, _ source: any ByteSource, name: String, lines: Int
  ) {
    if archive != nil { readMembers += 1 }
    var (head, source) = (head, source)
    if let each = layout.each {
      let isDocument = !EnvelopeWalk.isWhole(head.prefix { $0 != ByteSearch.newline })
      source = BatchSource(ResumedSource(head: Array(head), rest: source), each: each, areDocuments: isDocument)
      head = []
    }
    let cutter = StreamCutter(
      head: head, bytes: source, isPartial: { [partial] in partial?.failure != nil }, layout: layout,
      linesSkipped: lines, goal: chunkSize)
    current = Feed(source: InputSource(name: name, layout: layout), bytes: .stream(cutter))
  }

  // MARK: Forms

  /// Recognises the format of a file or member, and decides about unknown formats: a named file is refused; a found
  /// file that is unrelated to events is left out and reported.
  /// - Parameter document: if the head is what an envelope held, the head of the file that has the envelope.
  func detect(_ head: [UInt8], name: String, document: [UInt8]? = nil) throws(ImportError) -> DetectedFormat {
    let wasNamed = !isFound && archive == nil
    if !wasNamed, formats.rows.format != .auto, document == nil, isNothing(name, head) { return .skipped(.noEvents) }
    do throws(ImportError) {
      let detector = FormatDetector(head: head, formats: formats, name: name, document: document)
      return try detector.detect()
    } catch {
      guard error.code == .unknownFormat, !wasNamed else { throw error.naming(draft: path) }
      let all = document ?? head
      let sketch = HeadSketch(all, isCut: FileHead.isCut(all))
      // A vendor's record over several lines is not one of a directory's unrelated files, which are passed over.
      let nearest = NearestForm(to: sketch, programs: try formats.vendors())
      if nearest?.preset == nil || nearest?.missing.isEmpty == false,
        UnrelatedFile.isOne(name: name, head: all, sketch: sketch)
      {
        return .skipped(.noEvents)
      }
      throw error.naming(draft: path).found(inArchive: archive != nil)
    }
  }

  /// A requested format applies to the exports, not to the files next to them.
  private func isNothing(_ name: String, _ head: [UInt8]) -> Bool {
    if head.isEmpty { return false }
    if let content = ForeignContent(head) { return !content.mayHoldEvents }
    return UnrelatedFile.isUnrelated(name: name)
  }
}
