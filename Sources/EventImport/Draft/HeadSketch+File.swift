// The head of a file for a draft: unpacked, of an archive the first member that may hold events.

import PermissionEvents

extension HeadSketch {
  /// - Parameter input: a file, packed or not, or `-`.
  /// - Throws: if it cannot be read, or its head is neither JSON nor a table.
  package init(path input: FilePath) throws(ImportError) {
    let path = input.shown
    let file = try InputFile(InputPath(path: input, size: nil))
    let head = try Self.text(FileSource(file), file: file.size == nil ? nil : file, name: path, layers: 3)
    if head.starts(with: ArrowStream.mark) { throw .arrowToDraft(path) }
    if let content = ForeignContent(head) { throw .foreignContent(path, content) }
    self.init(head, isCut: FileHead.isCut(head))
    let end = FileHead.isCut(head) ? head.lastIndex(of: ByteSearch.newline).map { $0 + 1 } : nil
    wholeLines = Array(head.prefix(end ?? head.count))
    if let formats = try? RecordFormats([], prefersAccount: false), let programs = try? formats.vendors(),
      let nearest = NearestForm(to: self, programs: programs), nearest.missing.isEmpty
    {
      knownForm = nearest
    }
    guard form != .text else { throw .nothingToDraft(path, logText) }
  }

  private static func text(
    _ source: any ByteSource, file: InputFile?, name: String, layers: Int
  ) throws(ImportError) -> [UInt8] {
    let head = try source.readHead()
    let packing = Packing(head: head)
    let resumed = ResumedSource(head: head, rest: source)
    if packing == .none || layers == 0 { return try plain(head, resumed, name) }
    if packing == .gzip {
      return try text(GzipSource(resumed, name: name), file: nil, name: name, layers: layers - 1)
    }
    let archive =
      packing == .zip
      ? try ArchiveReader(zip: resumed, file: file, name: name)
      : try ArchiveReader(resumed, name: name, packing: packing)
    switch archive.content {
    case .workbook(let part):
      guard let file = archive.file else { break }
      return try SheetSource.first(of: Workbook(file, part: part, name: name)).readHead()
    case .spreadsheet(let what): throw .workbook(name, "is \(what), which is not read")
    case .members: break
    }
    while try archive.nextMember() {
      let head = try text(archive, file: nil, name: archive.member, layers: layers - 1)
      if !packing.isArchive { return head }
      let sketch = HeadSketch(head, isCut: FileHead.isCut(head))
      if !head.isEmpty, !UnrelatedFile.isOne(name: archive.member, head: head, sketch: sketch) { return head }
    }
    return []
  }

  /// The head in UTF-8 with line feeds.
  private static func plain(_ head: [UInt8], _ whole: any ByteSource, _ name: String) throws(ImportError) -> [UInt8] {
    var head = head
    var source = whole
    if let encoding = TextEncoding(head: head) {
      let decoded = try EncodedSource(whole, encoding: encoding, name: name)
      head = try decoded.readHead()
      source = ResumedSource(head: head, rest: decoded)
    }
    return LineEndSource.isNeeded(head) ? try LineEndSource(source).readHead() : head
  }
}
