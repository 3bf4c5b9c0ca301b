// The queue of the whole input: threads claim its chunks one after another, in order.

/// All files of an import, cut into chunks. Safe to use from several threads.
final class InputQueue: @unchecked Sendable {
  // Unchecked: everything that changes is touched under `monitor` alone.
  private let monitor = Monitor()
  private let files: [InputPath]
  private let format: ImportFormat
  private let formats: RecordFormats
  /// Damaged files are kept as far as they can be read.
  private let keepsPartial: Bool
  let totalBytes: Int?

  private var nextFile = 0
  private var current: Feed?
  /// The archive that `current` is a member of.
  private var archive: ArchiveReader?
  private var finishedBytes = 0
  private var nextOrdinal: UInt64 = 0
  /// Where `keepsPartial`: why files, or members of archives, ended before their end.
  private var failures: [ImportError] = []
  private var partial: PartialSource?

  /// Where the chunks of one file or member come from.
  private struct Feed {
    enum Bytes {
      /// A plain file of lines: offset of the next chunk.
      case plain(InputFile, size: Int, first: Int, next: Int)
      case stream(StreamCutter)
    }
    var source: InputSource
    var bytes: Bytes
  }

  init(files: [InputPath], format: ImportFormat, formats: RecordFormats, keepsPartial: Bool = false) {
    self.files = files
    self.format = format
    self.formats = formats
    self.keepsPartial = keepsPartial
    var total: Int? = 0
    for file in files { total = total.flatMap { sum in file.size.map { sum + $0 } } }
    totalBytes = total
  }

  var totalFiles: Int { files.count }

  /// Why files of which only a part was read ended before their end.
  var partialFiles: [ImportError] {
    monitor.lock()
    defer { monitor.unlock() }
    return failures
  }

  /// Begins to count chunks from 0 again, for a new sink.
  func restartOrdinals() {
    monitor.lock()
    defer { monitor.unlock() }
    nextOrdinal = 0
  }

  /// How far the input has been claimed: files begun and bytes as stored.
  var position: (files: Int, bytes: Int) {
    monitor.lock()
    defer { monitor.unlock() }
    return (nextFile, finishedBytes + currentBytes)
  }

  private var currentBytes: Int {
    if let archive { return archive.storedBytes }
    switch current?.bytes {
    case .plain(_, _, _, let next): return next
    case .stream(let cutter): return cutter.storedBytes
    case nil: return 0
    }
  }

  /// Fills the chunk with the next piece of the input; false where none is left, or where no more fit into a run.
  /// A chunk of a plain file is only assigned here; `Chunk.pending` is read by the caller.
  func claim(_ chunk: Chunk, upTo limit: UInt64) throws(ImportError) -> Claim {
    monitor.lock()
    defer { monitor.unlock() }
    if nextOrdinal == limit { return .full }
    while true {
      if let source = current?.source {
        chunk.reset(ordinal: nextOrdinal, source: source)
        if try fill(chunk) {
          nextOrdinal += 1
          return .chunk
        }
        if archive == nil { finishedBytes += currentBytes }
        if let failure = partial?.failure { failures.append(failure) }
        partial = nil
        current = nil
      } else if let archive {
        try keepingPartial { () throws(ImportError) in
          if try archive.nextMember() {
            try begin(archive, name: archive.member)
          } else {
            endArchive(archive)
          }
        } onFailure: {
          endArchive(archive)
        }
      } else if nextFile < files.count {
        nextFile += 1
        try keepingPartial { () throws(ImportError) in try open(InputFile(files[nextFile - 1])) }
      } else {
        return .ended
      }
    }
  }

  private func endArchive(_ archive: ArchiveReader) {
    finishedBytes += archive.storedBytes
    self.archive = nil
  }

  /// Does something that damage can stop; where damaged files are kept in part, it is noted and the import goes on.
  private func keepingPartial(
    _ body: () throws(ImportError) -> Void, onFailure: () -> Void = {}
  ) throws(ImportError) {
    do {
      try body()
    } catch {
      guard keepsPartial, error.code == .damaged else { throw error }
      failures.append(error)
      current = nil
      partial = nil
      onFailure()
    }
  }

  enum Claim { case chunk, full, ended }

