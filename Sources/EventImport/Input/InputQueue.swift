// The queue of the whole input: threads claim its chunks one after another, in order.

import PermissionEvents
import Threads

/// All files of an import, cut into chunks. Safe to use from several threads.
final class InputQueue: @unchecked Sendable {
  // Unchecked: everything that changes is touched under `monitor` alone.
  private let monitor = Monitor()
  private let files: [InputPath]
  let formats: RecordFormats
  var keepsPartial: Bool { formats.rows.keepsPartialFiles }
  let totalBytes: Int?
  let chunkSize: Int

  private var nextFile = 0
  var current: Feed?
  /// The archive that `current` is a member of.
  var archive: ArchiveReader?
  var finishedBytes = 0
  private var nextOrdinal: UInt64 = 0
  /// If `keepsPartial`: why files, or members of archives, ended before their end.
  var failures: [ImportError] = []
  var partial: PartialSource?
  private var skipped = SkippedFiles()
  /// The skipped files that are not members of archives.
  private var skippedWhole: Set<FilePath> = []
  /// Members of the archive that is open: read, or known as companions; and left out.
  var readMembers = 0
  private var skippedMembers = 0
  var converted = ConvertedFiles()

  /// The source of the chunks of one file or member.
  struct Feed {
    enum Bytes {
      /// A plain file of lines: offset of the next chunk.
      case plain(InputFile, size: Int, first: Int, next: Int)
      case stream(StreamCutter)
      case rows(ArrowCutter)
    }
    var source: InputSource
    var bytes: Bytes
  }

  init(
    files: [InputPath], formats: RecordFormats, chunkSize: Int = ImportLimit.chunk
  ) {
    self.chunkSize = chunkSize
    self.files = files.filter { $0.leftOut == nil }
    for file in files { if let reason = file.leftOut { skipped.add(file.name, reason) } }
    self.formats = formats
    var total: Int? = 0
    for file in files { total = total.flatMap { sum in file.size.map { sum + $0 } } }
    totalBytes = total
  }

  var totalFiles: Int { files.count }

  /// Why files of which only a part was read ended before their end.
  var partialFiles: [ImportError] { monitor.withLock { failures } }

  var skippedFiles: SkippedFiles { monitor.withLock { skipped } }

  /// The skipped files that are not members of archives.
  var skippedWholeFiles: Set<FilePath> { monitor.withLock { skippedWhole } }

  var convertedFiles: ConvertedFiles { monitor.withLock { converted } }

  /// Files that were begun and not left out as a whole; an archive is one file.
  var readFiles: Int { monitor.withLock { nextFile - skippedWhole.count } }

  /// Bytes, as stored, up to which the input has been claimed.
  var readBytes: Int { monitor.withLock { finishedBytes + currentBytes } }

  /// Begins to count chunks from 0 again, for a new sink.
  func restartOrdinals() { monitor.withLock { nextOrdinal = 0 } }

  // MARK: Under the lock

  /// Whether the current file was found in a directory, not named.
  var isFound: Bool { nextFile > 0 && files[nextFile - 1].isFound }
  /// The path by which the current file, or its archive, was named or found.
  var path: String { nextFile > 0 ? files[nextFile - 1].name : "-" }

  func skip(_ name: String, _ reason: SkippedFiles.Reason) {
    skipped.add(name, reason)
    if archive == nil {
      skippedWhole.insert(files[nextFile - 1].path)
    } else if reason == .companion {
      readMembers += 1
    } else {
      skippedMembers += 1
    }
  }

  private var currentBytes: Int {
    if let archive { return archive.storedBytes }
    switch current?.bytes {
    case .plain(_, _, _, let next): return next
    case .stream(let cutter): return cutter.storedBytes
    case .rows(let cutter): return cutter.storedBytes
    case nil: return 0
    }
  }

  /// The result of a claim: a chunk, no chunk because the sink is full, or the input's end.
  enum Claim { case chunk, full, ended }

  /// Fills the chunk with the next piece of the input, if its ordinal is below a limit. A chunk of a plain file is only
  /// assigned here; `Chunk.pending` is read by the caller.
  func claim(_ chunk: Chunk, upTo limit: UInt64) throws(ImportError) -> Claim {
    try monitor.withLock { () throws(ImportError) in
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
        } else if try !openNext() {
          return .ended
        }
      }
    }
  }

  /// The layout of the first records of the input; nil without records. Nothing is claimed.
  func firstLayout() throws(ImportError) -> InputLayout? {
    try monitor.withLock { () throws(ImportError) in
      while current == nil {
        if try !openNext() { return nil }
      }
      return current?.source.layout
    }
  }

  /// Goes on to the next member of the archive that is open, or to the next file; false at the input's end.
  private func openNext() throws(ImportError) -> Bool {
    if let archive {
      try keepingPartial { () throws(ImportError) in
        try beginMember(of: archive)
      } onFailure: {
        endArchive(archive)
      }
      return true
    }
    guard nextFile < files.count else { return false }
    nextFile += 1
    let file = files[nextFile - 1]
    try keepingPartial { () throws(ImportError) in
      if let bytes = file.bytes {
        try begin(bytes.source(), name: file.name)
      } else {
        try open(InputFile(file))
      }
    }
    return true
  }

  private func beginMember(of archive: ArchiveReader) throws(ImportError) {
    if try archive.nextMember() { return try begin(archive, name: archive.member) }
    let isNothing = readMembers == 0 && skippedMembers > 0 && !isFound
    endArchive(archive)
    if isNothing { throw .nothingInArchive(path) }
  }

  private func endArchive(_ archive: ArchiveReader) {
    finishedBytes += archive.storedBytes
    self.archive = nil
    readMembers = 0
    skippedMembers = 0
  }

  /// Runs a step that damage can stop. If damaged files are kept in part, the damage is recorded and the import continues.
  private func keepingPartial(
    _ body: () throws(ImportError) -> Void, onFailure: () -> Void = {}
  ) throws(ImportError) {
    do {
      try body()
    } catch {
      guard keepsPartial, error.leavesTheBeginning else { throw error }
      failures.append(error)
      current = nil
      partial = nil
      onFailure()
    }
  }

  private func fill(_ chunk: Chunk) throws(ImportError) -> Bool {
    switch current?.bytes {
    case .plain(let file, let size, let first, let next):
      if next >= size { return false }
      // Borders are at multiples of the chunk size: reads are aligned, unless properties of every row make chunks smaller.
      let end = min((next / chunkSize + 1) * chunkSize, size)
      chunk.pending = PlainRange(file: file, size: size, first: first, range: next..<end)
      current?.bytes = .plain(file, size: size, first: first, next: end)
      return true
    case .stream(let cutter): return try cutter.next(into: chunk)
    case .rows(let cutter):
      do {
        chunk.rows = try cutter.rows()
      } catch {
        guard keepsPartial, error.leavesTheBeginning else { throw error }
        // If the bytes ended because they could not be read, that error is reported.
        if partial?.failure == nil { failures.append(error) }
      }
      return chunk.rows != nil
    case nil: return false
    }
  }
}
