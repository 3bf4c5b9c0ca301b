// An open file descriptor that closes itself, with the two ways of reading: at an offset and onward.

import PermissionEvents
import SystemCalls

/// An open input file; the last owner's end closes it.
final class InputFile: Sendable {
  let path: String
  let descriptor: Int32
  /// Size at opening, in bytes; nil if it is not a regular file.
  let size: Int?

  init(_ input: InputPath) throws(ImportError) {
    path = input.name
    if input.isStandardInput {
      descriptor = 0
      size = nil
      return
    }
    var opened: Int32
    repeat { opened = input.path.withCString { open($0, O_RDONLY | O_CLOEXEC) } } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .cannotOpen(input.name, errno) }
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let number = errno
      close(opened)
      throw .cannotOpen(input.name, number)
    }
    descriptor = opened
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  /// Takes a file over that is open and has no name.
  /// - Parameter path: its name in messages.
  init(unnamed descriptor: Int32, size: Int, path: String) {
    self.path = path
    self.descriptor = descriptor
    self.size = size
  }

  func rewind() throws(ImportError) {
    if lseek(descriptor, 0, SEEK_SET) != 0 { throw .cannotRead(path, errno) }
  }

  deinit {
    if descriptor != 0 { close(descriptor) }
  }

  /// Reads on from the file's position; 0 at its end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = SystemCalls.read(descriptor, buffer)
    if count < 0 { throw .cannotRead(path, errno) }
    return count
  }

  /// Fills the buffer from an offset; fewer bytes only at the end of the file.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = pread(descriptor, base + filled, buffer.count - filled, off_t(offset + filled))
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .cannotRead(path, errno)
      }
    }
    return filled
  }
}

/// A range of a plain file of lines, read by the thread that claimed it. A line belongs to the range in which it begins, so
/// ranges need no agreement with one another and no byte is read under a lock.
struct PlainRange {
  let file: InputFile
  /// The file's size when it was opened; later bytes are not read.
  let size: Int
  /// Offset of the file's first line, after a byte-order mark.
  let first: Int
  let range: Range<Int>

  /// Reads the lines that begin in the range. A line that is too long is cut and marked.
  func load(into chunk: Chunk) throws(ImportError) {
    // One byte before the range shows whether a line begins at its first byte.
    let origin = range.lowerBound == first ? first : range.lowerBound - 1
    let bytes = chunk.bytes
    var loaded = min(range.upperBound + (1 << 14), size) - origin
    try read(origin, into: chunk.room[..<loaded])
    let border = range.upperBound - origin
    if origin != first {
      guard let newline = ByteSearch.firstNewline(bytes, 0..<border - 1) else { return chunk.finish(end: 0) }
      chunk.start = newline + 1
    }
    // The end of the line that holds the range's last byte.
    var searched = border - 1
    while true {
      if let newline = ByteSearch.firstNewline(bytes, searched..<loaded) { return chunk.finish(end: newline + 1) }
      let line = (ByteSearch.lastNewline(bytes, chunk.start..<border - 1) ?? chunk.start - 1) + 1
      if loaded - line > ImportLimit.line {
        chunk.endsOverlong = true
        chunk.linesAfter = 1
        return chunk.finish(end: line + ImportLimit.rejectedText)
      }
      if origin + loaded == size { return chunk.finishFile(end: loaded) }
      searched = loaded
      let more = min(1 << 18, size - origin - loaded, ImportLimit.line + 1 - (loaded - line))
      try read(origin + loaded, into: chunk.room[loaded..<loaded + more])
      loaded += more
    }
  }

  private func read(_ offset: Int, into room: Slice<UnsafeMutableRawBufferPointer>) throws(ImportError) {
    let read = try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: room))
    guard read == room.count else { throw .shrank(file.path) }
  }
}

// MARK: From the paths that were named to the files that are read: directories give every file below, hidden
// ones left out, and all files are taken in bytewise order of their paths.

package struct InputPath: Sendable {
  /// The path as it was named or found; `-` is standard input.
  package let path: FilePath
  /// Size in bytes as stored; nil for a pipe or a device.
  let size: Int?
  /// The content, if it is in memory; the path is its name for messages then.
  var bytes: (any BytesInMemory)?
  package var name: String { path.shown }
  /// Whether it was found in a directory, not named.
  package var isFound = false
  /// Of a regular file.
  package var stamp: FileStamp?
  /// Why it is not read, if it was found and is not a file.
  var leftOut: SkippedFiles.Reason?
  var isStandardInput: Bool { path.bytes == [0x2D] && bytes == nil }
}

/// A file's content in memory: an array, or a collection that holds its bytes together.
package protocol BytesInMemory: Collection<UInt8>, Sendable {}

