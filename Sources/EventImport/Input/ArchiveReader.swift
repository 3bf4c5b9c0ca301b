// Unpacks Zstandard, xz, zip and tar by libarchive, streaming, with one of its buffers in memory.

import Buffers
import CArchive
import PermissionEvents
import SystemCalls

/// One open archive or compressed stream, used by one thread at a time. As a `ByteSource` it gives the bytes of the
/// current member; a compressed file is an archive of one member without a name.
final class ArchiveReader: ByteSource {
  private let library: carchive_library
  private let archive: OpaquePointer
  private let input: ArchiveInput
  private let packing: Packing
  /// The file that a zip is in, kept open.
  let file: InputFile?
  /// The content of a zip, by its members' names.
  private(set) var content = ZipStructure.Content.members
  private let name: String
  private let what: String
  /// The name of the current member, for messages.
  private(set) var member: String
  private var buffer: UnsafeRawPointer?
  private var left = 0
  /// Offset of the next byte of the member; members may have holes.
  private var memberOffset: Int64 = 0

  /// Opens a zip, which is read by its directory of members; so one that comes from a pipe is kept in a file first.
  /// - Parameters:
  ///   - file: the regular file that the zip is, if it is one.
  ///   - onFault: called with the reason if the zip would be read in part. If it throws, the zip is refused.
  convenience init(
    zip source: any ByteSource, file: InputFile?, name: String,
    onFault: (ImportError) throws(ImportError) -> Void = { error throws(ImportError) in throw error }
  ) throws(ImportError) {
    let whole: InputFile
    if let file { whole = file } else { whole = try InputFile(keeping: source, name: name) }
    var content = ZipStructure.Content.members
    do {
      content = try ZipStructure(whole, name: name).contentOfSoundArchive()
    } catch {
      try onFault(error)
    }
    try whole.rewind()
    try self.init(source, file: whole, name: name, packing: .zip)
    self.content = content
  }

  /// Opens a zip that was checked once more, from its first member on.
  convenience init(reopening file: InputFile, name: String) throws(ImportError) {
    try file.rewind()
    try self.init(FileSource(file), file: file, name: name, packing: .zip)
  }

  convenience init(_ source: any ByteSource, name: String, packing: Packing) throws(ImportError) {
    try self.init(source, file: nil, name: name, packing: packing)
  }

  private init(_ source: any ByteSource, file: InputFile?, name: String, packing: Packing) throws(ImportError) {
    guard let library = carchive_load()?.pointee else { throw .noArchiveLibrary(name) }
    guard let archive = library.read_new() else { throw .outOfMemory(name) }
    self.library = library
    self.archive = archive
    self.name = name
    self.packing = packing
    self.file = file
    member = name
    input = ArchiveInput(source)
    switch packing {
    case .zstandard:
      what = "the Zstandard data"
      _ = library.read_support_filter_zstd(archive)
      _ = library.read_support_format_raw(archive)
      _ = library.read_support_format_empty(archive)
    case .xz:
      what = "the xz data"
      _ = library.read_support_filter_xz(archive)
      _ = library.read_support_format_raw(archive)
      _ = library.read_support_format_empty(archive)
    case .tar:
      what = "the tar archive"
      _ = library.read_support_format_tar(archive)
      // Bytes after an end mark are read too, or refused if they are not a tar.
      _ = library.read_set_format_option(archive, "tar", "read_concatenated_archives", "1")
    case .zip, .gzip, .none:
      what = "the zip archive"
      _ = library.read_support_format_zip(archive)
      _ = library.read_support_format_empty(archive)
    }
    let status: Int32
    if let file {
      status = library.read_open_fd(archive, file.descriptor, ArchiveInput.size)
    } else {
      let argument = Unmanaged.passUnretained(input).toOpaque()
      status = library.read_open2(archive, argument, nil, { ArchiveReader.read($1, $2) }, nil, nil)
    }
    guard status == ARCHIVE_OK else { throw failure }
    if packing == .zstandard, library.filter_code(archive, 0) != ARCHIVE_FILTER_ZSTD {
      throw .damaged(name, what, cause: "its header is not complete")
    }
  }

  deinit { _ = library.read_free(archive) }

