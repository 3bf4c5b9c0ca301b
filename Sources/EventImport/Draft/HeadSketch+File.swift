// The head of a file for a draft: unpacked, of an archive the first member that may hold events.

import PermissionEvents
import Threads

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
    if let formats = try? RecordFormats([], prefersAccount: false), let programs = try? formats.vendors(),
      let nearest = NearestForm(to: self, programs: programs), nearest.missing.isEmpty
    {
      knownForm = nearest.name
      rejected = Self.trial(head, of: self)
    }
    guard form != .text else { throw .nothingToDraft(path) }
  }

  /// Reads the lines of the head as an import would. Of a document that is cut nothing is known.
  private static func trial(_ head: [UInt8], of sketch: HeadSketch) -> Rejected? {
    var lines = head[...]
    if FileHead.isCut(head) {
      if case .objects(.some) = sketch.form { return nil }
      lines = head[..<((head.lastIndex(of: ByteSearch.newline) ?? head.endIndex - 1) + 1)]
    }
    let first = Mutex<String?>(nil)
    let options = ImportOptions(allowFuture: true, now: Timestamp.latest)
    guard
      let session = try? ImportSession(
        .bytes(Array(lines), name: "head"), options: options,
        onReject: { line in first.withLock { $0 = $0 ?? line.group } }),
      (try? session.run(into: NoSink())) != nil, session.counts.rejected > 0
    else { return nil }
    return Rejected(lines: session.counts.rejected, of: session.counts.lines, reason: first.withLock { $0 } ?? "")
  }

  private final class NoSink: EventSink {
    let dictionary = EventDictionary()
    var isFull: Bool { false }
    func append(_ batch: EventBatch) throws {}
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