  private func fill(_ chunk: Chunk) throws(ImportError) -> Bool {
    switch current?.bytes {
    case .plain(let file, let size, let first, let next):
      if next >= size { return false }
      // Borders lie on multiples of the chunk size, so that reads are aligned.
      let end = min((next / ImportLimit.chunk + 1) * ImportLimit.chunk, size)
      chunk.pending = PlainRange(file: file, size: size, first: first, range: next..<end)
      current?.bytes = .plain(file, size: size, first: first, next: end)
      return true
    case .stream(let cutter):
      return try cutter.next(into: chunk)
    case nil:
      return false
    }
  }

  private func open(_ file: InputFile) throws(ImportError) {
    let source = FileSource(file)
    guard let size = file.size else {
      let head = try source.readHead()
      return try begin(head: head, source, name: file.path)
    }
    var head = [UInt8](repeating: 0, count: min(size, ImportLimit.head))
    let count = try Self.readHead(file, &head)
    head.removeLast(head.count - count)
    let compression = Compression(head: head)
    if compression == .zip {
      archive = try ArchiveReader(source, file: file, name: file.path, compression: .zip)
      return
    }
    if compression == .none, !head.isEmpty {
      let detected = try DetectedFormat(head: head, format: format, formats: formats, name: file.path)
      // Lines are read by the threads that claim them; what has quotes or a document around it is cut one after another.
      if case .content(let layout, let offset, let lines) = detected, !layout.hasQuotes, lines == 0 {
        current = Feed(
          source: InputSource(name: file.path, layout: layout),
          bytes: .plain(file, size: size, first: offset, next: offset))
        return
      }
    }
    try begin(head: [], source, name: file.path, layers: Self.maximumLayers)
  }

  private static func readHead(_ file: InputFile, _ head: inout [UInt8]) throws(ImportError) -> Int {
    let result = head.withUnsafeMutableBytes { memory in
      Result { () throws(ImportError) -> Int in try file.read(at: 0, into: memory) }
    }
    return try result.get()
  }

  /// Compressions one inside another that are undone.
  private static let maximumLayers = 3

  /// Begins a member of an archive, which may be compressed once more.
  private func begin(_ source: any ByteSource, name: String) throws(ImportError) {
    try begin(head: [], source, name: name, layers: Self.maximumLayers)
  }

  private func begin(head: [UInt8], _ source: any ByteSource, name: String) throws(ImportError) {
    try begin(head: head, source, name: name, layers: Self.maximumLayers)
  }

  /// Begins a stream: undoes its compressions, opens it where it is an archive, tells its form.
  /// - Parameter head: bytes that were read already.
  private func begin(
    head: [UInt8], _ source: any ByteSource, name: String, layers: Int
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
    let compression = Compression(head: head)
    let resumed = ResumedSource(head: head, rest: source)
    if compression == .none || layers == 0 || (compression.isArchive && archive != nil) {
      return try beginText(head: head, source, resumed, name: name)
    }
    switch compression {
    case .gzip:
      try begin(head: [], GzipSource(resumed, name: name), name: name, layers: layers - 1)
    case .zip, .tar:
      archive = try ArchiveReader(resumed, name: name, compression: compression)
      partial = nil
    default:
      let reader = try ArchiveReader(resumed, name: name, compression: compression)
      if try reader.nextMember() {
        try begin(head: [], reader, name: name, layers: layers - 1)
      } else if archive == nil {
        finishedBytes += reader.storedBytes
      }
    }
  }

  /// Begins text, and takes a document around records apart.
  private func beginText(
    head: [UInt8], _ source: any ByteSource, _ whole: any ByteSource, name: String
  ) throws(ImportError) {
    switch try DetectedFormat(head: head, format: format, formats: formats, name: name) {
    case .companion: return
    case .content(let layout, let offset, let lines):
      start(layout, head[offset...], source, name: name, lines: lines)
    case .envelope:
      var inner: any ByteSource = EnvelopeSource(whole, name: name)
      if keepsPartial {
        let made = PartialSource(inner)
        partial = made
        inner = made
      }
      let head = try inner.readHead()
      switch try DetectedFormat(head: head, format: format, formats: formats, name: name, unwrapped: true) {
      case .content(let layout, let offset, let lines):
        start(layout, head[offset...], inner, name: name, lines: lines)
      case .companion, .envelope: return
      }
    }
  }

  private func start(
    _ layout: InputLayout, _ head: ArraySlice<UInt8>, _ source: any ByteSource, name: String, lines: Int
  ) {
    let cutter = StreamCutter(
      head: head, bytes: source, isPartial: { [partial] in partial?.failure != nil }, hasQuotes: layout.hasQuotes,
      linesSkipped: lines)
    current = Feed(source: InputSource(name: name, layout: layout), bytes: .stream(cutter))
  }
}
