// From the paths that were named to the files that are read: directories give every file below, hidden
// ones left out, and all files are taken in bytewise order of their paths.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file to read.
struct InputPath: Sendable {
  /// The path as it was named or found; `-` is standard input.
  let path: String
  /// Size in bytes as stored; nil for a pipe or a device.
  let size: Int?
  /// The content, if it is in memory; the path is its name for messages then.
  var bytes: [UInt8]?
  /// It was found in a directory and not named.
  var isFound = false
  var isStandardInput: Bool { path == "-" && bytes == nil }
}

/// What an import reads.
package enum ImportSource: Sendable {
  /// Files, directories (every file below, hidden ones left out) and `-` for standard input.
  case paths([String])
  /// A file's content, and what stands for its path in messages.
  case bytes([UInt8], name: String)

  func inputs() throws(ImportError) -> [InputPath] {
    switch self {
    case .paths(let paths): try InputPaths.expand(paths)
    case .bytes(let bytes, let name): [InputPath(path: name, size: bytes.count, bytes: bytes)]
    }
  }
}

enum InputPaths {
  /// All files, in bytewise order of their paths. A path that was named must exist.
  static func expand(_ paths: [String]) throws(ImportError) -> [InputPath] {
    var files: [InputPath] = []
    for path in paths {
      if path == "-" {
        if files.contains(where: \.isStandardInput) { throw .standardInputTwice }
        files.append(InputPath(path: path, size: nil))
        continue
      }
      var status = stat()
      guard stat(path, &status) == 0 else { throw .cannotOpen(path, errno) }
      if isKind(status, S_IFDIR) {
        try walk(path, into: &files)
      } else {
        files.append(InputPath(path: path, size: isKind(status, S_IFREG) ? Int(status.st_size) : nil))
      }
    }
    return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private static func isKind(_ status: stat, _ kind: mode_t) -> Bool { status.st_mode & S_IFMT == kind }

  /// True for a log of this tool, which often lies beside the exports: it is not an export.
  private static func isLog(_ directory: String) -> Bool {
    guard let file = fopen(directory + "/manifest", "r") else { return false }
    defer { fclose(file) }
    var start = [UInt8](repeating: 0, count: 16)
    return fread(&start, 1, 16, file) == 16 && start == Array("permlog-manifest".utf8)
  }

  /// Adds the files below a directory, logs of this tool left out. Links to files are followed, links to directories are not: they
  /// could lead back up.
  private static func walk(_ directory: String, into files: inout [InputPath]) throws(ImportError) {
    var pending = [directory]
    while let current = pending.popLast() {
      if isLog(current) { continue }
      guard let handle = opendir(current) else { throw .cannotOpen(current, errno) }
      defer { closedir(handle) }
      errno = 0
      while let entry = readdir(handle) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasPrefix(".") { continue }
        let path = current.hasSuffix("/") ? current + name : current + "/" + name
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .cannotOpen(path, errno) }
        if isKind(status, S_IFDIR) {
          pending.append(path)
        } else {
          guard stat(path, &status) == 0 else { throw .cannotOpen(path, errno) }
          if isKind(status, S_IFREG) { files.append(InputPath(path: path, size: Int(status.st_size), isFound: true)) }
        }
        errno = 0
      }
      if errno != 0 { throw .cannotRead(current, errno) }
    }
  }
}