extension Array: BytesInMemory where Element == UInt8 {}

package enum ImportSource: Sendable {
  /// Files, directories (every file below, hidden ones left out) and `-` for standard input.
  case files([FilePath])
  /// A file's content, and its name in messages.
  case bytes(any BytesInMemory, name: String)
  /// Some of the files that another source gave.
  case inputs([InputPath])

  package static func paths(_ paths: [String]) -> ImportSource { .files(paths.map { FilePath($0) }) }

  /// All files, in bytewise order of their paths.
  /// - Throws: if a path does not exist or a directory cannot be read.
  /// - Parameter leaveOut: takes the errors of what was found in a directory and cannot be opened; nil if they are thrown.
  package func inputs(leavingOut leaveOut: ((ImportError) -> Void)? = nil) throws(ImportError) -> [InputPath] {
    switch self {
    case .inputs(let inputs): inputs
    case .files(let paths): try InputPaths.expand(paths, leaveOut)
    case .bytes(let bytes, let name): [InputPath(path: FilePath(name), size: bytes.count, bytes: bytes)]
    }
  }
}

enum InputPaths {
  /// All files, in bytewise order of their paths. A path that was named must exist.
  static func expand(
    _ paths: [FilePath], _ leaveOut: ((ImportError) -> Void)? = nil
  ) throws(ImportError) -> [InputPath] {
    var files: [InputPath] = []
    for path in paths {
      if path.bytes == [0x2D] {
        if files.contains(where: \.isStandardInput) { throw .standardInputTwice }
        files.append(InputPath(path: path, size: nil))
        continue
      }
      var status = stat()
      guard path.withCString({ stat($0, &status) }) == 0 else { throw .cannotOpen(path.shown, errno) }
      if isKind(status, S_IFSOCK) { throw .socket(path.shown) }
      if isKind(status, S_IFBLK) { throw .blockDevice(path.shown) }
      if isKind(status, S_IFDIR) {
        try walk(path, into: &files, leaveOut)
      } else {
        files.append(input(path, status))
      }
    }
    return files.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  private static func input(_ path: FilePath, _ status: stat, isFound: Bool = false) -> InputPath {
    guard isKind(status, S_IFREG) else { return InputPath(path: path, size: nil) }
    return InputPath(path: path, size: Int(status.st_size), isFound: isFound, stamp: FileStamp(status))
  }

  private static func isKind(_ status: stat, _ kind: mode_t) -> Bool { status.st_mode & S_IFMT == kind }

  /// Whether a directory is a log of this tool, which is often next to the exports but is not an export.
  private static func isLog(_ directory: FilePath) -> Bool {
    let manifest = directory.appending(LogMark.fileName.utf8)
    return LogMark.isManifest(closing: manifest.withCString { open($0, LogMark.openFlags) })
  }

  /// Adds the files below a directory, logs of this tool left out. Links to files are followed; links to directories
  /// are listed and not followed: they could lead back up. So are pipes, sockets and devices: opening them may block forever.
  private static func walk(
    _ directory: FilePath, into files: inout [InputPath], _ leaveOut: ((ImportError) -> Void)?
  ) throws(ImportError) {
    func fail(_ error: ImportError) throws(ImportError) {
      guard let leaveOut else { throw error }
      leaveOut(error)
    }
    var pending = [directory]
    while let current = pending.popLast() {
      if isLog(current) { continue }
      guard let handle = current.withCString({ opendir($0) }) else {
        let error = ImportError.cannotOpen(current.shown, errno)
        if current == directory { throw error }
        try fail(error)
        continue
      }
      defer { closedir(handle) }
      errno = 0
      while let entry = readdir(handle) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath($0) }
        }
        if name.bytes.first == UInt8(ascii: ".") { continue }
        let path = current.appending(name.bytes)
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else {
          try fail(.cannotOpen(path.shown, errno))
          errno = 0
          continue
        }
        if isKind(status, S_IFDIR) {
          pending.append(path)
        } else {
          guard path.withCString({ stat($0, &status) }) == 0 else {
            try fail(.cannotOpen(path.shown, errno))
            errno = 0
            continue
          }
          if isKind(status, S_IFREG) {
            files.append(input(path, status, isFound: true))
          } else {
            let reason = isKind(status, S_IFDIR) ? SkippedFiles.Reason.directoryLink : .noFile
            files.append(InputPath(path: path, size: 0, isFound: true, leftOut: reason))
          }
        }
        errno = 0
      }
      if errno != 0 { throw .cannotRead(current.shown, errno) }
    }
  }
}

extension FileStamp {
  package init(_ status: stat) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    self.init(size: Int(status.st_size), modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
