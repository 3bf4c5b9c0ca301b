// From the paths that were named to the files that are read: directories give every file below, hidden
// ones left out, and all files are taken in bytewise order of their paths.

import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file to read.
struct InputPath: Sendable {
  /// The path as it was named or found; `-` is standard input.
  let path: FilePath
  /// Size in bytes as stored; nil for a pipe or a device.
  let size: Int?
  /// The content, if it is in memory; the path is its name for messages then.
  var bytes: [UInt8]?
  /// The path for messages.
  var name: String { path.shown }
  /// It was found in a directory and not named.
  var isFound = false
  var isStandardInput: Bool { path.bytes == [0x2D] && bytes == nil }
}

/// What an import reads.
package enum ImportSource: Sendable {
  /// Files, directories (every file below, hidden ones left out) and `-` for standard input.
  case files([FilePath])
  /// A file's content, and what stands for its path in messages.
  case bytes([UInt8], name: String)

  /// The same, of paths that are text.
  package static func paths(_ paths: [String]) -> ImportSource { .files(paths.map { FilePath($0) }) }

  func inputs() throws(ImportError) -> [InputPath] {
    switch self {
    case .files(let paths): try InputPaths.expand(paths)
    case .bytes(let bytes, let name): [InputPath(path: FilePath(name), size: bytes.count, bytes: bytes)]
    }
  }
}

enum InputPaths {
  /// All files, in bytewise order of their paths. A path that was named must exist.
  static func expand(_ paths: [FilePath]) throws(ImportError) -> [InputPath] {
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
        try walk(path, into: &files)
      } else {
        files.append(InputPath(path: path, size: isKind(status, S_IFREG) ? Int(status.st_size) : nil))
      }
    }
    return files.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  private static func isKind(_ status: stat, _ kind: mode_t) -> Bool { status.st_mode & S_IFMT == kind }

  /// True for a log of this tool, which often lies beside the exports: it is not an export.
  private static func isLog(_ directory: FilePath) -> Bool {
    let manifest = directory.appending(LogMark.fileName.utf8)
    return LogMark.isManifest(closing: manifest.withCString { open($0, LogMark.openFlags) })
  }

  /// Adds the files below a directory, logs of this tool left out. Links to files are followed, links to directories are not: they
  /// could lead back up. Pipes, sockets and devices are no exports, and to open them may wait for ever.
  private static func walk(_ directory: FilePath, into files: inout [InputPath]) throws(ImportError) {
    var pending = [directory]
    while let current = pending.popLast() {
      if isLog(current) { continue }
      guard let handle = current.withCString({ opendir($0) }) else { throw .cannotOpen(current.shown, errno) }
      defer { closedir(handle) }
      errno = 0
      while let entry = readdir(handle) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath($0) }
        }
        if name.bytes.first == UInt8(ascii: ".") { continue }
        let path = current.appending(name.bytes)
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else { throw .cannotOpen(path.shown, errno) }
        if isKind(status, S_IFDIR) {
          pending.append(path)
        } else {
          guard path.withCString({ stat($0, &status) }) == 0 else { throw .cannotOpen(path.shown, errno) }
          if isKind(status, S_IFREG) { files.append(InputPath(path: path, size: Int(status.st_size), isFound: true)) }
        }
        errno = 0
      }
      if errno != 0 { throw .cannotRead(current.shown, errno) }
    }
  }
}
