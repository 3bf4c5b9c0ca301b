// The queue of the whole input: threads claim its chunks one after another, in order.

/// All files of an import, cut into chunks. Safe to use from several threads.
final class InputQueue: @unchecked Sendable {
  // Unchecked: everything that changes is touched under `monitor` alone.
  private let monitor = Monitor()
  private let files: [InputPath]
  private let format: ImportFormat
  let totalBytes: Int?

  private var nextFile = 0
  private var current: Feed?
  /// The archive that `current` is a member of.
  private var archive: ArchiveReader?
  private var finishedBytes = 0
  private var nextOrdinal: UInt64 = 0

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

  init(files: [InputPath], format: ImportFormat) {
    self.files = files
    self.format = format
    var total: Int? = 0
    for file in files { total = total.flatMap { sum in file.size.map { sum + $0 } } }
    totalBytes = total
  }

  var totalFiles: Int { files.count }

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
        current = nil
      } else if let archive {
        if try archive.nextMember() {
          try begin(archive, name: archive.member)
        } else {
          finishedBytes += archive.storedBytes
          self.archive = nil
        }
      } else if nextFile < files.count {
        nextFile += 1
        try open(InputFile(files[nextFile - 1]))
      } else {
        return .ended
      }
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
    switch Compression(head: head) {
    case .zip:
      archive = try ArchiveReader(source, file: file, name: file.path, compression: .zip)
    case .gzip, .zstandard:
      try begin(source, compression: Compression(head: head), name: file.path)
    case .none:
      let detected = try DetectedFormat(head: head, format: format, name: file.path)
      if detected.header != nil { return try begin(head: [], source, name: file.path) }
      current = Feed(
        source: InputSource(name: file.path, header: nil),
        bytes: .plain(file, size: size, first: detected.contentOffset, next: detected.contentOffset))
    }
  }

  private static func readHead(_ file: InputFile, _ head: inout [UInt8]) throws(ImportError) -> Int {
    let result = head.withUnsafeMutableBytes { memory in
      Result { () throws(ImportError) -> Int in try file.read(at: 0, into: memory) }
    }
    return try result.get()
  }

  /// Begins a member of an archive, which may be compressed once more.
  private func begin(_ source: any ByteSource, name: String) throws(ImportError) {
    try begin(head: source.readHead(), source, name: name)
  }

  private func begin(head: [UInt8], _ source: any ByteSource, name: String) throws(ImportError) {
    if head.isEmpty { return try beginText(source, name: name) }
    let compression = Compression(head: head)
    let resumed = ResumedSource(head: head, rest: source)
    switch compression {
    case .zip where archive == nil:
      archive = try ArchiveReader(resumed, name: name, compression: .zip)
    case .gzip, .zstandard:
      try begin(resumed, compression: compression, name: name)
    case .zip, .none:
      try beginText(resumed, name: name)
    }
  }

  /// Begins a compressed file.
  private func begin(
    _ source: any ByteSource, compression: Compression, name: String
  ) throws(ImportError) {
    if compression == .gzip { return try beginText(GzipSource(source, name: name), name: name) }
    let reader = try ArchiveReader(source, name: name, compression: compression)
    if try reader.nextMember() {
      try beginText(reader, name: name)
    } else if archive == nil {
      finishedBytes += reader.storedBytes
    }
  }

  /// Begins plain text of either form.
  private func beginText(_ source: any ByteSource, name: String) throws(ImportError) {
    let head = try source.readHead()
    let detected = try DetectedFormat(head: head, format: format, name: name)
    let cutter = StreamCutter(
      head: head[detected.contentOffset...], bytes: source, hasQuotes: detected.header != nil,
      linesSkipped: detected.lines)
    current = Feed(source: InputSource(name: name, header: detected.header), bytes: .stream(cutter))
  }
}