  private static func read(
    _ argument: UnsafeMutableRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Int {
    guard let argument else { return -1 }
    let input = Unmanaged<ArchiveInput>.fromOpaque(argument).takeUnretainedValue()
    do throws(ImportError) {
      let count = try input.read()
      result?.pointee = UnsafeRawPointer(input.memory.room.baseAddress)
      return count
    } catch {
      input.error = error
      return -1
    }
  }

  private var failure: ImportError {
    if let error = input.error { return error }
    let cause = library.error_string(archive).map { String(cString: $0) } ?? "no reason given"
    // The text of zstd's error for a window that is larger than readers accept by default.
    if packing == .zstandard, cause.contains("too much memory") { return .largeWindow(name) }
    return .damaged(member, what, cause: cause)
  }

  /// Goes on to the next member that is a file and not hidden; false at the end.
  func nextMember() throws(ImportError) -> Bool {
    while true {
      var entry: OpaquePointer?
      member = name
      let before = carchive_enter_utf8()
      defer { carchive_leave_utf8(before) }
      let status = library.read_next_header(archive, &entry)
      if status == ARCHIVE_EOF {
        if packing == .tar, !input.hasTarEnd {
          throw input.error ?? .damaged(name, what, cause: "its end mark is missing, and members may be missing too")
        }
        return false
      }
      guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else { throw failure }
      left = 0
      memberOffset = 0
      let format = library.format(archive) & ARCHIVE_FORMAT_BASE_MASK
      guard format == ARCHIVE_FORMAT_ZIP || format == ARCHIVE_FORMAT_TAR else { return true }
      let path = self.path(of: entry)
      if path.hasSuffix("/") || Self.isHidden(path) || library.entry_filetype(entry) != S_IFREG { continue }
      member = name + "!" + path
      return true
    }
  }

  private func path(of entry: OpaquePointer) -> String {
    if let text = library.entry_pathname(entry) ?? library.entry_pathname_utf8(entry) { return FilePath(text).shown }
    return "(a name that is not text)"
  }

  /// Hidden files, and what macOS adds to archives about its own files.
  private static func isHidden(_ path: String) -> Bool {
    path.split(separator: "/").contains { ($0.hasPrefix(".") && $0 != "." && $0 != "..") || $0 == "__MACOSX" }
  }

  var storedBytes: Int { max(0, Int(library.filter_bytes(archive, -1))) }

  func read(into target: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while left == 0 {
      var size = 0
      var offset: Int64 = 0
      let status = library.read_data_block(archive, &buffer, &size, &offset)
      if status == ARCHIVE_EOF { return 0 }
      guard status == ARCHIVE_OK else { throw failure }
      guard offset == memberOffset else { throw .damaged(member, what, cause: "it leaves out bytes of a sparse file") }
      left = size
      memberOffset += Int64(size)
    }
    guard let from = buffer, let to = target.baseAddress else { return 0 }
    let count = min(left, target.count)
    to.copyMemory(from: from, byteCount: count)
    buffer = from + count
    left -= count
    return count
  }
}

// MARK: What libarchive's callbacks read from

/// Gives libarchive the bytes of a source. It keeps the first error, because C cannot pass it on.
final class ArchiveInput {
  static let size = 1 << 16
  let source: any ByteSource
  let memory = PaddedBuffer(capacity: ArchiveInput.size)
  var error: ImportError?
  /// The number of zeros at the end of the bytes read, up to the length of a tar's end mark.
  private var zeros = 0
  private var isEnded = false

  /// The end mark of a tar is two blocks of zeros. One is enough to know that no member is missing.
  private static let tarEnd = 512

  init(_ source: any ByteSource) { self.source = source }

  /// All was read, and it ended as a tar does.
  var hasTarEnd: Bool { isEnded && zeros >= Self.tarEnd }

  func read() throws(ImportError) -> Int {
    let count = try source.read(into: memory.room)
    isEnded = count == 0
    let tail = memory.room[..<count].suffix(Self.tarEnd)
    if let last = tail.lastIndex(where: { $0 != 0 }) {
      zeros = tail.endIndex - last - 1
    } else {
      zeros = min(Self.tarEnd, zeros + tail.count)
    }
    return count
  }
}

// MARK: A zip from a pipe in a file: its directory of members is at its end, and only with it is known that no member is missing

extension InputFile {
  /// The most that is kept, because a zip in a gzip may unpack endlessly.
  private static let mostKept = 8

  /// Keeps a stream in a file without a name, which disappears when it is closed.
  convenience init(keeping source: any ByteSource, name: String) throws(ImportError) {
    let directory = getenv("TMPDIR").map { FilePath($0) }.flatMap { $0.bytes.isEmpty ? nil : $0 } ?? FilePath("/tmp")
    var template = directory.appending("permlog-XXXXXX".utf8).bytes.map { CChar(bitPattern: $0) } + [0]
    // Mode 0600.
    let opened = mkstemp(&template)
    guard opened >= 0 else { throw .cannotKeep(name, directory.shown, errno) }
    unlink(template)
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    do throws(ImportError) {
      let size = try Self.copy(source, to: opened, name: name, directory: directory.shown)
      self.init(unnamed: opened, size: size, path: name)
    } catch {
      close(opened)
      throw error
    }
  }

  private static func copy(
    _ source: any ByteSource, to descriptor: Int32, name: String, directory: String
  ) throws(ImportError) -> Int {
    let memory = PaddedBuffer(capacity: 1 << 18)
    var size = 0
    while true {
      let count = try source.read(into: memory.room)
      if count == 0 { return size }
      size += count
      if size > mostKept << 30 { throw .tooLargeToKeep(name, mostKept) }
      var written = 0
      while written < count {
        let step = memory.room.baseAddress.map { write(descriptor, $0 + written, count - written) } ?? 0
        if step > 0 {
          written += step
        } else if step == 0 || errno != EINTR {
          throw .cannotKeep(name, directory, step == 0 ? ENOSPC : errno)
        }
      }
    }
  }
}
