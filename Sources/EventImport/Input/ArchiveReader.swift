// Unpacks Zstandard, xz, zip and tar by libarchive, streaming: what is in memory is one of its buffers.

import CArchive

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One open archive or compressed stream, used by one thread at a time. As a `ByteSource` it gives the bytes of the
/// current member; a compressed file is an archive of one member without a name.
final class ArchiveReader: ByteSource {
  private let archive: OpaquePointer
  private let input: Input
  private let name: String
  private let what: String
  /// The name of what is read now, for messages.
  private(set) var member: String
  private var buffer: UnsafeRawPointer?
  private var left = 0
  /// Offset of the next byte of the member; members may have holes.
  private var memberOffset: Int64 = 0

  /// What libarchive's callbacks read from. It keeps the first error, because C cannot pass it on.
  private final class Input {
    static let size = 1 << 16
    let source: any ByteSource
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Input.size, alignment: 16)
    var error: ImportError?
    init(_ source: any ByteSource) { self.source = source }
    deinit { memory.deallocate() }
  }

  /// - Parameters:
  ///   - file: set for a zip in a regular file, which is read by its directory of members.
  init(
    _ source: any ByteSource, file: InputFile? = nil, name: String, compression: Compression
  ) throws(ImportError) {
    guard let archive = archive_read_new() else { throw .outOfMemory(name) }
    self.archive = archive
    self.name = name
    member = name
    input = Input(source)
    switch compression {
    case .zstandard:
      what = "the Zstandard data"
      archive_read_support_filter_zstd(archive)
      archive_read_support_format_raw(archive)
      archive_read_support_format_empty(archive)
    case .xz:
      what = "the xz data"
      archive_read_support_filter_xz(archive)
      archive_read_support_format_raw(archive)
      archive_read_support_format_empty(archive)
    case .tar:
      what = "the tar archive"
      archive_read_support_format_tar(archive)
    case .zip, .gzip, .none:
      what = "the zip archive"
      if file == nil {
        archive_read_support_format_zip_streamable(archive)
      } else {
        archive_read_support_format_zip(archive)
      }
      archive_read_support_format_empty(archive)
    }
    let status: Int32
    if let file {
      status = archive_read_open_fd(archive, file.descriptor, Input.size)
    } else {
      let argument = Unmanaged.passUnretained(input).toOpaque()
      status = archive_read_open2(archive, argument, nil, { ArchiveReader.read($1, $2) }, nil, nil)
    }
    guard status == ARCHIVE_OK else { throw failure }
    if compression == .zstandard, archive_filter_code(archive, 0) != ARCHIVE_FILTER_ZSTD {
      throw .damaged(name, what, cause: "its header is not complete")
    }
  }

  deinit { archive_read_free(archive) }

  private static func read(
    _ argument: UnsafeMutableRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Int {
    guard let argument else { return -1 }
    let input = Unmanaged<Input>.fromOpaque(argument).takeUnretainedValue()
    do throws(ImportError) {
      let count = try input.source.read(into: input.memory)
      result?.pointee = UnsafeRawPointer(input.memory.baseAddress)
      return count
    } catch {
      input.error = error
      return -1
    }
  }

  /// The error that the last call ended with.
  private var failure: ImportError {
    if let error = input.error { return error }
    let cause = archive_error_string(archive).map { String(cString: $0) } ?? "no reason given"
    return .damaged(member, what, cause: cause)
  }

  /// Goes on to the next member that is a file and not hidden; false at the end.
  func nextMember() throws(ImportError) -> Bool {
    while true {
      var entry: OpaquePointer?
      member = name
      let status = archive_read_next_header(archive, &entry)
      if status == ARCHIVE_EOF { return false }
      guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else { throw failure }
      left = 0
      memberOffset = 0
      let format = archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK
      guard format == ARCHIVE_FORMAT_ZIP || format == ARCHIVE_FORMAT_TAR else { return true }
      let path = Self.path(of: entry)
      if path.hasSuffix("/") || Self.isHidden(path) || archive_entry_filetype(entry) != S_IFREG { continue }
      member = name + "!" + path
      return true
    }
  }

  private static func path(of entry: OpaquePointer) -> String {
    if let text = archive_entry_pathname(entry) ?? archive_entry_pathname_utf8(entry) { return String(cString: text) }
    return "(a name that is not text)"
  }

  /// Hidden files, and what macOS adds to archives about its own files.
  private static func isHidden(_ path: String) -> Bool {
    path.split(separator: "/").contains { ($0.hasPrefix(".") && $0 != "." && $0 != "..") || $0 == "__MACOSX" }
  }

  var storedBytes: Int { max(0, Int(archive_filter_bytes(archive, -1))) }

  func read(into target: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while left == 0 {
      var size = 0
      var offset: Int64 = 0
      let status = archive_read_data_block(archive, &buffer, &size, &offset)
      if status == ARCHIVE_EOF { return 0 }
      guard status == ARCHIVE_OK, offset == memberOffset else { throw failure }
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
